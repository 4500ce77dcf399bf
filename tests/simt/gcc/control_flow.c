// Control flow that lanes and threads do not share: switches, early returns, goto, break, nests.
#include "device.h"

enum { kCount = 200 };

#pragma omp declare target
__attribute__((noinline)) static int classify(int x) {
  switch (x) {
  case 0:
    return 100;
  case 1:
  case 2:
    return 101;
  case 3:
    x += 7;
    break;
  case 4:
    x *= 3;
    /* fall through */
  case 5:
    x += 40;
    break;
  case 6:
    return -6;
  case 7:
    return x * x;
  case 1000:
    return 1;
  default:
    if (x < 0) {
      return -1;
    }
    x %= 17;
  }
  return x + 1000;
}

__attribute__((noinline)) static int search(int target) {
  int probes = 0;
  for (int i = 0; i < 30; ++i) {
    for (int k = i; k < 30; ++k) {
      ++probes;
      if (i * k == target) {
        goto found;
      }
      if (k - i > 20) {
        break;
      }
      if ((i + k) % 7 == 0) {
        continue;
      }
      ++probes;
    }
  }
  return -1;
found:
  return probes;
}

__attribute__((noinline)) static unsigned mixed(unsigned x) {
  unsigned result = 0;
  do {
    if (x & 1) {
      result = result * 3 + 1;
      if (result > 1000) {
        result %= 997;
      }
    } else if (x & 2) {
      result ^= x;
    } else {
      while (x > 3 && (x & 3) == 0) {
        x >>= 1;
        ++result;
      }
    }
    x >>= 1;
  } while (x);
  return result;
}
#pragma omp end declare target

int main(void) {
  require_device();
  int classes[kCount];
  int probes[kCount];
  unsigned mixes[kCount];
#pragma omp target map(from : classes, probes, mixes)
  {
#pragma omp simd
    for (int i = 0; i < kCount; ++i) {
      classes[i] = classify(i % 50 == 49 ? 1000 : i % 12 - 2);
    }
#pragma omp parallel for num_threads(4) schedule(dynamic, 5)
    for (int i = 0; i < kCount; ++i) {
      probes[i] = search(i);
    }
#pragma omp parallel for simd num_threads(4)
    for (int i = 0; i < kCount; ++i) {
      mixes[i] = mixed((unsigned)i * 2654435761u);
    }
  }
  long total = 0;
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(classes[i], classify(i % 50 == 49 ? 1000 : i % 12 - 2));
    CHECK_EQUAL(probes[i], search(i));
    CHECK_EQUAL(mixes[i], mixed((unsigned)i * 2654435761u));
    total += classes[i] + probes[i];
  }
  printf("control flow: %ld\n", total);
  return pass();
}
