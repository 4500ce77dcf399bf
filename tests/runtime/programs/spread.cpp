// Says on which device each of some target regions without a device clause runs, a line for each
// case.
#include <omp.h>

#include "check_macros.h"

#include <cstdlib>
#include <cstring>

enum { kRegions = 6, kSize = 64 };

static const int* told;
static int values[kSize];
static int others[kSize];

static void say(const char* what, const int* devices, int count) {
  printf("%s:", what);
  for (int i = 0; i < count; ++i) {
    printf(" %d", devices[i]);
  }
  printf("\n");
}

/// Regions one after the other, which map an array.
template <typename Run>
static void one_by_one(const char* what, Run run) {
  int devices[kRegions];
  for (int& device : devices) {
    device = run();
  }
  say(what, devices, kRegions);
}

static int region() {
  int device = -1;
#pragma omp target map(from : device) map(tofrom : values)
  {
    values[0] += 1;
    device = omp_get_device_num();
  }
  return device;
}

static int region_of_pointer(int* pointer) {
  int device = -1;
#pragma omp target map(from : device) map(pointer[ : 0])
  device = omp_get_device_num();
  return device;
}

static int region_of_device_memory(int* pointer) {
  int device = -1;
#pragma omp target map(from : device) is_device_ptr(pointer)
  {
    pointer[0] += 1;
    device = omp_get_device_num();
  }
  return device;
}

struct Holder {
  int* pointer;
};

static int region_of_structure(Holder holder) {
  int device = -1;
#pragma omp target map(from : device) map(to : holder)
  {
    holder.pointer[0] += 1;
    device = omp_get_device_num();
  }
  return device;
}

static int region_that_names_a_device(int number) {
  int device = -1;
#pragma omp target map(from : device) device(number)
  device = omp_get_device_num();
  return device;
}

/// Regions with nowait that are all under way before the first ends.
static void under_way_at_once() {
  int devices[kRegions];
#pragma omp parallel num_threads(kRegions)
#pragma omp single
  {
    for (int i = 0; i < kRegions; ++i) {
      int* const device = devices + i;
#pragma omp target nowait map(from : device[0 : 1]) map(to : others)
      {
        double waste = others[0];
        for (int k = 0; k < 20000000; ++k) {
          waste = waste * 0.5 + k;
        }
        device[0] = waste < 0 ? -1 : omp_get_device_num();
      }
    }
#pragma omp taskwait
  }
  int counts[16] = {};
  for (const int device : devices) {
    CHECK(device >= 0);
    ++counts[device];
  }
  say("under way at once", counts, omp_get_num_devices());
}

/// Regions that are not ordered and change parts of one array, all of which each of them maps.
static void of_one_array() {
#pragma omp parallel num_threads(kRegions)
#pragma omp single
  {
    for (int i = 0; i < kRegions; ++i) {
#pragma omp target nowait map(tofrom : values) firstprivate(i)
      for (int k = i; k < kSize; k += kRegions) {
        values[k] = i;
      }
    }
#pragma omp taskwait
  }
  for (int i = 0; i < kSize; ++i) {
    CHECK_EQUAL(values[i], i % kRegions);
  }
}

int main() {
  CHECK(omp_get_num_devices() > 0);
  one_by_one("free", region);
  under_way_at_once();
  of_one_array();
#pragma omp target enter data map(to : values)
  one_by_one("present", region);
  one_by_one("pointer", [] { return region_of_pointer(values + 5); });
#pragma omp target exit data map(from : values)
#pragma omp target enter data map(to : values) device(1)
  one_by_one("present on 1", region);
#pragma omp target exit data map(release : values) device(1)
  one_by_one("named", [] { return region_that_names_a_device(1); });
  const int device = omp_get_default_device();
  auto* memory = static_cast<int*>(omp_target_alloc(sizeof(int), device));
  one_by_one("is_device_ptr", [=] { return region_of_device_memory(memory); });
  one_by_one("in a structure", [=] { return region_of_structure({memory}); });
  omp_target_free(memory, device);
  one_by_one("freed", region);
  omp_set_default_device(1);
  one_by_one("default device set", region);
  omp_set_default_device(device);
#pragma omp target data map(to : others) use_device_addr(others)
  told = others;
  CHECK(told != nullptr);
  one_by_one("address told", region);
}
