// A race between the threads of a team: each adds to its neighbour's element too.
#include <cstdio>

int main() {
  int values[64] = {};
#pragma omp target parallel for num_threads(64) map(tofrom : values)
  for (int i = 0; i < 64; ++i) {
    values[i] += 1;
    values[(i + 1) % 64] += 1;
  }
  std::printf("values[0] %d\n", values[0]);
}
