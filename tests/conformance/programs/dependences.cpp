// Dependences between device constructs, and between them and tasks of the host.
#include "conformance.h"

#include <atomic>

/// Lets a region last long enough that what does not wait for it is seen.
#define LINGER                                                                                     \
  for (volatile int i = 0; i < 200000; i = i + 1) {                                                \
  }

CASE(out_before_in, "depend.in", "depend.out") {
  int a = 0, b = 0, c = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target nowait depend(out : a) map(tofrom : a)
    {
      LINGER a = 1;
    }
#pragma omp target nowait depend(in : a) map(tofrom : a, b)
    b = a + 1;
#pragma omp target nowait depend(in : a) map(tofrom : a, c)
    c = a + 2;
#pragma omp target nowait depend(out : a) map(tofrom : a)
    a = 100;
#pragma omp taskwait
  }
  CHECK(a == 100 && b == 2 && c == 3);
}

CASE(all_data_constructs, "depend.data-constructs", "nowait.enter-data", "nowait.exit-data",
     "nowait.update", "nowait.taskwait") {
  int a[100];
  for (int i = 0; i < 100; ++i) {
    a[i] = i;
  }
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target enter data map(to : a) nowait depend(out : a)
#pragma omp target nowait depend(inout : a)
    for (int& x : a) {
      x += 1;
    }
#pragma omp target update from(a) nowait depend(inout : a)
#pragma omp task depend(inout : a) shared(a)
    for (int& x : a) {
      x *= 2;
    }
#pragma omp target update to(a) nowait depend(inout : a)
#pragma omp target nowait depend(inout : a)
    for (int& x : a) {
      x += 3;
    }
#pragma omp target exit data map(from : a) nowait depend(inout : a)
#pragma omp taskwait
  }
  CHECK(a[0] == 5 && a[99] == 203);
  CHECK(!conformance::is_present(a));
}

CASE(tasks_of_the_host, "depend.host-tasks", "depend.inout") {
  int x = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 10; ++i) {
#pragma omp task depend(inout : x) shared(x)
    x += 1;
#pragma omp target nowait depend(inout : x) map(tofrom : x)
    x = x * 2 % 1000;
  }
  int expected = 1;
  for (int i = 0; i < 10; ++i) {
    expected = (expected + 1) * 2 % 1000;
  }
  CHECK_EQUAL(x, expected);
}

CASE(mutually_exclusive_sets, "depend.mutexinoutset") {
  int sum = 0;
#pragma omp target enter data map(to : sum)
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int round = 0; round < 8; ++round) {
    for (int i = 1; i <= 20; ++i) {
#pragma omp target nowait depend(mutexinoutset : sum) map(alloc : sum) firstprivate(i)
      {
        const int before = sum;
        for (volatile int pause = 0; pause < 20000; pause = pause + 1) {
        }
        sum = before + i;
      }
    }
#pragma omp taskwait
  }
#pragma omp target exit data map(from : sum)
  CHECK_EQUAL(sum, 8 * 210);
}

#ifdef __clang__ // GCC 12 has no `inoutset`
CASE(concurrent_sets, "depend.inoutset") {
  int parts[4] = {};
  int total = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : total) shared(parts)
    parts[0] = 1;
    for (int i = 0; i < 4; ++i) {
#pragma omp target nowait depend(inoutset : total) map(tofrom : parts[i : 1])
      parts[i] += i + 1;
    }
#pragma omp target nowait depend(in : total) map(to : parts) map(from : total)
    total = parts[0] + parts[1] + parts[2] + parts[3];
#pragma omp taskwait
  }
  CHECK_EQUAL(total, 11);
}
#endif

CASE(depend_objects, "depend.depobj") {
  int x = 1;
  omp_depend_t object;
#pragma omp depobj(object) depend(inout : x)
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target nowait depend(depobj : object) map(tofrom : x)
    {
      LINGER x = 10;
    }
#pragma omp target nowait depend(depobj : object) map(tofrom : x)
    x += 1;
#pragma omp taskwait depend(in : x)
    CHECK_EQUAL(x, 11);
  }
#pragma omp depobj(object) update(in)
#pragma omp target depend(depobj : object) map(tofrom : x)
  x += 1;
#pragma omp depobj(object) destroy
  CHECK_EQUAL(x, 12);
}

CASE(iterators, "depend.iterator") {
  int cells[8] = {};
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 8; ++i) {
#pragma omp task depend(out : cells[i]) shared(cells)
      cells[i] = i;
    }
#pragma omp target nowait depend(iterator(i = 0 : 8), in : cells[i]) map(to : cells) map(from : sum)
    {
      sum = 0;
      for (const int cell : cells) {
        sum += cell;
      }
    }
#pragma omp taskwait
  }
  CHECK_EQUAL(sum, 28);
}

#ifdef __clang__ // GCC 12 has no `omp_all_memory`
CASE(all_memory, "depend.omp_all_memory") {
  int a = 0, b = 0, c = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : a) shared(a)
    a = 1;
#pragma omp target nowait depend(out : b) map(tofrom : b)
    {
      LINGER b = 2;
    }
#pragma omp target nowait depend(inout : omp_all_memory) map(to : a, b) map(from : c)
    c = a + b;
#pragma omp task depend(in : c) shared(c)
    c *= 10;
#pragma omp taskwait
  }
  CHECK_EQUAL(c, 30);
}
#endif

CASE(waiting_for_some, "depend.taskwait", "depend.target") {
  int a = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target nowait depend(out : a) map(tofrom : a)
    {
      LINGER a = 5;
    }
#pragma omp taskwait depend(in : a)
    CHECK_EQUAL(a, 5);
#pragma omp task depend(inout : a) shared(a)
    a += 1;
#pragma omp target depend(in : a) map(tofrom : a) // without nowait
    a *= 2;
    CHECK_EQUAL(a, 12);
  }
}

CASE(detached_tasks, "depend.detach") {
  int a = 0;
  omp_event_handle_t event = {};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task detach(event) depend(out : a) shared(a)
    a = 1;
#pragma omp target nowait depend(inout : a) map(tofrom : a)
    a += 10;
    omp_fulfill_event(event);
#pragma omp taskwait
  }
  CHECK_EQUAL(a, 11);
}

CASE(barriers_wait, "nowait.barrier", "nowait.target") {
  int results[4] = {};
#pragma omp parallel num_threads(4)
  {
    const int thread = omp_get_thread_num();
    if (thread < 4) {
#pragma omp target nowait map(from : results[thread : 1]) firstprivate(thread)
      {
        LINGER results[thread] = thread + 1;
      }
    }
#pragma omp barrier
    CHECK_EQUAL(results[0], 1);
  }
  CHECK_EQUAL(results[0], 1);
}

/// Has a construct with nowait wait for `release`, so that what is captured was captured before.
#define GENERATE_A_GATE                                                                            \
  _Pragma("omp task depend(out : gate) shared(released)") while (!released) {}

CASE(scalars_when_the_construct_was_met, "nowait.firstprivate") {
  std::atomic<bool> released = false;
  int gate = 0;
  int value = 1;
  int seen = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    CHECK_EQUAL(omp_get_num_threads(), 2); // or the gate would be waited for here
    GENERATE_A_GATE
#pragma omp target nowait depend(in : gate) map(from : seen) firstprivate(value)
    seen = value;
    value = 100;
    released = true;
#pragma omp taskwait
  }
  CHECK_EQUAL(seen, 1);
}

CASE(aggregates_when_the_construct_was_met, "nowait.firstprivate") {
  std::atomic<bool> released = false;
  int gate = 0;
  int values[8] = {1};
  int seen = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    CHECK_EQUAL(omp_get_num_threads(), 2);
    GENERATE_A_GATE
#pragma omp target nowait depend(in : gate) map(from : seen) firstprivate(values)
    seen = values[0];
    values[0] = 100;
    released = true;
#pragma omp taskwait
  }
  CHECK_EQUAL(seen, 1);
}

CASE(hundreds_at_once, "nowait.many") {
  constexpr int kCount = 400;
  int results[kCount] = {};
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < kCount; ++i) {
#pragma omp target nowait map(tofrom : results[i : 1]) firstprivate(i)
    results[i] = 2 * i + 1;
  }
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(results[i], 2 * i + 1);
  }
}
