// use_device_ptr, use_device_addr, is_device_ptr and has_device_addr.
#include "conformance.h"

static const bool shared = device_shares_memory() != 0;

CASE(a_mapped_pointer, "use_device_ptr.section", "is_device_ptr.memory") {
  int a[10] = {1, 2, 3};
  int* p = a;
  int sum = 0;
#pragma omp target data map(tofrom : p[0 : 10]) use_device_ptr(p)
  {
    CHECK((p == a) == shared);
    CHECK(shared || p == omp_get_mapped_ptr(a, omp_get_default_device()));
#pragma omp target is_device_ptr(p) map(tofrom : sum)
    sum = p[0] + p[1] + p[2];
  }
  CHECK_EQUAL(sum, 6);
  CHECK(p == a);
}

CASE(a_pointer_mapped_before, "use_device_ptr.section") {
  int a[10] = {1, 2, 3};
  int* p = a;
#pragma omp target data map(tofrom : a)
  {
#pragma omp target data use_device_ptr(p)
    {
#pragma omp target is_device_ptr(p)
      p[5] = p[2] + 10;
    }
    CHECK(p == a);
  }
  CHECK_EQUAL(a[5], 13);
}

CASE(pointers_into_and_before_the_section, "use_device_ptr.offset") {
  int a[100] = {};
  int* p = a;
  int* inside = a + 50;
#pragma omp target data map(tofrom : p[40 : 20]) use_device_ptr(p)
  {
#pragma omp target is_device_ptr(p)
    p[41] = 41;
  }
#pragma omp target data map(tofrom : p[40 : 20])
#pragma omp target data use_device_ptr(inside)
  {
#pragma omp target is_device_ptr(inside)
    inside[1] = 51;
  }
  CHECK(a[41] == 41 && a[51] == 51);
}

CASE(an_absent_pointer, "use_device_ptr.absent") {
  int a[4] = {};
  int* p = a;
  int* null = nullptr;
#pragma omp target data use_device_ptr(p, null)
  {
    CHECK(p == a);
    CHECK(null == nullptr);
  }
}

CASE(several_pointers, "use_device_ptr.several") {
  int a[4] = {1, 2, 3, 4};
  int b[4] = {};
  int* p = a;
  int* q = b;
#pragma omp target data map(to : p[0 : 4]) map(from : q[0 : 4]) use_device_ptr(p, q)
  {
    CHECK((p == a) == shared && (q == b) == shared);
#pragma omp target is_device_ptr(p, q)
    for (int i = 0; i < 4; ++i) {
      q[i] = 10 * p[i];
    }
  }
  CHECK(b[0] == 10 && b[3] == 40 && p == a && q == b);
}

namespace {
struct Holder {
  int count = 3;
  int* data = nullptr;

  void fill(int value) {
    int* const host = data;
#pragma omp target data map(tofrom : data[0 : count]) use_device_ptr(data)
    {
      CHECK((data == host) == shared);
#pragma omp target is_device_ptr(data)
      data[2] = value;
    }
  }

  void fill_memory(int value) {
#pragma omp target is_device_ptr(data)
    data[1] = value;
  }
};
} // namespace

CASE(pointer_members, "use_device_ptr.several", "is_device_ptr.member") {
  int values[3] = {};
  Holder holder;
  holder.data = values;
  holder.fill(7);
  CHECK(values[2] == 7 && holder.data == values);

  const int device = omp_get_default_device();
  holder.data = static_cast<int*>(omp_target_alloc(sizeof values, device));
  holder.fill_memory(8);
  CHECK_EQUAL(
      omp_target_memcpy(values, holder.data, sizeof values, 0, 0, omp_get_initial_device(), device),
      0);
  CHECK_EQUAL(values[1], 8);
  omp_target_free(holder.data, device);
}

CASE(arrays_of_device_pointers, "is_device_ptr.array") {
  const int device = omp_get_default_device();
  int* pointers[2];
  for (int*& pointer : pointers) {
    pointer = static_cast<int*>(omp_target_alloc(sizeof(int), device));
  }
#pragma omp target is_device_ptr(pointers)
  {
    *pointers[0] = 3;
    *pointers[1] = 4;
  }
  for (int i = 0; i < 2; ++i) {
    int value = 0;
    CHECK_EQUAL(omp_target_memcpy(&value, pointers[i], sizeof value, 0, 0, omp_get_initial_device(),
                                  device),
                0);
    CHECK_EQUAL(value, 3 + i);
    omp_target_free(pointers[i], device);
  }
}

CASE(scalars_arrays_and_structs, "use_device_addr.object", "has_device_addr.object") {
  int x = 1;
  int a[10] = {};
  struct Pair {
    int first;
    int second;
  } pair = {2, 3};
  const void* const host[3] = {&x, a, &pair};
#pragma omp target data map(tofrom : x, a, pair)
  {
#pragma omp target data use_device_addr(x, a, pair)
    {
      CHECK((&x == host[0]) == shared && (a == host[1]) == shared && (&pair == host[2]) == shared);
#pragma omp target has_device_addr(x, a, pair)
      {
        a[9] = x + pair.second;
        x = 10;
        pair.first = 20;
      }
    }
  }
  CHECK(a[9] == 4 && x == 10 && pair.first == 20 && pair.second == 3);
}

CASE(mapped_by_the_same_construct, "use_device_addr.object", "has_device_addr.object") {
  int a[10] = {1, 2, 3};
  int* const host = a;
#pragma omp target data map(tofrom : a) use_device_addr(a)
  {
    CHECK((&a[0] == host) == shared);
#pragma omp target has_device_addr(a)
    a[0] = 100 + a[2];
  }
  CHECK_EQUAL(a[0], 103);
}

#ifdef __clang__ // GCC 12 has no sections in these clauses
CASE(sections_of_arrays, "use_device_addr.section", "has_device_addr.section") {
  int a[20] = {};
  int* p = a;
#pragma omp target data map(tofrom : a[5 : 10]) use_device_addr(a[5 : 10])
  {
#pragma omp target has_device_addr(a[5 : 10])
    a[7] = 70;
  }
#pragma omp target data map(tofrom : p[10 : 5]) use_device_addr(p[10 : 5])
  {
#pragma omp target has_device_addr(p[10 : 5])
    p[11] = 110;
  }
  CHECK(a[7] == 70 && a[11] == 110);
}
#endif

CASE(references, "use_device_addr.reference", "has_device_addr.reference") {
  int storage = 5;
  int& x = storage;
#pragma omp target data map(tofrom : x) use_device_addr(x)
  {
#pragma omp target has_device_addr(x)
    x += 1;
  }
  CHECK_EQUAL(storage, 6);
}

namespace {
struct Box {
  int lid = 1;
  int contents[4] = {1, 2, 3, 4};

  /// The addresses that a region of use_device_addr sees, and those that they should be.
  void check_first_member() {
    void* there = nullptr;
    void* const expected = device_address(&lid);
#pragma omp target data use_device_addr(lid)
    there = &lid;
    CHECK(there == expected);
  }
  void check_inner_member() {
    void* there = nullptr;
    void* const expected = device_address(contents);
#pragma omp target data use_device_addr(contents)
    there = contents;
    CHECK(there == expected);
  }
  void check_mapped_member() {
    void* there = nullptr;
    void* expected = nullptr;
#pragma omp target data map(tofrom : contents) use_device_addr(contents)
    {
      there = contents;
      expected = device_address(static_cast<int*>(host_contents_));
    }
    CHECK(there == expected);
  }

private:
  void* host_contents_ = contents;

  static void* device_address(const void* host) {
    return omp_get_mapped_ptr(host, omp_get_default_device());
  }
};
} // namespace

CASE(the_first_member, "use_device_addr.member") {
  Box box;
#pragma omp target data map(tofrom : box)
  box.check_first_member();
}

CASE(inner_members, "use_device_addr.member") {
  Box box;
#pragma omp target data map(tofrom : box)
  box.check_inner_member();
}

CASE(inner_members_mapped_by_the_same_construct, "use_device_addr.member") {
  Box box;
  box.check_mapped_member();
}

CASE(absent_objects, "use_device_addr.absent") {
  int x = 1;
  int a[3] = {};
  int* const address = &x;
#pragma omp target data use_device_addr(x, a)
  CHECK(&x == address);
}
