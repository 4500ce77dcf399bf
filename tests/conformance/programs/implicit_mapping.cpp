// Variables without a clause.
#include "conformance.h"

using conformance::is_corresponding;
using conformance::is_present;

CASE(scalars_are_firstprivate, "implicit.scalar") {
  char a = 1;
  short b = 2;
  int c = 3;
  long d = 4;
  float e = 5;
  double f = 6;
  LongDouble g = 7;
  bool h = true;
  enum class Colour { red, green } i = Colour::green;
  double sum = 0;
#pragma omp target map(from : sum)
  {
    sum = a + b + c + d + e + f + g + h + int(i);
    a = 0;
    c = 0;
    g = 0;
    i = Colour::red;
  }
  CHECK_EQUAL(sum, 30);
  CHECK(a == 1 && c == 3 && g == 7 && i == Colour::green);
}

CASE(a_present_scalar_is_firstprivate_too, "implicit.scalar") {
  int x = 1;
  int seen = 0;
#pragma omp target data map(tofrom : x)
  {
    x = 2;
#pragma omp target map(from : seen)
    {
      seen = x;
      x = 3;
    }
    CHECK_EQUAL(seen, 2);
    CHECK_EQUAL(x, 2);
  }
  CHECK_EQUAL(x, device_shares_memory() ? 2 : 1);
}

CASE(arrays_and_structs_are_mapped, "implicit.aggregate") {
  struct Pair {
    int first;
    double second;
  } pair = {1, 2};
  int a[5] = {1, 2, 3, 4, 5};
  int matrix[3][3] = {};
  const void* there[2] = {};
#pragma omp target map(from : there)
  {
    pair.second += pair.first;
    a[4] += a[0];
    matrix[2][2] = a[3];
    there[0] = &pair;
    there[1] = a;
  }
  CHECK(is_corresponding(there[0], &pair) && is_corresponding(there[1], a));
  CHECK(pair.second == 3 && a[4] == 6 && matrix[2][2] == 4);
  CHECK(!is_present(a) && !is_present(&pair));
}

CASE(what_is_present_in_part_is_that_part, "implicit.present-part") {
  int a[100] = {};
#pragma omp target data map(tofrom : a[10 : 20])
  {
#pragma omp target
    a[15] = 15;
    if (!device_shares_memory()) {
      CHECK_EQUAL(a[15], 0);
    }
  }
  CHECK_EQUAL(a[15], 15);
}

CASE(a_struct_of_which_a_member_is_present, "implicit.present-part") {
  struct {
    int before;
    int values[4];
    int after;
  } object = {1, {2, 3, 4, 5}, 6};
#pragma omp target data map(tofrom : object.values)
  {
#pragma omp target
    object.values[2] += 10;
    CHECK_EQUAL(object.values[2], device_shares_memory() ? 14 : 4);
  }
  CHECK_EQUAL(object.values[2], 14);
}

CASE(references_stand_for_what_they_refer_to, "implicit.reference") {
  int storage[4] = {1, 2, 3, 4};
  int scalar = 5;
  int (&a)[4] = storage;
  const int& constant = scalar;
  int seen = 0;
  const void* there = nullptr;
#pragma omp target map(from : seen, there)
  {
    seen = constant;
    a[3] = a[0] + 10;
    there = a;
  }
  CHECK_EQUAL(seen, 5);
  CHECK(is_corresponding(there, storage));
  CHECK_EQUAL(storage[3], 11);
}

CASE(captures_by_reference, "implicit.lambda-reference") {
  int a[4] = {1, 2, 3, 4};
  int* p = a;
  int result = 0;
  auto sum = [&result, p] {
    result = p[0] + p[3];
    p[1] = 20;
  };
#pragma omp target map(tofrom : a, result)
  sum();
  CHECK_EQUAL(result, 5);
  CHECK_EQUAL(a[1], 20);
}

CASE(captures_of_what_is_present, "implicit.lambda-copy", "implicit.lambda-reference") {
  int a[4] = {1, 2, 3, 4};
  int* p = a;
  int result = 0;
  auto sum = [&result, p] { result = p[0] + p[3]; };
#pragma omp target data map(to : a)
  {
    a[3] = 40; // the host's
#pragma omp target map(tofrom : result)
    sum();
  }
  CHECK_EQUAL(result, device_shares_memory() ? 41 : 5);
}

CASE(captures_by_copy, "implicit.lambda-copy") {
  int a[4] = {1, 2, 3, 4};
  int* p = a;
  const int add = 100;
  int offset = 2;
  auto element = [=] { return p[offset] + add; };
  int result = 0;
#pragma omp target map(tofrom : a) map(from : result)
  result = element();
  CHECK_EQUAL(result, 103);
  auto write = [=](int value) { p[offset] = value; };
#pragma omp target map(tofrom : a)
  write(30);
  CHECK_EQUAL(a[2], 30);
  auto copy = [a](int i) { return a[i]; };
#pragma omp target map(from : result)
  result = copy(3);
  CHECK_EQUAL(result, 4);
}

CASE(lambdas_with_arguments_in_loops, "implicit.lambda-reference", "implicit.lambda-copy") {
  double x[50];
  double y[50];
  for (int i = 0; i < 50; ++i) {
    x[i] = i;
    y[i] = 1;
  }
  double* px = x;
  double* py = y;
  const double factor = 2;
  auto body = [=](int i) { py[i] += factor * px[i]; };
#pragma omp target data map(to : px[0 : 50])
  {
    x[49] = 0; // the host's
#pragma omp target teams distribute parallel for map(to : px[0 : 50]) map(tofrom : py[0 : 50])
    for (int i = 0; i < 50; ++i) {
      body(i);
    }
  }
  CHECK(y[0] == 1 && y[48] == 97 && y[49] == (device_shares_memory() ? 1 : 99));
}

namespace {
class Scaler {
public:
  int scaled(int value) {
    auto scale = [this](int x) { return x * factor_; };
    int result = 0;
#pragma omp target map(to : this[ : 1]) map(from : result)
    result = scale(value);
    return result;
  }
#ifdef __clang__ // GCC 12 ends with an internal error
  /// `this` in a lambda has to be the corresponding object: it is written to.
  void mark_from_lambdas() {
    auto first = [this] { marks_[0] = 1; };
    auto second = [&] { marks_[1] = 2; };
    auto third = [=] { marks_[2] = 3; };
#pragma omp target map(tofrom : this[ : 1])
    {
      first();
      second();
    }
#pragma omp target data map(tofrom : this[ : 1])
    {
#pragma omp target map(to : third)
      third();
    }
  }
  [[nodiscard]] int marks() const { return marks_[0] * 100 + marks_[1] * 10 + marks_[2]; }
#endif

private:
  int factor_ = 3;
  int marks_[3] = {};
};
} // namespace

CASE(captures_of_this, "implicit.lambda-this") {
  Scaler scaler;
  CHECK_EQUAL(scaler.scaled(5), 15);
}

#ifdef __clang__
CASE(captures_of_this_to_write_to, "implicit.lambda-this") {
  Scaler scaler;
  scaler.mark_from_lambdas();
  CHECK_EQUAL(scaler.marks(), 123);
}
#endif

#ifdef __clang__ // GCC 12 ends with an internal error
CASE(mapped_lambdas, "implicit.lambda-mapped", "implicit.combined") {
  int a[4] = {1, 2, 3, 4};
  int add = 100;
  int* p = a;
  auto sum = [&](int i) { return p[i] + add + a[0]; };
  int result = 0;
  const bool shared = device_shares_memory() != 0;
#pragma omp target data map(to : a, add, p, p[0 : 4])
  {
    a[3] = 40; // the host's
    add = 1000;
#pragma omp target map(to : sum) map(tofrom : result) map(to : a, add, p[0 : 4])
    result = sum(3);
    CHECK_EQUAL(result, shared ? 1041 : 105);
#pragma omp target teams distribute parallel for reduction(+ : result) map(tofrom : sum)
    for (int i = 0; i < 4; ++i) {
      result += sum(i);
    }
    CHECK_EQUAL(result, shared ? 1041 + 4050 : 105 + 414);
  }
  CHECK_EQUAL(sum(3), 1041);
}
#endif

CASE(list_items_of_combined_constructs, "implicit.combined") {
  int sum = 1;
#pragma omp target parallel for reduction(+ : sum)
  for (int i = 0; i < 10; ++i) {
    sum += i;
  }
  CHECK_EQUAL(sum, 46);
#pragma omp target data map(tofrom : sum)
  {
#pragma omp target parallel for reduction(+ : sum)
    for (int i = 0; i < 10; ++i) {
      sum += i;
    }
    CHECK_EQUAL(sum, device_shares_memory() ? 91 : 46);
  }
  CHECK_EQUAL(sum, 91);
}

CASE(lastprivate_items_of_combined_constructs, "implicit.combined", "lastprivate.clause") {
  int last = -1;
#pragma omp target parallel for lastprivate(last)
  for (int i = 0; i < 10; ++i) {
    last = i;
  }
  CHECK_EQUAL(last, 9);
}

#pragma omp declare target
static int of_the_device[2] = {3, 4};
#pragma omp end declare target

CASE(declare_target_variables, "implicit.declare-target") {
  of_the_device[0] = 100; // the host's
  int seen = 0;
#pragma omp target map(from : seen)
  {
    seen = of_the_device[0] + of_the_device[1];
    of_the_device[1] = 40;
  }
  CHECK_EQUAL(seen, 7);
  CHECK_EQUAL(of_the_device[1], 4);
}

static int global_scalar = 5;
static int global_array[3] = {1, 2, 3};

CASE(globals_that_are_not_declare_target, "map.static", "implicit.aggregate", "implicit.scalar") {
  static int local_static[2] = {7, 8};
  const void* there[3] = {};
#pragma omp target map(tofrom : global_scalar) map(from : there)
  {
    global_scalar += 1;
    global_array[0] = global_array[2] + 10;
    local_static[1] += local_static[0];
    there[0] = &global_scalar;
    there[1] = global_array;
    there[2] = local_static;
  }
  CHECK(is_corresponding(there[0], &global_scalar) && is_corresponding(there[1], global_array) &&
        is_corresponding(there[2], local_static));
  CHECK(global_scalar == 6 && global_array[0] == 13 && local_static[1] == 15);
}

template <typename Number, int kLength>
static Number sum_on_device(Number (&numbers)[kLength]) {
  Number sum = 0;
#pragma omp target map(to : numbers) map(tofrom : sum)
  for (int i = 0; i < kLength; ++i) {
    sum += numbers[i];
    numbers[i] = 0; // not the host's
  }
  return sum;
}

template <typename T>
static void negate(T* numbers, int count) {
#pragma omp target map(tofrom : numbers[0 : count])
  for (int i = 0; i < count; ++i) {
    numbers[i] = -numbers[i];
  }
}

static const int constants[] = {1, 2, 3, 4};
struct Parameters {
  double values[4];
};
const Parameters parameters = {{1, 2, 3, 4}};

CASE(constants_that_are_not_declare_target, "map.const", "implicit.aggregate") {
  double sum = 0;
  int i = atoi("2");
#pragma omp target map(from : sum)
  sum = constants[i] + parameters.values[i];
  CHECK_EQUAL(sum, 6);
}

CASE(in_templates, "map.template") {
  int integers[3] = {1, 2, 3};
  double floats[2] = {0.5, 0.25};
  negate(integers, 3);
  negate(floats, 1);
  CHECK(integers[2] == -3 && floats[0] == -0.5 && floats[1] == 0.25);
  CHECK_EQUAL(sum_on_device(integers), -6);
  CHECK(sum_on_device(floats) == -0.25);
  const bool shared = device_shares_memory() != 0;
  CHECK(integers[2] == (shared ? 0 : -3) && floats[1] == (shared ? 0 : 0.25));
}
