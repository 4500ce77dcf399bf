// Functions with the indirect clause, called by pointers that the host made. Included by programs
// that differ in how they are compiled.
#include "cases/where.h"
#include "conformance.h"

#include <algorithm>

#pragma omp begin declare target indirect
int plain(int x) {
  return x + here();
}
static int internal(int x) {
  return x + here() + 1;
}
inline int in_line(int x) {
  return x + here() + 2;
}
template <typename T>
T of_type(T x) {
  return x + here() + T(sizeof(T));
}
extern "C" int with_c_linkage(int x) {
  return x + here() + 3;
}
namespace {
int in_anonymous_namespace(int x) {
  return x + here() + 4;
}
} // namespace
int minus_one(int x) {
  return x - 1 + (here() - kDevice);
}
struct Large {
  int values[16];
};
Large of_large(int x) {
  Large large = {};
  large.values[15] = x + here();
  return large;
}
bool descending(const int& left, const int& right) {
  return here() == kDevice && left > right;
}
void count(int* counter) {
#pragma omp atomic
  *counter += here();
}
void throws(int x) {
  if (x > 0) {
    throw x + here();
  }
}
using Function = int (*)(int);
Function chosen(bool first) {
  return first ? plain : internal;
}
#pragma omp end declare target

int named_afterwards(int x) {
  return x + here() + 5;
}
#pragma omp declare target enter(named_afterwards) indirect

#pragma omp begin declare target
int apply(Function function, int x) {
  return function(x);
}
int count_steps(Function step, int n) {
  int steps = 0;
  while (n > 0) {
    n = step(n);
    ++steps;
  }
  return steps;
}
int made_on_device(int x) {
  return x + here() + 6;
}
Function device_pointer() {
  return made_on_device;
}
#pragma omp end declare target

CASE(functions_of_every_kind, "declare-target.indirect-device") {
  const struct {
    Function function;
    int expected;
  } table[] = {{plain, 0},           {internal, 1},       {in_line, 2},
               {of_type<int>, 4},    {with_c_linkage, 3}, {in_anonymous_namespace, 4},
               {named_afterwards, 5}};
  for (const auto& [function, expected] : table) {
    Function pointer = function;
    int seen = 0;
#pragma omp target map(from : seen) firstprivate(pointer)
    seen = pointer(1);
    CHECK_EQUAL(seen, 1 + kDevice + expected);
    CHECK_EQUAL(pointer(1), 1 + kHost + expected);
  }
  long (*of_long)(long) = of_type<long>;
  long seen = 0;
#pragma omp target map(from : seen)
  seen = of_long(1);
  CHECK_EQUAL(seen, 1 + kDevice + 8);
}

CASE(pointers_in_arrays_and_structs, "declare-target.indirect-device") {
  Function array[3] = {plain, internal, in_line};
  struct {
    int before;
    Function function;
    Function functions[2];
  } object = {1, internal, {plain, in_line}};
  int seen[3] = {};
#pragma omp target map(tofrom : seen) map(to : array)
  for (int i = 0; i < 3; ++i) {
    seen[i] = array[i](i);
  }
  CHECK(seen[0] == kDevice && seen[1] == kDevice + 2 && seen[2] == kDevice + 4);
#pragma omp target map(tofrom : seen) map(to : object)
  {
    seen[0] = object.function(0);
    seen[1] = object.functions[1](0);
  }
  CHECK(seen[0] == kDevice + 1 && seen[1] == kDevice + 2);
}

CASE(pointers_that_are_captured, "declare-target.indirect-device") {
  Function function = internal;
  const auto by_value = [function](int x) { return function(x); };
  const auto by_reference = [&function](int x) { return function(x); };
  int seen[2] = {};
#pragma omp target map(tofrom : seen) map(to : function)
  {
    seen[0] = by_value(1);
    seen[1] = by_reference(2);
  }
  CHECK(seen[0] == kDevice + 2 && seen[1] == kDevice + 3);
}

CASE(pointers_as_arguments_and_results, "declare-target.indirect-device") {
  Function function = plain;
  Function (*choose)(bool) = chosen;
  int seen[3] = {};
#pragma omp target map(tofrom : seen)
  {
    seen[0] = apply(function, 1);
    seen[1] = chosen(false)(1);
    seen[2] = apply(choose(true), 3);
  }
  CHECK(seen[0] == kDevice + 1 && seen[1] == kDevice + 2 && seen[2] == kDevice + 3);
}

CASE(pointers_come_back_as_they_went, "declare-target.indirect-data") {
  Function function = internal;
  Function copy = nullptr;
  bool equal = false;
#pragma omp target map(from : copy, equal) map(to : function)
  {
    copy = function;
    equal = copy == function && function(0) > kDevice;
  }
  CHECK(copy == internal && equal);
  CHECK_EQUAL(copy(1), kHost + 2);
}

CASE(null_pointers, "declare-target.indirect-data") {
  Function function = nullptr;
  int seen = -1;
#pragma omp target map(tofrom : seen) firstprivate(function)
  if (function != nullptr) {
    seen = function(1);
  } else {
    seen = 0;
  }
  CHECK_EQUAL(seen, 0);
}

CASE(pointers_made_on_the_device, "declare-target.indirect-device-made") {
  int seen[3] = {};
#pragma omp target map(tofrom : seen)
  {
    Function function = made_on_device;
    seen[0] = apply(function, 1);
    seen[1] = device_pointer()(2);
    static Function const table[] = {made_on_device, plain};
    seen[2] = table[seen[0] == 0](3);
  }
  CHECK(seen[0] == kDevice + 7 && seen[1] == kDevice + 8 && seen[2] == kDevice + 9);
}

CASE(a_pointer_stored_on_the_device_is_good_there, "declare-target.indirect-device-made") {
  Function kept = nullptr;
  int seen = 0;
#pragma omp target data map(alloc : kept)
  {
#pragma omp target map(alloc : kept)
    kept = device_pointer();
#pragma omp target map(alloc : kept) map(from : seen)
    seen = kept(1);
  }
  CHECK_EQUAL(seen, kDevice + 7);
}

CASE(loops_over_one_pointer, "declare-target.indirect-device") {
  Function step = minus_one;
  int steps = 0;
#pragma omp target map(from : steps)
  steps = count_steps(step, 1000);
  CHECK_EQUAL(steps, 1000);
}

#pragma omp begin declare target indirect
int fibonacci(int (*self)(void*, int), void* data, int n) {
  return n < 2 ? n : self(data, n - 1) + self(data, n - 2);
}
struct Recursion {
  int (*function)(void*, int);
  int calls;
};
int recursive(void* data, int n) {
  auto* recursion = static_cast<Recursion*>(data);
  recursion->calls += here();
  return fibonacci(recursion->function, data, n);
}
#pragma omp end declare target

CASE(recursion_through_a_pointer, "declare-target.indirect-device") {
  Recursion recursion = {recursive, 0};
  int (*function)(void*, int) = recursive;
  int seen = 0;
#pragma omp target map(tofrom : recursion, seen)
  seen = function(&recursion, 10);
  CHECK_EQUAL(seen, 55);
  CHECK_EQUAL(recursion.calls, 177 * kDevice);
}

CASE(large_results, "declare-target.indirect-device") {
  Large (*function)(int) = of_large;
  int seen = 0;
#pragma omp target map(from : seen)
  {
    const Large large = function(1);
    seen = large.values[15];
  }
  CHECK_EQUAL(seen, kDevice + 1);
}

CASE(calls_in_try_blocks, "declare-target.indirect-device") {
  void (*function)(int) = throws;
  int seen = 0;
#pragma omp target map(from : seen)
  {
    try {
      function(0);
      function(1);
      seen = -1;
    } catch (int thrown) {
      seen = thrown;
    }
  }
  CHECK_EQUAL(seen, kDevice + 1);
}

CASE(comparators_of_sorts, "declare-target.indirect-device") {
  int values[64];
  for (int i = 0; i < 64; ++i) {
    values[i] = i * 37 % 64;
  }
  bool (*compare)(const int&, const int&) = descending;
#pragma omp target map(tofrom : values)
  std::sort(values, values + 64, compare);
  for (int i = 0; i < 64; ++i) {
    CHECK_EQUAL(values[i], 63 - i);
  }
}

CASE(calls_by_threads_teams_and_tasks, "declare-target.indirect-device") {
  void (*function)(int*) = count;
  int counters[3] = {};
#pragma omp target teams distribute parallel for map(tofrom : counters)
  for (int i = 0; i < 50; ++i) {
    function(&counters[0]);
  }
#pragma omp target parallel num_threads(3) map(tofrom : counters)
  {
#pragma omp single
    counters[2] = 0;
    function(&counters[1]);
#pragma omp barrier
#pragma omp single
    {
#pragma omp task shared(counters)
      function(&counters[2]);
#pragma omp task shared(counters) firstprivate(function)
      function(&counters[2]);
    }
  }
  CHECK_EQUAL(counters[0], 50 * kDevice);
  CHECK(counters[1] > 0 && counters[1] % kDevice == 0);
  CHECK_EQUAL(counters[2], 2 * kDevice);
}

namespace {
struct Simple {
  int value;
#pragma omp begin declare target indirect
  int add(int x) { return value + x + here(); }
  int add_const(int x) const { return value + x + here() + 1; }
  static int add_static(int x) { return x + here() + 2; }
#pragma omp end declare target
};
} // namespace

CASE(pointers_to_members, "declare-target.indirect-member") {
  Simple object = {10};
  int (Simple::*member)(int) = &Simple::add;
  int (Simple::*const_member)(int) const = &Simple::add_const;
  Function static_member = &Simple::add_static;
  int seen[3] = {};
#pragma omp target map(tofrom : seen) map(to : object)
  {
    seen[0] = (object.*member)(1);
    seen[1] = (object.*const_member)(1);
    seen[2] = static_member(1);
  }
  CHECK(seen[0] == 11 + kDevice && seen[1] == 12 + kDevice && seen[2] == 3 + kDevice);
  CHECK_EQUAL((object.*member)(1), 11 + kHost);
}

CASE(regions_on_the_host_call_the_hosts, "declare-target.indirect-host") {
  Function function = plain;
  int seen = 0;
#pragma omp target map(from : seen) if (false)
  seen = function(1);
  CHECK_EQUAL(seen, 1 + kHost);
}

CASE(every_device_calls_its_own, "declare-target.indirect-device") {
  Function function = internal;
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    int seen = 0;
    int number = -1;
#pragma omp target map(from : seen, number) device(device)
    {
      seen = function(1);
      number = omp_get_device_num();
    }
    CHECK_EQUAL(seen, 2 + kDevice);
    CHECK_EQUAL(number, device);
  }
}
