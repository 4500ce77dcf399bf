// Programs, or what looks like a waste in them, to which no advice may be given that would break
// them: innocent NAME.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include <omp.h>

namespace {

constexpr int kSize = 1 << 15;

// Arrays that kernels use through the pointers of a struct alone.
int attached() {
  struct Matrix {
    int size;
    double* values;
    int* columns;
  } matrix{kSize, new double[kSize], new int[kSize]};
  for (int i = 0; i < kSize; ++i) {
    matrix.values[i] = i;
    matrix.columns[i] = kSize - 1 - i;
  }
  double* x = new double[4 * kSize]();
#pragma omp target enter data map(to : matrix, matrix.values[0 : kSize], matrix.columns[0 : kSize])
#pragma omp target enter data map(to : x[0 : 4 * kSize])
  for (int step = 0; step < 5; ++step) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < matrix.size; ++i) {
      x[i] += matrix.values[matrix.columns[i]];
    }
  }
#pragma omp target exit data map(from : x[0 : 4 * kSize])
#pragma omp target exit data map(release : matrix, matrix.values[0 : kSize],                       \
                                     matrix.columns[0 : kSize])
  return x[0] == 5.0 * (kSize - 1) ? 0 : 1;
}

// Results that are computed anew, and are the same each time.
int repeated_result() {
  std::vector<double> results(kSize);
  double* result = results.data();
  int changed = 1;
  int steps = 0;
  while (changed != 0) {
#pragma omp target teams distribute parallel for map(from : result[0 : kSize])
    for (int i = 0; i < kSize; ++i) {
      result[i] = 2;
    }
#pragma omp target map(from : changed) map(to : steps)
    changed = steps < 12 ? 1 : 0;
    ++steps;
  }
  return result[7] == 2 && steps == 13 ? 0 : 1;
}

// What changes in every second step has to come back.
int alternating() {
  std::vector<double> values(kSize);
  double* x = values.data();
  for (int step = 0; step < 20; ++step) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : kSize])
    for (int i = 0; i < kSize; ++i) {
      x[i] += step % 2;
    }
  }
  return x[3] == 10 ? 0 : 1;
}

// Buffers that have a name in common, each mapped once.
int buffers() {
  double sum = 0;
  std::vector<std::vector<double>> all(12, std::vector<double>(kSize, 1.0));
  for (std::vector<double>& one : all) {
    double* p = one.data();
#pragma omp target teams distribute parallel for map(tofrom : p[0 : kSize])
    for (int i = 0; i < kSize; ++i) {
      p[i] *= 2;
    }
    sum += p[1];
  }
  return sum == 24 ? 0 : 1;
}

// Chains of kernels that wait for each other on the device.
int chains() {
  std::vector<double> values(kSize);
  double* x = values.data();
#pragma omp target data map(tofrom : x[0 : kSize])
  {
    for (int step = 0; step < 40; ++step) {
#pragma omp target teams distribute parallel for nowait depend(inout : x[0])
      for (int i = 0; i < kSize; ++i) {
        x[i] += std::sqrt(static_cast<double>(i + step));
      }
    }
#pragma omp taskwait
  }
  return x[0] > 0 ? 0 : 1;
}

// A number that the host takes from one device to another one.
int carried() {
  std::vector<double> first(kSize, 1.0);
  std::vector<double> second(kSize, 0.0);
  double* a = first.data();
  double* b = second.data();
  const int other = omp_get_num_devices() - 1;
#pragma omp target enter data map(to : a[0 : kSize]) device(0)
#pragma omp target enter data map(to : b[0 : kSize]) device(other)
  for (int step = 0; step < 10; ++step) {
    double norm = 0;
#pragma omp target teams distribute parallel for reduction(+ : norm) map(tofrom : norm) device(0)
    for (int i = 0; i < kSize; ++i) {
      for (int k = 0; k < 20; ++k) {
        norm += a[i] / 20;
      }
    }
    const double factor = std::sqrt(norm);
#pragma omp target teams distribute parallel for firstprivate(factor) device(other)
    for (int i = 0; i < kSize; ++i) {
      for (int k = 0; k < 20; ++k) {
        b[i] += factor / 20;
      }
    }
  }
#pragma omp target exit data map(release : a[0 : kSize]) device(0)
#pragma omp target exit data map(from : b[0 : kSize]) device(other)
  return b[5] > 0 ? 0 : 1;
}

// Storage that is read and written, whose copies could be saved: by a `tofrom`, not by a `to`.
int read_and_written() {
  std::vector<double> values(kSize, 1.0);
  double* x = values.data();
  for (int step = 0; step < 20; ++step) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : kSize])
    for (int i = 0; i < kSize; ++i) {
      x[i] += 1;
    }
  }
  return x[3] == 21 ? 0 : 1;
}

// Updates of what is mapped already.
int updates() {
  std::vector<double> values(kSize, 1.0);
  double* x = values.data();
#pragma omp target enter data map(to : x[0 : kSize])
  for (int step = 0; step < 6; ++step) {
#pragma omp target update to(x[0 : kSize])
#pragma omp target update from(x[0 : kSize])
#pragma omp target update from(x[0 : kSize])
  }
#pragma omp target exit data map(release : x[0 : kSize])
  return x[3] == 1 ? 0 : 1;
}

// Copies by routines.
int routines() {
  std::vector<double> values(kSize, 1.0);
  const int device = omp_get_default_device();
  void* memory = omp_target_alloc(kSize * sizeof(double), device);
  const int host = omp_get_initial_device();
  for (int i = 0; i < 7; ++i) {
    omp_target_memcpy(memory, values.data(), kSize * sizeof(double), 0, 0, device, host);
  }
  auto* x = static_cast<double*>(memory);
#pragma omp target teams distribute parallel for is_device_ptr(x)
  for (int i = 0; i < kSize; ++i) {
    x[i] += 1;
  }
  omp_target_memcpy(values.data(), memory, kSize * sizeof(double), 0, 0, host, device);
  omp_target_free(memory, device);
  return values[9] == 2 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  const struct {
    const char* name;
    int (*run)();
  } programs[] = {{"attached", attached},
                  {"repeated_result", repeated_result},
                  {"alternating", alternating},
                  {"buffers", buffers},
                  {"chains", chains},
                  {"carried", carried},
                  {"read_and_written", read_and_written},
                  {"updates", updates},
                  {"routines", routines}};
  for (const auto& program : programs) {
    if (argc == 2 && std::strcmp(argv[1], program.name) == 0) {
      return program.run();
    }
  }
  return 2;
}
