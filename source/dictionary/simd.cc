#include "simd_tables.h"

#include <algorithm>

// Set by the build system where simd_avx2.cc is compiled.
#ifndef EVERGREEN_WITH_AVX2
#  define EVERGREEN_WITH_AVX2 0
#endif

namespace Evergreen
{
  namespace Simd
  {
    namespace
    {
      const Tables &
      tables_for(const Instructions instructions)
      {
#if EVERGREEN_WITH_AVX2
        if (instructions == Instructions::avx2)
          return avx2_tables;
#else
        (void)instructions;
#endif
        return portable_tables;
      }

      const Tables *used = &tables_for(best_instructions());
    } // namespace


    Instructions
    best_instructions()
    {
#if EVERGREEN_WITH_AVX2
      if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return Instructions::avx2;
#endif
      return Instructions::portable;
    }


    void
    use_instructions(const Instructions instructions)
    {
      used = &tables_for(std::min(instructions, best_instructions()));
    }


    template <>
    const Loops<double> &
    loops()
    {
      return used->in_double;
    }


    template <>
    const Loops<float> &
    loops()
    {
      return used->in_single;
    }
  } // namespace Simd
} // namespace Evergreen
