// flags: -fopenmp-version=61
// compilers: clang22
// The dyn_groupprivate clause.
#include "conformance.h"

CASE(group_private_memory, "dyn_groupprivate.clause") {
  int x = 1;
#pragma omp target teams dyn_groupprivate(64) num_teams(1) map(tofrom : x)
  x += 1;
  CHECK_EQUAL(x, 2);
}
