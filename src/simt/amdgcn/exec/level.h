// Meanings are compiled once for each level of the host's instruction set, because lanes are
// elements of vectors there. Each level's functions and templates are in a namespace of its own, so
// that the linker takes none of one level for another's. What lies outside of the marks below, the
// standard library's templates as well, is never compiled for more than the processors that the
// build is for. The build says which level a file is compiled for.
#pragma once

#include <cstdint>

#if defined(GANTRY_SIMT_LEVEL_AVX512)
#define GANTRY_LEVEL avx512
#define GANTRY_LEVEL_TARGET                                                                        \
  "avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
#elif defined(GANTRY_SIMT_LEVEL_AVX2)
#define GANTRY_LEVEL avx2
#define GANTRY_LEVEL_TARGET "avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt"
#else
#define GANTRY_LEVEL baseline
#endif

#define GANTRY_PRAGMA(text) _Pragma(#text)
#if defined(GANTRY_LEVEL_TARGET)
#define GANTRY_LEVEL_TARGET_OF(features)                                                           \
  GANTRY_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define GANTRY_LEVEL_BEGIN                                                                         \
  GANTRY_LEVEL_TARGET_OF(GANTRY_LEVEL_TARGET) inline namespace GANTRY_LEVEL {
#define GANTRY_LEVEL_END                                                                           \
  }                                                                                                \
  GANTRY_PRAGMA(clang attribute pop)
#else
#define GANTRY_LEVEL_BEGIN inline namespace GANTRY_LEVEL {
#define GANTRY_LEVEL_END }
#endif
