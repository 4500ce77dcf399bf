// Kernels with large frames that call what the compiler cannot see through: the callees' stack is
// behind the kernel's own.
#include <cstdio>

namespace {

constexpr int kRow = 3000;

} // namespace

#pragma omp begin declare target indirect
[[gnu::noinline]] int sum_down(int n) {
  volatile int own[64];
  own[n & 63] = n;
  return n == 0 ? 0 : sum_down(n - 1) + own[n & 63];
}
int sum_of_row(int n) {
  int row[1500];
  for (int i = 0; i < 1500; ++i) {
    row[i] = i + n;
  }
  int sum = 0;
  for (int i = 0; i < 1500; i += 11) {
    sum += row[(i * 7) % 1500];
  }
  return sum;
}
#pragma omp end declare target

int main() {
  int (*functions[])(int) = {sum_down, sum_of_row};
  int results[8] = {};
#pragma omp target teams distribute parallel for map(to : functions) map(from : results)
  for (int i = 0; i < 8; ++i) {
    double row[kRow];
    for (int k = 0; k < kRow; ++k) {
      row[k] = static_cast<double>(k) * i;
    }
    results[i] = functions[i & 1](i) + static_cast<int>(row[i * 991 % kRow]);
  }
  for (int i = 0; i < 8; ++i) {
    const int expected = functions[i & 1](i) + i * 991 % kRow * i;
    if (results[i] != expected) {
      std::printf("result %d is %d, expected %d\n", i, results[i], expected);
      return 1;
    }
  }
  return 0;
}
