// compilers: clang22 clang19
// Clang's clauses of its own.
#include "conformance.h"

CASE(dynamic_group_memory, "ompx_dyn_cgroup_mem.clause") {
  int x = 1;
#pragma omp target teams ompx_dyn_cgroup_mem(256) num_teams(1) map(tofrom : x)
  x += 1;
  CHECK_EQUAL(x, 2);
}

CASE(bare_regions, "ompx_bare.clause") {
  int x = 1;
#pragma omp target teams ompx_bare num_teams(1) thread_limit(1) map(tofrom : x)
  x += 1;
  CHECK_EQUAL(x, 2);
}

CASE(attributes, "ompx_attribute.clause") {
  int x = 1;
#pragma omp target teams ompx_attribute(__attribute__((amdgpu_waves_per_eu(1)))) num_teams(1)      \
    map(tofrom : x)
  x += 1;
  CHECK_EQUAL(x, 2);
}
