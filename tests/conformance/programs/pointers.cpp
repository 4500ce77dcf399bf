// Pointers in mapped storage: attachment, and what regions see of pointers nobody mapped.
#include "conformance.h"

using conformance::is_corresponding;
using conformance::is_present;

namespace {
struct Row {
  int length;
  int* data;
};

struct Node {
  int value;
  Node* next;
};

struct Table {
  int count;
  Row* rows;
};
} // namespace

CASE(null_and_unmapped_pointers_keep_their_values, "pointer.unmapped", "pointer.null") {
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

CASE(a_pointer_member_is_attached_to_its_section, "attach.member") {
  double cells[12] = {};
  struct Grid {
    int rows;
    double* cells;
    int columns;
  } grid = {3, cells, 4};
  const void* there = nullptr;
#pragma omp target map(tofrom : grid.cells[0 : 12]) map(to : grid.rows, grid.columns)              \
    map(from : there)
  {
    for (int i = 0; i < grid.rows * grid.columns; ++i) {
      grid.cells[i] = i * 2;
    }
    there = grid.cells;
  }
  CHECK_EQUAL(cells[11], 22);
  CHECK(is_corresponding(there, cells));
  CHECK(grid.cells == cells);
}

CASE(sections_with_lower_bounds_of_pointer_members, "attach.member", "section.lower-bound") {
  int storage[20] = {};
  Row row = {20, storage};
#pragma omp target map(to : row.length) map(tofrom : row.data[10 : 5])
  row.data[14] = row.length;
  CHECK_EQUAL(storage[14], 20);
  CHECK(row.data == storage);
}

CASE(attached_when_the_pointer_was_present_first, "attach.pointee-new") {
  int data[4] = {1, 2, 3, 4};
  Row row = {4, data};
  int seen = 0;
#pragma omp target enter data map(to : row)
#pragma omp target enter data map(to : row.data[0 : 4])
#pragma omp target map(from : seen)
  {
    seen = row.data[3];
    row.data[0] = 10;
  }
  CHECK_EQUAL(seen, 4);
  CHECK_EQUAL(data[0], device_shares_memory() ? 10 : 1);
#pragma omp target exit data map(from : row.data[0 : 4])
#pragma omp target exit data map(from : row)
  CHECK_EQUAL(data[0], 10);
  CHECK(row.data == data);
}

CASE(attached_when_the_pointee_was_present_first, "attach.pointer-new") {
  int data[4] = {1, 2, 3, 4};
  Row row = {4, data};
#pragma omp target enter data map(to : data)
#pragma omp target enter data map(to : row, row.data[0 : 4])
#pragma omp target
  row.data[1] = row.data[0] + 20;
#pragma omp target exit data map(release : row, row.data[0 : 4])
  CHECK(is_present(data) && !is_present(&row));
#pragma omp target exit data map(from : data)
  CHECK_EQUAL(data[1], 21);
}

CASE(not_attached_anew_when_both_are_present, "attach.both-present") {
  int first[2] = {1, 2};
  int second[2] = {3, 4};
  Row row = {2, first};
  const bool shared = device_shares_memory() != 0;
#pragma omp target enter data map(to : row, row.data[0 : 2])
#pragma omp target enter data map(to : second)
  row.data = second;
  first[0] = 10; // the host's
  int seen = 0;
  // The device's pointer stays with what it was attached to.
#pragma omp target map(to : row.data[0 : 2]) map(from : seen)
  seen = row.data[0];
  CHECK_EQUAL(seen, shared ? 3 : 1);
#pragma omp target exit data map(delete : second, first)
  row.data = first;
#pragma omp target exit data map(delete : row)
}

CASE(a_copy_to_the_device_leaves_attached_pointers, "attach.update", "update.to") {
  int cells[8] = {};
  struct Grid {
    int rows;
    int* cells;
    int columns;
  } grid = {1, cells, 2};
  Grid* const pointer = &grid;
#ifdef __clang__
#pragma omp target data map(tofrom : pointer[0 : 1]) map(tofrom : pointer -> cells[0 : 8])
#else // which GCC 12 does not take: an internal error
#pragma omp target data map(tofrom : grid) map(tofrom : grid.cells[0 : 8])
#endif
  {
#pragma omp target
    {
      pointer->cells[5] = -5;
      pointer->rows = 33;
    }
    pointer->columns = 44;
#pragma omp target update to(pointer->columns)
#pragma omp target
    pointer->cells[6] = pointer->columns;
    pointer->columns = 55;
#pragma omp target update to(pointer[0 : 1])
#pragma omp target
    pointer->cells[7] = pointer->columns;
#pragma omp target map(always, to : grid)
    grid.cells[0] = grid.columns + 1;
  }
  CHECK(grid.cells == cells);
  CHECK_EQUAL(cells[5], -5);
  CHECK_EQUAL(cells[6], 44);
  CHECK_EQUAL(cells[7], 55);
  CHECK_EQUAL(cells[0], 56);
}

CASE(a_copy_to_the_host_leaves_its_pointer, "attach.copy-back", "update.from") {
  int data[3] = {1, 2, 3};
  Row row = {3, data};
#pragma omp target data map(tofrom : row, row.data[0 : 3])
  {
#pragma omp target
    {
      row.length = 30;
      row.data[1] = 20;
    }
#pragma omp target update from(row)
    CHECK_EQUAL(row.length, 30);
    CHECK_EQUAL(data[1], device_shares_memory() ? 20 : 2);
    CHECK(row.data == data);
#pragma omp target update from(row.data[0 : 3])
    CHECK_EQUAL(data[1], 20);
    CHECK(row.data == data);
  }
  CHECK(row.data == data);
}

CASE(a_pointer_changed_on_the_host_keeps_its_value, "attach.copy-back") {
  int data[2] = {1, 2};
  int other[2] = {};
  Row row = {2, data};
#pragma omp target enter data map(to : row, row.data[0 : 2])
  row.data = other;
#pragma omp target update from(row)
  CHECK(row.data == other);
#pragma omp target exit data map(from : row)
  CHECK(row.data == other);
#pragma omp target exit data map(delete : data)
}

CASE(a_pointer_changed_on_the_device_has_the_host_value_after, "attach.copy-back") {
  int data[2] = {1, 2};
  Row row = {2, data};
#pragma omp target data map(tofrom : row, row.data[0 : 2])
#pragma omp target
  {
    row.length = 1;
    row.data[0] = 5;
    ++row.data;
  }
  CHECK(row.data == (device_shares_memory() ? data + 1 : data));
  CHECK(row.length == 1 && data[0] == 5);
}

CASE(a_pointer_variable_and_its_section, "attach.variable") {
  int data[6] = {1, 2, 3, 4, 5, 6};
  int* p = data;
  const bool shared = device_shares_memory() != 0;
#pragma omp target map(tofrom : p, p[0 : 6])
  p[5] = p[0] + 10;
  CHECK_EQUAL(data[5], 11);
  CHECK(p == data);
  // The pointer is an object of the device: what a region stores in it is not the host's.
  int seen = 0;
#pragma omp target data map(tofrom : p, p[0 : 6])
  {
#pragma omp target map(alloc : p)
    ++p;
    CHECK(p == (shared ? data + 1 : data));
    data[1] = 20; // the host's
#pragma omp target map(alloc : p) map(from : seen)
    seen = p[0];
  }
  CHECK_EQUAL(seen, shared ? 20 : 2);
  CHECK(p == (shared ? data + 1 : data));
}

CASE(pointers_to_pointers, "attach.pointer-to-pointer") {
  int first[3] = {1, 2, 3};
  int second[3] = {4, 5, 6};
  int* rows[2] = {first, second};
  int** matrix = rows;
#pragma omp target enter data map(to : matrix[0 : 2])
  for (int i = 0; i < 2; ++i) {
#pragma omp target enter data map(to : matrix[i][0 : 3])
  }
#pragma omp target
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      matrix[i][j] *= 10;
    }
  }
  CHECK_EQUAL(second[0], device_shares_memory() ? 40 : 4);
  for (int i = 0; i < 2; ++i) {
#pragma omp target exit data map(from : matrix[i][0 : 3])
  }
#pragma omp target exit data map(release : matrix[0 : 2])
  CHECK(first[2] == 30 && second[0] == 40);
  CHECK(rows[0] == first && rows[1] == second);
}

CASE(arrays_of_structs_with_pointers, "attach.array-of-structs") {
  int storage[3][4] = {};
  Row rows[3];
  for (int i = 0; i < 3; ++i) {
    rows[i] = {4, storage[i]};
  }
#pragma omp target enter data map(to : rows)
  for (auto& row : rows) {
#pragma omp target enter data map(to : row.data[0 : row.length])
  }
#pragma omp target
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < rows[i].length; ++j) {
      rows[i].data[j] = 10 * i + j;
    }
  }
  CHECK_EQUAL(storage[2][3], device_shares_memory() ? 23 : 0);
  for (auto& row : rows) {
#pragma omp target exit data map(from : row.data[0 : row.length])
  }
#pragma omp target exit data map(release : rows)
  CHECK(storage[0][3] == 3 && storage[2][0] == 20 && storage[2][3] == 23);
  CHECK(!is_present(storage) && !is_present(rows));
}

CASE(pointers_in_what_pointers_point_to, "attach.nested") {
  int data[4] = {1, 2, 3, 4};
  Row row = {4, data};
  Table table = {1, &row};
#pragma omp target enter data map(to : table)
#pragma omp target enter data map(to : table.rows[0 : 1])
#pragma omp target enter data map(to : table.rows[0].data[0 : 4])
#pragma omp target
  table.rows[0].data[3] = table.rows->length + table.count;
  CHECK_EQUAL(data[3], device_shares_memory() ? 5 : 4);
#pragma omp target exit data map(from : table.rows[0].data[0 : 4])
#pragma omp target exit data map(release : table.rows[0 : 1])
#pragma omp target exit data map(release : table)
  CHECK_EQUAL(data[3], 5);
  CHECK(table.rows == &row && row.data == data);
}

CASE(a_linked_list, "attach.nested") {
  Node nodes[4] = {};
  for (int i = 0; i < 4; ++i) {
    nodes[i] = {i + 1, i < 3 ? &nodes[i + 1] : nullptr};
  }
  // Each node by itself, from the first one on, so that the pointer to it is present.
  Node* head = &nodes[0];
#pragma omp target enter data map(to : head[0 : 1])
  for (Node* node = head; node->next != nullptr; node = node->next) {
#pragma omp target enter data map(to : node->next[0 : 1])
  }
#pragma omp target
  for (Node* node = head; node != nullptr; node = node->next) {
    node->value *= 10;
  }
  CHECK_EQUAL(nodes[3].value, device_shares_memory() ? 40 : 4);
  for (int i = 2; i >= 0; --i) {
#pragma omp target exit data map(from : nodes[i].next[0 : 1])
  }
#pragma omp target exit data map(from : head[0 : 1])
  CHECK(nodes[0].value == 10 && nodes[3].value == 40);
  CHECK(nodes[0].next == &nodes[1] && nodes[3].next == nullptr && !is_present(&nodes[3]));
}

CASE(null_pointers_in_structs, "pointer.null", "attach.member") {
  Row row = {0, nullptr};
  bool null_there = false;
#pragma omp target map(tofrom : row) map(to : row.data[0 : 0]) map(from : null_there)
  {
    null_there = row.data == nullptr;
    row.length = 7;
  }
  CHECK(null_there);
  CHECK(row.length == 7 && row.data == nullptr);
}

CASE(zero_length_sections_of_members_attach_what_is_present, "attach.zero-length") {
  int data[4] = {1, 2, 3, 4};
  Row row = {4, data};
  int seen = 0;
#pragma omp target data map(to : data)
  {
    data[2] = 30; // the host's
#pragma omp target map(to : row.length, row.data[ : 0]) map(from : seen)
    seen = row.data[2];
  }
  CHECK_EQUAL(seen, device_shares_memory() ? 30 : 3);
}

CASE(two_pointers_to_one_object, "attach.shared-pointee") {
  int data[4] = {1, 2, 3, 4};
  struct Pair {
    int* first;
    int* second;
  } pair = {data, data + 2};
  // Present, as two items of one construct may not have storage in common otherwise.
#pragma omp target data map(tofrom : data)
#pragma omp target map(tofrom : pair.first[0 : 4]) map(tofrom : pair.second[0 : 2])
  {
    pair.first[2] = 30;
    pair.second[1] = pair.second[0] + 10;
  }
  CHECK(data[2] == 30 && data[3] == 40);
  CHECK(pair.first == data && pair.second == data + 2);
}
