// Copies in queues: of all sizes, whatever memory it is, in order, with their times.
#include "plugins/hsa/testing/open_device.h"

#include <numeric>
#include <vector>

namespace gantry::hsa {
namespace {

using HsaQueue = OnDevice;

std::vector<unsigned> numbers(std::size_t bytes, unsigned first) {
  std::vector<unsigned> values(bytes / sizeof(unsigned));
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST_F(HsaQueue, AllSizesThereAndBack) {
  constexpr std::size_t kMost = std::size_t{40} << 20; // which is locked
  void* const memory = allocate(device_, kMost);
  for (const std::size_t bytes : {std::size_t{4}, std::size_t{4096}, std::size_t{128} << 10,
                                  (std::size_t{2} << 20) + 4, std::size_t{9} << 20, kMost}) {
    const auto from = numbers(bytes, static_cast<unsigned>(bytes));
    std::vector<unsigned> to(from.size());
    ASSERT_EQ(entries::queue_copy_to_device(queue_, memory, from.data(), bytes), GANTRY_SUCCESS)
        << plugins::last_error();
    ASSERT_EQ(entries::queue_copy_to_host(queue_, to.data(), memory, bytes), GANTRY_SUCCESS)
        << plugins::last_error();
    ASSERT_EQ(entries::synchronize_queue(queue_), GANTRY_SUCCESS) << plugins::last_error();
    EXPECT_EQ(to, from) << bytes;
  }
  ASSERT_EQ(entries::release(device_, memory), GANTRY_SUCCESS);
}

TEST_F(HsaQueue, NothingIsNothing) {
  void* const memory = allocate(device_, 64);
  ASSERT_EQ(entries::queue_copy_to_device(queue_, memory, memory, 0), GANTRY_SUCCESS);
  ASSERT_EQ(entries::queue_copy_to_host(queue_, memory, memory, 0), GANTRY_SUCCESS);
  ASSERT_EQ(entries::copy_between(device_, memory, device_, memory, 0), GANTRY_SUCCESS);
  EXPECT_EQ(entries::synchronize_queue(queue_), GANTRY_SUCCESS);
  ASSERT_EQ(entries::release(device_, memory), GANTRY_SUCCESS);
}

TEST_F(HsaQueue, ManyCopiesInOrder) {
  constexpr unsigned kMany = 500; // more than are kept before some are collected
  void* const memory = allocate(device_, kMany * sizeof(unsigned));
  std::vector<unsigned> to(kMany);
  for (unsigned i = 0; i < kMany; ++i) {
    ASSERT_EQ(entries::queue_copy_to_device(queue_, memory, &i, sizeof i), GANTRY_SUCCESS);
    ASSERT_EQ(entries::queue_copy_to_host(queue_, &to[i], memory, sizeof i), GANTRY_SUCCESS);
  }
  ASSERT_EQ(entries::synchronize_queue(queue_), GANTRY_SUCCESS) << plugins::last_error();
  for (unsigned i = 0; i < kMany; ++i) {
    EXPECT_EQ(to[i], i);
  }
  ASSERT_EQ(entries::release(device_, memory), GANTRY_SUCCESS);
}

TEST_F(HsaQueue, TimesOfCopies) {
  constexpr std::size_t kBytes = std::size_t{3} << 20; // of several pieces
  void* const memory = allocate(device_, kBytes);
  const auto from = numbers(kBytes, 1);
  ASSERT_EQ(entries::record_times(queue_, 1), GANTRY_SUCCESS) << plugins::last_error();
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(entries::queue_copy_to_device(queue_, memory, from.data(), kBytes), GANTRY_SUCCESS);
  }
  ASSERT_EQ(entries::synchronize_queue(queue_), GANTRY_SUCCESS);
  gantry_interval times[3] = {};
  std::size_t count = 0;
  ASSERT_EQ(entries::read_times(queue_, times, 3, &count), GANTRY_SUCCESS);
  ASSERT_EQ(count, 2U);
  EXPECT_GT(times[0].begin, 0U);
  EXPECT_LT(times[0].begin, times[0].end);
  EXPECT_LE(times[0].end, times[1].begin);
  EXPECT_LT(times[1].begin, times[1].end);
  ASSERT_EQ(entries::read_times(queue_, times, 3, &count), GANTRY_SUCCESS);
  EXPECT_EQ(count, 0U) << "they are forgotten";
  ASSERT_EQ(entries::release(device_, memory), GANTRY_SUCCESS);
}

} // namespace
} // namespace gantry::hsa
