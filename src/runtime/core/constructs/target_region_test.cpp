#include "runtime/core/constructs/target_region.h"

#include "runtime/testing/fake_plugin.h"
#include "runtime/testing/map_items.h"

#include <future>

#include <gmock/gmock.h>

namespace gantry::core {
namespace {

using namespace core::testing;
using ::testing::HasSubstr;

struct TargetRegions : ::testing::TestWithParam<bool> {
  template <typename T>
  bool present(const T& object) {
    return device.data_environment().is_present(&object, sizeof object);
  }

  static MapItem argument(MapItem item) {
    item.argument = true;
    return item;
  }

  static Status run(TargetRegion& region) {
    Status status = region.start({});
    if (status) {
      status = region.wait();
    }
    return status ? region.finish() : status;
  }

  FakePlugin plugin{Memory::kSeparate, GetParam()};
  Device device{plugin.open(), ""};
  Kernel kernel{nullptr, nullptr, "kernel"};
  Construct construct{"target", "test.cpp:7"};
};

TEST_P(TargetRegions, MapLaunchAndUnmap) {
  int x = 1;
  TargetRegion region(device, kernel, construct);
  region.parameters.push_back(nullptr);
  region.items.push_back(argument(tofrom(x)));
  ASSERT_TRUE(region.start({}));
  EXPECT_TRUE(present(x));
  while (!region.done()) {
  }
  ASSERT_TRUE(region.wait());
  EXPECT_EQ(plugin.counts.launches, 1);
  void* const corresponding = device.data_environment().corresponding(&x, sizeof x);
  EXPECT_THAT(plugin.arguments, ::testing::ElementsAre(nullptr, corresponding));
  plugin.write(corresponding, 2);
  ASSERT_TRUE(region.finish());
  EXPECT_EQ(x, 2);
  EXPECT_FALSE(present(x));
}

TEST_P(TargetRegions, AreUnderWayAtOnce) {
  int x = 1;
  int y = 1;
  TargetRegion first(device, kernel, construct);
  TargetRegion second(device, kernel, construct);
  first.items.push_back(tofrom(x));
  second.items.push_back(tofrom(y));
  ASSERT_TRUE(first.start({}));
  ASSERT_TRUE(second.start({}));
  EXPECT_TRUE(present(x) && present(y));
  ASSERT_TRUE(second.wait());
  ASSERT_TRUE(second.finish());
  EXPECT_TRUE(present(x));
  ASSERT_TRUE(first.wait());
  ASSERT_TRUE(first.finish());
}

/// Each call of the plugin fails in turn. What was mapped for the region is not afterwards, whether
/// it failed before, in or after its kernel.
TEST_P(TargetRegions, ThatFailLeaveNothingMapped) {
  int x = 1;
  int array[100] = {};
  for (int nth = 1;; ++nth) {
    Status status;
    {
      TargetRegion region(device, kernel, construct);
      region.items = {argument(tofrom(x)), argument(tofrom(array))};
      plugin.fail_call(nth);
      status = run(region);
    }
    const bool failed = plugin.has_failed();
    plugin.fail_call(-1);
    EXPECT_EQ(!status, failed) << "call " << nth;
    EXPECT_FALSE(present(x) || present(array)) << "call " << nth;
    EXPECT_EQ(plugin.live_allocations(), 0u) << "call " << nth;
    if (!failed) {
      EXPECT_GE(nth, 2 + 2 + 1 + 2 + 2) << "allocations, copies, launch, copies, releases";
      return;
    }
    EXPECT_TRUE(status.error().of_device);
    EXPECT_THAT(status.error().message, HasSubstr("injected failure of "));
  }
}

TEST_P(TargetRegions, WhoseLaunchFailsCopyNothingBack) {
  int x = 1;
  TargetRegion region(device, kernel, construct);
  region.items.push_back(tofrom(x));
  plugin.fail_call(GetParam() ? 2 + 1 + 1 + 1 : 3); // an allocation, a copy; a queue and a wait
  const Status status = run(region);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("failure of launch"));
  EXPECT_EQ(plugin.counts.retrieves, 0);
  EXPECT_EQ(x, 1);
}

TEST_P(TargetRegions, KeepWhatTheirKernelsUse) {
  if (!GetParam()) {
    GTEST_SKIP() << "kernels are done when they are launched";
  }
  int x = 1;
  TargetRegion slow(device, kernel, construct);
  TargetRegion quick(device, kernel, construct);
  slow.items.push_back(to(x));
  quick.items.push_back(to(x));
  ASSERT_TRUE(slow.start({}));
  ASSERT_TRUE(quick.start({}));
  std::promise<void> reached;
  std::promise<void> open;
  plugin.before_launch = [&] {
    plugin.before_launch = nullptr;
    reached.set_value();
    open.get_future().wait();
  };
  auto waiting = std::async(std::launch::async, [&] {
    EXPECT_TRUE(slow.wait());
    EXPECT_TRUE(slow.finish());
  });
  reached.get_future().wait();
  ASSERT_TRUE(quick.wait());
  ASSERT_TRUE(quick.finish());
  EXPECT_TRUE(present(x)) << "the slow kernel is running";
  open.set_value();
  waiting.get();
  EXPECT_FALSE(present(x));
}

TEST_P(TargetRegions, HoldDataOnTheDevice) {
  int x = 1;
  EXPECT_FALSE(device.holds_data());
  TargetRegion region(device, kernel, construct);
  region.items.push_back(tofrom(x));
  ASSERT_TRUE(region.start({}));
  EXPECT_FALSE(device.holds_data()) << "what a region maps for itself, the host has too";
  Queue queue(device.queues(), construct);
  MapItem item = tofrom(x);
  ASSERT_TRUE(device.data_environment().enter({&item, 1}, queue));
  EXPECT_TRUE(device.holds_data());
  ASSERT_TRUE(region.wait());
  ASSERT_TRUE(region.finish());
  EXPECT_TRUE(device.holds_data());
  ASSERT_TRUE(device.data_environment().exit({&item, 1}, queue));
  EXPECT_FALSE(device.holds_data());
  device.allocations().insert(4096, 64, MemoryKind::kDevice);
  EXPECT_TRUE(device.holds_data());
}

TEST_P(TargetRegions, SayThatTheyHaveRunOnADeviceThatIsLost) {
  const Error lost{"it is gone", true, true};
  int x = 1;
  TargetRegion region(device, kernel, construct);
  region.items.push_back(tofrom(x));
  ASSERT_TRUE(region.start({}));
  ASSERT_TRUE(region.wait());
  EXPECT_EQ(device.explain(lost).message, "it is gone") << "another region has met it";
  plugin.fail_call(1, GANTRY_DEVICE_LOST);
  const Status status = region.finish();
  ASSERT_FALSE(status);
  EXPECT_EQ(device.explain(status.error()).message,
            "it is gone; the region has run there, and what it came to is lost");
  EXPECT_EQ(device.explain(lost).message, "it is gone");
}

INSTANTIATE_TEST_SUITE_P(Devices, TargetRegions, ::testing::Bool(), [](const auto& queues) {
  return queues.param ? "WithQueues" : "WithoutQueues";
});

} // namespace
} // namespace gantry::core
