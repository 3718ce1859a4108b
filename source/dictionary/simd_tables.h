// The versions of the innermost loops, see simd.h.

#ifndef evergreen_source_dictionary_simd_tables_h
#define evergreen_source_dictionary_simd_tables_h

#include <evergreen/dictionary/simd.h>

namespace Evergreen
{
  namespace Simd
  {
    /** All loops in one version. */
    struct Tables
    {
      Loops<double> in_double;
      Loops<float>  in_single;
    };

    extern const Tables portable_tables, avx2_tables;
  } // namespace Simd
} // namespace Evergreen

#endif
