// The innermost loops for processors with AVX2 and FMA, and compiled with these
// instructions.
#define EVERGREEN_TABLES avx2_tables
#include "simd_loops.inc"
