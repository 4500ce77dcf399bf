// Host memory in regions of a program that requires unified shared memory, and what stays wrong
// there: unified_test.py.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <sys/mman.h>

#pragma omp requires unified_shared_memory

static int global = 5;
static int aligned[4];

static void use(volatile int* place, bool write) {
  int got = 0;
#pragma omp target map(from : got)
  {
    if (write) {
      *place = 7;
    }
    got = *place;
  }
  std::printf("%d\n", got);
}

static void race() {
  int sum = 0;
#pragma omp target parallel num_threads(64) map(tofrom : sum) // LINE race_map
  ++sum;
  std::printf("%d\n", sum);
}

int main(int count, char** arguments) {
  const char* const wanted = count > 1 ? arguments[1] : "";
  int on_stack = 3;
  if (std::strcmp(wanted, "null") == 0) {
    use(nullptr, false);
  } else if (std::strcmp(wanted, "wild") == 0) {
    use(reinterpret_cast<int*>(std::uintptr_t{0x123456789000}), false);
  } else if (std::strcmp(wanted, "last") == 0) {
    use(reinterpret_cast<int*>(~std::uintptr_t{3}), false);
  } else if (std::strcmp(wanted, "race") == 0) {
    race();
  } else if (std::strcmp(wanted, "misaligned") == 0) {
    use(reinterpret_cast<int*>(reinterpret_cast<char*>(&aligned) + 2), true);
  } else if (std::strcmp(wanted, "read-only") == 0) {
    void* const page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    use(static_cast<int*>(page), true);
  } else if (std::strcmp(wanted, "unmapped") == 0) {
    void* const page =
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    use(static_cast<int*>(page), true); // good, as long as it is there
    munmap(page, 4096);
    use(static_cast<int*>(page), false);
  } else {
    auto* const on_heap = new int[1000]();
    long sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) {
      on_heap[i] += i + global + on_stack;
      sum += on_heap[i];
    }
    std::printf("%ld %d\n", sum, on_heap[999]);
    delete[] on_heap;
  }
}
