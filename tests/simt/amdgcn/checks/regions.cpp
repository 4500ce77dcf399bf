// Regions with one mistake each, and the same without it, by name. Mistakes have the check that
// finds them beside them: on whichever of these lines.
#include <cstdio>
#include <cstring>

namespace {

constexpr int kCount = 4096;
int numbers[kCount];

void sum_of_teams() {
  int sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : sum)
  for (int i = 0; i < kCount; ++i) {
    sum += i; // race
  }
}
void sum_of_teams_mended() {
  int sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < kCount; ++i) {
    sum += i;
  }
}

/// Without the barrier that the first loop would end with.
void neighbours() {
#pragma omp target parallel num_threads(256) map(tofrom : numbers)
  {
#pragma omp for nowait
    for (int i = 0; i < kCount; ++i) {
      numbers[i] = i; // race
    }
#pragma omp for
    for (int i = 0; i < kCount; ++i) {
      numbers[i] += numbers[kCount - 1 - i] > 0 ? 1 : 0; // race
    }
  }
}
void neighbours_mended() {
  int others[kCount];
#pragma omp target parallel num_threads(256) map(tofrom : numbers) map(from : others)
  {
#pragma omp for
    for (int i = 0; i < kCount; ++i) {
      numbers[i] = i;
    }
#pragma omp for
    for (int i = 0; i < kCount; ++i) {
      others[i] = numbers[kCount - 1 - i];
    }
  }
}

void no_value() {
  int sum = 0;
#pragma omp target map(alloc : numbers) map(tofrom : sum)
  for (int i = 0; i < kCount; ++i) {
    sum += numbers[i]; // init
  }
}
void no_value_mended() {
  int sum = 0;
#pragma omp target map(to : numbers) map(tofrom : sum)
  for (int i = 0; i < kCount; ++i) {
    sum += numbers[i];
  }
}
/// Copies go through memory of the host, which has had copies of what has no value before.
void no_value_copied_back() {
  int sum = 0;
  for (int times = 0; times < 4; ++times) {
    int others[kCount] = {};
#pragma omp target map(from : numbers, others)
    {
    }
#pragma omp target map(to : numbers, others) map(tofrom : sum)
    for (int i = 0; i < kCount; ++i) {
      sum += numbers[i] + others[i];
    }
  }
}

constexpr struct {
  const char* name;
  void (*run)();
} kRegions[] = {
    {"sum_of_teams", sum_of_teams},
    {"sum_of_teams_mended", sum_of_teams_mended},
    {"neighbours", neighbours},
    {"neighbours_mended", neighbours_mended},
    {"no_value", no_value},
    {"no_value_mended", no_value_mended},
    {"no_value_copied_back", no_value_copied_back},
};

} // namespace

int main(int count, char** arguments) {
  for (const auto& region : kRegions) {
    if (count == 2 && std::strcmp(arguments[1], region.name) == 0) {
      region.run();
      std::puts("done");
      return 0;
    }
  }
  return 2;
}
