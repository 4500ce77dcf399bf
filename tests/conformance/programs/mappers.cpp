// compilers: clang22 clang19
// Declared mappers.
#include "conformance.h"

using conformance::is_corresponding;
using conformance::is_present;

namespace {
struct Vector {
  int length;
  int* data;
};
#pragma omp declare mapper(Vector v) map(tofrom : v, v.data[0 : v.length])

struct Named {
  int a;
  int b;
  int c[4];
};
#pragma omp declare mapper(ends : Named n) map(tofrom : n.a) map(tofrom : n.c)
#pragma omp declare mapper(middle : Named n) map(tofrom : n.b)

struct Matrix {
  int rows;
  Vector* vectors;
};
#pragma omp declare mapper(deep : Matrix m) map(tofrom : m.rows, m.vectors)                        \
    map(mapper(default), tofrom : m.vectors[0 : m.rows])
} // namespace

CASE(default_mapper, "mapper.default") {
  int numbers[3] = {1, 2, 3};
  Vector vector = {3, numbers};
  const void* there = nullptr;
#pragma omp target map(tofrom : vector) map(from : there)
  {
    vector.data[vector.length - 1] *= 10;
    there = vector.data;
  }
  CHECK_EQUAL(numbers[2], 30);
  CHECK(is_corresponding(there, numbers));
  CHECK(vector.data == numbers);
  CHECK(!is_present(numbers) && !is_present(&vector));
}

CASE(default_mapper_of_implicitly_mapped_objects, "mapper.implicit") {
  int numbers[3] = {1, 2, 3};
  Vector vector = {3, numbers};
  const void* there = nullptr;
#pragma omp target map(from : there)
  {
    vector.data[0] += vector.length;
    there = vector.data;
  }
  CHECK_EQUAL(numbers[0], 4);
  CHECK(is_corresponding(there, numbers));
  CHECK(!is_present(numbers));
}

CASE(arrays_of_mapped_structs, "mapper.array") {
  int first[3] = {1, 2, 3};
  int second[2] = {4, 5};
  Vector vectors[2] = {{3, first}, {2, second}};
#pragma omp target data map(tofrom : vectors)
  {
    CHECK(is_present(&first[2]) && is_present(&second[1]));
#pragma omp target map(tofrom : vectors)
    for (auto& vector : vectors) {
      for (int i = 0; i < vector.length; ++i) {
        vector.data[i] *= 10;
      }
    }
    CHECK_EQUAL(second[1], device_shares_memory() ? 50 : 5);
  }
  CHECK_EQUAL(first[2], 30);
  CHECK_EQUAL(second[1], 50);
  CHECK(vectors[1].data == second);
  CHECK(!is_present(first) && !is_present(vectors));
}

CASE(sections_of_mapped_structs, "mapper.section") {
  int storage[4][2] = {};
  Vector vectors[4];
  for (int i = 0; i < 4; ++i) {
    vectors[i] = {2, storage[i]};
  }
  Vector* p = vectors;
#pragma omp target data map(tofrom : p[1 : 2])
  {
    CHECK(!is_present(storage[0]) && is_present(storage[2]) && !is_present(storage[3]));
#pragma omp target map(tofrom : p[1 : 2])
    for (int i = 1; i < 3; ++i) {
      p[i].data[1] = 10 * i;
    }
    CHECK_EQUAL(storage[2][1], device_shares_memory() ? 20 : 0);
  }
  CHECK(storage[0][1] == 0 && storage[1][1] == 10 && storage[2][1] == 20 && storage[3][1] == 0);
}

CASE(named_mappers, "mapper.named") {
  Named named = {1, 2, {3, 4, 5, 6}};
  const bool shared = device_shares_memory() != 0;
#pragma omp target data map(mapper(middle), tofrom : named)
  {
    CHECK(is_present(&named.b));
    CHECK(!is_present(&named.c));
  }
#pragma omp target map(mapper(ends), tofrom : named)
  {
    named.a = 10;
    named.b = 20;
    named.c[3] = 60;
  }
  CHECK(named.a == 10 && named.c[3] == 60);
  CHECK_EQUAL(named.b, shared ? 20 : 2);
}

CASE(mappers_in_mappers, "mapper.nested") {
  int storage[2][3] = {{1, 2, 3}, {4, 5, 6}};
  Vector vectors[2] = {{3, storage[0]}, {3, storage[1]}};
  Matrix matrix = {2, vectors};
#pragma omp target data map(mapper(deep), tofrom : matrix)
  {
    CHECK(is_present(vectors) && is_present(storage[0]) && is_present(&storage[1][2]));
#pragma omp target map(mapper(deep), tofrom : matrix)
    for (int i = 0; i < matrix.rows; ++i) {
      for (int j = 0; j < matrix.vectors[i].length; ++j) {
        matrix.vectors[i].data[j] += 100;
      }
    }
    CHECK_EQUAL(storage[1][2], device_shares_memory() ? 106 : 6);
  }
  CHECK(storage[0][0] == 101 && storage[1][2] == 106);
  CHECK(matrix.vectors == vectors && vectors[1].data == storage[1]);
  CHECK(!is_present(storage) && !is_present(vectors) && !is_present(&matrix));
}

CASE(the_map_type_restricts_the_mapper, "mapper.map-type") {
  int numbers[2] = {1, 2};
  Vector vector = {2, numbers};
  int seen = 0;
  const bool shared = device_shares_memory() != 0;
#pragma omp target map(to : vector) map(from : seen)
  {
    seen = vector.data[1];
    vector.data[0] = 9;
  }
  CHECK_EQUAL(seen, 2);
  CHECK_EQUAL(numbers[0], shared ? 9 : 1);
}

CASE(at_enter_and_exit_data, "mapper.enter-exit-data", "enter-data", "exit-data") {
  int numbers[2] = {1, 2};
  Vector vector = {2, numbers};
#pragma omp target enter data map(to : vector)
  CHECK(is_present(numbers) && is_present(&vector));
#pragma omp target enter data map(to : vector)
#pragma omp target map(tofrom : vector)
  vector.data[0] = 5;
#pragma omp target exit data map(from : vector)
  CHECK(is_present(numbers) && is_present(&vector));
#pragma omp target exit data map(from : vector)
  CHECK(!is_present(numbers) && !is_present(&vector));
  CHECK_EQUAL(numbers[0], 5);
  CHECK(vector.data == numbers);
}

CASE(deletion, "mapper.enter-exit-data", "map.delete") {
  int numbers[2] = {1, 2};
  Vector vector = {2, numbers};
#pragma omp target enter data map(to : vector)
#pragma omp target enter data map(to : vector)
#pragma omp target exit data map(delete : vector)
  CHECK(!is_present(numbers) && !is_present(&vector));
}

CASE(at_update, "mapper.update") {
  int numbers[3] = {1, 2, 3};
  Vector vector = {3, numbers};
#pragma omp target data map(tofrom : vector)
  {
    numbers[1] = 50;
#pragma omp target update to(vector)
#pragma omp target map(tofrom : vector)
    vector.data[2] = vector.data[1] + 1;
#pragma omp target update from(vector)
    CHECK_EQUAL(numbers[2], 51);
    CHECK(vector.data == numbers);
  }
}

CASE(named_mappers_at_update, "mapper.update", "mapper.named") {
  Named named = {1, 2, {3, 4, 5, 6}};
  const bool shared = device_shares_memory() != 0;
#pragma omp target data map(tofrom : named)
  {
#pragma omp target
    {
      named.a = 10;
      named.b = 20;
      named.c[0] = 30;
    }
#pragma omp target update from(mapper(middle) : named)
    CHECK_EQUAL(named.b, 20);
    CHECK_EQUAL(named.a, shared ? 10 : 1);
    named.a = 11;
    named.c[1] = 44;
#pragma omp target update to(mapper(ends) : named)
#pragma omp target
    named.b = named.a + named.c[1];
  }
  CHECK_EQUAL(named.b, 55);
}

CASE(use_device_ptr_beside_a_mapper, "mapper.beside-others", "use_device_ptr.section") {
  int numbers[3] = {1, 2, 3};
  Vector vector = {3, numbers};
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

CASE(always_and_present_with_a_mapper, "mapper.modifiers", "map.always", "map.present") {
  int numbers[2] = {1, 2};
  Vector vector = {2, numbers};
#pragma omp target data map(tofrom : vector)
  {
    numbers[0] = 40;
#pragma omp target map(always, tofrom : vector)
    vector.data[1] = vector.data[0] + 1;
    CHECK_EQUAL(numbers[1], 41);
#pragma omp target map(present, tofrom : vector)
    vector.data[1] += 1;
  }
  CHECK_EQUAL(numbers[1], 42);
}

DEATH_CASE(present_with_a_mapper, "not present", "mapper.modifiers", "map.present") {
  int numbers[2] = {1, 2};
  Vector vector = {2, numbers};
#pragma omp target map(present, tofrom : vector)
  vector.data[1] = 1;
}
