// flags: -fopenmp-version=60
// compilers: clang22
// requires self_maps.
#pragma omp requires self_maps

#include "conformance.h"

CASE(everything_is_mapped_onto_itself, "requires.self_maps") {
  int x = 1;
#pragma omp target map(alloc : x)
  x = 2;
  CHECK_EQUAL(x, 2);
}
