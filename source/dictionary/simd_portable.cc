// The innermost loops for all processors.
#define EVERGREEN_TABLES portable_tables
#include "simd_loops.inc"
