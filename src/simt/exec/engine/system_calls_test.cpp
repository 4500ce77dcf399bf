#include "simt/exec/engine/system_calls.h"

#include "simt/exec/engine/device_printf.h"
#include "simt/exec/testing/hand_made_warp.h"
#include "simt/memory/device_heap.h"

#include <array>
#include <cstring>
#include <set>

#include <gtest/gtest.h>

namespace gantry::simt::exec {
namespace {

class SystemCalls : public testing::Test {
protected:
  void TearDown() override { release_heap(0); }

  std::array<std::uint64_t, kLanes> call(LaneMask active, ptx::SystemCall which) {
    std::array<std::uint64_t, kLanes> results = {};
    system_call(made.warp, active, which, arguments[0].data(), results.data(), HandMadeWarp::kLoad);
    return results;
  }

  HandMadeWarp made;
  std::array<std::array<std::uint64_t, kLanes>, 5> arguments = {};
};

TEST_F(SystemCalls, PrintfInTheOrderOfLanes) {
  Allocation what;
  what.size = 512;
  const std::uint64_t memory = DeviceMemory::instance()->allocate(what).value();
  std::strcpy(reinterpret_cast<char*>(memory), "lane %d\n");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t value = memory + 64 + std::uint64_t{4} * lane;
    std::memcpy(reinterpret_cast<void*>(value), &lane, sizeof lane);
    arguments[0][lane] = memory;
    arguments[1][lane] = value;
  }
  arguments[0][7] = 0;
  testing::internal::CaptureStdout();
  const auto results = call(0x8000008B, ptx::SystemCall::kVprintf);
  flush_device_output();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "lane 0\nlane 1\nlane 3\nlane 31\n");
  EXPECT_EQ(results[3], 1u);
  EXPECT_EQ(results[7], 0xFFFFFFFFu) << "without a format";
  EXPECT_EQ(results[2], 0u) << "not active";
  DeviceMemory::instance()->free(memory);
}

TEST_F(SystemCalls, MallocAndFree) {
  arguments[0].fill(24);
  arguments[0][4] = std::uint64_t{1} << 40;
  const auto blocks = call(0x1F, ptx::SystemCall::kMalloc);
  std::set<std::uint64_t> different(blocks.begin(), blocks.begin() + 4);
  EXPECT_EQ(different.size(), 4u);
  EXPECT_EQ(different.count(0), 0u);
  EXPECT_EQ(blocks[4], 0u) << "more than the heap has";
  EXPECT_TRUE(DeviceMemory::instance()->accessible(blocks[0], 24));
  arguments[0] = blocks;
  call(0x1F, ptx::SystemCall::kFree);
  EXPECT_FALSE(DeviceMemory::instance()->accessible(blocks[0], 1));
}

} // namespace
} // namespace gantry::simt::exec
