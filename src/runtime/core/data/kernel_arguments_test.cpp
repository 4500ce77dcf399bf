// The values of a kernel's parameters, for every kind of item.
#include "runtime/testing/environment_case.h"

#include <gmock/gmock.h>

namespace gantry::core {
namespace {

using namespace core::testing;
using ::testing::ElementsAre;

using Arguments = EnvironmentCase;

std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

template <typename T>
MapItem private_copy(T& object) {
  MapItem item = alloc(object);
  item.kind = MapKind::kPrivate;
  return item;
}

template <typename T>
MapItem firstprivate(T& object) {
  MapItem item = private_copy(object);
  item.to = true;
  return item;
}

TEST_F(Arguments, AreThoseOfTheItemsThatYieldOne) {
  int x = 1;
  MapItem silent = tofrom(x);
  silent.argument = false;
  const auto values = enter_target({value(42), silent, tofrom(x), value(7)});
  ASSERT_TRUE(values);
  EXPECT_THAT(*values, ElementsAre(42, address(corresponding(x)), 7));
  ASSERT_TRUE(exit({remove(x)}));
}

TEST_F(Arguments, AStorageItemStandsForItsVariable) {
  int array[8] = {};
  const auto values = enter_target({section(array, 2, 4)});
  ASSERT_TRUE(values);
  EXPECT_EQ(values->front() + 2 * sizeof(int), address(corresponding(array[2])));
  ASSERT_TRUE(exit({section(array, 2, 4)}));
}

TEST_F(Arguments, WithoutCorrespondingStorageAPointerKeepsItsValue) {
  int array[8] = {};
  MapItem empty = section(array, 0, 0);
  empty.implicit = true;
  MapItem null;
  null.argument = true;
  EXPECT_THAT(enter_target({empty, null}).value(), ElementsAre(address(array), 0));
}

TEST_F(Arguments, APointerIntoAPresentArrayIsTranslated) {
  int array[8] = {};
  ASSERT_TRUE(enter({alloc(array)}));
  MapItem inside = section(array, 3, 0);
  inside.base = inside.begin;
  inside.implicit = true;
  EXPECT_THAT(enter_target({inside}).value(), ElementsAre(address(corresponding(array[3]))));
  ASSERT_TRUE(exit({release(array)}));
}

TEST_F(Arguments, APointerIsTranslatedByWhatALaterItemMaps) {
  int array[8] = {};
  MapItem inside = section(array, 3, 0);
  inside.base = inside.begin;
  inside.implicit = true;
  MapItem later = alloc(array);
  later.argument = false;
  const auto values = enter_target({inside, later});
  ASSERT_TRUE(values);
  EXPECT_THAT(*values, ElementsAre(address(corresponding(array[3]))));
  ASSERT_TRUE(exit({inside, later}));
}

TEST_F(Arguments, APointeeItemStandsForThePointersValue) {
  int array[8] = {};
  int* pointer = array;
  const auto values = enter_target({pointee(pointer, 8)});
  ASSERT_TRUE(values);
  EXPECT_THAT(*values, ElementsAre(address(corresponding(array))));
  ASSERT_TRUE(exit({pointee(pointer, 8)}));
  int* null = nullptr;
  EXPECT_THAT(enter_target({pointee(null, 0)}).value(), ElementsAre(0));
  ASSERT_TRUE(exit({pointee(null, 0)}));
}

TEST_F(Arguments, PrivateCopiesAreInitialisedWhereFirstprivate) {
  int a = 1;
  int b = 2;
  const auto values = enter_target({firstprivate(a), private_copy(b)});
  ASSERT_TRUE(values);
  EXPECT_NE((*values)[0], (*values)[1]);
  EXPECT_EQ(plugin.read<int>(reinterpret_cast<void*>((*values)[0])), 1);
  EXPECT_EQ(plugin.counts.submits, 1);
  EXPECT_EQ(plugin.counts.allocations, 1) << "all copies lie in one piece";
  EXPECT_FALSE(present(a)) << "a private copy is no corresponding storage";
}

TEST_F(Arguments, PrivateCopiesAreAlignedAsTheOriginals) {
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  char c = 'c';
  Line line = {};
  double d = 1;
  const auto values =
      enter_target({firstprivate(c), firstprivate(line), firstprivate(c), firstprivate(d)});
  ASSERT_TRUE(values);
  EXPECT_EQ((*values)[1] % 64, 0u);
  EXPECT_EQ((*values)[3] % 8, 0u);
  EXPECT_GE((*values)[1], (*values)[0] + 1);
  EXPECT_GE((*values)[2], (*values)[1] + 64);
  EXPECT_GE((*values)[3], (*values)[2] + 1);
}

TEST_F(Arguments, PrivateCopiesMayHaveNoOriginal) {
  const MapItem items[] = {{.size = 3, .kind = MapKind::kPrivate}, {.kind = MapKind::kPrivate}};
  const PrivateLayout layout(items, ParameterForm::kValues);
  EXPECT_THAT(layout.offsets, ElementsAre(0, 3));
  EXPECT_EQ(layout.size, 3u);
}

TEST_F(Arguments, APrivateSectionKeepsItsOffset) {
  int array[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  MapItem item = section(array, 2, 4);
  item.kind = MapKind::kPrivate;
  item.to = true;
  const auto values = enter_target({item});
  ASSERT_TRUE(values);
  EXPECT_EQ(plugin.read<int>(reinterpret_cast<int*>(values->front()) + 5), 5);
}

TEST_F(Arguments, ALambdasCaptureIsMadeToPointToCorrespondingStorage) {
  int array[8] = {};
  struct {
    int* captured;
    int* unmapped;
  } lambda{array, nullptr};
  int absent = 0;
  lambda.unmapped = &absent;
  const auto capture = [](int*& pointer) {
    MapItem item;
    item.kind = MapKind::kCapture;
    item.base = bytes_of(pointer);
    item.begin = reinterpret_cast<std::byte*>(pointer);
    item.size = sizeof pointer;
    item.parent = 1;
    return item;
  };
  const auto values = enter_target(
      {tofrom(array), firstprivate(lambda), capture(lambda.captured), capture(lambda.unmapped)});
  ASSERT_TRUE(values);
  ASSERT_EQ(values->size(), 2u);
  const auto copy = plugin.read<decltype(lambda)>(reinterpret_cast<void*>((*values)[1]));
  EXPECT_EQ(copy.captured, corresponding(array));
  EXPECT_EQ(copy.unmapped, &absent) << "without presence it keeps its value";
  EXPECT_EQ(lambda.captured, array);
  ASSERT_TRUE(exit({release(array)}));
}

TEST_F(Arguments, AnAttachmentYieldsNothingByItself) {
  int array[8] = {};
  int* pointer = array;
  EXPECT_TRUE(enter_target({attachment(pointer)}).value().empty());
}

TEST_F(Arguments, AreAsManyAsTheConstructHas) {
  std::vector<MapItem> items;
  for (std::uintptr_t i = 0; i < 200; ++i) {
    items.push_back(value(i));
  }
  const auto values = enter_target(items);
  ASSERT_TRUE(values);
  for (std::uintptr_t i = 0; i < 200; ++i) {
    EXPECT_EQ((*values)[i], i);
  }
}

using ArgumentsOfSharedMemory = SharedEnvironmentCase;

TEST_F(ArgumentsOfSharedMemory, SmallPrivateCopiesNeedNoAllocation) {
  // The plugin's own memory is apart, so only copies of no value can be made without it.
  int x = 1;
  EXPECT_TRUE(enter_target({private_copy(x)}));
  EXPECT_EQ(plugin.counts.allocations, 0);
  std::byte large[4096];
  EXPECT_TRUE(enter_target({private_copy(large)}));
  EXPECT_EQ(plugin.counts.allocations, 1);
}

TEST_F(ArgumentsOfSharedMemory, StandForTheObjectsThemselves) {
  int x = 1;
  EXPECT_THAT(enter_target({tofrom(x)}).value(), ElementsAre(address(&x)));
  ASSERT_TRUE(exit({tofrom(x)}));
}

/// What a block of arguments holds.
std::vector<std::uintptr_t> words_at(FakePlugin& plugin, std::uintptr_t block, std::size_t count) {
  std::vector<std::uintptr_t> words;
  for (std::size_t i = 0; i < count; ++i) {
    words.push_back(plugin.read<std::uintptr_t>(reinterpret_cast<void*>(block + i * 8)));
  }
  return words;
}

TEST_F(Arguments, MayLieInABlockWithThePrivateCopies) {
  int x = 1;
  int y = 5;
  const auto values = enter_target({value(42), alloc(x), firstprivate(y)}, ParameterForm::kBlock);
  ASSERT_TRUE(values);
  ASSERT_EQ(values->size(), 1u);
  const auto words = words_at(plugin, values->front(), 3);
  EXPECT_EQ(words[0], 42u);
  EXPECT_EQ(words[1], address(corresponding(x)));
  EXPECT_GE(words[2], values->front() + 3 * sizeof(void*)); // as the original is aligned
  EXPECT_EQ(plugin.read<int>(reinterpret_cast<void*>(words[2])), 5);
  EXPECT_EQ(plugin.counts.submits, 1) << "one copy for all of it";
  ASSERT_TRUE(exit({remove(x)}));
}

TEST_F(Arguments, ABlockOfNoneIsNull) {
  EXPECT_THAT(enter_target({}, ParameterForm::kBlock).value(), ElementsAre(0));
  int x = 1;
  MapItem silent = alloc(x);
  silent.argument = false;
  EXPECT_THAT(enter_target({silent}, ParameterForm::kBlock).value(), ElementsAre(0));
  ASSERT_TRUE(exit({remove(x)}));
}

TEST_F(Arguments, OfABlockAreNotWaitedFor) {
  if (!plugin.device().has_queues()) {
    GTEST_SKIP() << "on devices without queues every copy is done when the call returns";
  }
  int y = 5;
  KernelArguments arguments;
  Queue queue(queues, construct);
  const Items items = {firstprivate(y)};
  ASSERT_TRUE(environment.enter_target(items, queue, arguments, ParameterForm::kBlock, storage));
  EXPECT_EQ(plugin.counts.synchronizations, 0);
  ASSERT_TRUE(queue.synchronize());
  EXPECT_EQ(plugin.counts.synchronizations, 1);
}

/// A device whose plugin has memory for what launches use.
struct LaunchMemory : ::testing::Test {
  FakePlugin plugin{Memory::kSeparate, true, true};
  QueuePool queues{plugin.device()};
  AllocationTable allocations;
  DataEnvironment environment{plugin.device(), allocations};
  PrivateStorage storage{plugin.device()};
  Construct construct{"target", "test.cpp:7"};
  KernelArguments arguments;
  Queue queue{queues, construct};
  char kernel = 0;

  void launch(const std::vector<MapItem>& items, ParameterForm form) {
    ASSERT_TRUE(environment.enter_target(items, queue, arguments, form, storage));
    gantry_launch shape{};
    shape.arguments = arguments.data();
    shape.argument_count = static_cast<std::uint32_t>(arguments.size());
    ASSERT_TRUE(queue.launch(reinterpret_cast<gantry_kernel*>(&kernel), shape));
    ASSERT_TRUE(queue.synchronize());
  }
};

TEST_F(LaunchMemory, HasTheBlockAndThePrivateCopies) {
  int y = 5;
  launch({value(42), firstprivate(y)}, ParameterForm::kBlock);
  const auto words = words_at(plugin, address(arguments[0]), 2);
  EXPECT_EQ(words[0], 42u);
  EXPECT_EQ(plugin.read<int>(reinterpret_cast<void*>(words[1])), 5);
  EXPECT_EQ(plugin.counts.allocations, 0);
  EXPECT_EQ(plugin.counts.submits, 0);
}

TEST_F(LaunchMemory, HasPrivateCopiesOfValues) {
  int y = 5;
  launch({value(42), firstprivate(y)}, ParameterForm::kValues);
  ASSERT_EQ(arguments.size(), 2u);
  EXPECT_EQ(plugin.read<int>(arguments[1]), 5);
  EXPECT_EQ(plugin.counts.submits, 0);
}

TEST_F(LaunchMemory, HasTheCapturesOfPrivateObjects) {
  int captured = 7;
  struct {
    int number = 3;
    int* pointer = nullptr;
  } object;
  object.pointer = &captured;
  MapItem capture;
  capture.kind = MapKind::kCapture;
  capture.base = bytes_of(object.pointer);
  capture.begin = bytes_of(captured);
  capture.parent = 1;
  launch({to(captured), firstprivate(object), capture}, ParameterForm::kValues);
  const auto copy = plugin.read<decltype(object)>(arguments[1]);
  EXPECT_EQ(copy.number, 3);
  EXPECT_EQ(copy.pointer, arguments[0]);
  ASSERT_TRUE(environment.exit(std::vector{release(captured)}, queue));
}

TEST_F(LaunchMemory, ThatCannotBeHadIsAnError) {
  int y = 5;
  plugin.fail_call(2); // after the queue
  const Status status = environment.enter_target(std::vector{firstprivate(y)}, queue, arguments,
                                                 ParameterForm::kBlock, storage);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "private copies: injected failure of queue_launch_data");
}

} // namespace
} // namespace gantry::core
