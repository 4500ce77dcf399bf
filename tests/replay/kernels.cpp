// Kernels to be recorded: one that is right, one that threads of a team race in, and one that
// writes where there is nothing in its fourth execution.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#pragma omp declare target
double factor = 1;
int executions;
#pragma omp end declare target

struct List {
  double* values;
  int size;
};

namespace {

constexpr int kSize = 1000;

double scale(const List& list, std::vector<double>& results) {
  double* const y = results.data();
  double sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : y[0 : kSize]) map(to : list)         \
    reduction(+ : sum)
  for (int i = 0; i < kSize; ++i) {
    y[i] += factor * list.values[i];
    sum += y[i];
    if (i == 0) {
      ++executions;
    }
  }
  return sum;
}

int race(std::vector<int>& results) {
  int* const x = results.data();
  int last = 0;
#pragma omp target teams distribute parallel for map(tofrom : x[0 : kSize], last)
  for (int i = 0; i < kSize; ++i) {
    x[i] = i;
    last = last + i; // by all threads, without order
  }
  return x[10];
}

void miss(std::vector<int>& results, std::vector<int>& places, bool wrong) {
  int* const x = results.data();
  int* const at = places.data();
  at[kSize / 2] = wrong ? 1 << 30 : kSize / 2;
#pragma omp target teams distribute parallel for map(tofrom : x[0 : kSize]) map(to : at[0 : kSize])
  for (int i = 0; i < kSize; ++i) {
    x[at[i]] = i; // the line of the fault
  }
}

/// The variable lies in its storage as it does in its line of the host's cache.
int add_one() {
  struct alignas(64) {
    int before[13];
    int odd_place;
  } line = {{}, 1};
  int& s = line.odd_place;
#pragma omp target map(tofrom : s)
  s += 1;
  return s;
}

} // namespace

int main(int count, char** words) {
  if (count != 2) {
    return 2;
  }
  std::vector<int> places(kSize), numbers(kSize);
  std::vector<double> values(kSize), results(kSize, 1);
  for (int i = 0; i < kSize; ++i) {
    places[i] = i;
    values[i] = i;
  }
  if (std::strcmp(words[1], "scale") == 0) {
    List list = {values.data(), kSize};
    factor = 2.5;
#pragma omp target update to(factor)
#pragma omp target enter data map(to : list, list.values[0 : kSize])
    for (int round = 0; round < 3; ++round) {
      std::printf("%g\n", scale(list, results));
    }
  } else if (std::strcmp(words[1], "add_one") == 0) {
    std::printf("%d\n", add_one());
  } else if (std::strcmp(words[1], "race") == 0) {
    std::printf("%d\n", race(numbers));
  } else {
    for (int round = 0; round < 5; ++round) {
      miss(numbers, places, round == 3);
    }
  }
  return 0;
}
