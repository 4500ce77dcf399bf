// Deliberately wrong programs, one for each name, on a device with memory of its own. The tests
// compare messages word for word, so lines may not move: see worker_test.py.
#include "check.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include <alloca.h>
#include <unistd.h>

static double coeff[1024] = {1};
static int one = 1;

struct Vector {
  long length;
  double* values;
};

static double* array() {
  return static_cast<double*>(calloc(1024, sizeof(double)));
}

static void missing_map() {
  double* y = array();
#pragma omp target
  y[2] = 1; // missing_map
}

static void pointer_to_global() {
  double* p = coeff;
#pragma omp target firstprivate(p)
  p[3] += 1; // pointer_to_global
}

static void section_too_short() {
  double* y = array();
#pragma omp target map(tofrom : y[0 : 1000])
  for (int i = 0; i < 2048; ++i) {
    y[i] = i; // section_too_short
  }
}

static void after_exit_data() {
  double* y = array();
  double* on_device = nullptr;
#pragma omp target enter data map(to : y[0 : 1024])
#pragma omp target data use_device_ptr(y)
  on_device = y;
#pragma omp target exit data map(release : y[0 : 1024]) // unmapped
#pragma omp target is_device_ptr(on_device)
  on_device[5] = 1; // after_exit_data
}

static void not_attached() {
  Vector vector{1024, array()};
#pragma omp target enter data map(to : vector.values[0 : 1024])
#pragma omp target map(to : vector)
  vector.values[1] = 1; // not_attached
}

static void pointer_of_member() {
  Vector vector{1024, array()};
#pragma omp target map(to : vector)
  vector.values[1] = 1; // pointer_of_member
}

static void null_pointer() {
  double* y = nullptr;
#pragma omp target
  y[2] = 1; // null_pointer
}

static void freed_allocation() {
  auto* const y = static_cast<double*>(omp_target_alloc(8192, 0));
  omp_target_free(y, 0);
#pragma omp target is_device_ptr(y)
  y[3] = 1; // freed_allocation
}

static void past_allocation() {
  auto* const y = static_cast<double*>(omp_target_alloc(8192, 0));
#pragma omp target is_device_ptr(y)
  y[1024] = 1; // past_allocation
}

static void freed_twice() {
  void* const y = omp_target_alloc(8192, 0);
  omp_target_free(y, 0);
  omp_target_free(y, 0);
}

static void written_past() {
  char y[100] = {};
#pragma omp target enter data map(to : y)
  const long n = one + 103;
#pragma omp target
  y[n] = 1;
#pragma omp target exit data map(from : y) // written_past
}

static void divides() {
  volatile int x = 0;
#pragma omp target map(tofrom : x)
  x = 100 / x; // divides
}

static void aborts() {
#pragma omp target
  abort(); // aborts
}

static void exits() {
#pragma omp target
  exit(3); // exits
}

static void ends() {
#pragma omp target
  _exit(3);
}

static int deeper(int n) {
  volatile char frame[4096] = {};
  frame[n % 4096] = 1;
  return n < 0 ? 0 : deeper(n + 1) + frame[(n + 1) % 4096];
}

static void recurses() {
  int x = 0;
#pragma omp target map(tofrom : x)
  x = deeper(x);
}

static void loops() {
  int x = 0;
#pragma omp target map(tofrom : x)
  {
    volatile int go_on = 1;
    while (go_on != 0) { // loops
    }
    x = 1;
  }
}

static void in_parallel() {
  double* y = array();
  // In all of them, of which the first is told.
#pragma omp target parallel for num_threads(4)
  for (int i = 0; i < 1024; ++i) {
    y[i] = 1; // in_parallel
  }
}

static void function_of_host() {}

static void calls_host() {
  void (*f)() = function_of_host;
#pragma omp target firstprivate(f)
  f(); // calls_host
}

static void before_large_block() {
  double* y = array();
  // Wherever in its page the section begins, y[0] lies in the page before.
#pragma omp target map(tofrom : y[512 : 512])
  y[0] = one; // before_large_block
}

static void written_before() {
  char y[3000] = {};
#pragma omp target enter data map(to : y)
  const long n = -one;
#pragma omp target
  y[n] = 1;
#pragma omp target exit data map(from : y) // written_before
}

static void before_allocation() {
  auto* const y = static_cast<double*>(omp_target_alloc(8192, 0));
#pragma omp target is_device_ptr(y)
  y[-100] = 1; // before_allocation
}

static void large_frame() {
  long x = 100'000'000;
#pragma omp target map(tofrom : x)
  x = *static_cast<char*>(memset(alloca(x), 1, x));
}

/// Those whose region it is not have less to say.
static void beside_others() {
  double* y = array();
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 1000; ++i) {
    if (i == 10 && omp_get_thread_num() == 2) {
#pragma omp target
      y[2] = 1; // beside_others
    } else {
      int x = 0;
#pragma omp target map(tofrom : x)
      ++x;
    }
  }
}

// For GANTRY_CHECK=map: nothing goes wrong but the values.

static void stale_on_device() {
  int y[100] = {};
#pragma omp target enter data map(to : y) // copied to the device
  y[0] = 1;
  int seen = 0;
#pragma omp target map(from : seen) // stale_on_device
  seen = y[0];
  printf("%d\n", seen);
#pragma omp target update to(y)
#pragma omp target map(from : seen)
  seen = y[0];
  printf("%d\n", seen);
#pragma omp target exit data map(release : y)
}

static void stale_on_host() {
  int y[100] = {};
#pragma omp target enter data map(to : y)
#pragma omp target // changes on the device
  y[0] = 1;
  printf("%d\n", y[0]);
#pragma omp target exit data map(release : y) // stale_on_host
}

static void not_asked_for() {
  int y[100] = {};
#pragma omp target map(to : y) // not_asked_for
  y[0] = 1;
  printf("%d\n", y[0]);
}

/// Some elements are copied, and others would have to be.
static void parts_copied() {
  int y[100] = {};
#pragma omp target enter data map(to : y) // copied whole
  y[0] = 1;
  y[50] = 1;
#pragma omp target update to(y[0 : 50])
  int first = 0;
  int other = 0;
#pragma omp target map(from : first, other) // uses the rest
  {
    first = y[0];
    other = y[50];
  }
  printf("%d %d\n", first, other);
#pragma omp target // changes two
  {
    y[0] = 2;
    y[99] = 2;
  }
#pragma omp target update from(y[0 : 2])
  printf("%d %d\n", y[0], y[99]);
#pragma omp target exit data map(release : y) // parts_copied
}

/// Each copy is asked for, and what is never copied is the device's own.
static void all_asked_for() {
  int y[100] = {};
  int scratch[100];
#pragma omp target data map(tofrom : y) map(alloc : scratch)
  {
#pragma omp target
    for (int i = 0; i < 100; ++i) {
      scratch[i] = i;
      y[i] = 1;
    }
#pragma omp target update from(y)
    y[1] = 5;
#pragma omp target update to(y)
#pragma omp target
    y[2] = y[1] + scratch[1];
  }
  printf("%d\n", y[2]);
}

static void never_set() {
  unsigned y[1000];
  unsigned seen = 0;
#pragma omp target map(alloc : y) map(from : seen)
  seen = y[10];
  printf("%x\n", seen);
}

/// The device is lost, and everything that needs it says so; the other one works.
static void goes_on() {
  missing_map();
  int x = 1;
#pragma omp target map(tofrom : x) device(1)
  ++x;
  CHECK_EQUAL(x, 2);
  CHECK(omp_target_alloc(8, 0) == nullptr);
  CHECK(omp_target_alloc(8, 1) != nullptr);
  puts("the other device works");
}

int main(int count, char** words) {
  const std::string name = count > 1 ? words[1] : "";
  struct Case {
    const char* name;
    void (*run)();
  };
#define CASE_OF(name)                                                                              \
  {                                                                                                \
    #name, name                                                                                    \
  }
  for (const Case& one_case : {Case CASE_OF(missing_map),
                               CASE_OF(pointer_to_global),
                               CASE_OF(section_too_short),
                               CASE_OF(after_exit_data),
                               CASE_OF(not_attached),
                               CASE_OF(pointer_of_member),
                               CASE_OF(null_pointer),
                               CASE_OF(freed_allocation),
                               CASE_OF(past_allocation),
                               CASE_OF(freed_twice),
                               CASE_OF(written_past),
                               CASE_OF(divides),
                               CASE_OF(aborts),
                               CASE_OF(exits),
                               CASE_OF(ends),
                               CASE_OF(recurses),
                               CASE_OF(loops),
                               CASE_OF(in_parallel),
                               CASE_OF(calls_host),
                               CASE_OF(before_large_block),
                               CASE_OF(written_before),
                               CASE_OF(before_allocation),
                               CASE_OF(large_frame),
                               CASE_OF(beside_others),
                               CASE_OF(goes_on),
                               CASE_OF(stale_on_device),
                               CASE_OF(stale_on_host),
                               CASE_OF(not_asked_for),
                               CASE_OF(parts_copied),
                               CASE_OF(all_asked_for),
                               CASE_OF(never_set)}) {
    if (name == one_case.name) {
      one_case.run();
      puts("done");
      return 0;
    }
  }
  fprintf(stderr, "no such case: '%s'\n", name.c_str());
  return 2;
}
