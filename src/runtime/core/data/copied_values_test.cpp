#include "runtime/core/data/copied_values.h"

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
  void set(Values& values, std::uint64_t at) { values[at] = std::byte{2}; }
};

TEST_F(CopiedValuesCase, NothingIsKnownOfWhatWasNeverCopied) {
  set(host, 5);
  set(device, 6);
  known.see_device(0, device, "target");
  EXPECT_FALSE(known.take_changed());
  EXPECT_FALSE(known.take_host_changes(0, host));
  EXPECT_FALSE(known.device_changes(host));
}

TEST_F(CopiedValuesCase, TheHostsChangesAreToldOnce) {
  copy(0, 10000, "first");
  set(host, 5);
  set(host, 9000);
  const auto changes = known.take_host_changes(0, host);
  ASSERT_TRUE(changes);
  EXPECT_EQ(changes->first, 5U);
  EXPECT_EQ(changes->bytes, 2U);
  EXPECT_EQ(changes->copied_by, "first");
  EXPECT_FALSE(known.take_host_changes(0, host));
  set(host, 7); // between others
  const auto others = known.take_host_changes(0, host);
  ASSERT_TRUE(others);
  EXPECT_EQ(others->first, 7U);
  EXPECT_EQ(others->bytes, 1U);
  copy(0, 10000, "second");
  host[5] = std::byte{4};
  const auto again = known.take_host_changes(0, host);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->copied_by, "second");
}

TEST_F(CopiedValuesCase, WhatTheHostHasChangedIsStillWatchedOnTheDevice) {
  copy(0, 10000, "copy");
  set(host, 5);
  ASSERT_TRUE(known.take_host_changes(0, host));
  device[5] = std::byte{3};
  known.see_device(0, device, "target");
  EXPECT_TRUE(known.device_changes(host));
}

TEST_F(CopiedValuesCase, WhatTheProgramCopiesItselfIsWatchedFromThenOn) {
  copy(0, 10000, "copy");
  set(host, 5);
  ASSERT_TRUE(known.take_host_changes(0, host));
  set(device, 5);
  known.see_device(0, device, "");
  EXPECT_FALSE(known.take_host_changes(0, host));
  host[5] = std::byte{3};
  EXPECT_FALSE(known.device_changes(host));
  EXPECT_TRUE(known.take_host_changes(0, host));
}

TEST_F(CopiedValuesCase, OnlyAPartIsLookedAt) {
  copy(0, 10000, "copy");
  set(host, 5);
  EXPECT_FALSE(known.take_host_changes(100, std::span(host).subspan(100)));
  EXPECT_FALSE(known.take_host_changes(0, std::span(host).first(5)));
  EXPECT_TRUE(known.take_host_changes(5, std::span(host).subspan(5, 1)));
}

TEST_F(CopiedValuesCase, ACopyOfAPartIsOfThatPart) {
  copy(0, 10000, "whole");
  set(host, 5);
  set(host, 9000);
  copy(0, 100, "part");
  const auto changes = known.take_host_changes(0, host);
  ASSERT_TRUE(changes);
  EXPECT_EQ(changes->first, 9000U);
  EXPECT_EQ(changes->bytes, 1U);
  EXPECT_EQ(changes->copied_by, "whole");
}

TEST_F(CopiedValuesCase, TheDevicesChangesAreThoseOfTheConstructThatMadeThem) {
  copy(0, 10000, "copy");
  set(device, 4);
  known.see_device(0, device, "first");
  EXPECT_TRUE(known.take_changed());
  set(device, 0); // on both sides of it
  set(device, 8);
  known.see_device(0, device, "second");
  EXPECT_TRUE(known.take_changed());
  known.see_device(0, device, "third");
  EXPECT_FALSE(known.take_changed());
  const auto changes = known.device_changes(host);
  ASSERT_TRUE(changes);
  EXPECT_EQ(changes->first, 0U);
  EXPECT_EQ(changes->bytes, 3U);
  EXPECT_EQ(changes->copied_by, "copy");
  EXPECT_EQ(changes->changed_by, "second");

  host[0] = device[0];
  known.copied(0, std::span(host).first(4), "update");
  const auto left = known.device_changes(host);
  ASSERT_TRUE(left);
  EXPECT_EQ(left->first, 4U);
  EXPECT_EQ(left->changed_by, "first");
}

TEST_F(CopiedValuesCase, ChangesOfNobodyKnowsWhom) {
  copy(0, 10000, "copy");
  set(device, 4);
  known.see_device(4, std::span(device).subspan(4, 4), "");
  EXPECT_FALSE(known.take_changed());
  const auto changes = known.device_changes(host);
  ASSERT_TRUE(changes);
  EXPECT_EQ(changes->changed_by, "");
  Values seen = filled(2, 0);
  known.last_seen(4, seen);
  EXPECT_EQ(seen, (Values{std::byte{2}, std::byte{1}}));
}

TEST_F(CopiedValuesCase, ChangesOfBothToTheSameAreNone) {
  copy(0, 10000, "copy");
  set(host, 5);
  set(device, 5);
  known.see_device(0, device, "target");
  EXPECT_FALSE(known.take_host_changes(0, host));
  EXPECT_FALSE(known.device_changes(host));
}

} // namespace
} // namespace gantry::core
