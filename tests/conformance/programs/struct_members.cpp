// Members of structs as list items.
#include "conformance.h"

using conformance::is_corresponding;
using conformance::is_present;

namespace {
struct Point {
  int x;
  int y;
};

struct Grid {
  int rows = 0;
  double* cells = nullptr;
  int columns = 0;
  double corner[4] = {};
  Point origin = {};
};
} // namespace

CASE(a_whole_struct, "struct.whole") {
  Grid grid{3, nullptr, 4, {1, 2, 3, 4}, {5, 6}};
#pragma omp target map(tofrom : grid)
  {
    grid.rows += 10;
    grid.corner[3] = grid.origin.y;
  }
  CHECK(grid.rows == 13 && grid.corner[3] == 6 && grid.columns == 4);
}

CASE(one_member, "struct.member") {
  Grid grid{3, nullptr, 4, {1, 2, 3, 4}, {5, 6}};
  const bool shared = device_shares_memory() != 0;
#pragma omp target data map(tofrom : grid.columns)
  {
    CHECK(is_present(&grid.columns));
    CHECK(!is_present(&grid.rows) && !is_present(&grid.corner));
    grid.columns = 5;
#pragma omp target map(tofrom : grid.columns)
    grid.columns += 100;
    CHECK_EQUAL(grid.columns, shared ? 105 : 5);
  }
  CHECK_EQUAL(grid.columns, shared ? 105 : 104);
}

CASE(several_members, "struct.members") {
  Grid grid{3, nullptr, 4, {1, 2, 3, 4}, {5, 6}};
#pragma omp target map(to : grid.rows) map(tofrom : grid.columns) map(from : grid.corner)
  {
    grid.corner[0] = grid.rows;
    grid.corner[3] = 9;
    grid.columns *= 2;
    grid.rows = -1;
  }
  CHECK(grid.corner[0] == 3 && grid.corner[3] == 9 && grid.columns == 8);
  CHECK_EQUAL(grid.rows, device_shares_memory() ? -1 : 3);
  CHECK(!is_present(&grid));
}

CASE(members_between_others_keep_their_values, "struct.members") {
  // What lies between two mapped members has storage there and is copied neither way.
  Grid grid{3, nullptr, 4, {1, 2, 3, 4}, {5, 6}};
  const bool shared = device_shares_memory() != 0;
#pragma omp target data map(tofrom : grid.rows, grid.corner)
  {
    grid.columns = 44;
#pragma omp target map(tofrom : grid.rows, grid.corner)
    {
      grid.rows = 1;
      grid.corner[2] = 2;
    }
    if (!shared) {
      CHECK_EQUAL(grid.rows, 3);
    }
  }
  CHECK(grid.rows == 1 && grid.corner[2] == 2 && grid.columns == 44);
}

CASE(members_of_members, "struct.nested") {
  struct Outer {
    int before;
    Grid grid;
    int after;
  } outer = {1, {2, nullptr, 3, {}, {7, 8}}, 4};
#pragma omp target map(tofrom : outer.grid.origin.y) map(tofrom : outer.after)
  {
    outer.grid.origin.y *= 10;
    outer.after = outer.grid.origin.y;
  }
  CHECK(outer.grid.origin.y == 80 && outer.after == 80 && outer.grid.origin.x == 7);
#pragma omp target map(tofrom : outer.grid.origin)
  outer.grid.origin.x = 70;
  CHECK(outer.grid.origin.x == 70 && outer.grid.origin.y == 80);
}

namespace {
struct Part {
  int first;
  int* pointer;
  int last[3];
};
struct Assembly {
  int number;
  Part part;
  int* pointer;
};
} // namespace

CASE(several_members_of_a_member, "struct.nested") {
  Assembly assembly{1, {2, nullptr, {3, 4, 5}}, nullptr};
#pragma omp target map(tofrom : assembly.part.first, assembly.part.last)
  {
    assembly.part.first += 10;
    assembly.part.last[2] += 10;
  }
  CHECK(assembly.part.first == 12 && assembly.part.last[2] == 15);
}

CASE(sections_of_pointers_in_members_beside_others, "struct.nested", "attach.member") {
  int inner[4] = {1, 2, 3, 4};
  int outer[4] = {5, 6, 7, 8};
  Assembly assembly{1, {2, inner, {}}, outer};
#pragma omp target map(tofrom : assembly.number, assembly.part.pointer[0 : 4])
  {
    assembly.part.pointer[1] = 20;
    assembly.number = 10;
  }
  CHECK(inner[1] == 20 && assembly.number == 10 && assembly.part.pointer == inner);
#pragma omp target map(tofrom : assembly.pointer[0 : 4], assembly.part.pointer[0 : 4])
  {
    assembly.part.pointer[2] = 30;
    assembly.pointer[2] = 70;
  }
  CHECK(inner[2] == 30 && outer[2] == 70);
}

CASE(sections_of_members, "struct.member-section") {
  Grid grid{3, nullptr, 4, {1, 2, 3, 4}, {}};
#pragma omp target map(tofrom : grid.corner[1 : 2])
  grid.corner[2] = grid.corner[1] + 10;
  CHECK(grid.corner[2] == 12 && grid.corner[3] == 4);
}

CASE(members_of_array_elements, "struct.element-member") {
  Point points[4] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
#pragma omp target map(tofrom : points[2].y)
  points[2].y = 60;
  CHECK(points[2].y == 60 && points[2].x == 5);
}

CASE(an_array_of_structs, "struct.array") {
  Point points[5] = {};
#pragma omp target map(tofrom : points[1 : 3])
  for (int i = 1; i < 4; ++i) {
    points[i] = {i, -i};
  }
  CHECK(points[0].y == 0 && points[1].x == 1 && points[3].y == -3 && points[4].x == 0);
}

CASE(members_through_a_pointer, "struct.arrow") {
  Grid grid{3, nullptr, 4, {1, 2, 3, 4}, {5, 6}};
  Grid* pointer = &grid;
#pragma omp target map(tofrom : pointer->rows, pointer->corner)
  {
    pointer->rows = 30;
    pointer->corner[1] = 20;
  }
  CHECK(grid.rows == 30 && grid.corner[1] == 20);
#pragma omp target map(tofrom : pointer[0 : 1])
  pointer->origin.x = 50;
  CHECK(grid.origin.x == 50 && grid.origin.y == 6);
}

CASE(members_of_a_present_struct, "struct.present", "map.part-of-present") {
  Grid grid{3, nullptr, 4, {1, 2, 3, 4}, {5, 6}};
  const bool shared = device_shares_memory() != 0;
#pragma omp target data map(tofrom : grid)
  {
    grid.rows = 33;
    grid.columns = 44;
#pragma omp target map(tofrom : grid.rows, grid.columns)
    {
      grid.rows += 100;
      grid.columns += 100;
    }
    CHECK(grid.rows == (shared ? 133 : 33));
#pragma omp target map(always, tofrom : grid.columns)
    grid.columns += 1;
    CHECK_EQUAL(grid.columns, shared ? 145 : 45);
  }
  CHECK_EQUAL(grid.rows, shared ? 133 : 103);
}

CASE(always_members, "struct.members", "map.always") {
  Grid grid{3, nullptr, 4, {1, 2, 3, 4}, {5, 6}};
#pragma omp target data map(to : grid)
  {
    grid.rows = 10;
    grid.columns = 20;
#pragma omp target map(always, tofrom : grid.rows) map(always, tofrom : grid.columns)
    {
      grid.rows += 1;
      grid.columns += 1;
    }
    CHECK(grid.rows == 11 && grid.columns == 21);
  }
}

DEATH_CASE(a_struct_of_which_a_member_is_present, "extends past", "map.extends-present",
           "struct.present") {
  Grid grid;
#pragma omp target enter data map(to : grid.columns)
#pragma omp target enter data map(to : grid)
}

namespace {
struct Base {
  int base = 1;
};
struct Derived : Base {
  int own = 2;
  int both = 0;
};
} // namespace

CASE(derived_classes, "struct.derived") {
  Derived object;
#pragma omp target map(tofrom : object)
  object.both = object.base + object.own;
  CHECK_EQUAL(object.both, 3);
}

CASE(members_of_a_base_class, "struct.base-member") {
  Derived object;
#pragma omp target map(tofrom : object.base)
  object.base += 4;
  CHECK_EQUAL(object.base, 5);
}

CASE(members_of_a_base_class_and_of_the_class, "struct.base-member") {
  Derived object;
#pragma omp target map(tofrom : object.base) map(tofrom : object.own)
  object.base = object.own + 10;
  CHECK_EQUAL(object.base, 12);
}

namespace {
struct WithReference {
  int& reference;
  int other;
};
} // namespace

CASE(reference_members, "struct.reference-member") {
  int target = 3;
  WithReference object{target, 1};
  const void* there = nullptr;
#pragma omp target map(tofrom : object.reference) map(tofrom : object.other) map(from : there)
  {
    object.reference += 10;
    object.other += 10;
    there = &object.reference;
  }
  CHECK(is_corresponding(there, &target));
  CHECK_EQUAL(target, 13);
  CHECK_EQUAL(object.other, 11);
  CHECK(&object.reference == &target);
}

CASE(bit_fields_and_unions, "struct.whole") {
  struct Flags {
    unsigned low : 3;
    unsigned high : 5;
    union {
      int number;
      char bytes[4];
    };
  } flags = {1, 2, {3}};
#pragma omp target map(tofrom : flags)
  {
    flags.low = flags.high + 3;
    flags.number = 0x01010101;
  }
  CHECK(flags.low == 5 && flags.high == 2 && flags.bytes[2] == 1);
}

namespace {
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

  /// Members without a map clause: the whole object, by its `this` pointer.
  void add_to_all(int amount) {
#pragma omp target
    {
      for (int& value : values_) {
        value += amount + factor_;
      }
      there_ = this;
    }
  }

  void map_this(int amount) {
#pragma omp target map(tofrom : this[ : 1])
    {
      values_[0] = amount;
      factor_ = amount;
    }
  }

  void map_pointer_member() {
#pragma omp target map(tofrom : more_[0 : 3])
    more_[1] = 21;
  }

  void map_several() {
#pragma omp target data map(tofrom : values_, factor_, more_, more_[0 : 3])
    {
#pragma omp target map(tofrom : values_, factor_, more_[0 : 3])
      {
        values_[3] = 31;
        factor_ = 32;
        more_[2] = 33;
      }
      CHECK_EQUAL(more_[2], device_shares_memory() ? 33 : 0);
    }
  }

  int values_[4] = {1, 2, 3, 4};
  int factor_ = 0;
  int* more_ = nullptr;
  const Counter* there_ = nullptr;
};
} // namespace

CASE(members_in_member_functions, "struct.this-member") {
  Counter counter;
  CHECK_EQUAL(counter.total(), 10);
  CHECK_EQUAL(counter.values_[3], 0);
}

CASE(this_implicitly, "struct.this-implicit") {
  Counter counter;
  counter.factor_ = 10;
  counter.add_to_all(5);
  CHECK(counter.values_[0] == 16 && counter.values_[3] == 19);
  CHECK(is_corresponding(counter.there_, &counter));
}

CASE(this_as_a_section, "struct.this-section") {
  Counter counter;
  counter.map_this(8);
  CHECK(counter.values_[0] == 8 && counter.factor_ == 8 && counter.values_[1] == 2);
}

CASE(pointer_members_of_this, "struct.this-pointer-member") {
  int more[3] = {};
  Counter counter;
  counter.more_ = more;
  counter.map_pointer_member();
  CHECK_EQUAL(more[1], 21);
  counter.map_several();
  CHECK(counter.values_[3] == 31 && counter.factor_ == 32 && more[2] == 33);
  CHECK(counter.more_ == more);
}
