// Functions and classes that regions use, and variables of every kind of scope.
#include "conformance.h"

static int twice(int x) {
  return 2 * x;
} // declared by its use in a region
static double twice(double x) {
  return 2 * x;
}

#pragma omp declare target
namespace outer {
int in_a_namespace = 3;
inline int inline_variable = 4;
template <typename T>
T of_a_template = T(5);
} // namespace outer

static int with_a_default(int x, int y = 10) {
  return x + y;
}

static int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

template <typename T>
static T largest(T a, T b) {
  return a < b ? b : a;
}

static int next_number() {
  static int number;
  return ++number;
}

class Complex {
public:
  Complex(double real, double imaginary) : real_(real), imaginary_(imaginary) {}
  Complex operator*(const Complex& other) const {
    return {real_ * other.real_ - imaginary_ * other.imaginary_,
            real_ * other.imaginary_ + imaginary_ * other.real_};
  }
  double real() const { return real_; }

private:
  double real_;
  double imaginary_;
};

struct Shape {
  virtual ~Shape() = default;
  virtual int sides() const { return 0; }
};
struct Square : Shape {
  int sides() const override { return 4; }
};

static int sides_of_a_square() {
  Square square;
  const Shape& shape = square;
  return shape.sides();
}

const int constant = 11;
constexpr int squares[3] = {1, 4, 9};
int* pointer;
int with_always[2] = {1, 2};

#ifdef __clang__ // GCC 12 has no static members here
struct Counted {
  static int count;
};
int Counted::count = 8;
#endif
#pragma omp end declare target

CASE(functions_used_in_regions, "declare-target.function", "declare-target.function-template") {
  int a = 0;
  double b = 0;
  int c = 0;
  double d = 0;
#pragma omp target map(from : a, b, c, d)
  {
    a = twice(21);
    b = twice(0.25);
    c = with_a_default(5) + fibonacci(10);
    d = largest(1.5, 2.5) + largest(3, 2);
  }
  CHECK(a == 42 && b == 0.5 && c == 70 && d == 5.5);
}

CASE(classes_used_in_regions, "declare-target.member-function") {
  double real = 0;
#pragma omp target map(from : real)
  {
    const Complex i(0, 1);
    real = (i * i).real();
  }
  CHECK(real == -1);
}

#ifdef __clang__
CASE(static_members, "declare-target.static-member") {
  int count = 0;
  Counted::count = 9; // the host's
#pragma omp target map(from : count)
  count = Counted::count;
  CHECK_EQUAL(count, 8);
}
#endif

CASE(virtual_functions_of_objects_made_there, "declare-target.virtual") {
  int sides = 0;
#pragma omp target map(from : sides)
  {
    Square square;
    const Shape& shape = square;
    sides = shape.sides();
  }
  CHECK_EQUAL(sides, 4);
}

CASE(virtual_functions_in_functions, "declare-target.virtual") {
  int sides = 0;
#pragma omp target map(from : sides)
  sides = sides_of_a_square();
  CHECK_EQUAL(sides, 4);
}

CASE(variables_in_namespaces_and_templates, "declare-target.namespace") {
  outer::in_a_namespace = 0; // the host's
  int sum = 0;
#pragma omp target map(from : sum)
  sum = outer::in_a_namespace + outer::inline_variable + outer::of_a_template<int>;
  CHECK_EQUAL(sum, 12);
}

CASE(constants, "declare-target.const", "declare-target.initialiser") {
  int sum = 0;
  int index = 2;
#pragma omp target map(from : sum)
  sum = constant + squares[index];
  CHECK_EQUAL(sum, 20);
}

CASE(static_variables_of_functions, "declare-target.static-local") {
  int numbers[2] = {};
  for (int& number : numbers) {
#pragma omp target map(from : number)
    number = next_number();
  }
  CHECK(numbers[0] == 1 && numbers[1] == 2);
  CHECK_EQUAL(next_number(), 1);
}

CASE(pointer_variables, "declare-target.pointer", "attach.pointee-new") {
  int storage[4] = {1, 2, 3, 4};
  pointer = storage;
#pragma omp target enter data map(to : pointer[0 : 4])
  int seen = 0;
#pragma omp target map(from : seen)
  {
    seen = pointer[3];
    pointer[0] = 10;
  }
  CHECK_EQUAL(seen, 4);
#pragma omp target exit data map(from : pointer[0 : 4])
  CHECK_EQUAL(storage[0], 10);
}

CASE(always_copies_variables, "declare-target.map-always", "declare-target.infinite-count") {
  with_always[0] = 50;
  int seen = 0;
  int* const alias = with_always;
#pragma omp target data map(always, to : alias[0 : 2])
  {
#pragma omp target map(from : seen)
    {
      seen = with_always[0];
      with_always[1] = 60;
    }
  }
  CHECK_EQUAL(seen, 50);
#pragma omp target exit data map(always, from : alias[0 : 2])
  CHECK_EQUAL(with_always[1], 60);
}
