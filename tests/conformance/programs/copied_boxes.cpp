// omp_target_memcpy_rect: boxes of one to five dimensions, from and to every device.
#include "conformance.h"

static const int host = omp_get_initial_device();

constexpr int kMost = 5;
constexpr size_t kVolume[kMost] = {2, 1, 3, 2, 2};
constexpr size_t kFromOffsets[kMost] = {1, 0, 1, 0, 2};
constexpr size_t kToOffsets[kMost] = {0, 2, 0, 1, 1};
constexpr size_t kFromExtents[kMost] = {3, 2, 4, 2, 5};
constexpr size_t kToExtents[kMost] = {2, 3, 3, 4, 3};
constexpr size_t kMostElements = 400;

/// The index of the element at `position` from `offsets` in an array of `extents`.
static size_t index_of(const size_t* position, const size_t* offsets, const size_t* extents,
                       int dimensions) {
  size_t index = 0;
  for (int d = 0; d < dimensions; ++d) {
    index = index * extents[d] + offsets[d] + position[d];
  }
  return index;
}

/// Copies a box from one device to another and compares every element with what it should be.
static void check_box(int dimensions, int to_device, int from_device) {
  short source[kMostElements];
  short result[kMostElements];
  short expected[kMostElements];
  for (size_t i = 0; i < kMostElements; ++i) {
    source[i] = static_cast<short>(i + 1);
    result[i] = -1;
    expected[i] = -1;
  }
  size_t position[kMost] = {};
  for (bool more = true; more;) {
    expected[index_of(position, kToOffsets, kToExtents, dimensions)] =
        source[index_of(position, kFromOffsets, kFromExtents, dimensions)];
    more = false;
    for (int d = dimensions - 1; d >= 0 && !more; --d) {
      more = ++position[d] < kVolume[d];
      position[d] = more ? position[d] : 0;
    }
  }
  void* from = omp_target_alloc(sizeof source, from_device);
  void* to = omp_target_alloc(sizeof result, to_device);
  CHECK_EQUAL(omp_target_memcpy(from, source, sizeof source, 0, 0, from_device, host), 0);
  CHECK_EQUAL(omp_target_memcpy(to, result, sizeof result, 0, 0, to_device, host), 0);
  CHECK_EQUAL(omp_target_memcpy_rect(to, from, sizeof(short), dimensions, kVolume, kToOffsets,
                                     kFromOffsets, kToExtents, kFromExtents, to_device,
                                     from_device),
              0);
  CHECK_EQUAL(omp_target_memcpy(result, to, sizeof result, 0, 0, host, to_device), 0);
  CHECK(memcmp(result, expected, sizeof result) == 0);
  omp_target_free(from, from_device);
  omp_target_free(to, to_device);
}

CASE(one_to_five_dimensions, "routine.omp_target_memcpy_rect", "memcpy.between-devices") {
  for (int to = 0; to <= omp_get_num_devices(); ++to) {
    for (int from = 0; from <= omp_get_num_devices(); ++from) {
      for (int dimensions = 1; dimensions <= kMost; ++dimensions) {
        check_box(dimensions, to, from);
      }
    }
  }
}

CASE(most_dimensions, "memcpy_rect.most-dimensions") {
  CHECK(omp_target_memcpy_rect(nullptr, nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr, nullptr,
                               host, 0) >= kMost);
}
