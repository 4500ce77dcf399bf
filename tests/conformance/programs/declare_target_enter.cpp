// flags: -fopenmp-version=60
// declare target in the words of OpenMP 5.2: enter, device_type, indirect; what regions call.
#include "conformance.h"

#ifndef __clang__
#define enter to // its name in OpenMP 5.1
#endif

int on_any = 1;
#pragma omp declare target enter(on_any) device_type(any)

int entered = 5;
#pragma omp declare target enter(entered)

// Behind all others: GCC 12's assembler for GPUs changes the order of variables that follow one.
int linked[3] = {1, 2, 3};
#pragma omp declare target link(linked)

CASE(entered_and_linked, "declare-target.enter", "declare-target.link",
     "declare-target.initialiser") {
  entered = 6;
  int seen = 0;
#pragma omp target map(from : seen)
  seen = entered++;
  CHECK_EQUAL(seen, 5);
#pragma omp target map(tofrom : linked)
  linked[0] = linked[2] + 10;
  CHECK(linked[0] == 13 && entered == 6);
}

CASE(variables_of_any_device_type, "declare-target.device_type-any") {
  on_any = 10;
#pragma omp target update to(on_any)
  on_any = 20; // the host's
  int seen = 0;
#pragma omp target map(from : seen)
  seen = on_any + 1;
  CHECK_EQUAL(seen, 11);
}

static int for_hosts() {
  return omp_is_initial_device() ? 1 : -1;
}
#pragma omp declare target enter(for_hosts) device_type(host)

// The host's version of a region must not name a function that the host has not: a variant is
// chosen.
int for_devices();
int for_devices() {
  return omp_is_initial_device() ? -1 : 2;
}
#pragma omp declare target enter(for_devices) device_type(nohost)
#pragma omp declare variant(for_devices) match(device = {kind(nohost)})
int for_either();
int for_either() {
  return 3;
}

CASE(functions_of_a_device_type, "declare-target.device_type-host",
     "declare-target.device_type-nohost") {
  int seen = 0;
#pragma omp target map(from : seen)
  seen = for_either();
  CHECK_EQUAL(seen, 2);
  CHECK_EQUAL(for_either(), 3);
  CHECK_EQUAL(for_hosts(), 1);
}

#ifdef __clang__ // GCC 12 has no indirect
int indirectly_called(int x) {
  return x + (omp_is_initial_device() ? 100 : 200);
}
#pragma omp declare target enter(indirectly_called) indirect

CASE(indirect_functions_called_directly, "declare-target.indirect-host") {
  int seen = 0;
#pragma omp target map(from : seen)
  seen = indirectly_called(1);
  CHECK_EQUAL(seen, 201);
  CHECK_EQUAL(indirectly_called(1), 101);
}

CASE(indirect_functions_called_by_a_pointer, "declare-target.indirect-device") {
  int (*function)(int) = indirectly_called;
  int seen = 0;
#pragma omp target map(from : seen) firstprivate(function)
  seen = function(1);
  CHECK_EQUAL(seen, 201);
}
#endif

CASE(each_device_has_its_own, "declare-target.device-number", "declare-target.update") {
  const int before = entered;
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    entered = 10 * device;
#pragma omp target update to(entered) device(device)
  }
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    int seen = -1;
#pragma omp target map(from : seen) device(device)
    seen = entered;
    CHECK_EQUAL(seen, 10 * device);
  }
  entered = before;
}
