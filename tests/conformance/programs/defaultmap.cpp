// The defaultmap clause.
#include "conformance.h"

using conformance::is_present;

namespace {
struct Pair {
  int first;
  int second;
};

/// A scalar, an aggregate and a pointer, whose first int is present or not.
struct Variables {
  int scalar = 1;
  int array[3] = {1, 2, 3};
  Pair pair = {4, 5};
};
} // namespace

static const bool shared = device_shares_memory() != 0;

CASE(alloc, "defaultmap.alloc") {
  int scalar = 1;
  int array[3] = {1, 2, 3};
#pragma omp target defaultmap(alloc : scalar)
  scalar = 2;
  CHECK(scalar == 1 || shared);
#pragma omp target defaultmap(alloc : aggregate)
  array[0] = 10;
  CHECK_EQUAL(array[0], shared ? 10 : 1);
  int* pointer = array;
#pragma omp target defaultmap(alloc : pointer)
  pointer = nullptr;
  CHECK(pointer == array || shared);
}

CASE(to, "defaultmap.to") {
  int scalar = 1;
  Variables variables;
  int* pointer = &scalar;
  int seen = 0;
#pragma omp target defaultmap(to : scalar) map(from : seen)
  {
    seen = scalar;
    scalar = 2;
  }
  CHECK(seen == 1 && scalar == (shared ? 2 : 1));
#pragma omp target defaultmap(to : aggregate) map(from : seen)
  {
    seen = variables.pair.second;
    variables.pair.second = 50;
  }
  CHECK(seen == 5 && variables.pair.second == (shared ? 50 : 5));
  bool same = false;
  const auto address = reinterpret_cast<unsigned long>(pointer);
#pragma omp target defaultmap(to : pointer) map(from : same)
  same = reinterpret_cast<unsigned long>(pointer) == address;
  CHECK(same);
}

CASE(from, "defaultmap.from") {
  int scalar = 1;
  int array[3] = {1, 2, 3};
#pragma omp target defaultmap(from : scalar)
  scalar = 2;
  CHECK_EQUAL(scalar, 2);
#pragma omp target defaultmap(from : aggregate)
  for (int i = 0; i < 3; ++i) {
    array[i] = 10 * i;
  }
  CHECK(array[0] == 0 && array[2] == 20);
  int* pointer = array;
#pragma omp target defaultmap(from : pointer)
  pointer = nullptr;
  CHECK(pointer == nullptr);
}

CASE(tofrom, "defaultmap.tofrom") {
  int scalar = 1;
  Variables variables;
#pragma omp target defaultmap(tofrom : scalar)
  scalar += 1;
  CHECK_EQUAL(scalar, 2);
#pragma omp target defaultmap(tofrom : aggregate)
  variables.array[2] += variables.scalar;
  CHECK_EQUAL(variables.array[2], 4);
  int* pointer = nullptr;
#pragma omp target defaultmap(tofrom : pointer)
  pointer = pointer == nullptr ? reinterpret_cast<int*>(64) : nullptr;
  CHECK(pointer == reinterpret_cast<int*>(64));
}

CASE(firstprivate, "defaultmap.firstprivate") {
  int scalar = 1;
  int array[3] = {1, 2, 3};
  Pair pair = {4, 5};
  int seen = 0;
#pragma omp target defaultmap(firstprivate : aggregate) map(from : seen)
  {
    seen = array[2] + pair.first;
    array[2] = 0;
    pair.first = 0;
  }
  CHECK(seen == 7 && array[2] == 3 && pair.first == 4);
#pragma omp target defaultmap(firstprivate : scalar) map(from : seen)
  {
    seen = scalar;
    scalar = 0;
  }
  CHECK(seen == 1 && scalar == 1);
}

CASE(a_firstprivate_pointer_keeps_its_value, "defaultmap.firstprivate") {
  int array[3] = {1, 2, 3};
  int* pointer = array;
  bool same = false;
  const auto address = reinterpret_cast<unsigned long>(pointer);
#pragma omp target data map(to : array)
  {
#pragma omp target defaultmap(firstprivate : pointer) map(from : same)
    same = reinterpret_cast<unsigned long>(pointer) == address;
  }
#if __clang_major__ >= 22
  CHECK(same);
#endif
}

CASE(none_with_clauses_for_everything, "defaultmap.none") {
  int scalar = 1;
  int array[3] = {1, 2, 3};
#pragma omp target defaultmap(none) map(tofrom : scalar) firstprivate(array)
  {
    scalar += array[2];
    array[2] = 0;
  }
  CHECK(scalar == 4 && array[2] == 3);
}

CASE(none_for_scalars, "defaultmap.none") {
  int scalar = 1;
  int array[3] = {1, 2, 3};
#pragma omp target defaultmap(none : scalar) firstprivate(scalar)
  array[0] = scalar + 10;
  CHECK_EQUAL(array[0], 11);
}

CASE(default_behaviour, "defaultmap.default") {
  int scalar = 1;
  int array[3] = {1, 2, 3};
  int* pointer = array;
#pragma omp target data map(tofrom : array)
  {
#pragma omp target defaultmap(default : scalar) defaultmap(default : aggregate)                    \
    defaultmap(default : pointer)
    {
      array[0] = scalar + 10;
      pointer[1] = 20;
      scalar = 0;
    }
  }
  CHECK(array[0] == 11 && array[1] == 20 && scalar == 1);
}

#ifdef __clang__ // GCC 12 has no `present` here
CASE(present_scalars, "defaultmap.present") {
  int scalar = 1;
#pragma omp target data map(tofrom : scalar)
  {
#pragma omp target defaultmap(present : scalar)
    scalar += 10;
  }
  CHECK_EQUAL(scalar, 11);
}

CASE(present_aggregates_and_pointers, "defaultmap.present") {
  int array[3] = {1, 2, 3};
  int* pointer = array;
#pragma omp target data map(tofrom : array, pointer)
  {
#pragma omp target defaultmap(present : aggregate)
    array[0] = array[2] + 8;
#pragma omp target defaultmap(present : pointer)
    pointer = nullptr;
  }
  CHECK_EQUAL(array[0], 11);
  CHECK(pointer == nullptr);
}

DEATH_CASE(an_absent_aggregate, "not present", "defaultmap.present") {
  int array[3] = {1, 2, 3};
#pragma omp target defaultmap(present : aggregate)
  array[0] = 1;
}

DEATH_CASE(an_absent_scalar, "not present", "defaultmap.present") {
  int scalar = 1;
#pragma omp target defaultmap(present : scalar)
  scalar = 2;
}
#endif

CASE(without_a_category, "defaultmap.all") {
  int scalar = 1;
  int array[3] = {1, 2, 3};
#pragma omp target defaultmap(tofrom)
  {
    scalar += 1;
    array[1] += scalar;
  }
  CHECK(scalar == 2 && array[1] == 4);
#pragma omp target defaultmap(firstprivate)
  {
    scalar += 1;
    array[1] += scalar;
  }
  CHECK(scalar == 2 && array[1] == 4);
#pragma omp target defaultmap(tofrom) firstprivate(scalar) // a clause of its own comes first
  {
    scalar += 1;
    array[1] += scalar;
  }
  CHECK(scalar == 2 && array[1] == 7);
}
