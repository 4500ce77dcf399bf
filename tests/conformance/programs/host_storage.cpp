// List items whose original storage is not there.
#include "conformance.h"

#include <sys/mman.h>

static const size_t kPage = 4096;

/// So many pages; nothing lies behind them.
static char* pages(size_t count) {
  char* begin = (char*)mmap(nullptr, (count + 8) * kPage, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(begin != MAP_FAILED);
  CHECK_EQUAL(munmap(begin + count * kPage, 8 * kPage), 0);
  return begin;
}

#define ENDS "host's storage ends at 0x[0-9a-f]+, 8192 bytes from"

DEATH_CASE(longer_than_its_object, "data: .*" ENDS, "error.host-storage") {
  double* b = (double*)pages(2);
  const long n = 64; // of 1024 elements
#pragma omp target enter data map(to : b[0 : n * n])
}

DEATH_CASE(longer_than_its_object_in_a_region, "target: .*" ENDS, "error.host-storage") {
  char* b = pages(2);
#pragma omp target map(to : b[0 : 3 * kPage])
  (void)b[0];
}

DEATH_CASE(longer_than_its_object_when_it_comes_back, ENDS, "error.host-storage") {
  char* b = pages(2);
#pragma omp target map(from : b[0 : 3 * kPage])
  b[0] = 1;
}

DEATH_CASE(unmapped_by_the_system_meanwhile, "the host has no storage there",
           "error.host-storage") {
  char* b = pages(2);
#pragma omp target data map(tofrom : b[0 : 2 * kPage])
  munmap(b, 2 * kPage);
}

DEATH_CASE(updated_when_it_is_gone, "target update: .*" ENDS, "error.host-storage") {
  char* b = pages(3);
#pragma omp target enter data map(to : b[0 : 3 * kPage])
  munmap(b + 2 * kPage, kPage);
#pragma omp target update from(b[0 : 3 * kPage])
}

DEATH_CASE(that_cannot_be_written, "cannot be written", "error.host-storage") {
  char* b = pages(2);
  CHECK_EQUAL(mprotect(b, 2 * kPage, PROT_READ), 0);
#pragma omp target map(tofrom : b[0 : 2 * kPage])
  (void)b[0];
}

#define HOLE "host's storage ends at 0x[0-9a-f]+, 204800 bytes from"

DEATH_CASE(protected_in_its_middle, "data: .*" HOLE, "error.host-storage") {
  char* b = pages(100);
  CHECK_EQUAL(mprotect(b + 50 * kPage, kPage, PROT_NONE), 0);
#pragma omp target enter data map(to : b[0 : 100 * kPage])
}

DEATH_CASE(unmapped_in_its_middle, "data: .*" HOLE, "error.host-storage") {
  char* b = pages(100);
  munmap(b + 50 * kPage, kPage);
#pragma omp target enter data map(to : b[0 : 100 * kPage])
}

DEATH_CASE(unmapped_in_its_middle_meanwhile, "data: .*" HOLE, "error.host-storage") {
  char* b = pages(100);
#pragma omp target enter data map(to : b[0 : 100 * kPage])
  munmap(b + 50 * kPage, kPage);
#pragma omp target exit data map(from : b[0 : 100 * kPage])
}

DEATH_CASE(that_cannot_be_written_in_its_middle, "cannot be written from", "error.host-storage") {
  char* b = pages(100);
#pragma omp target enter data map(to : b[0 : 100 * kPage])
  CHECK_EQUAL(mprotect(b + 50 * kPage, kPage, PROT_READ), 0);
#pragma omp target exit data map(from : b[0 : 100 * kPage])
}

#ifdef __clang__ // GCC 12 has no sections with a stride
DEATH_CASE(updated_in_pieces_past_its_end, "update: .*storage ends at 0x[0-9a-f]+, 4096 bytes from",
           "error.host-storage") {
  char* b = pages(2);
#pragma omp target enter data map(to : b[0 : 2 * kPage])
  munmap(b + kPage, kPage);
#pragma omp target update from(b[0 : 4 : 2000])
}
#endif

DEATH_CASE(that_is_device_memory, "lies in device memory.*is_device_ptr", "error.host-storage") {
  char* b = (char*)omp_target_alloc(kPage, omp_get_default_device());
#pragma omp target map(tofrom : b[0 : kPage])
  b[0] = 1;
}

CASE(gone_without_a_copy, "map.alloc") {
  char* b = pages(2);
#pragma omp target enter data map(to : b[0 : 2 * kPage])
  munmap(b, 2 * kPage);
#pragma omp target exit data map(release : b[0 : 2 * kPage])
  CHECK(!conformance::is_present(b));
}
