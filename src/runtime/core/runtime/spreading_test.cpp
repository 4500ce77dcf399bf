// Which device a target region without a device clause gets, of several that are alike.
#include "runtime/core/runtime/spreading.h"

#include "runtime/core/programs/registry.h"
#include "runtime/testing/fake_plugin.h"
#include "runtime/testing/map_items.h"

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::core {
namespace {

using namespace core::testing;
using ::testing::ElementsAre;

/// A program of one region, and more in its image.
struct TestProgram {
  char region = 0;
  std::string image = "fake image\nkernel k\n";
  std::vector<ProgramEntry> entries{{EntryKind::kKernel, &region, "k", 0, nullptr}};
  bool own_variables = false;

  static Result<ProgramContents> decode(const void* descriptor) {
    const auto& program = *static_cast<const TestProgram*>(descriptor);
    ProgramContents contents;
    contents.images.push_back(std::as_bytes(std::span(program.image)));
    contents.entries = program.entries;
    if (program.own_variables) {
      contents.has_own_variables = [](std::span<const std::byte> /*image*/) { return true; };
    }
    return contents;
  }
};

struct Spread : ::testing::Test {
  static constexpr int kDevices = 3;

  Spread() {
    spread_mode = core::Spread::kLoad;
    for (int i = 0; i < kDevices; ++i) {
      devices.push_back(std::make_unique<Device>(plugin.open(i), ""));
      all.push_back(devices.back().get());
    }
  }
  ~Spread() override {
    for (const auto& device : devices) {
      (void)device->withdraw(1);
    }
    spread_mode = core::Spread::kNone;
  }

  void load() {
    registry.add(&program, &program, TestProgram::decode);
    for (const auto& device : devices) {
      ASSERT_TRUE(device->try_load(registry));
    }
  }

  using Items = std::vector<MapItem>;
  using Region = std::unique_ptr<Placement>;

  /// A region that names no device begins; it ends with what is returned.
  Region begin(const Items& items, int* chosen = nullptr, core::Spread mode = core::Spread::kLoad) {
    auto region = std::make_unique<Placement>();
    Device& device = spreading.choose(*region, *all[0], &program.region, items, all, mode);
    if (chosen != nullptr) {
      *chosen = device.number();
    }
    return region;
  }
  /// The devices of `count` regions, each of which ends before the next begins.
  std::vector<int> one_by_one(int count, const Items& items,
                              core::Spread mode = core::Spread::kLoad) {
    std::vector<int> numbers(count);
    for (int& number : numbers) {
      (void)begin(items, &number, mode);
    }
    return numbers;
  }
  Region begin_on(int device, const Items& items) {
    auto region = std::make_unique<Placement>();
    spreading.keep(*region, *all[device], items, Spreading::Of::kRegion);
    return region;
  }

  void enter(int device, const Items& items) {
    Queue queue(all[device]->queues(), construct);
    ASSERT_TRUE(all[device]->data_environment().enter(items, queue));
  }
  void exit(int device, const Items& items) {
    Queue queue(all[device]->queues(), construct);
    ASSERT_TRUE(all[device]->data_environment().exit(items, queue));
  }

  FakePlugin plugin;
  Registry registry;
  TestProgram program;
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<Device*> all;
  Spreading spreading;
  Construct construct{"target", "test.cpp:7"};
  int x[4] = {};
  int y[4] = {};
};

TEST_F(Spread, RegionsAreDealtOutInTurn) {
  load();
  EXPECT_THAT(one_by_one(5, {tofrom(x)}), ElementsAre(0, 1, 2, 0, 1));
}

TEST_F(Spread, TheDeviceWithFewestRegionsIsNext) {
  load();
  const Region on_0 = begin_on(0, {});
  const Region on_0_too = begin_on(0, {});
  const Region on_2 = begin_on(2, {});
  int chosen = -1;
  const Region first = begin({tofrom(x)}, &chosen);
  EXPECT_EQ(chosen, 1);
  const Region second = begin({tofrom(y)}, &chosen);
  EXPECT_EQ(chosen, 2) << "as many regions as on 1, and the next";
}

TEST_F(Spread, DataOnTheDefaultDeviceKeepRegionsThere) {
  load();
  enter(0, {to(x)});
  EXPECT_THAT(one_by_one(3, {tofrom(x), tofrom(y)}), ElementsAre(0, 0, 0));
  EXPECT_THAT(one_by_one(2, {section(x, 1, 2)}), ElementsAre(0, 0));
  int* pointer = x;
  EXPECT_THAT(one_by_one(2, {pointee(pointer, 0)}), ElementsAre(0, 0)) << "pointers are translated";
  EXPECT_THAT(one_by_one(3, {tofrom(y)}), ElementsAre(1, 2, 0)) << "other data are not there";
  exit(0, {release(x)});
  EXPECT_THAT(one_by_one(3, {tofrom(x)}), ElementsAre(1, 2, 0));
}

TEST_F(Spread, PresentInPartIsPresent) {
  load();
  enter(0, {section(x, 3, 1)});
  EXPECT_THAT(one_by_one(2, {tofrom(x)}), ElementsAre(0, 0));
  exit(0, {remove(x[3])});
}

TEST_F(Spread, WhereDataAreOnlyByOtherNamesNoRegionGoes) {
  load();
  enter(1, {to(x)});
  EXPECT_THAT(one_by_one(4, {tofrom(x)}), ElementsAre(0, 2, 0, 2));
  exit(1, {release(x)});
}

TEST_F(Spread, RegionsFollowTheirDataWhenAsked) {
  load();
  enter(1, {to(x)});
  EXPECT_THAT(one_by_one(2, {tofrom(x)}, core::Spread::kData), ElementsAre(1, 1));
  enter(2, {to(y), to(x[0])});
  EXPECT_THAT(one_by_one(2, {tofrom(y), tofrom(x[0])}, core::Spread::kData), ElementsAre(2, 2))
      << "most bytes";
  enter(0, {to(y)});
  EXPECT_THAT(one_by_one(2, {tofrom(y), tofrom(x)}, core::Spread::kData), ElementsAre(0, 0))
      << "the default device has some";
  exit(0, {release(y)});
  exit(1, {release(x)});
  exit(2, {release(y), release(x[0])});
}

TEST_F(Spread, MemoryAndAddressesOfTheDefaultDeviceKeepAllThere) {
  load();
  all[0]->allocations().insert(0x1000, 64, MemoryKind::kDevice);
  EXPECT_THAT(one_by_one(2, {tofrom(x)}), ElementsAre(0, 0));
  ASSERT_TRUE(all[0]->allocations().remove(0x1000, MemoryKind::kDevice));
  EXPECT_THAT(one_by_one(2, {tofrom(x)}), ElementsAre(1, 2));
  MapItem item = to(y);
  void* base = y;
  item.returned_base = &base;
  enter(0, {item});
  EXPECT_THAT(one_by_one(2, {tofrom(x)}), ElementsAre(0, 0));
  exit(0, {release(y)});
}

TEST_F(Spread, VariablesOnTheDeviceKeepRegionsThere) {
  program.image += "variable v 16\n";
  program.entries.push_back({EntryKind::kVariable, x, "v", sizeof x, nullptr});
  load();
  EXPECT_THAT(one_by_one(2, {tofrom(y)}), ElementsAre(0, 0));
}

TEST_F(Spread, VariablesThatNoEntryNamesDoToo) {
  program.own_variables = true;
  load();
  EXPECT_THAT(one_by_one(2, {tofrom(y)}), ElementsAre(0, 0));
}

TEST_F(Spread, NoneMovesWhenFunctionsWithVariablesCanBeCalled) {
  load();
  spreading.stop();
  EXPECT_THAT(one_by_one(2, {tofrom(y)}), ElementsAre(0, 0));
}

TEST_F(Spread, LostDevicesGetNone) {
  load();
  (void)all[1]->explain({"it is gone", true, true});
  EXPECT_THAT(one_by_one(4, {tofrom(x)}), ElementsAre(0, 2, 0, 2));
}

TEST_F(Spread, RegionsThatCopyBackTheSameStorageAreTogether) {
  load();
  int first = -1;
  int second = -1;
  const Region one = begin({tofrom(x)}, &first);
  Region other = begin({section(x, 2, 1)}, &second);
  EXPECT_EQ(first, second);
  const Region third = begin({to(y)}, &second);
  EXPECT_NE(first, second);
  const Region fourth = begin({to(y)}, &first);
  EXPECT_NE(first, second) << "both find the host's values";
}

TEST_F(Spread, RegionsOfOtherDevicesAreApart) {
  load();
  const Region on_1 = begin_on(1, {to(x)});
  EXPECT_THAT(one_by_one(3, {to(x)}), ElementsAre(0, 2, 0)) << "it may have changed its copy";
}

/// Begins in a thread of its own; true if it has not begun yet.
bool waits(const std::future<void>& begun) {
  return begun.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout;
}

TEST_F(Spread, ARegionWaitsUntilItFitsOnADevice) {
  load();
  Region first = begin({tofrom(x)});
  Region second = begin({tofrom(y)});
  std::future<void> both =
      std::async(std::launch::async, [&] { (void)begin({tofrom(x), tofrom(y)}); });
  EXPECT_TRUE(waits(both));
  first.reset();
  both.get();
}

TEST_F(Spread, ADataConstructWaitsForRegionsThatCopyItsStorageBack) {
  load();
  (void)begin({}); // of the default device
  Region moved = begin({tofrom(x)});
  ASSERT_TRUE(moved->is_moved());
  std::future<void> data = std::async(std::launch::async, [&] {
    Placement placement;
    spreading.keep(placement, *all[0], Items{to(x)}, Spreading::Of::kData);
  });
  EXPECT_TRUE(waits(data));
  moved.reset();
  data.get();
}

} // namespace
} // namespace gantry::core
