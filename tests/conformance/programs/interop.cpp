// compilers: clang22 clang19
// The interop construct and its queries where no device has a foreign runtime: the object is
// omp_interop_none, and dependences order the construct among tasks.
#include "conformance.h"

#include <atomic>
#include <cstring>
#include <initializer_list>

/// Every query about an object that is omp_interop_none.
static void check_answers(omp_interop_t object) {
  CHECK(object == omp_interop_none);
  for (int i = omp_ipr_first; i < 0; ++i) {
    const auto property = static_cast<omp_interop_property_t>(i);
    int code = 99;
    CHECK_EQUAL(omp_get_interop_int(object, property, &code), 0);
    CHECK_EQUAL(code, omp_irc_empty);
    code = 99;
    CHECK(omp_get_interop_ptr(object, property, &code) == nullptr);
    CHECK_EQUAL(code, omp_irc_empty);
    code = 99;
    CHECK(omp_get_interop_str(object, property, &code) == nullptr);
    CHECK_EQUAL(code, omp_irc_empty);
    CHECK(omp_get_interop_type_desc(object, property) == nullptr);
  }
  CHECK(strcmp(omp_get_interop_name(object, omp_ipr_fr_id), "fr_id") == 0);
  CHECK(strcmp(omp_get_interop_name(object, omp_ipr_targetsync), "targetsync") == 0);
  for (const int beyond : {-10, 0, 1000, -2147483647 - 1}) {
    const auto property = static_cast<omp_interop_property_t>(beyond);
    int code = 99;
    CHECK_EQUAL(omp_get_interop_int(object, property, &code), 0);
    CHECK_EQUAL(code, omp_irc_out_of_range);
    CHECK(omp_get_interop_name(object, property) == nullptr);
  }
  CHECK(omp_get_interop_ptr(object, omp_ipr_device, nullptr) == nullptr);
}

CASE(objects_and_queries, "interop.init", "interop.destroy", "routine.omp_get_interop",
     "routine.omp_get_interop_name") {
  omp_interop_t object = &object; // overwritten by init
#pragma omp interop init(target : object)
  check_answers(object);
#pragma omp interop destroy(object)
  check_answers(object);
  object = &object;
#pragma omp interop init(targetsync : object) device(omp_get_initial_device())
  check_answers(object);
}

CASE(a_thread_alone_waits, "interop.use", "interop.depend") {
  // For a task of libomp's own threads.
  omp_interop_t object = omp_interop_none;
  int a = 0;
#pragma omp target nowait depend(out : a) map(from : a)
  {
    for (volatile int i = 0; i < 5000000; i = i + 1) {
    }
    a = 3;
  }
#pragma omp interop use(object) depend(in : a)
  CHECK_EQUAL(a, 3);
}

CASE(dependences_order_it_among_tasks, "interop.depend", "interop.nowait", "interop.use") {
  omp_interop_t object = nullptr;
  int a = 0, b = 0;
  int seen = -1, last = -1;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    CHECK_EQUAL(omp_get_num_threads(), 2); // or a task that is waited for would not be deferred
    // Without nowait the construct waits for its dependences.
#pragma omp task depend(out : a) shared(a)
    a = 1;
    object = &object;
#pragma omp interop init(targetsync : object) depend(inout : a)
    CHECK_EQUAL(a, 1);
    CHECK(object == omp_interop_none);

    // With nowait it does not, and still is between the tasks before and behind it.
    std::atomic<bool> returned = false;
#pragma omp task depend(out : a) shared(a, returned)
    {
      while (!returned) {
      }
      a = 2;
    }
#pragma omp interop use(object) depend(in : a) depend(out : b) nowait
#pragma omp task depend(in : b) shared(a, seen)
    seen = a;
#pragma omp interop destroy(object) depend(inout : b) nowait
#pragma omp target nowait depend(in : b) map(from : last)
    last = 5;
    CHECK_EQUAL(seen, -1);
    returned = true;
#pragma omp taskwait
  }
  CHECK_EQUAL(seen, 2);
  CHECK_EQUAL(last, 5);
  check_answers(object);
}

CASE(preferred_runtimes, "interop.prefer_type", "interop.init") {
  omp_interop_t object = &object;
#pragma omp interop init(prefer_type("cuda", "opencl"), targetsync : object)
  CHECK(object == omp_interop_none);
}

CASE(properties_of_its_own, "routine.omp_get_num_interop_properties") {
  CHECK(omp_get_num_interop_properties(omp_interop_none) >= 0);
}
