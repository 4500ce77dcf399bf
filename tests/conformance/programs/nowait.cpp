// nowait: target tasks, and what waits for them.
#include "conformance.h"

CASE(a_chain_of_tasks, "nowait.target", "nowait.update", "nowait.exit-data", "depend.inout") {
  int a[1000] = {};
#pragma omp target enter data map(to : a)
#pragma omp parallel
#pragma omp single
  {
    for (int step = 0; step < 20; ++step) {
#pragma omp target nowait depend(inout : a)
      for (int& x : a) {
        x = x * 2 % 1000 + 1;
      }
#pragma omp target update nowait depend(inout : a) to(a[0 : 0])
    }
#pragma omp target exit data map(from : a) nowait depend(inout : a)
#pragma omp taskwait
  }
  int expected = 0;
  for (int step = 0; step < 20; ++step) {
    expected = expected * 2 % 1000 + 1;
  }
  CHECK_EQUAL(a[0], expected);
  CHECK_EQUAL(a[999], expected);
}

CASE(a_taskgroup_waits, "nowait.taskgroup", "depend.target") {
  int x = 1;
#pragma omp target data map(tofrom : x)
  {
#pragma omp target depend(inout : x) map(tofrom : x)
    x += 1;
#pragma omp taskgroup
    {
#pragma omp target nowait depend(inout : x) map(tofrom : x)
      x *= 10;
    }
  }
  CHECK_EQUAL(x, 20);
}
