// Code in the style of GPUs: the 256 threads of a team add up 256 numbers, each thread its own
// element. It relies on the team having as many threads as the construct names.
#include <cstdio>

#include <omp.h>

int main() {
  const int N = 256;
  int values[N];
  for (int i = 0; i < N; ++i) {
    values[i] = 1;
  }
#pragma omp target teams num_teams(1) thread_limit(N) map(tofrom : values)
#pragma omp parallel num_threads(N)
  {
    const int i = omp_get_thread_num();
    for (int distance = 1; distance < N; distance *= 2) {
      const int before = i >= distance ? values[i - distance] : 0;
#pragma omp barrier
      values[i] += before;
#pragma omp barrier
    }
  }
  std::printf("the sum is %d\n", values[N - 1]);
}
