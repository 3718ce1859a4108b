// Every version of the innermost loops that the machine can run.

#ifndef evergreen_tests_instructions_h
#define evergreen_tests_instructions_h

#include <evergreen/dictionary/simd.h>

#include <gtest/gtest.h>

#include <functional>

namespace Evergreen
{
  namespace Testing
  {
    /** Runs a check with one version after the other. */
    inline void
    for_all_instructions(const std::function<void()> &check)
    {
      for (const auto instructions :
           {Simd::Instructions::portable, Simd::Instructions::avx2})
        if (instructions <= Simd::best_instructions())
          {
            SCOPED_TRACE(int(instructions));
            Simd::use_instructions(instructions);
            check();
          }
      Simd::use_instructions(Simd::best_instructions());
    }
  } // namespace Testing
} // namespace Evergreen

#endif
