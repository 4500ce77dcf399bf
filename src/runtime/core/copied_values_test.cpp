#include "runtime/core/copied_values.h"

#include <gtest/gtest.h>

namespace gantry::core {
namespace {

using Values = std::vector<std::byte>;

Values filled(std::uint64_t size, int value) {
  return Values(size, std::byte(value));
}

struct CopiedValuesCase : ::testing::Test {
  CopiedValues known{10000};
  Values host = filled(10000, 1);
  Values device = filled(10000, 1);

  void copy(std::uint64_t offset, std::uint64_t size, const std::string& construct) {
    known.copied(offset, std::span(host).subspan(offset, size), construct);
    std::copy_n(host.begin() + static_cast<std::ptrdiff_t>(offset), size,
                device.begin() + static_cast<std::ptrdiff_t>(offset));
  }
};

TEST_F(CopiedValuesCase, NothingIsKnownOfWhatWasNeverCopied) {
  host[5] = std::byte{2};
  device[6] = std::byte{2};
  EXPECT_FALSE(known.see_device(device, "target"));
  EXPECT_FALSE(known.take_host_changes(host));
  EXPECT_FALSE(known.device_changes(host));
}

TEST_F(CopiedValuesCase, TheHostsChangesAreToldOnce) {
  copy(0, 10000, "first");
  host[5] = host[9000] = std::byte{2};
  const auto changes = known.take_host_changes(host);
  ASSERT_TRUE(changes);
  EXPECT_EQ(changes->first, 5U);
  EXPECT_EQ(changes->bytes, 2U);
  EXPECT_EQ(changes->copied_by, "first");
  EXPECT_FALSE(known.take_host_changes(host));
  host[7000] = std::byte{3};
  const auto others = known.take_host_changes(host);
  ASSERT_TRUE(others);
  EXPECT_EQ(others->first, 7000U);
  EXPECT_EQ(others->bytes, 1U);
  copy(0, 10000, "second");
  host[5] = std::byte{4};
  const auto again = known.take_host_changes(host);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->copied_by, "second");
}

TEST_F(CopiedValuesCase, ACopyOfAPartIsOfThatPart) {
  copy(0, 10000, "whole");
  host[5] = host[9000] = std::byte{2};
  copy(0, 100, "part");
  const auto changes = known.take_host_changes(host);
  ASSERT_TRUE(changes);
  EXPECT_EQ(changes->first, 9000U);
  EXPECT_EQ(changes->bytes, 1U);
  EXPECT_EQ(changes->copied_by, "whole");
}

TEST_F(CopiedValuesCase, TheDevicesChangesAreThoseOfTheConstructThatMadeThem) {
  copy(0, 10000, "copy");
  device[5] = std::byte{2};
  EXPECT_TRUE(known.see_device(device, "first"));
  device[9000] = std::byte{2};
  EXPECT_TRUE(known.see_device(device, "second"));
  EXPECT_FALSE(known.see_device(device, "third"));
  const auto changes = known.device_changes(host);
  ASSERT_TRUE(changes);
  EXPECT_EQ(changes->first, 5U);
  EXPECT_EQ(changes->bytes, 2U);
  EXPECT_EQ(changes->copied_by, "copy");
  EXPECT_EQ(changes->changed_by, "first");

  host[5] = device[5];
  known.copied(0, std::span(host).first(100), "update");
  const auto left = known.device_changes(host);
  ASSERT_TRUE(left);
  EXPECT_EQ(left->first, 9000U);
  EXPECT_EQ(left->changed_by, "second");
}

TEST_F(CopiedValuesCase, ChangesOfBothToTheSameAreNone) {
  copy(0, 10000, "copy");
  host[5] = device[5] = std::byte{2};
  known.see_device(device, "target");
  EXPECT_FALSE(known.take_host_changes(host));
  EXPECT_FALSE(known.device_changes(host));
}

TEST_F(CopiedValuesCase, ChangesAllOverAreCounted) {
  copy(0, 10000, "copy");
  for (std::uint64_t at = 0; at < 10000; at += 3) {
    device[at] = std::byte{2};
  }
  EXPECT_TRUE(known.see_device(device, "target"));
  const auto changes = known.device_changes(host);
  ASSERT_TRUE(changes);
  EXPECT_EQ(changes->bytes, 3334U);
}

} // namespace
} // namespace gantry::core
