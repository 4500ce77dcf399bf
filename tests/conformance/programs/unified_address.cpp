// compilers: clang22 clang19
// requires unified_address, dynamic_allocators and atomic_default_mem_order.
#pragma omp requires unified_address, dynamic_allocators
#pragma omp requires atomic_default_mem_order(acq_rel)

#include "conformance.h"

CASE(device_pointers_without_a_clause, "requires.unified_address") {
  const int device = omp_get_default_device();
  auto* p = static_cast<int*>(omp_target_alloc(4 * sizeof(int), device));
#pragma omp target
  p[3] = 9;
  int value = 0;
  CHECK_EQUAL(omp_target_memcpy(&value, p, sizeof value, 0, 3 * sizeof(int),
                                omp_get_initial_device(), device),
              0);
  CHECK_EQUAL(value, 9);
  omp_target_free(p, device);
}

CASE(allocators_without_a_clause, "requires.dynamic_allocators") {
  int seen = 0;
#pragma omp target map(from : seen)
  {
    auto* p = static_cast<int*>(omp_alloc(sizeof(int), omp_default_mem_alloc));
    *p = 6;
    seen = *p;
    omp_free(p, omp_default_mem_alloc);
  }
  CHECK_EQUAL(seen, 6);
}

CASE(atomics_of_a_default_order, "requires.atomic_default_mem_order") {
  int counted = 0;
#pragma omp target teams distribute parallel for map(tofrom : counted)
  for (int i = 0; i < 100; ++i) {
#pragma omp atomic update
    counted += 1;
  }
  CHECK_EQUAL(counted, 100);
}
