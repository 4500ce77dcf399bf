// compilers: clang22 clang19
// requires unified_shared_memory: regions use host memory that is not mapped, maps make no copies
// unless they say `close`, and declare target variables are the host's.
#pragma omp requires unified_shared_memory

#include "conformance.h"

#pragma omp begin declare target
int global = 3;
#pragma omp end declare target

int linked = 5;
#pragma omp declare target link(linked)

struct Node {
  int value;
  Node* next;
};

CASE(host_memory_needs_no_map, "requires.unified_shared_memory") {
  Node last = {5, NULL};
  Node first = {4, &last};
  Node* list = &first;
  int sum = 0;
#pragma omp target map(tofrom : sum)
  for (Node* node = list; node != NULL; node = node->next) {
    sum += node->value;
    node->value += global;
  }
  CHECK_EQUAL(sum, 9);
  CHECK_EQUAL(first.value, 7);
  CHECK_EQUAL(last.value, 8);

#pragma omp target
  global = 10;
  CHECK_EQUAL(global, 10);
  global = 3;
}

CASE(maps_make_no_copies, "usm.map") {
  int mapped = 1;
#pragma omp target data map(alloc : mapped)
  {
#pragma omp target map(alloc : mapped)
    mapped = 2;
    CHECK_EQUAL(mapped, 2);
    CHECK(omp_get_mapped_ptr(&mapped, omp_get_default_device()) == &mapped);
  }
}

CASE(close_makes_a_copy, "usm.close") {
  int closer = 1;
#pragma omp target data map(close, to : closer)
  {
#pragma omp target map(alloc : closer)
    closer += 1;
    const bool own = omp_get_mapped_ptr(&closer, omp_get_default_device()) != &closer;
    // The devices with memory of their own; objects do not show it, being where the host's are.
    const char* const devices = getenv("GANTRY_DEVICES");
    CHECK_EQUAL(own, strstr(devices, "separate") != NULL || strstr(devices, "simt") != NULL);
    CHECK_EQUAL(closer, own ? 1 : 2);
#pragma omp target update from(closer)
    CHECK_EQUAL(closer, 2);
  }
}

CASE(presence_and_addresses, "usm.routines") {
  int x = 1;
  CHECK(omp_get_mapped_ptr(&x, omp_get_initial_device()) == &x);
#pragma omp target data map(tofrom : x)
  {
    CHECK(conformance::is_present(&x));
    CHECK(omp_get_mapped_ptr(&x, omp_get_default_device()) == &x);
  }
  int* const p = static_cast<int*>(omp_target_alloc(sizeof(int), omp_get_default_device()));
#pragma omp target is_device_ptr(p)
  *p = 4;
  omp_target_free(p, omp_get_default_device());
}

CASE(link_variables_are_the_hosts, "usm.declare-target-link") {
  linked = 6;
#pragma omp target
  linked += 1;
  CHECK_EQUAL(linked, 7);
}
