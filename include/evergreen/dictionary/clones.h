// Functions in several versions, of which the machine takes the best it can
// run.

#ifndef evergreen_dictionary_clones_h
#define evergreen_dictionary_clones_h

// EVERGREEN_CLONES before a function makes the versions; what it calls must be
// EVERGREEN_INLINE to be compiled with it. Other compilers make one version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#  define EVERGREEN_CLONES                                                     \
    __attribute__((target_clones("default", "avx2,fma", "avx512f")))
#  define EVERGREEN_INLINE inline __attribute__((always_inline))
#else
#  define EVERGREEN_CLONES
#  define EVERGREEN_INLINE inline
#endif

#endif
