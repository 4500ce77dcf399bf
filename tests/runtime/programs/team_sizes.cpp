// Leagues whose teams name more threads than there are processors: "numbers" has code that asks for
// thread numbers, "loop" only says how far threads may go.
#include "check.h"

#include <cstdio>
#include <cstring>

#include <omp.h>

int main(int count, char** arguments) {
  check_runs_on_device();
  int threads = 0;
  const bool loop = count > 1 && std::strcmp(arguments[1], "loop") == 0;
  if (loop) {
#pragma omp target teams distribute parallel for num_teams(2) map(tofrom : threads)
    for (int i = 0; i < 100; ++i) {
#pragma omp atomic
      threads += 1;
    }
  }
  for (int i = 0; i < 3 && !loop; ++i) {
#pragma omp target teams num_teams(2) thread_limit(500) map(tofrom : threads)
#pragma omp parallel
    if (omp_get_thread_num() == 0 && omp_get_team_num() == 1) {
      threads = omp_get_num_threads();
    }
  }
  std::printf("%d\n", threads);
}
