// Device memory routines: allocation, copies, fills, presence and association.
#include "conformance.h"

using conformance::is_present;

// Clang 19's omp.h does not declare these.
extern "C" {
void* omp_target_memset(void* pointer, int value, size_t size, int device);
int omp_target_is_accessible(const void* pointer, size_t size, int device);
}

static const int host = omp_get_initial_device();

constexpr int kCount = 64;
constexpr size_t kBytes = kCount * sizeof(int);

namespace {
/// kCount ints on a device, set to their indexes; freed at the end of scope.
class DeviceInts {
public:
  explicit DeviceInts(int device)
      : device_(device), ints_(static_cast<int*>(omp_target_alloc(kBytes, device))) {
    CHECK(ints_ != nullptr);
    int values[kCount];
    for (int i = 0; i < kCount; ++i) {
      values[i] = i;
    }
    CHECK_EQUAL(omp_target_memcpy(ints_, values, kBytes, 0, 0, device, host), 0);
  }
  DeviceInts(const DeviceInts&) = delete;
  ~DeviceInts() { omp_target_free(ints_, device_); }

  int* get() const { return ints_; }

  int operator[](int index) const {
    int value = -1;
    CHECK_EQUAL(
        omp_target_memcpy(&value, ints_, sizeof(int), 0, index * sizeof(int), host, device_), 0);
    return value;
  }

private:
  int device_;
  int* ints_;
};
} // namespace

CASE(memory_of_a_device, "routine.omp_target_alloc", "routine.omp_target_free",
     "is_device_ptr.memory", "routine.omp_target_memcpy") {
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    const DeviceInts ints(device);
    int* p = ints.get();
#pragma omp target device(device) is_device_ptr(p)
    for (int i = 0; i < kCount; ++i) {
      p[i] *= 3;
    }
    CHECK_EQUAL(ints[1], 3);
    CHECK_EQUAL(ints[kCount - 1], 3 * (kCount - 1));
  }
}

CASE(nothing_to_allocate_or_free, "routine.omp_target_alloc", "routine.omp_target_free") {
  for (int device = 0; device <= omp_get_num_devices(); ++device) {
    CHECK(omp_target_alloc(0, device) == nullptr);
    omp_target_free(nullptr, device);
  }
}

CASE(memory_of_the_host, "routine.omp_target_alloc", "routine.omp_target_memcpy",
     "device.omp_initial_device") {
  // omp_initial_device, which omp.h may lack, is the host too.
  auto* bytes = static_cast<char*>(omp_target_alloc(8, -1));
  CHECK(bytes != nullptr && omp_target_is_present(bytes, -1));
  // Overlapping storage of the host.
  memcpy(bytes, "abcdefgh", 8);
  CHECK_EQUAL(omp_target_memcpy(bytes, bytes, 6, 2, 0, host, -1), 0);
  CHECK(memcmp(bytes, "ababcdef", 8) == 0);
  omp_target_free(bytes, host);
}

CASE(copies_with_offsets, "routine.omp_target_memcpy") {
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    const DeviceInts ints(device);
    int values[4] = {-1, -1, -1, -1};
    CHECK_EQUAL(omp_target_memcpy(values, ints.get(), 8, 4, 40, host, device), 0);
    CHECK(values[0] == -1 && values[1] == 10 && values[2] == 11 && values[3] == -1);
    CHECK_EQUAL(omp_target_memcpy(ints.get(), values, 4, 20, 8, device, host), 0);
    CHECK(ints[4] == 4 && ints[5] == 11 && ints[6] == 6);
  }
}

CASE(copies_from_device_to_device, "routine.omp_target_memcpy", "memcpy.between-devices") {
  for (int from = 0; from < omp_get_num_devices(); ++from) {
    for (int to = 0; to < omp_get_num_devices(); ++to) {
      const DeviceInts source(from);
      const DeviceInts destination(to);
      CHECK_EQUAL(omp_target_memcpy(destination.get(), source.get(), kBytes - 8, 8, 0, to, from),
                  0);
      CHECK(destination[1] == 1 && destination[2] == 0 && destination[kCount - 1] == kCount - 3);
    }
  }
}

CASE(copies_of_nothing, "routine.omp_target_memcpy") {
  CHECK_EQUAL(omp_target_memcpy(nullptr, nullptr, 0, 0, 0, 0, host), 0);
}

CASE(fills, "routine.omp_target_memset") {
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    const DeviceInts ints(device);
    // To the last byte and no further; of the value only the lowest byte.
    CHECK(omp_target_memset(ints.get(), 0x101, kBytes - sizeof(int), device) == ints.get());
    CHECK(ints[0] == 0x01010101 && ints[kCount - 2] == 0x01010101);
    CHECK_EQUAL(ints[kCount - 1], kCount - 1);
  }
  int value = 1;
  CHECK(omp_target_memset(&value, 2, sizeof value, host) == &value && value == 0x02020202);
  CHECK(omp_target_memset(nullptr, 0, 0, 0) == nullptr);
}

CASE(presence, "routine.omp_target_is_present") {
  int a[10] = {};
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    CHECK(!omp_target_is_present(a, device));
#pragma omp target data map(to : a[2 : 5]) device(device)
    {
      CHECK(omp_target_is_present(&a[2], device) && omp_target_is_present(&a[6], device));
      CHECK(!omp_target_is_present(&a[1], device) && !omp_target_is_present(&a[7], device));
    }
    CHECK(!omp_target_is_present(&a[2], device));
    CHECK(!omp_target_is_present(nullptr, device));
  }
  CHECK(omp_target_is_present(a, host));
  CHECK(!omp_target_is_present(nullptr, host));
}

CASE(presence_is_of_one_device, "routine.omp_target_is_present", "device.clause") {
  int a[10] = {};
  for (int device = 0; device < omp_get_num_devices(); ++device) {
#pragma omp target enter data map(to : a) device(device)
    for (int other = 0; other < omp_get_num_devices(); ++other) {
      CHECK_EQUAL(omp_target_is_present(a, other), other <= device);
    }
  }
  for (int device = 0; device < omp_get_num_devices(); ++device) {
#pragma omp target exit data map(delete : a) device(device)
    CHECK(!omp_target_is_present(a, device));
  }
}

CASE(accessibility, "routine.omp_target_is_accessible") {
  int values[4] = {};
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    const DeviceInts ints(device);
    CHECK(omp_target_is_accessible(ints.get(), kBytes, device));
    CHECK(!omp_target_is_accessible(nullptr, 4, device));
    CHECK(!omp_target_is_accessible(values, ~size_t{0}, device));
    // What it says of the host's memory has to be true.
    if (omp_target_is_accessible(values, sizeof values, device)) {
      int* p = values;
#pragma omp target device(device) is_device_ptr(p)
      p[0] = 5 + device;
      CHECK_EQUAL(values[0], 5 + device);
    }
  }
  CHECK(omp_target_is_accessible(values, sizeof values, host));
}

CASE(mapped_pointers, "routine.omp_get_mapped_ptr") {
  int a[10] = {};
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    CHECK(omp_get_mapped_ptr(a, device) == nullptr);
#pragma omp target data map(tofrom : a) device(device)
    {
      auto* there = static_cast<int*>(omp_get_mapped_ptr(&a[3], device));
      CHECK(there != nullptr && omp_get_mapped_ptr(a, device) == there - 3);
#pragma omp target is_device_ptr(there) device(device)
      there[1] = 41;
    }
    CHECK_EQUAL(a[4], 41);
    a[4] = 0;
  }
  CHECK(omp_get_mapped_ptr(a, host) == a);
  CHECK(omp_get_mapped_ptr(nullptr, 0) == nullptr);
}

CASE(association, "routine.omp_target_associate_ptr", "routine.omp_target_disassociate_ptr") {
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    const DeviceInts ints(device);
    const DeviceInts others(device);
    int* const there = ints.get();
    int object[kCount];
    CHECK_EQUAL(omp_target_associate_ptr(object, there, kBytes, 0, device), 0);
    CHECK_EQUAL(omp_target_associate_ptr(object, there, kBytes, 0, device), 0); // the same again
    CHECK(omp_target_associate_ptr(object, others.get(), kBytes, 0, device) != 0);
    CHECK(omp_target_is_present(object, device));
    CHECK(omp_get_mapped_ptr(&object[3], device) == there + 3);
    for (int other = 0; other < omp_get_num_devices(); ++other) {
      CHECK_EQUAL(omp_target_is_present(object, other), other == device);
    }
    int seen = 0;
#pragma omp target device(device) map(tofrom : object) map(from : seen)
    seen = object[10];
    CHECK_EQUAL(seen, 10);
    CHECK_EQUAL(omp_target_disassociate_ptr(object, device), 0);
    CHECK(omp_target_disassociate_ptr(object, device) != 0);
    CHECK(!omp_target_is_present(object, device));
  }
}

CASE(association_with_an_offset, "routine.omp_target_associate_ptr") {
  const DeviceInts ints(0);
  int object[8] = {};
  CHECK_EQUAL(omp_target_associate_ptr(object, ints.get(), sizeof object, 4 * sizeof(int), 0), 0);
  CHECK(omp_get_mapped_ptr(object, 0) == ints.get() + 4);
#pragma omp target update from(object)
  CHECK(object[0] == 4 && object[7] == 11);
  CHECK_EQUAL(omp_target_disassociate_ptr(object, 0), 0);
}

CASE(associated_storage_has_an_infinite_count, "associate.infinite-count") {
  const DeviceInts ints(0);
  int object[kCount] = {};
  CHECK_EQUAL(omp_target_associate_ptr(object, ints.get(), kBytes, 0, 0), 0);
#pragma omp target exit data map(delete : object)
  CHECK(is_present(object));
#pragma omp target map(tofrom : object) // copies neither way
  object[0] = 100;
  CHECK_EQUAL(object[0], 0);
#pragma omp target map(always, from : object)
  object[1] = 101;
  CHECK(object[0] == 100 && object[1] == 101 && object[2] == 2);
  CHECK_EQUAL(omp_target_disassociate_ptr(object, 0), 0);
}
