// Regions that do what they must not: faults_test.py checks what is said about them.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <omp.h>

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

static void copies(double* data) {
  double from[kCount] = {};
#pragma omp target map(tofrom : data[0 : kCount]) map(to : from) // LINE copies_region
  std::memcpy(data + 8, from, sizeof from);                      // LINE copies
}

static void fills(double* data) {
#pragma omp target map(tofrom : data[0 : kCount])          // LINE fills_region
  std::memset(data + 8, data[0] == 0 ? 1 : 2, kCount * 8); // LINE fills
}

/// Maps what is memory of the device.
static void maps(double* of_device) {
  double got = 0;
#pragma omp target map(tofrom : of_device[0 : 10]) map(from : got) // LINE maps
  got = of_device[2];
  std::printf("%g\n", got);
}

static void freed() {
  auto* const place = static_cast<double*>(omp_target_alloc(8000, 0));
  omp_target_free(place, 0);
  maps(place);
}

static void mapped(double* data) {
#pragma omp target enter data map(to : data[0 : kCount]) // LINE mapped
  maps(static_cast<double*>(omp_get_mapped_ptr(data, 0)));
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
  } else if (std::strcmp(wanted, "copies") == 0) {
    copies(data);
  } else if (std::strcmp(wanted, "fills") == 0) {
    fills(data);
  } else if (std::strcmp(wanted, "freed") == 0) {
    freed();
  } else if (std::strcmp(wanted, "mapped") == 0) {
    mapped(data);
  }
  std::puts("went on");
  delete[] data;
}
