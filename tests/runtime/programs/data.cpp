// The device data environment by the ordinary constructs: presence, reference counts, copies.
#include "check.h"

#include <vector>

static bool present(const void* pointer) {
  return omp_target_is_present(pointer, omp_get_default_device()) != 0;
}

/// Adds `amount` to n ints on the device.
static void add_on_device(int* p, int n, int amount) {
#pragma omp target map(tofrom : p[0 : n])
  for (int i = 0; i < n; ++i) {
    p[i] += amount;
  }
}

static void region_counts_references() {
  int a[100] = {};
  CHECK(!present(a));
#pragma omp target data map(tofrom : a)
  {
    CHECK(present(a) && present(&a[99]) && !present(a + 100));
#pragma omp target data map(tofrom : a[10 : 20])
    add_on_device(a, 100, 1);
    CHECK(present(a));
    if (!device_shares_memory()) {
      CHECK_EQUAL(a[0], 0); // copied back only when the last reference goes
    }
  }
  CHECK(!present(a));
  CHECK_EQUAL(a[0], 1);
  CHECK_EQUAL(a[99], 1);
}

static void unstructured() {
  std::vector<int> storage(50, 3);
  int* p = storage.data();
#pragma omp target enter data map(to : p[0 : 50])
#pragma omp target enter data map(to : p[0 : 50])
  add_on_device(p, 50, 4);
#pragma omp target exit data map(from : p[0 : 50])
  CHECK(present(p));
#pragma omp target update from(p[0 : 25])
  CHECK_EQUAL(p[24], 7);
  if (!device_shares_memory()) {
    CHECK_EQUAL(p[25], 3);
  }
  p[0] = 100;
#pragma omp target update to(p[0 : 1])
  add_on_device(p, 1, 1);
#pragma omp target exit data map(from : p[0 : 50])
  CHECK(!present(p));
  CHECK_EQUAL(p[0], 101);
  CHECK_EQUAL(p[25], 7);
#pragma omp target exit data map(release : p[0 : 50]) // not present: ignored
}

static void delete_and_release() {
  int a[8] = {};
#pragma omp target enter data map(to : a)
#pragma omp target enter data map(to : a)
#pragma omp target exit data map(release : a)
  CHECK(present(a));
#pragma omp target enter data map(alloc : a)
#pragma omp target exit data map(delete : a)
  CHECK(!present(a));
}

static void sections_with_lower_bounds() {
  int a[100] = {};
  int* p = a;
#pragma omp target map(tofrom : p[40 : 20])
  for (int i = 40; i < 60; ++i) {
    p[i] = i;
  }
  CHECK_EQUAL(a[39], 0);
  CHECK_EQUAL(a[40], 40);
  CHECK_EQUAL(a[59], 59);
  CHECK_EQUAL(a[60], 0);
  // A pointer without a map finds the section that holds what it points to.
#pragma omp target data map(tofrom : p[40 : 20])
  {
#pragma omp target
    p[41] = -1;
  }
  CHECK_EQUAL(a[41], -1);
}

struct Grid {
  int rows = 0;
  double* cells = nullptr;
  int columns = 0;
  double corner[4] = {};
};

static void struct_members_and_pointers() {
  double cells[12] = {};
  Grid grid{3, cells, 4, {1, 2, 3, 4}};
#pragma omp target map(tofrom : grid.cells[0 : 12]) map(to : grid.rows, grid.columns)
  for (int i = 0; i < grid.rows * grid.columns; ++i) {
    grid.cells[i] = i * 2;
  }
  CHECK_EQUAL(cells[11], 22);
  CHECK(grid.cells == cells);

  Grid* const pointer = &grid;
#pragma omp target data map(tofrom : pointer[0 : 1]) map(tofrom : pointer -> cells[0 : 12])
  {
#pragma omp target
    {
      pointer->cells[5] = -5;
      pointer->rows = 33;
      pointer->corner[2] = 9;
    }
    // The pointer of the device stays attached when the struct around it is updated.
    pointer->columns = 44;
#pragma omp target update to(pointer->columns)
#pragma omp target
    pointer->cells[6] = pointer->columns;
  }
  CHECK(grid.cells == cells);
  CHECK_EQUAL(cells[5], -5);
  CHECK_EQUAL(cells[6], 44);
  CHECK_EQUAL(grid.rows, 33);
  CHECK_EQUAL(grid.corner[2], 9);
}

class Counter {
public:
  int total() {
    int result = 0;
#pragma omp target map(tofrom : result) map(tofrom : values_)
    {
      for (int& value : values_) {
        result += value;
        value = 0;
      }
    }
    return result;
  }
  int values_[4] = {1, 2, 3, 4};
};

static void member_function() {
  Counter counter;
  CHECK_EQUAL(counter.total(), 10);
  CHECK_EQUAL(counter.values_[3], 0);
}

static void always_copies() {
  int x = 1;
#pragma omp target data map(tofrom : x)
  {
    x = 5;
#pragma omp target map(always, tofrom : x)
    x *= 2;
    CHECK_EQUAL(x, 10);
  }
}

static void device_pointers() {
  int a[10] = {1, 2, 3};
  int* p = a;
  int sum = 0;
#pragma omp target data map(tofrom : p[0 : 10]) use_device_ptr(p)
  {
#pragma omp target is_device_ptr(p) map(tofrom : sum)
    sum = p[0] + p[1] + p[2];
  }
  CHECK_EQUAL(sum, 6);
  CHECK(p == a);
#pragma omp target data map(tofrom : a)
  {
#pragma omp target data use_device_addr(a)
    {
#pragma omp target has_device_addr(a)
      a[9] = 77;
    }
  }
  CHECK_EQUAL(a[9], 77);
}

static void unmapped_and_null_pointers() {
  int on_host = 0;
  int* unmapped = &on_host;
  int* null = nullptr;
  bool null_there = false;
  bool kept = false;
  const auto address = reinterpret_cast<unsigned long>(unmapped);
#pragma omp target map(from : null_there, kept)
  {
    null_there = null == nullptr;
    kept = reinterpret_cast<unsigned long>(unmapped) == address;
  }
  CHECK(null_there);
  CHECK(kept);
}

static void mapped_lambda_with_captures() {
  int a[4] = {1, 2, 3, 4};
  int add = 100;
  int* p = a;
  auto sum = [&](int i) { return p[i] + add + a[0]; };
  int result = 0;
#pragma omp target map(to : sum) map(tofrom : result) map(to : a, add, p[0 : 4])
  result = sum(3);
  CHECK_EQUAL(result, 105);
#pragma omp target teams distribute parallel for reduction(+ : result) map(tofrom : sum)
  for (int i = 0; i < 4; ++i) {
    result += sum(i) - add - 1;
  }
  CHECK_EQUAL(result, 115);
  CHECK_EQUAL(sum(0), 102);
}

static void lambda_with_captures() {
  int a[4] = {1, 2, 3, 4};
  int* p = a;
  int result = 0;
  auto sum = [&result, p] { result = p[0] + p[3]; };
#pragma omp target map(tofrom : a, result)
  sum();
  CHECK_EQUAL(result, 5);
}

struct Vector {
  int length;
  int* data;
};
#pragma omp declare mapper(Vector v) map(tofrom : v, v.data[0 : v.length])

static void declared_mapper() {
  int first[3] = {1, 2, 3};
  int second[2] = {4, 5};
  Vector vectors[2] = {{3, first}, {2, second}};
#pragma omp target map(tofrom : vectors)
  for (auto& vector : vectors) {
    for (int i = 0; i < vector.length; ++i) {
      vector.data[i] *= 10;
    }
  }
  CHECK_EQUAL(first[2], 30);
  CHECK_EQUAL(second[1], 50);
  CHECK(vectors[1].data == second);
  CHECK(!present(first) && !present(vectors));
}

static void use_device_ptr_beside_a_mapper() {
  int numbers[3] = {1, 2, 3};
  Vector vector{3, numbers};
  int a[8] = {};
  int* p = a;
#pragma omp target data map(tofrom : vector) map(tofrom : p[0 : 8]) use_device_ptr(p)
  {
    CHECK((p == a) == bool(device_shares_memory()));
#pragma omp target is_device_ptr(p)
    p[0] = 7;
  }
  CHECK_EQUAL(a[0], 7);
}

static void blocks_of_an_array() {
  int a[6][8] = {};
#pragma omp target data map(to : a)
  {
#pragma omp target
    for (auto& row : a) {
      for (int& x : row) {
        x = 7;
      }
    }
#pragma omp target update from(a[1 : 3][2 : 3])
    if (!device_shares_memory()) {
      int copied = 0;
      for (auto& row : a) {
        for (int x : row) {
          copied += x == 7;
        }
      }
      CHECK_EQUAL(copied, 9);
      CHECK(a[1][2] == 7 && a[3][4] == 7 && a[1][1] == 0 && a[4][2] == 0);
    }
  }
}

int main() {
  check_runs_on_device();
  region_counts_references();
  unstructured();
  delete_and_release();
  sections_with_lower_bounds();
  struct_members_and_pointers();
  member_function();
  always_copies();
  device_pointers();
  unmapped_and_null_pointers();
  lambda_with_captures();
  mapped_lambda_with_captures();
  declared_mapper();
  use_device_ptr_beside_a_mapper();
  blocks_of_an_array();
}
