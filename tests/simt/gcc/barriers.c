// Phases between barriers: each thread reads what its neighbours wrote in the phase before.
#include "device.h"

enum { kCells = 64, kSteps = 50 };

int main(void) {
  require_device();
  int cells[2][kCells];
  for (int i = 0; i < kCells; ++i) {
    cells[0][i] = i == kCells / 2;
    cells[1][i] = 0;
  }
#pragma omp target map(tofrom : cells)
#pragma omp parallel num_threads(8)
  {
    const int thread = omp_get_thread_num();
    const int threads = omp_get_num_threads();
    for (int step = 0; step < kSteps; ++step) {
      const int* from = cells[step % 2];
      int* to = cells[(step + 1) % 2];
      for (int i = thread; i < kCells; i += threads) {
        to[i] = from[(i + kCells - 1) % kCells] ^ from[(i + 1) % kCells];
      }
#pragma omp barrier
    }
  }
  int now[kCells] = {0};
  now[kCells / 2] = 1;
  for (int step = 0; step < kSteps; ++step) {
    int next[kCells];
    for (int i = 0; i < kCells; ++i) {
      next[i] = now[(i + kCells - 1) % kCells] ^ now[(i + 1) % kCells];
    }
    for (int i = 0; i < kCells; ++i) {
      now[i] = next[i];
    }
  }
  int alive = 0;
  for (int i = 0; i < kCells; ++i) {
    CHECK_EQUAL(cells[kSteps % 2][i], now[i]);
    alive += now[i];
  }

  // A thread waits for another's flag.
  int data = 0;
  int received = 0;
#pragma omp target map(tofrom : data, received)
  {
    int flag = 0;
#pragma omp parallel num_threads(2) shared(flag)
    {
      if (omp_get_num_threads() == 1) {
        received = 99;
      } else if (omp_get_thread_num() == 0) {
        data = 99;
#pragma omp flush
#pragma omp atomic write
        flag = 1;
      } else {
        int ready = 0;
        while (!ready) {
#pragma omp atomic read
          ready = flag;
        }
#pragma omp flush
        received = data;
      }
    }
  }
  CHECK_EQUAL(received, 99);
  printf("barriers: %d alive\n", alive);
  return pass();
}
