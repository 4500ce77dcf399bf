// flags: -Wno-vla-cxx-extension
// Array sections as list items: bounds, lengths, dimensions; addresses that regions see.
#include "conformance.h"

using conformance::is_corresponding;
using conformance::is_present;

CASE(lower_bounds, "section.lower-bound") {
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
#pragma omp target map(tofrom : a[90 : 5])
  a[94] = 94;
  CHECK_EQUAL(a[94], 94);
}

CASE(a_section_is_not_more_than_it_says, "section.lower-bound", "map.to") {
  int a[100] = {};
#pragma omp target data map(to : a[10 : 5])
  CHECK(!is_present(&a[9]) && is_present(&a[10]) && is_present(&a[14]) && !is_present(&a[15]));
}

CASE(a_pointer_finds_the_section_it_points_to, "section.implicit-pointer") {
  int a[100] = {};
  int* p = a;
#pragma omp target data map(tofrom : p[40 : 20])
  {
#pragma omp target
    p[41] = -1;
    int* inside = p + 50;
#pragma omp target
    inside[1] = -2;
  }
  CHECK_EQUAL(a[41], -1);
  CHECK_EQUAL(a[51], -2);
}

CASE(without_a_length, "section.no-length") {
  int a[10] = {};
#pragma omp target map(tofrom : a[6 : ])
  a[9] = 9;
  CHECK_EQUAL(a[9], 9);
#pragma omp target data map(to : a[6 : ])
  CHECK(is_present(&a[6]) && is_present(&a[9]) && !is_present(&a[5]));
}

CASE(without_a_lower_bound, "section.no-lower-bound") {
  int a[10] = {};
#pragma omp target map(tofrom : a[ : 4])
  a[3] = 3;
  CHECK_EQUAL(a[3], 3);
#pragma omp target map(tofrom : a[ : ])
  a[9] = 9;
  CHECK_EQUAL(a[9], 9);
}

CASE(an_element_is_an_item, "section.element") {
  int a[10] = {};
  int* p = a;
#pragma omp target data map(tofrom : a[3])
  {
    CHECK(is_present(&a[3]) && !is_present(&a[4]) && !is_present(&a[2]));
#pragma omp target map(tofrom : a[3])
    a[3] = 3;
  }
#pragma omp target map(tofrom : p[5])
  p[5] = 5;
  CHECK(a[3] == 3 && a[5] == 5);
}

CASE(lengths_known_at_run_time, "section.runtime-length") {
  int a[64] = {};
  for (int n = 1; n <= 64; n *= 2) {
    for (int first = 0; first + n <= 64; first += 16) {
#pragma omp target map(tofrom : a[first : n])
      for (int i = first; i < first + n; ++i) {
        a[i] += 1;
      }
    }
  }
  // 5 lengths from each of 4 places, 32 from 3 places, 64 from one.
  CHECK_EQUAL(a[0], 7);
  CHECK_EQUAL(a[63], 1 + 2);
}

CASE(zero_length_sections_map_nothing, "section.zero-length") {
  int a[10] = {};
  int* p = a;
  const bool shared = device_shares_memory() != 0;
#pragma omp target data map(to : p[0 : 0])
  CHECK(!is_present(p));
  // Of something present the pointer becomes the device's.
#pragma omp target data map(tofrom : a)
  {
#pragma omp target map(tofrom : p[0 : 0])
    p[1] = 1;
    if (!shared) {
      CHECK_EQUAL(a[1], 0);
    }
  }
  CHECK_EQUAL(a[1], 1);
  // Of something absent it keeps its value.
  bool kept = false;
  const auto address = reinterpret_cast<unsigned long>(p);
#pragma omp target map(to : p[0 : 0]) map(from : kept)
  kept = reinterpret_cast<unsigned long>(p) == address;
  CHECK(kept);
}

CASE(zero_lengths_at_run_time, "section.zero-length") {
  int a[4] = {1, 2, 3, 4};
  int* p = a;
  for (int n = 0; n < 3; ++n) {
#pragma omp target enter data map(to : p[0 : n])
    CHECK_EQUAL(is_present(p), n > 0);
#pragma omp target update to(p[0 : n])
#pragma omp target exit data map(from : p[0 : n])
    CHECK(!is_present(p));
  }
}

CASE(several_dimensions, "section.dimensions") {
  double cube[4][5][6] = {};
#pragma omp target map(tofrom : cube[1 : 2][0 : 5][0 : 6])
  for (int i = 1; i < 3; ++i) {
    for (int j = 0; j < 5; ++j) {
      for (int k = 0; k < 6; ++k) {
        cube[i][j][k] = 100 * i + 10 * j + k;
      }
    }
  }
  CHECK(cube[0][4][5] == 0 && cube[1][0][0] == 100 && cube[2][4][5] == 245 && cube[3][0][0] == 0);
#pragma omp target map(tofrom : cube[3][2][1 : 4])
  cube[3][2][4] = 7;
  CHECK(cube[3][2][4] == 7);
}

CASE(pointers_to_arrays, "section.dimensions") {
  int storage[6][4] = {};
  int (*rows)[4] = storage;
#pragma omp target map(tofrom : rows[2 : 3])
  for (int i = 2; i < 5; ++i) {
    for (int j = 0; j < 4; ++j) {
      rows[i][j] = i * 10 + j;
    }
  }
  CHECK(storage[1][3] == 0 && storage[2][0] == 20 && storage[4][3] == 43 && storage[5][0] == 0);
}

CASE(arrays_of_variable_length, "section.variable-length-array") {
  const int rows = 3;
  volatile int width = 5;
  const int columns = width;
  int a[rows][columns];
  for (int i = 0; i < rows * columns; ++i) {
    (&a[0][0])[i] = i;
  }
#pragma omp target map(tofrom : a)
  for (int i = 0; i < rows; ++i) {
    a[i][columns - 1] += 100;
  }
  CHECK(a[0][4] == 104 && a[2][4] == 114 && a[1][0] == 5);
#pragma omp target map(tofrom : a[1 : 2][0 : columns])
  a[2][0] = -1;
  CHECK_EQUAL(a[2][0], -1);
  const void* there = nullptr;
#pragma omp target map(from : there) // implicitly too
  {
    a[1][1] = -2;
    there = a[1];
  }
  CHECK_EQUAL(a[1][1], -2);
  CHECK(is_corresponding(there, a[1]));
}

CASE(two_sections_of_one_array, "section.several") {
  int a[100] = {};
  int* p = a;
  int* q = a + 50;
#pragma omp target data map(tofrom : p[0 : 10], q[0 : 10])
  {
    CHECK(is_present(&a[9]) && !is_present(&a[10]) && is_present(&a[50]));
#pragma omp target map(tofrom : p[0 : 10], q[0 : 10])
    {
      p[1] = 1;
      q[1] = 51;
    }
    CHECK_EQUAL(a[1] + a[51], device_shares_memory() ? 52 : 0);
  }
  CHECK(a[1] == 1 && a[51] == 51);
}

DEATH_CASE(a_null_pointer_with_a_length, "'part\\[0:50\\]' is a null pointer, of which 200 bytes",
           "section.null") {
  int* part = nullptr;
#pragma omp target map(to : part[0 : 50])
  (void)part;
}

CASE(a_null_pointer_without_a_length, "section.null", "section.zero-length") {
  int* none = nullptr;
  bool null_there = false;
#pragma omp target map(to : none[0 : 0]) map(from : null_there)
  null_there = none == nullptr;
  CHECK(null_there);
}

CASE(sections_of_references_to_arrays, "section.reference") {
  int storage[8] = {};
  int (&a)[8] = storage;
  int* pointer = storage;
  int*& reference = pointer;
#pragma omp target map(tofrom : a[2 : 2])
  a[3] = 3;
#pragma omp target map(tofrom : reference[4 : 2])
  reference[5] = 5;
  CHECK(storage[3] == 3 && storage[5] == 5);
  CHECK(pointer == storage);
}

CASE(large_sections, "section.large") {
  const long count = 3000000;
  auto* p = static_cast<double*>(malloc(count * sizeof(double)));
  for (long i = 0; i < count; ++i) {
    p[i] = 1;
  }
#pragma omp target teams distribute parallel for map(tofrom : p[0 : count])
  for (long i = 0; i < count; ++i) {
    p[i] += i;
  }
  for (long i = 0; i < count; i += 1000) {
    CHECK(p[i] == 1 + i);
  }
  free(p);
}
