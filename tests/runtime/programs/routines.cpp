// Device information and device memory routines, with several devices.
#include "check.h"

#include <cstring>

// Clang 19's omp.h does not declare these.
extern "C" {
void* omp_target_memset(void* pointer, int value, size_t size, int device);
int omp_target_is_accessible(const void* pointer, size_t size, int device);
}

int main() {
  const int devices = omp_get_num_devices();
  const int host = omp_get_initial_device();
  CHECK(devices > 0);
  CHECK_EQUAL(host, devices);
  CHECK_EQUAL(omp_get_device_num(), host);
  CHECK(omp_is_initial_device());

  for (int device = 0; device < devices; ++device) {
    omp_set_default_device(device);
    check_runs_on_device();
    int number = -1;
#pragma omp target device(device) map(from : number)
    number = omp_get_device_num();
    CHECK_EQUAL(number, device);

    // Memory of the device, filled and read from the host and on the device.
    int values[64];
    for (int i = 0; i < 64; ++i) {
      values[i] = i;
    }
    auto* p = static_cast<int*>(omp_target_alloc(sizeof values, device));
    CHECK(p != nullptr);
    CHECK_EQUAL(omp_target_memcpy(p, values, sizeof values, 0, 0, device, host), 0);
#pragma omp target device(device) is_device_ptr(p)
    for (int i = 0; i < 64; ++i) {
      p[i] *= 3;
    }
    CHECK_EQUAL(omp_target_memcpy(values, p, 4, 8, 4, host, device), 0);
    CHECK_EQUAL(values[2], 3);

    // The next device gets a copy without the host in between.
    const int next = (device + 1) % devices;
    auto* q = static_cast<int*>(omp_target_alloc(sizeof values, next));
    CHECK_EQUAL(omp_target_memcpy(q, p, sizeof values, 0, 0, next, device), 0);
    memset(values, 0, sizeof values);
    CHECK_EQUAL(omp_target_memcpy(values, q, sizeof values, 0, 0, host, next), 0);
    CHECK_EQUAL(values[63], 189);

    // Filled, to the last byte and no further.
    CHECK(omp_target_memset(q, 0x101, 63 * sizeof(int), next) == q);
    CHECK_EQUAL(omp_target_memcpy(values, q, sizeof values, 0, 0, host, next), 0);
    CHECK(values[0] == 0x01010101 && values[62] == 0x01010101 && values[63] == 189);
    CHECK(omp_target_memset(values, 2, 4, host) == values && values[0] == 0x02020202);

    // What the device can access: its own memory, on CPU devices also the host's.
    CHECK(omp_target_is_accessible(p, sizeof values, device));
    CHECK(omp_target_is_accessible(values, sizeof values, device));
    CHECK(omp_target_is_accessible(values, sizeof values, host));
    CHECK(!omp_target_is_accessible(nullptr, 4, device));
    CHECK(!omp_target_is_accessible(values, ~size_t{0}, device));

    // A rectangle: rows 1 and 2, columns 2 to 4 of an 8 by 8 matrix into a 2 by 3 one.
    int block[6] = {};
    const size_t volume[] = {2, 3}, to_offsets[] = {0, 0}, from_offsets[] = {1, 2};
    const size_t to_extents[] = {2, 3}, from_extents[] = {8, 8};
    CHECK_EQUAL(omp_target_memcpy_rect(block, p, sizeof(int), 2, volume, to_offsets, from_offsets,
                                       to_extents, from_extents, host, device),
                0);
    CHECK(block[0] == 30 && block[2] == 36 && block[3] == 54 && block[5] == 60);
    CHECK(omp_target_memcpy_rect(nullptr, nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr,
                                 nullptr, host, device) >= 3);

    // Association makes host storage present there and nowhere else.
    int object[64];
    CHECK(!omp_target_is_present(object, device));
    CHECK_EQUAL(omp_target_associate_ptr(object, p, sizeof object, 0, device), 0);
    CHECK_EQUAL(omp_target_associate_ptr(object, p, sizeof object, 0, device), 0);
    CHECK(omp_target_associate_ptr(object, q, sizeof object, 0, device) != 0 || p == q);
    CHECK(omp_target_is_present(object, device));
    CHECK(omp_get_mapped_ptr(&object[3], device) == p + 3);
    CHECK(next == device || !omp_target_is_present(object, next));
    int seen = 0;
#pragma omp target device(device) map(tofrom : object) map(from : seen)
    seen = object[10];
    CHECK_EQUAL(seen, 30);
    CHECK_EQUAL(omp_target_disassociate_ptr(object, device), 0);
    CHECK(omp_target_disassociate_ptr(object, device) != 0);
    CHECK(!omp_target_is_present(object, device));

    omp_target_free(p, device);
    omp_target_free(q, next);
  }

  CHECK(omp_target_alloc(0, 0) == nullptr);
  omp_target_free(nullptr, 0);
  CHECK(omp_target_memset(nullptr, 0, 0, 0) == nullptr);
  CHECK_EQUAL(omp_target_memcpy(nullptr, nullptr, 0, 0, 0, 0, host), 0);
  CHECK(omp_target_is_present(&devices, host));
  CHECK(!omp_target_is_present(nullptr, 0));
  CHECK(omp_get_mapped_ptr(&devices, host) == &devices);
  CHECK(omp_get_mapped_ptr(&devices, 0) == nullptr);

  // omp_initial_device is the host too.
  auto* bytes = static_cast<char*>(omp_target_alloc(8, -1));
  CHECK(bytes != nullptr && omp_target_is_present(bytes, -1));
  // Overlapping storage of the host.
  memcpy(bytes, "abcdefgh", 8);
  CHECK_EQUAL(omp_target_memcpy(bytes, bytes, 6, 2, 0, host, -1), 0);
  CHECK(memcmp(bytes, "ababcdef", 8) == 0);
  omp_target_free(bytes, host);
}
