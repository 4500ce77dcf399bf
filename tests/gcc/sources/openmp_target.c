#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
int omp_is_initial_device(void);
void GOMP_target(int, void (*)(void*), const void*, size_t, void**, size_t*, unsigned char*);
void GOMP_target_update(int, const void*, size_t, void**, size_t*, unsigned char*);
extern char __OPENMP_TARGET__[] __attribute__((visibility("hidden"), weak));
int v = 1;
static void region(void* block) {
  void** arguments = block;
  int* p = *(int**)arguments[1];
  int* seen = arguments[2];
  *seen = omp_is_initial_device() ? 1000 + *p : p == &v ? ++*p : -1;
}
struct pair {
  const void* address;
  uintptr_t size;
};
static const struct pair pairs[]
    __attribute__((section(".gnu.openmp_target"), used, aligned(8))) = {{&v, sizeof v},
                                                                        {(const void*)region, 0}};
enum { kTo = 1, kFrom = 2, kPointer = 4, kAlign4 = 2 << 3, kAlign8 = 3 << 3 };
int bar(int* p, const void* table) {
  int seen = 0;
  void* addresses[] = {p, &p, &seen};
  size_t sizes[] = {sizeof *p, 0, sizeof seen};
  unsigned char kinds[] = {kTo | kAlign4, kPointer | kAlign8, kTo | kFrom | kAlign4};
  GOMP_target(-1, region, table, 3, addresses, sizes, kinds);
  return seen;
}
int main(void) {
  printf("%d ", bar(&v, __OPENMP_TARGET__));
  v = 50;
  printf("%d ", bar(&v, __OPENMP_TARGET__));
  void* addresses[] = {&v};
  size_t sizes[] = {sizeof v};
  unsigned char kinds[] = {kTo | kAlign4};
  GOMP_target_update(-1, __OPENMP_TARGET__, 1, addresses, sizes, kinds);
  printf("%d ", bar(&v, __OPENMP_TARGET__));
  printf("%d\n", bar(&v, NULL));
}
