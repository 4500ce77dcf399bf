// target update and its motion clauses.
#include "conformance.h"

using conformance::is_present;

static const bool shared = device_shares_memory() != 0;

CASE(both_directions, "update.to", "update.from", "update.several") {
  int x = 1;
  int a[10] = {};
#pragma omp target data map(tofrom : x, a)
  {
    x = 5;
    a[9] = 9;
#pragma omp target update to(x, a)
#pragma omp target map(tofrom : x)
    {
      x += a[9];
      a[0] = 10;
      a[9] = 90;
    }
#pragma omp target update from(x) from(a[0 : 1])
    CHECK(x == 14 && a[0] == 10);
    CHECK_EQUAL(a[9], shared ? 90 : 9);
    x = 20;
#pragma omp target update to(x) from(a)
    CHECK_EQUAL(a[9], 90);
#pragma omp target map(tofrom : x)
    x += 1;
  }
  CHECK_EQUAL(x, 21);
}

CASE(references_do_not_change, "update.counts") {
  int x = 1;
#pragma omp target enter data map(to : x)
#pragma omp target enter data map(to : x)
  x = 2;
#pragma omp target update to(x)
#pragma omp target map(alloc : x)
  x += 10;
#pragma omp target update from(x)
  CHECK_EQUAL(x, 12);
#pragma omp target exit data map(release : x)
  CHECK(is_present(&x));
#pragma omp target exit data map(release : x)
  CHECK(!is_present(&x));
}

CASE(what_is_absent_is_ignored, "update.absent") {
  int x = 1;
  int a[4] = {1, 2, 3, 4};
#pragma omp target update to(x, a)
#pragma omp target update from(x, a[1 : 2])
  CHECK(x == 1 && a[3] == 4);
  CHECK(!is_present(&x) && !is_present(a));
}

#ifdef __clang__ // GCC 12 has no modifier `present`
CASE(present_data_with_present, "update.present") {
  int x = 1;
#pragma omp target data map(alloc : x)
  {
    x = 3;
#pragma omp target update to(present : x)
#pragma omp target map(alloc : x)
    x += 4;
#pragma omp target update from(present : x)
  }
  CHECK_EQUAL(x, 7);
}

DEATH_CASE(absent_data_with_present, "update\\.cpp:\\d+: target update: .*'values'.*not present",
           "update.present") {
  int values[10] = {};
#pragma omp target update to(present : values)
}

DEATH_CASE(absent_data_with_present_from, "'values'.*not present", "update.present") {
  int values[10] = {};
#pragma omp target update from(present : values)
}
#endif

CASE(one_dimension, "update.section") {
  int a[20] = {};
  int* p = a;
#pragma omp target data map(to : p[0 : 20])
  {
#pragma omp target
    for (int i = 0; i < 20; ++i) {
      p[i] = i + 1;
    }
#pragma omp target update from(p[5 : 3])
    if (!shared) {
      CHECK(a[4] == 0 && a[8] == 0);
    }
    CHECK(a[5] == 6 && a[7] == 8);
#pragma omp target update from(a[17 : 3])
    CHECK(a[17] == 18 && a[19] == 20);
    a[0] = -1;
    a[1] = -2;
#pragma omp target update to(p[1])
#pragma omp target
    p[2] = p[0] + p[1];
#pragma omp target update from(p[2])
    CHECK_EQUAL(a[2], shared ? -3 : -1);
  }
}

CASE(a_part_beyond_what_is_present, "update.section", "update.absent") {
  int a[20] = {};
#pragma omp target data map(tofrom : a[0 : 10])
  {
    // Not in what is present: nothing happens.
#pragma omp target update to(a[10 : 10])
    CHECK(!is_present(&a[10]));
  }
}

CASE(whole_rows, "update.section") {
  double m[6][5] = {};
#pragma omp target data map(to : m)
  {
#pragma omp target
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 5; ++j) {
        m[i][j] = 10 * i + j;
      }
    }
#pragma omp target update from(m[2 : 2][0 : 5])
    CHECK(m[2][0] == 20 && m[3][4] == 34);
    if (!shared) {
      CHECK(m[1][4] == 0 && m[4][0] == 0);
    }
#pragma omp target update from(m[5])
    CHECK(m[5][4] == 54);
  }
}

#ifdef __clang__ // GCC 12 takes contiguous sections alone
CASE(blocks_of_an_array, "update.noncontiguous") {
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
    if (!shared) {
      int copied = 0;
      for (auto& row : a) {
        for (int x : row) {
          copied += x == 7;
        }
      }
      CHECK_EQUAL(copied, 9);
    }
    CHECK(a[1][2] == 7 && a[3][4] == 7);
    CHECK_EQUAL(a[1][1], shared ? 7 : 0);
    CHECK_EQUAL(a[4][2], shared ? 7 : 0);
  }
}

CASE(blocks_to_the_device, "update.noncontiguous") {
  int a[4][4] = {};
  int sum = 0;
#pragma omp target data map(to : a)
  {
    for (auto& row : a) {
      for (int& x : row) {
        x = 1;
      }
    }
#pragma omp target update to(a[1 : 2][1 : 2])
#pragma omp target map(from : sum)
    {
      sum = 0;
      for (auto& row : a) {
        for (int x : row) {
          sum += x;
        }
      }
    }
  }
  CHECK_EQUAL(sum, shared ? 16 : 4);
}

CASE(columns_of_a_cube, "update.noncontiguous") {
  short cube[4][5][6] = {};
#pragma omp target data map(to : cube)
  {
#pragma omp target
    for (int i = 0; i < 120; ++i) {
      (&cube[0][0][0])[i] = static_cast<short>(i);
    }
#pragma omp target update from(cube[1 : 2][0 : 5][3 : 1])
    int copied = 0;
    for (int i = 0; i < 120; ++i) {
      const bool chosen = i / 30 >= 1 && i / 30 < 3 && i % 6 == 3;
      const int value = (&cube[0][0][0])[i];
      CHECK_EQUAL(value, chosen || shared ? i : 0);
      copied += chosen;
    }
    CHECK_EQUAL(copied, 10);
  }
}
#endif

// Clang 19 leaves the stride of a section of one dimension out.
#if __clang_major__ >= 22
CASE(every_second_element, "update.stride") {
  int a[16] = {};
#pragma omp target data map(to : a)
  {
#pragma omp target
    for (int i = 0; i < 16; ++i) {
      a[i] = i + 1;
    }
#pragma omp target update from(a[1 : 5 : 2])
    for (int i = 0; i < 16; ++i) {
      const bool chosen = i % 2 == 1 && i < 10;
      CHECK_EQUAL(a[i], chosen || shared ? i + 1 : 0);
    }
    for (int& x : a) {
      x = 100;
    }
#pragma omp target update to(a[0 : 4 : 4])
    int sum = 0;
#pragma omp target map(from : sum)
    {
      sum = 0;
      for (int x : a) {
        sum += x;
      }
    }
    CHECK_EQUAL(sum, shared ? 1600 : 136 - (1 + 5 + 9 + 13) + 400);
  }
}

CASE(strides_through_a_pointer, "update.stride") {
  double storage[12] = {};
  double* p = storage;
#pragma omp target data map(to : p[0 : 12])
  {
#pragma omp target
    for (int i = 0; i < 12; ++i) {
      p[i] = i + 1;
    }
#pragma omp target update from(p[0 : 4 : 3])
    for (int i = 0; i < 12; ++i) {
      CHECK(storage[i] == (i % 3 == 0 || shared ? i + 1 : 0));
    }
  }
}

CASE(strides_known_at_run_time, "update.stride") {
  int a[12] = {};
  volatile int three = 3;
  const int stride = three;
#pragma omp target data map(to : a)
  {
#pragma omp target
    for (int i = 0; i < 12; ++i) {
      a[i] = i + 1;
    }
#pragma omp target update from(a[0 : 4 : stride])
    for (int i = 0; i < 12; ++i) {
      CHECK_EQUAL(a[i], i % 3 == 0 || shared ? i + 1 : 0);
    }
  }
}

CASE(strided_lengths_known_at_run_time, "update.stride") {
  int a[12] = {};
  volatile int four = 4;
  const int length = four;
#pragma omp target data map(to : a)
  {
#pragma omp target
    for (int i = 0; i < 12; ++i) {
      a[i] = i + 1;
    }
#pragma omp target update from(a[0 : length : 3])
    for (int i = 0; i < 12; ++i) {
      CHECK_EQUAL(a[i], i % 3 == 0 || shared ? i + 1 : 0);
    }
  }
}
#endif

#ifdef __clang__ // GCC 12 has no strides
CASE(strides_of_two_dimensions, "update.stride", "update.noncontiguous") {
  int a[8][8] = {};
#pragma omp target data map(to : a)
  {
#pragma omp target
    for (int i = 0; i < 64; ++i) {
      (&a[0][0])[i] = i + 1;
    }
#pragma omp target update from(a[0 : 4 : 2][0 : 4 : 2])
    for (int i = 0; i < 64; ++i) {
      const bool chosen = i / 8 % 2 == 0 && i % 2 == 0;
      CHECK_EQUAL((&a[0][0])[i], chosen || shared ? i + 1 : 0);
    }
  }
}

CASE(strides_of_the_outer_dimension, "update.stride", "update.noncontiguous") {
  int a[8][4] = {};
#pragma omp target data map(to : a)
  {
#pragma omp target
    for (int i = 0; i < 32; ++i) {
      (&a[0][0])[i] = i + 1;
    }
#pragma omp target update from(a[1 : 3 : 2][0 : 4])
    for (int i = 0; i < 32; ++i) {
      const int row = i / 4;
      const bool chosen = row == 1 || row == 3 || row == 5;
      CHECK_EQUAL((&a[0][0])[i], chosen || shared ? i + 1 : 0);
    }
  }
}
#endif

namespace {
struct Grid {
  int rows;
  int* cells;
  int columns;
};
} // namespace

CASE(members, "update.members") {
  int cells[6] = {};
  Grid grid = {1, cells, 2};
  Grid* pointer = &grid;
#pragma omp target data map(tofrom : grid, grid.cells[0 : 6])
  {
    grid.rows = 10;
    cells[2] = 20;
#pragma omp target update to(grid.rows, grid.cells[2 : 2])
#pragma omp target
    {
      grid.columns = grid.rows + grid.cells[2];
      grid.cells[5] = 50;
    }
#pragma omp target update from(pointer->columns) from(pointer -> cells[5 : 1])
    CHECK(grid.columns == 30 && cells[5] == 50);
    CHECK(grid.cells == cells);
  }
}

CASE(members_of_this, "update.members") {
  struct Holder {
    int value = 1;
    int more[4] = {};
    void run() {
#pragma omp target enter data map(to : this[0 : 1])
      value = 2;
#pragma omp target update to(value)
#pragma omp target map(to : this[0 : 1])
      more[3] = value + 1;
#pragma omp target update from(more)
#pragma omp target exit data map(release : this[0 : 1])
    }
  } holder;
  holder.run();
  CHECK_EQUAL(holder.more[3], 3);
}

CASE(if_clauses, "update.if", "enter-data.if", "exit-data.if", "target-data.if") {
  int x = 1;
  for (int condition = 0; condition < 2; ++condition) {
#pragma omp target enter data map(to : x) if (condition)
    CHECK_EQUAL(is_present(&x), condition);
#pragma omp target exit data map(delete : x) if (target exit data : condition)
    CHECK(!is_present(&x));
#pragma omp target data map(tofrom : x) if (target data : condition != 0)
    CHECK_EQUAL(is_present(&x), condition);
  }
#pragma omp target data map(to : x)
  {
#pragma omp target exit data map(delete : x) if (x != 1)
    CHECK(is_present(&x));
#pragma omp target map(alloc : x)
    x = 2;
#pragma omp target update from(x) if (x > 100)
    CHECK_EQUAL(x, shared ? 2 : 1);
#pragma omp target update from(x) if (target update : x < 100)
    CHECK_EQUAL(x, 2);
  }
}
