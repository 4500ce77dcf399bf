// flags: -fopenmp-version=52
// compilers: clang22 clang19
// Iterators and shape-operators in map and motion clauses, and mapper modifiers.
#include "conformance.h"

using conformance::is_corresponding;
using conformance::is_present;

static const bool shared = device_shares_memory() != 0;

CASE(iterators_in_map_clauses, "map.iterator") {
  int a[8] = {};
#pragma omp target enter data map(iterator(i = 0 : 8 : 2), to : a[i])
  for (int i = 0; i < 8; ++i) {
    CHECK_EQUAL(is_present(&a[i]), i % 2 == 0);
  }
#pragma omp target exit data map(iterator(i = 0 : 8 : 2), release : a[i])
  CHECK(!is_present(&a[0]));
}

#if __clang_major__ >= 22 // Clang 19 has no iterators in motion clauses
CASE(iterators_in_motion_clauses, "update.iterator") {
  int a[8] = {};
#pragma omp target data map(to : a)
  {
#pragma omp target
    for (int& x : a) {
      x = 1;
    }
#pragma omp target update from(iterator(i = 0 : 4) : a[2 * i])
    for (int i = 0; i < 8; ++i) {
      CHECK_EQUAL(a[i], i % 2 == 0 || shared);
    }
  }
}
#endif

CASE(shapes_in_map_clauses, "section.array-shaping") {
  int storage[12] = {};
  int* p = storage;
#pragma omp target data map(tofrom : ([3][4])p)
  {
    CHECK(is_present(&storage[11]));
#pragma omp target map(tofrom : ([3][4])p)
    p[11] = 11;
    CHECK_EQUAL(storage[11], shared ? 11 : 0);
  }
  CHECK_EQUAL(storage[11], 11);
}

CASE(shapes_in_motion_clauses, "section.array-shaping") {
  int storage[12] = {};
  int* p = storage;
#pragma omp target data map(to : p[0 : 12])
  {
#pragma omp target
    p[11] = 11;
#pragma omp target update from(([3][4])p)
    CHECK_EQUAL(storage[11], 11);
  }
}

namespace {
struct Vector {
  int length;
  int* data;
};
#pragma omp declare mapper(all : Vector v) map(tofrom : v, v.data[0 : v.length])
#pragma omp declare mapper(each : Vector v) map(tofrom : v)                                        \
    map(iterator(i = 0 : v.length), tofrom : v.data[i])

template <typename T>
struct List {
  int length;
  T* items;
};
#pragma omp declare mapper(List<int> list) map(tofrom : list, list.items[0 : list.length])

template <typename T>
void increment(List<T>& list) {
  const void* there = nullptr;
#pragma omp target map(tofrom : list) map(from : there)
  {
    for (int i = 0; i < list.length; ++i) {
      list.items[i] += 1;
    }
    there = list.items;
  }
  CHECK(is_corresponding(there, list.items));
}
} // namespace

CASE(mapper_modifiers, "map.mapper-modifier") {
  int numbers[3] = {1, 2, 3};
  Vector vector = {3, numbers};
  const void* there = nullptr;
#pragma omp target map(mapper(all), always, tofrom : vector) map(from : there)
  {
    vector.data[2] += 10;
    there = vector.data;
  }
  CHECK_EQUAL(numbers[2], 13);
  CHECK(is_corresponding(there, numbers));
}

CASE(iterators_in_mappers, "mapper.iterator") {
  int numbers[3] = {1, 2, 3};
  Vector vector = {3, numbers};
#pragma omp target map(mapper(each), tofrom : vector)
  vector.data[2] += 10;
  CHECK_EQUAL(numbers[2], 13);
}

CASE(mappers_of_templates, "mapper.template") {
  int numbers[3] = {1, 2, 3};
  List<int> list = {3, numbers};
  increment(list);
  CHECK(numbers[0] == 2 && numbers[2] == 4);
}
