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

#if __clang_major__ >= 22 // before, the clauses take one value each
#include <ompx.h>

CASE(bare_regions_of_two_dimensions, "ompx_bare.clause") {
  constexpr int kTeams = 2 * 3, kThreads = 4 * 5;
  int visits[kTeams][kThreads] = {};
  int wrong_sizes = 0;
#pragma omp target teams ompx_bare num_teams(2, 3) thread_limit(4, 5)                              \
    map(tofrom : visits, wrong_sizes)
  {
    const int team = ompx_block_id_x() + 2 * ompx_block_id_y();
    const int thread = ompx_thread_id_x() + 4 * ompx_thread_id_y();
#pragma omp atomic
    visits[team][thread] += 1;
    if (ompx_grid_dim_x() != 2 || ompx_grid_dim_y() != 3 || ompx_grid_dim_z() != 1 ||
        ompx_block_dim_x() != 4 || ompx_block_dim_y() != 5 || ompx_block_dim_z() != 1) {
#pragma omp atomic
      wrong_sizes += 1;
    }
  }
  for (const auto& team : visits) {
    for (const int count : team) {
      CHECK_EQUAL(count, 1);
    }
  }
  CHECK_EQUAL(wrong_sizes, 0);
}

CASE(bare_regions_of_three_dimensions, "ompx_bare.clause") {
  constexpr int kTeams = 3 * 2 * 2, kThreads = 5 * 2 * 3;
  int visits[kTeams][kThreads] = {};
  int teams = 3, threads = 5; // known at run time only
#pragma omp target teams ompx_bare num_teams(teams, 2, 2) thread_limit(threads, 2, 3)              \
    map(tofrom : visits)
  {
    const int team = ompx_block_id_x() + 3 * (ompx_block_id_y() + 2 * ompx_block_id_z());
    const int thread = ompx_thread_id_x() + 5 * (ompx_thread_id_y() + 2 * ompx_thread_id_z());
#pragma omp atomic
    visits[team][thread] += 1;
  }
  for (const auto& team : visits) {
    for (const int count : team) {
      CHECK_EQUAL(count, 1);
    }
  }
}
#endif
