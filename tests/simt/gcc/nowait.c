// Target tasks: nowait, dependences between them and with host tasks, taskwait.
#include "device.h"

enum { kCount = 300 };

int main(void) {
  require_device();
  int a[kCount];
  int b[kCount];
  int c[kCount];
  for (int i = 0; i < kCount; ++i) {
    a[i] = i;
    b[i] = 0;
    c[i] = 0;
  }
#pragma omp parallel num_threads(4)
#pragma omp single
  {
#pragma omp target enter data map(to : a, b, c) nowait depend(out : a, b, c)
#pragma omp target nowait depend(in : a) depend(inout : b)
    for (int i = 0; i < kCount; ++i) {
      b[i] = a[i] * 2;
    }
#pragma omp target nowait depend(in : a) depend(inout : c)
    for (int i = 0; i < kCount; ++i) {
      c[i] = a[i] * 3;
    }
#pragma omp target nowait depend(inout : b) depend(in : c)
    for (int i = 0; i < kCount; ++i) {
      b[i] += c[i];
    }
#pragma omp target update from(b) nowait depend(inout : b)
#pragma omp task depend(inout : b) shared(b)
    for (int i = 0; i < kCount; ++i) {
      b[i] += 1;
    }
#pragma omp target update to(b) nowait depend(inout : b)
#pragma omp target nowait depend(inout : b)
    for (int i = 0; i < kCount; ++i) {
      b[i] *= 10;
    }
#pragma omp target exit data map(from : b) map(release : a, c) nowait depend(inout : a, b, c)
#pragma omp taskwait
  }
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(b[i], (i * 5 + 1) * 10);
  }

  int parts[8] = {0};
#pragma omp parallel for num_threads(4)
  for (int part = 0; part < 8; ++part) {
    int sum = 0;
#pragma omp target map(tofrom : sum) firstprivate(part)
    for (int i = 0; i < 50; ++i) {
      sum += i * part;
    }
    parts[part] = sum;
  }
  for (int part = 0; part < 8; ++part) {
    CHECK_EQUAL(parts[part], 1225 * part);
  }
  printf("nowait: %d\n", b[kCount - 1]);
  return pass();
}
