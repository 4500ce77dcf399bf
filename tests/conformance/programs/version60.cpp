// flags: -fopenmp-version=60
// compilers: clang22
// What OpenMP 6.0 adds.
#include "conformance.h"

CASE(private_by_default, "defaultmap.private") {
  int x = 1;
  int seen = 0;
#pragma omp target defaultmap(private : scalar) map(from : seen)
  {
    x = 5;
    seen = x;
  }
  CHECK(x == 1 && seen == 5);
}

CASE(nowait_with_an_argument, "nowait.argument") {
  int x = 1;
#pragma omp target nowait(false) map(tofrom : x)
  x += 1;
  CHECK_EQUAL(x, 2);
#pragma omp target nowait(true) map(tofrom : x)
  x += 1;
#pragma omp taskwait
  CHECK_EQUAL(x, 3);
}

static int of_a_team;
#pragma omp groupprivate(of_a_team)

CASE(groupprivate_variables, "declare-target.groupprivate") {
  int seen = 0;
#pragma omp target teams num_teams(2) map(tofrom : seen)
  {
    of_a_team = 3;
    if (omp_get_team_num() == 0) {
      seen = of_a_team;
    }
  }
  CHECK_EQUAL(seen, 3);
}
