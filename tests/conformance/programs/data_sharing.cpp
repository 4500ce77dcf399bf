// Data-sharing clauses of target and combined constructs: private, lastprivate, linear, reductions,
// allocators.
#include "conformance.h"

CASE(private_variables, "private.clause") {
  int x = 1;
  int a[4] = {1, 2, 3, 4};
  int seen = 0;
#pragma omp target private(x, a) map(from : seen)
  {
    x = 10;
    a[3] = 20;
    seen = x + a[3];
  }
  CHECK(seen == 30 && x == 1 && a[3] == 4);
}

namespace {
#pragma omp declare target
struct Tally {
  Tally() { number = 7; }
  Tally(const Tally& other) { number = other.number + 1; }
  ~Tally() { number = -1; }
  int number;
};
#pragma omp end declare target
} // namespace

CASE(private_objects_are_constructed, "private.class") {
  Tally tally;
  tally.number = 1;
  int seen = 0;
#pragma omp target private(tally) map(from : seen)
  seen = tally.number;
  CHECK(seen == 7 && tally.number == 1);
}

CASE(firstprivate_objects, "firstprivate.class") {
  struct Plain {
    int a;
    double b[3];
  } plain = {1, {2, 3, 4}};
  int seen = 0;
#pragma omp target firstprivate(plain) map(from : seen)
  {
    seen = plain.a + int(plain.b[2]);
    plain.a = 0;
  }
  CHECK(seen == 5 && plain.a == 1);
}

CASE(firstprivate_in_the_teams_of_a_region, "firstprivate.scalar", "private.clause") {
  int offset = 5;
  int a[32] = {};
#pragma omp target teams distribute parallel for firstprivate(offset) map(tofrom : a)
  for (int i = 0; i < 32; ++i) {
    a[i] = i + offset;
  }
  CHECK(a[0] == 5 && a[31] == 36);
}

CASE(lastprivate_variables_of_loops_in_regions, "lastprivate.clause") {
  int last = -1;
#pragma omp target map(tofrom : last)
#pragma omp parallel for lastprivate(last)
  for (int i = 0; i < 100; ++i) {
    last = 2 * i;
  }
  CHECK_EQUAL(last, 198);
}

CASE(lastprivate_variables_with_a_map_clause, "lastprivate.clause") {
  int last[2] = {-1, -1};
#pragma omp target teams distribute lastprivate(last) map(tofrom : last)
  for (int i = 0; i < 10; ++i) {
    last[0] = i;
    last[1] = -i;
  }
  CHECK(last[0] == 9 && last[1] == -9);
}

CASE(lastprivate_variables_of_shared_loops, "lastprivate.clause") {
  int last = -1;
  double half[2] = {};
#pragma omp target teams distribute parallel for lastprivate(last, half) map(tofrom : last, half)
  for (int i = 0; i < 1000; ++i) {
    last = 3 * i;
    half[0] = 0.5 * i;
    half[1] = -0.5 * i;
  }
  CHECK_EQUAL(last, 2997);
  CHECK(half[0] == 499.5 && half[1] == -499.5);
}

CASE(linear_variables, "linear.clause") {
  int a[40] = {};
#pragma omp target map(tofrom : a)
  {
    int j = 100;
#pragma omp parallel for simd linear(j : 2)
    for (int i = 0; i < 40; ++i) {
      a[i] = j;
      j += 2;
    }
    a[0] += j;
  }
  CHECK(a[0] == 280 && a[1] == 102 && a[39] == 178);
}

CASE(reductions_with_every_operator, "reduction.scalar") {
  int sum = 1;
  long product = 1;
  int conjunction = 0xff;
  int disjunction = 0;
  int exclusive = 0;
  bool all = true;
  bool any = false;
  double largest = -1;
  int smallest = 1000;
#pragma omp target teams distribute parallel for reduction(+ : sum) reduction(* : product)         \
    reduction(& : conjunction) reduction(| : disjunction) reduction(^ : exclusive)                 \
    reduction(&& : all) reduction(|| : any) reduction(max : largest) reduction(min : smallest)
  for (int i = 1; i <= 10; ++i) {
    sum += i;
    product *= i;
    conjunction &= ~(1 << (i % 4));
    disjunction |= 1 << i;
    exclusive ^= i;
    all = all && i < 10;
    any = any || i == 5;
    largest = largest < i ? i : largest;
    smallest = smallest > i ? i : smallest;
  }
  CHECK_EQUAL(sum, 56);
  CHECK_EQUAL(product, 3628800);
  CHECK_EQUAL(conjunction, 0xf0);
  CHECK_EQUAL(disjunction, 2046);
  CHECK_EQUAL(exclusive, 11);
  CHECK(!all && any && largest == 10 && smallest == 1);
}

CASE(reductions_of_every_construct, "reduction.scalar") {
  int a = 0, b = 0, c = 0, d = 0;
#pragma omp target parallel for reduction(+ : a)
  for (int i = 0; i < 100; ++i) {
    a += i;
  }
#pragma omp target simd reduction(+ : b)
  for (int i = 0; i < 100; ++i) {
    b += i;
  }
#pragma omp target teams reduction(+ : c) num_teams(2)
  c += 1;
#pragma omp target parallel reduction(+ : d) num_threads(2)
  d += 1;
  CHECK(a == 4950 && b == 4950 && c >= 1 && c <= 2 && d >= 1 && d <= 2);
}

CASE(reductions_of_arrays, "reduction.array") {
  int counts[4] = {100, 0, 0, 0};
  double sums[6] = {};
#pragma omp target teams distribute parallel for reduction(+ : counts)
  for (int i = 0; i < 40; ++i) {
    counts[i % 4] += 1;
  }
  CHECK(counts[0] == 110 && counts[3] == 10);
#pragma omp target parallel for reduction(+ : sums[1 : 3]) map(tofrom : sums)
  for (int i = 0; i < 30; ++i) {
    sums[1 + i % 3] += i;
  }
  CHECK(sums[0] == 0 && sums[1] == 135 && sums[3] == 155);
}

namespace {
struct Extent {
  int low = 1000;
  int high = -1000;
};
#pragma omp declare reduction(                                                                     \
        hull:Extent : omp_out = {omp_out.low < omp_in.low ? omp_out.low : omp_in.low,              \
                                     omp_out.high > omp_in.high ? omp_out.high : omp_in.high})     \
    initializer(omp_priv = {})
} // namespace

CASE(declared_reductions, "reduction.declared") {
  Extent extent;
#pragma omp target teams distribute parallel for reduction(hull : extent) map(tofrom : extent)
  for (int i = 0; i < 50; ++i) {
    const int value = (i * 37) % 50 - 10;
    extent.low = value < extent.low ? value : extent.low;
    extent.high = value > extent.high ? value : extent.high;
  }
  CHECK(extent.low == -10 && extent.high == 39);
}

CASE(in_reduction, "reduction.in_reduction") {
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  {
    for (int i = 0; i < 4; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
#pragma omp target in_reduction(+ : sum)
    sum += 100;
  }
  CHECK_EQUAL(sum, 106);
}

#ifdef __clang__ // GCC 12 has no uses_allocators
CASE(allocated_private_variables, "allocate.clause") {
  int x = 3;
  int results[8] = {};
#pragma omp target teams distribute parallel for firstprivate(x)                                   \
    allocate(omp_default_mem_alloc : x) map(tofrom : results)                                      \
    uses_allocators(omp_default_mem_alloc)
  for (int i = 0; i < 8; ++i) {
    results[i] = x * i;
  }
  CHECK_EQUAL(results[7], 21);
}

CASE(predefined_allocators, "uses_allocators.predefined") {
  int seen = 0;
#pragma omp target uses_allocators(omp_default_mem_alloc, omp_large_cap_mem_alloc) map(from : seen)
  {
    auto* p = static_cast<int*>(omp_alloc(sizeof(int), omp_default_mem_alloc));
    *p = 5;
    seen = *p;
    omp_free(p, omp_default_mem_alloc);
  }
  CHECK_EQUAL(seen, 5);
}

#ifndef GANTRY_FOR_GPU // Clang 22 and 19 crash
CASE(allocators_with_traits, "uses_allocators.traits") {
  omp_allocator_handle_t allocator = omp_null_allocator;
  const omp_alloctrait_t traits[] = {{omp_atk_alignment, 128}};
  bool aligned = false;
#pragma omp target uses_allocators(allocator(traits)) map(from : aligned)
  {
    void* p = omp_alloc(100, allocator);
    aligned = p != nullptr && reinterpret_cast<unsigned long>(p) % 128 == 0;
    omp_free(p, allocator);
  }
  CHECK(aligned);
}
#endif
#endif // __clang__
