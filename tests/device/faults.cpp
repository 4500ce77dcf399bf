// Regions that do what they must not: faults_test.py checks what is said about them.
#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int kCount = 1000;

static void past_the_end(double* data) {
#pragma omp target data map(tofrom : data[0 : kCount]) // LINE past_map
  {
#pragma omp target teams distribute parallel for // LINE past_region
    for (int i = 0; i < kCount; ++i) {
      data[i + 8] = i; // LINE past
    }
  }
}

static void race() {
  int sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : sum) num_teams(1) // LINE race_region
  for (int i = 0; i < kCount; ++i) {
    sum += i; // LINE race
  }
  std::printf("%d\n", sum);
}

static void unmapped(const double* data) {
  double first = 0;
  const double* volatile hidden = data;
#pragma omp target firstprivate(hidden) map(from : first) // LINE unmapped_region
  first = hidden[2];                                      // LINE unmapped
  std::printf("%g\n", first);
}

static void aborts() {
#pragma omp target // LINE aborts_region
  std::abort();    // LINE aborts
}

int main(int count, char** arguments) {
  auto* const data = new double[kCount]();
  const char* const wanted = count > 1 ? arguments[1] : "";
  if (std::strcmp(wanted, "past") == 0) {
    past_the_end(data);
  } else if (std::strcmp(wanted, "race") == 0) {
    race();
  } else if (std::strcmp(wanted, "unmapped") == 0) {
    unmapped(data);
  } else if (std::strcmp(wanted, "aborts") == 0) {
    aborts();
  }
  std::puts("went on");
  delete[] data;
}
