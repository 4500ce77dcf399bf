// Virtual calls on a device for objects that the host made. Included by programs that differ in how
// they are compiled.
#include "cases/where.h"
#include "conformance.h"

#pragma omp begin declare target indirect

/// All of the class is inline, so each object file that uses it has its virtual table.
struct Shape {
  int side = 2;
  virtual int area() const = 0;
  virtual int name() const { return here() + 1; }
  int twice() const { return 2 * area(); }
  virtual ~Shape() {}
};
struct Square : Shape {
  int area() const override { return side * side + here(); }
};
struct Cube final : Square {
  int height = 3;
  int area() const override { return 6 * side * side + here(); }
  int name() const override { return here() + 2; }
};

/// The virtual table is where the first member that is not inline is.
struct Keyed {
  int value = 5;
  virtual int key() const;
  virtual int other() const { return value + here(); }
};
int Keyed::key() const {
  return value + here() + 1;
}

struct Left {
  int left = 1;
  virtual int of_left() const { return left + here(); }
  virtual ~Left() {}
};
struct Right {
  int right = 2;
  virtual int of_right() const { return right + here(); }
  virtual Right* self() { return this; }
};
struct Both : Left, Right {
  int both = 3;
  int of_left() const override { return left + both + here(); }
  int of_right() const override { return right + both + here(); }
  Both* self() override { return this; }
};

struct Root {
  int root = 7;
  virtual int of_root() const { return root + here(); }
  virtual ~Root() {}
};
struct FirstArm : virtual Root {
  int first = 1;
  virtual int of_first() const { return first + root + here(); }
};
struct SecondArm : virtual Root {
  int second = 2;
  int of_root() const override { return second + root + here(); }
};
struct Diamond : FirstArm, SecondArm {
  int diamond = 3;
  int of_first() const override { return first + second + diamond + root + here(); }
};

template <typename T>
struct Holder {
  T held;
  explicit Holder(T value) : held(value) {}
  virtual T get() const { return held + T(here()); }
};

#pragma omp end declare target

/// Single members are named, outside of the class.
struct Named {
  int value = 4;
  virtual int named() const;
  virtual int not_named() const;
};
int Named::named() const {
  return value + here();
}
int Named::not_named() const {
  return value;
}
#pragma omp declare target enter(Named::named) indirect

/// Has no member of its own that is for devices.
struct Plain : Square {
  int unused = 1;
};

CASE(calls_through_base_pointers, "declare-target.virtual-host-object") {
  Square square;
  Cube cube;
  const Shape* shapes[2] = {&square, &cube};
  int seen[2][3] = {};
#pragma omp target data map(to : square, cube)
  for (int i = 0; i < 2; ++i) {
    const Shape* shape = shapes[i];
#pragma omp target map(tofrom : seen)
    {
      seen[i][0] = shape->area();
      seen[i][1] = shape->name();
      seen[i][2] = shape->twice();
    }
  }
  CHECK(seen[0][0] == 4 + kDevice && seen[0][1] == 1 + kDevice && seen[0][2] == 8 + 2 * kDevice);
  CHECK(seen[1][0] == 24 + kDevice && seen[1][1] == 2 + kDevice && seen[1][2] == 48 + 2 * kDevice);
  CHECK_EQUAL(shapes[1]->area(), 24 + kHost);
}

CASE(calls_through_references, "declare-target.virtual-host-object") {
  Cube cube;
  Shape& shape = cube;
  int seen = 0;
#pragma omp target map(to : cube) map(from : seen)
  {
    const Square& square = cube;
    seen = square.area() + square.name();
  }
  CHECK_EQUAL(seen, 26 + 2 * kDevice);
  CHECK_EQUAL(shape.name(), 2 + kHost);
}

CASE(classes_with_a_key_function, "declare-target.virtual-host-object") {
  Keyed object;
  Keyed* pointer = &object;
  int seen[2] = {};
#pragma omp target map(tofrom : pointer[0 : 1], seen)
  {
    pointer->value += 1;
    seen[0] = pointer->key();
    seen[1] = pointer->other();
  }
  CHECK(seen[0] == 7 + kDevice && seen[1] == 6 + kDevice);
  // The object is still the host's.
  CHECK(object.value == 6 && pointer->key() == 7 + kHost);
}

CASE(several_base_classes, "declare-target.virtual-host-object") {
  Both object;
  Left* left = &object;
  int seen[4] = {};
#pragma omp target map(to : object) map(tofrom : seen)
  {
    Left* as_left = &object;
    Right* as_right = &object;
    seen[0] = as_left->of_left();
    seen[1] = as_right->of_right();
    seen[2] = as_right->self() == as_right;
    seen[3] = object.of_right();
  }
  CHECK(seen[0] == 4 + kDevice && seen[1] == 5 + kDevice && seen[2] == 1);
  CHECK_EQUAL(seen[3], 5 + kDevice);
  CHECK_EQUAL(left->of_left(), 4 + kHost);
}

CASE(virtual_base_classes, "declare-target.virtual-host-object") {
  Diamond object;
  Diamond* diamond = &object;
  int seen[5] = {};
#pragma omp target map(tofrom : diamond[0 : 1], seen)
  {
    FirstArm* first = diamond;
    SecondArm* second = diamond;
    Root* root = diamond;
    seen[0] = root->of_root();
    seen[1] = first->of_first();
    seen[2] = second->of_root();
    seen[3] = first->of_root();
    seen[4] = first->root;
    second->root = 8;
  }
  CHECK(seen[0] == 9 + kDevice && seen[1] == 13 + kDevice && seen[2] == 9 + kDevice);
  CHECK(seen[3] == 9 + kDevice && seen[4] == 7 && object.root == 8);
}

CASE(class_templates, "declare-target.virtual-host-object") {
  Holder<int> of_int(1);
  Holder<double> of_double(0.5);
  int seen = 0;
  double seen_double = 0;
#pragma omp target map(to : of_int, of_double) map(from : seen, seen_double)
  {
    Holder<int>* pointer = &of_int;
    Holder<double>* double_pointer = &of_double;
    seen = pointer->get();
    seen_double = double_pointer->get();
  }
  CHECK(seen == 1 + kDevice && seen_double == 0.5 + kDevice);
}

CASE(members_that_are_named, "declare-target.virtual-host-object") {
  Named object;
  Named* pointer = &object;
  int seen = 0;
#pragma omp target map(to : pointer[0 : 1]) map(from : seen)
  seen = pointer->named();
  CHECK_EQUAL(seen, 4 + kDevice);
  CHECK_EQUAL(pointer->not_named(), 4);
}

CASE(classes_that_inherit_all_that_is_for_devices, "declare-target.virtual-host-object") {
  Plain object;
  const Shape* shape = &object;
  int seen = 0;
#pragma omp target map(to : object) map(from : seen)
  seen = shape->area();
  CHECK_EQUAL(seen, 4 + kDevice);
}

CASE(pointers_to_virtual_members, "declare-target.virtual-member-pointer") {
  Cube cube;
  Both both;
  int (Shape::*member)() const = &Shape::name;
  int (Both::*of_second_base)() const = &Right::of_right;
  int seen[2] = {};
#pragma omp target map(to : cube, both) map(tofrom : seen)
  {
    const Shape* shape = &cube;
    seen[0] = (shape->*member)();
    seen[1] = (both.*of_second_base)();
  }
  CHECK(seen[0] == 2 + kDevice && seen[1] == 5 + kDevice);
}

CASE(objects_made_on_the_device, "declare-target.virtual") {
  int seen[3] = {};
#pragma omp target map(tofrom : seen)
  {
    Cube cube;
    const Shape* shape = &cube;
    seen[0] = shape->area();
    Diamond diamond;
    const Root* root = &diamond;
    seen[1] = root->of_root();
    Shape* allocated = new Square;
    seen[2] = allocated->name();
    delete allocated;
  }
  CHECK(seen[0] == 24 + kDevice && seen[1] == 9 + kDevice && seen[2] == 1 + kDevice);
}

CASE(arrays_of_objects_and_many_threads, "declare-target.virtual-host-object") {
  Cube cubes[20];
  Square squares[20];
  const Shape* shapes[40];
  for (int i = 0; i < 20; ++i) {
    cubes[i].side = squares[i].side = i;
    shapes[2 * i] = &cubes[i];
    shapes[2 * i + 1] = &squares[i];
  }
  long sum = 0;
#pragma omp target data map(to : cubes, squares)
  {
    const Shape* on_device[40];
    for (int i = 0; i < 40; ++i) {
      on_device[i] =
          static_cast<const Shape*>(omp_get_mapped_ptr(shapes[i], omp_get_default_device()));
    }
#pragma omp target teams distribute parallel for map(to : on_device) reduction(+ : sum)
    for (int i = 0; i < 40; ++i) {
      sum += on_device[i]->area();
    }
  }
  long expected = 0;
  for (long i = 0; i < 20; ++i) {
    expected += 7 * i * i + 2 * kDevice;
  }
  CHECK_EQUAL(sum, expected);
}
