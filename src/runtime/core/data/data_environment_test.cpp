// Presence and reference counts: the rules of OpenMP 5.2, section 5.8.3, for map clauses.
#include "runtime/core/data/data_environment.h"

#include "runtime/core/reports/text.h"
#include "runtime/testing/environment_case.h"

#include <thread>

#include <gmock/gmock.h>

namespace gantry::core {
namespace {

using namespace core::testing;
using ::testing::HasSubstr;

using MappingRule = EnvironmentCase;

TEST_F(MappingRule, StorageIsPresentFromEnterToExit) {
  int x = 4;
  EXPECT_FALSE(present(x));
  ASSERT_TRUE(enter({tofrom(x)}));
  ASSERT_TRUE(present(x));
  EXPECT_EQ(on_device(x), 4);
  plugin.write(corresponding(x), 9);
  ASSERT_TRUE(exit({tofrom(x)}));
  EXPECT_FALSE(present(x));
  EXPECT_EQ(x, 9);
}

TEST_F(MappingRule, WhatWasFoundLastIsNotTrusted) {
  int first[8] = {1};
  int second[8] = {2};
  FoundLast last;
  const auto run = [&](const Items& items) {
    KernelArguments arguments;
    Queue queue(queues, construct);
    PrivateStorage none(plugin.device());
    ASSERT_TRUE(
        environment.enter_target(items, queue, arguments, ParameterForm::kValues, none, &last));
    for (std::size_t i = 0; i < items.size(); ++i) {
      const MapItem& item = items[i];
      EXPECT_EQ(address(arguments[i]) + static_cast<std::size_t>(item.begin - item.base),
                address(environment.corresponding(item.begin, item.size)))
          << i;
    }
    ASSERT_TRUE(environment.exit_target(items, queue, &last));
  };
  const auto references = [&](int (&array)[8]) {
    int count = 0;
    while (present(array)) {
      EXPECT_TRUE(exit({release(array)}));
      ++count;
    }
    return count;
  };
  // Present, twice: found by the table, then again.
  ASSERT_TRUE(enter({to(first)}));
  run({tofrom(first)});
  run({tofrom(first)});
  EXPECT_EQ(plugin.counts.submits, 1);
  EXPECT_EQ(references(first), 1);
  // Gone; its entry is another object's now.
  ASSERT_TRUE(enter({to(second)}));
  run({tofrom(first)});
  EXPECT_FALSE(present(first));
  EXPECT_EQ(references(second), 1);
  // Other items than before, and more of them.
  ASSERT_TRUE(enter({to(first), to(second)}));
  run({tofrom(second), tofrom(first)});
  run({tofrom(first), tofrom(second)});
  EXPECT_EQ(references(first), 1);
  // A part of what was found, and more than that.
  run({section(second, 2, 3)});
  run({tofrom(second)});
  EXPECT_EQ(references(second), 1);
  ASSERT_TRUE(enter({section(first, 0, 4)}));
  run({section(first, 0, 4)});
  KernelArguments arguments;
  Queue queue(queues, construct);
  EXPECT_FALSE(environment.enter_target(Items{tofrom(first)}, queue, arguments,
                                        ParameterForm::kValues, storage, &last))
      << "extends what is mapped";
  ASSERT_TRUE(exit({section(first, 0, 4)}));
}

TEST_F(MappingRule, OnlyTheMapTypesCopy) {
  int a = 1;
  int b = 2;
  int c = 3;
  ASSERT_TRUE(enter({to(a), from(b), alloc(c)}));
  EXPECT_EQ(plugin.counts.submits, 1);
  plugin.write(corresponding(a), 10);
  plugin.write(corresponding(b), 20);
  plugin.write(corresponding(c), 30);
  ASSERT_TRUE(exit({to(a), from(b), alloc(c)}));
  EXPECT_EQ(plugin.counts.retrieves, 1);
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, 20);
  EXPECT_EQ(c, 3);
}

TEST_F(MappingRule, CopiesHappenWithTheFirstAndTheLastReference) {
  int x = 1;
  ASSERT_TRUE(enter({tofrom(x)}));
  x = 2;
  ASSERT_TRUE(enter({tofrom(x)}));
  EXPECT_EQ(on_device(x), 1);
  plugin.write(corresponding(x), 5);
  ASSERT_TRUE(exit({tofrom(x)}));
  EXPECT_EQ(x, 2);
  ASSERT_TRUE(present(x));
  ASSERT_TRUE(exit({tofrom(x)}));
  EXPECT_EQ(x, 5);
  EXPECT_FALSE(present(x));
}

TEST_F(MappingRule, AlwaysCopiesAtEveryReference) {
  int x = 1;
  MapItem always = tofrom(x);
  always.always = true;
  ASSERT_TRUE(enter({alloc(x)}));
  ASSERT_TRUE(enter({always}));
  EXPECT_EQ(on_device(x), 1);
  plugin.write(corresponding(x), 5);
  ASSERT_TRUE(exit({always}));
  EXPECT_EQ(x, 5);
  ASSERT_TRUE(present(x));
  ASSERT_TRUE(exit({release(x)}));
}

TEST_F(MappingRule, OneItemTwiceInAConstructIsCopiedOnceAndCountedTwice) {
  int x = 1;
  ASSERT_TRUE(enter({alloc(x), to(x)}));
  EXPECT_EQ(on_device(x), 1) << "the storage is new throughout the construct";
  ASSERT_TRUE(exit({release(x)}));
  EXPECT_TRUE(present(x));
  ASSERT_TRUE(exit({release(x), release(x)}));
  EXPECT_FALSE(present(x));
}

TEST_F(MappingRule, FromAppliesWhicheverItemOfTheConstructComesFirst) {
  int x = 1;
  ASSERT_TRUE(enter({alloc(x), alloc(x)}));
  plugin.write(corresponding(x), 8);
  ASSERT_TRUE(exit({from(x), release(x)}));
  EXPECT_EQ(x, 8);
  EXPECT_FALSE(present(x));
}

TEST_F(MappingRule, DeleteEndsEveryReference) {
  int x = 1;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(enter({tofrom(x)}));
  }
  plugin.write(corresponding(x), 8);
  ASSERT_TRUE(exit({remove(x)}));
  EXPECT_FALSE(present(x));
  EXPECT_EQ(x, 1) << "delete does not copy";
}

TEST_F(MappingRule, AMemberThatNoItemCoversEndsWithItsConstruct) {
  // Clang 19's lists for members of nested structs.
  struct {
    int covered = 1;
    int outside = 2;
  } object;
  MapItem member = to(object.outside);
  member.member = true;
  ASSERT_TRUE(enter({alloc(object.covered), member}));
  ASSERT_TRUE(enter({alloc(object.covered), member}));
  EXPECT_EQ(on_device(object.outside), 2);
  ASSERT_TRUE(exit({release(object.covered), member}));
  EXPECT_TRUE(present(object.outside));
  ASSERT_TRUE(exit({release(object.covered), member}));
  EXPECT_FALSE(present(object.outside));
  ASSERT_TRUE(enter({to(object)})) << "a part of it is still mapped";
  ASSERT_TRUE(exit({release(object)}));
}

TEST_F(MappingRule, StorageIsAlignedAsTheVariableIs) {
  alignas(4096) static char page[4096];
  alignas(256) static char line[300];
  MapItem part = section(page, 100, 200);
  ASSERT_TRUE(enter({to(line), part}));
  EXPECT_EQ(address(corresponding(line)) % 256, 0u);
  EXPECT_EQ((address(corresponding(page[100])) - 100) % 4096, 0u);
  ASSERT_TRUE(exit({release(line), part}));
  ASSERT_TRUE(enter({to(page)}));
  EXPECT_EQ(address(corresponding(page)) % 4096, 0u);
  ASSERT_TRUE(exit({release(page)}));
}

TEST_F(MappingRule, LengthsThatNoObjectHasAreErrors) {
  int x = 1;
  MapItem negative = to(x);
  negative.size = static_cast<std::uint64_t>(-4);
  const Status status = enter({negative});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("past the end of the address space"));
}

TEST_F(MappingRule, UnifiedStorageIsTheOriginalUnlessClose) {
  int before = 1;
  int x = 2;
  int y = 3;
  ASSERT_TRUE(enter({to(before)}));
  environment.unify();
  MapItem close = to(y);
  close.close = true;
  ASSERT_TRUE(enter({to(x), close}));
  EXPECT_EQ(corresponding(x), &x);
  EXPECT_NE(corresponding(y), &y);
  EXPECT_EQ(on_device(y), 3);
  EXPECT_NE(corresponding(before), &before);
  plugin.write(corresponding(before), 5);
  MapItem update_before = from(before);
  ASSERT_TRUE(update({update_before, to(x)}));
  EXPECT_EQ(before, 5);
  ASSERT_TRUE(exit({release(before), from(x), release(y)}));
}

TEST_F(MappingRule, WhatIsNotPresentIsIgnoredAtTheEnd) {
  int x = 1;
  EXPECT_TRUE(exit({from(x), release(x), remove(x)}));
  EXPECT_EQ(plugin.counts.retrieves, 0);
}

TEST_F(MappingRule, HoldIsCountedApart) {
  int x = 1;
  MapItem held = alloc(x);
  held.hold = true;
  ASSERT_TRUE(enter({held}));
  ASSERT_TRUE(enter({alloc(x)}));
  ASSERT_TRUE(exit({remove(x)}));
  EXPECT_TRUE(present(x)) << "delete does not touch what is held";
  ASSERT_TRUE(exit({held}));
  EXPECT_FALSE(present(x));
}

TEST_F(MappingRule, PresentDemandsPresence) {
  int x = 1;
  MapItem item = tofrom(x);
  item.present = true;
  item.name = "x";
  for (const Status& status : {enter({item}), exit({item}), update({item})}) {
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, HasSubstr("'x' ["));
    EXPECT_THAT(status.error().message, HasSubstr("is not present on the device"));
  }
  EXPECT_EQ(plugin.counts.allocations, 0);
  ASSERT_TRUE(enter({alloc(x)}));
  EXPECT_TRUE(enter({item}));
  EXPECT_TRUE(update({item}));
  EXPECT_TRUE(exit({item, item}));
}

TEST_F(MappingRule, PresentDemandsNothingOfThePointerOfAPointee) {
  int values[4] = {};
  int* pointer = values;
  MapItem item = pointee(pointer, 4);
  item.present = true;
  EXPECT_FALSE(enter({item}));
  EXPECT_FALSE(present(pointer));
  ASSERT_TRUE(enter({to(values)}));
  ASSERT_TRUE(enter({item}));
  EXPECT_EQ(on_device(pointer), corresponding(values));
  ASSERT_TRUE(exit({item}));
  EXPECT_FALSE(present(pointer));
  ASSERT_TRUE(exit({release(values)}));
}

TEST_F(MappingRule, PresentDemandsNothingOfAPointerThatIsGoneBeforeItsPointee) {
  int values[4] = {};
  int* pointer = values;
  MapItem item = pointee(pointer, 4);
  ASSERT_TRUE(enter({item, to(values)}));
  ASSERT_TRUE(exit({remove(pointer)}));
  item.present = true;
  EXPECT_TRUE(exit({item}));
  ASSERT_TRUE(exit({release(values)}));
  EXPECT_FALSE(present(values));
}

TEST_F(MappingRule, PresentStorageCannotBeExtended) {
  int array[10] = {};
  MapItem part = section(array, 2, 4);
  part.name = "array[2:4]";
  ASSERT_TRUE(enter({part}));
  for (const Status& status : {enter({to(array)}), exit({release(array)}), update({to(array)})}) {
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message,
                HasSubstr("already mapped at test.cpp:7; map the whole object first"));
    EXPECT_THAT(status.error().message, HasSubstr("'array[2:4]'"));
  }
  ASSERT_TRUE(exit({part}));
}

TEST_F(MappingRule, AnImplicitItemTakesWhatIsPresentOfIt) {
  int array[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  ASSERT_TRUE(enter({section(array, 2, 4)}));
  MapItem whole = tofrom(array);
  whole.implicit = true;
  whole.always = true;
  ASSERT_TRUE(enter({whole}));
  EXPECT_EQ(plugin.counts.bytes_submitted, 4 * sizeof(int)) << "only what is mapped is copied";
  EXPECT_EQ(on_device(array[5]), 5);
  ASSERT_TRUE(exit({whole}));
  EXPECT_EQ(plugin.counts.bytes_retrieved, 4 * sizeof(int));
  ASSERT_TRUE(exit({section(array, 2, 4)}));
}

TEST_F(MappingRule, AnEmptySectionIsTranslatedAndNotMapped) {
  int array[10] = {};
  MapItem empty = section(array, 0, 0);
  empty.implicit = true;
  EXPECT_TRUE(enter({empty}));
  EXPECT_EQ(plugin.counts.allocations, 0);
  ASSERT_TRUE(enter({alloc(array)}));
  ASSERT_TRUE(enter({empty}));
  ASSERT_TRUE(exit({release(array)}));
  EXPECT_FALSE(present(array)) << "the empty section holds no reference";
  ASSERT_TRUE(exit({empty}));
}

TEST_F(MappingRule, AnExplicitEmptySectionHoldsAReferenceWhileItIsPresent) {
  int array[10] = {};
  ASSERT_TRUE(enter({alloc(array)}));
  ASSERT_TRUE(enter({section(array, 3, 0)}));
  ASSERT_TRUE(exit({release(array)}));
  EXPECT_TRUE(present(array));
  ASSERT_TRUE(exit({section(array, 3, 0)}));
  EXPECT_FALSE(present(array));
}

TEST_F(MappingRule, ANullPointerMapsNothing) {
  MapItem item;
  item.name = "p[0:2]";
  EXPECT_TRUE(enter({item}));
  item.size = 8;
  const Status status = enter({item});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message,
              HasSubstr("'p[0:2]' is a null pointer, of which 8 bytes are named"));
  item.to = true;
  EXPECT_FALSE(update({item}));
  EXPECT_TRUE(exit({item}));
}

TEST_F(MappingRule, MembersAreCountedByTheWhole) {
  struct {
    int a = 1;
    int b = 2;
  } object;
  const auto member = [](MapItem item) {
    item.member = true;
    return item;
  };
  MapItem whole = alloc(object);
  ASSERT_TRUE(enter({whole, member(to(object.a)), member(tofrom(object.b))}));
  EXPECT_EQ(plugin.counts.allocations, 1);
  EXPECT_EQ(plugin.counts.bytes_submitted, 2 * sizeof(int));
  plugin.write(corresponding(object.b), 7);
  ASSERT_TRUE(exit({whole, member(to(object.a)), member(tofrom(object.b))}));
  EXPECT_EQ(object.b, 7);
  EXPECT_FALSE(present(object));
}

TEST_F(MappingRule, CorrespondingStorageIsAlignedAsTheOriginalIs) {
  alignas(64) std::byte array[256];
  for (const std::size_t offset : {0, 1, 4, 8, 32, 63, 64, 100}) {
    MapItem item = alloc(array[offset]);
    item.size = 16;
    ASSERT_TRUE(enter({item}));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(corresponding(array[offset])) % 64, offset % 64);
    ASSERT_TRUE(exit({item}));
  }
}

TEST_F(MappingRule, UseDevicePtrGetsTheCorrespondingBase) {
  int array[8] = {};
  int other = 0;
  void* returned = nullptr;
  void* untouched = &other;
  MapItem item = section(array, 2, 2);
  item.returned_base = &returned;
  MapItem absent = section(array, 0, 0);
  absent.implicit = true;
  absent.base = absent.begin = bytes_of(other);
  absent.returned_base = &untouched;
  std::vector<MapItem> items = {item, absent};
  ASSERT_TRUE(enter(items));
  EXPECT_EQ(static_cast<int*>(returned) + 2, corresponding(array[2]));
  EXPECT_EQ(untouched, &other) << "without presence the base stays as it is";
  ASSERT_TRUE(exit({release(array[2])}));
}

TEST_F(MappingRule, UseDevicePtrOfAPointerTranslatesItsValue) {
  int array[8] = {};
  int* pointer = array;
  void* returned = nullptr;
  MapItem item = pointee(pointer, 8);
  item.returned_base = &returned;
  std::vector<MapItem> items = {item};
  ASSERT_TRUE(enter(items));
  EXPECT_EQ(returned, corresponding(array));
  ASSERT_TRUE(exit({pointee(pointer, 8)}));
  EXPECT_FALSE(present(pointer));
}

TEST_F(MappingRule, ASectionWithoutLengthBeforeTheFirstMappedByteHoldsNoReference) {
  int array[8] = {};
  MapItem tail = section(array, 4, 4);
  tail.to = true;
  ASSERT_TRUE(enter({tail}));
  MapItem nothing = section(array, 0, 0);
  ASSERT_TRUE(enter({nothing}));
  nothing.remove = true;
  ASSERT_TRUE(exit({nothing}));
  EXPECT_TRUE(present(array[4]));
  ASSERT_TRUE(exit({tail}));
  EXPECT_FALSE(present(array[4]));
}

TEST_F(MappingRule, AssociatedStorageIsPresentForEver) {
  int array[4] = {1, 2, 3, 4};
  void* memory = plugin.device().allocate(sizeof array).value();
  ASSERT_TRUE(environment.associate(array, sizeof array, memory));
  EXPECT_TRUE(environment.associate(array, sizeof array, memory)) << "the same again";
  EXPECT_FALSE(environment.associate(array, 4, memory));
  EXPECT_FALSE(environment.associate(&array[1], 4, memory));
  EXPECT_FALSE(environment.associate(array, sizeof array, static_cast<char*>(memory) + 4));
  EXPECT_EQ(corresponding(array), memory);

  ASSERT_TRUE(enter({tofrom(array)}));
  EXPECT_EQ(plugin.counts.submits, 0);
  ASSERT_TRUE(exit({remove(array)}));
  EXPECT_TRUE(present(array));

  EXPECT_FALSE(environment.disassociate(&array[1]));
  EXPECT_TRUE(environment.disassociate(array));
  EXPECT_FALSE(environment.disassociate(array));
  EXPECT_FALSE(present(array));
  ASSERT_TRUE(plugin.device().release(memory));
}

TEST_F(MappingRule, MappedStorageCannotBeAssociated) {
  int x = 0;
  ASSERT_TRUE(enter({alloc(x)}));
  void* memory = plugin.device().allocate(sizeof x).value();
  const Status status = environment.associate(&x, sizeof x, memory);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("which has corresponding storage at test.cpp:7"));
  EXPECT_FALSE(environment.disassociate(&x));
  ASSERT_TRUE(plugin.device().release(memory));
  ASSERT_TRUE(exit({release(x)}));
}

TEST_F(MappingRule, DeclaredVariablesBelongToTheImageThatCameFirst) {
  int variable = 0;
  void* first = plugin.device().allocate(4).value();
  void* second = plugin.device().allocate(4).value();
  ASSERT_TRUE(environment.declare(&variable, 4, first, "variable"));
  EXPECT_TRUE(environment.declare(&variable, 4, second, "variable"));
  EXPECT_EQ(corresponding(variable), first);
  EXPECT_FALSE(environment.declare(&variable, 8, second, "")) << "another size";
  EXPECT_FALSE(environment.disassociate(&variable)) << "it is no association";
  environment.undeclare(&variable, second);
  EXPECT_TRUE(present(variable)) << "that image's variable is not the one in use";
  environment.undeclare(&variable, first);
  EXPECT_FALSE(present(variable));
  environment.undeclare(&variable, first);
  ASSERT_TRUE(plugin.device().release(first));
  ASSERT_TRUE(plugin.device().release(second));
}

TEST_F(MappingRule, TheTableDescribesItself) {
  int x = 0;
  MapItem item = alloc(x);
  item.name = "x";
  ASSERT_TRUE(enter({item, item}));
  EXPECT_THAT(environment.describe(),
              HasSubstr(fmt::format("{:#x}", reinterpret_cast<std::uintptr_t>(&x))));
  EXPECT_THAT(environment.describe(), ::testing::ContainsRegex(" 4 +2 +0  x\n"));
  ASSERT_TRUE(exit({remove(x)}));
}

TEST_F(MappingRule, ThreadsMayMapTheSameObject) {
  int shared = 5;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      int own = 1;
      for (int round = 0; round < 200; ++round) {
        EXPECT_TRUE(enter({to(shared), tofrom(own)}));
        EXPECT_TRUE(present(shared));
        EXPECT_EQ(on_device(own), 1);
        EXPECT_TRUE(exit({release(shared), tofrom(own)}));
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_FALSE(present(shared));
}

using SharedMemory = SharedEnvironmentCase;

TEST_F(SharedMemory, AnObjectIsItsOwnCorrespondingStorage) {
  int x = 1;
  ASSERT_TRUE(enter({tofrom(x)}));
  EXPECT_EQ(corresponding(x), &x);
  ASSERT_TRUE(update({to(x)}));
  ASSERT_TRUE(exit({tofrom(x)}));
  EXPECT_FALSE(present(x)) << "presence follows the rules all the same";
  EXPECT_EQ(plugin.counts.allocations, 0);
  EXPECT_EQ(plugin.counts.submits + plugin.counts.retrieves, 0);
}

TEST_F(SharedMemory, AttachingLeavesTheHostsPointerAlone) {
  int array[4] = {};
  int* pointer = array;
  ASSERT_TRUE(enter({pointee(pointer, 4)}));
  EXPECT_EQ(pointer, array);
  EXPECT_EQ(plugin.counts.submits, 0);
  ASSERT_TRUE(exit({pointee(pointer, 4)}));
}

TEST_F(SharedMemory, APointerToAnImagesVariableGetsStorageOfItsOwn) {
  int variable = 0; // declare target: the image has its own
  int* pointer = &variable;
  void* in_image = plugin.device().allocate(sizeof variable).value();
  ASSERT_TRUE(environment.declare(&variable, sizeof variable, in_image, ""));
  ASSERT_TRUE(enter({to(pointer), attachment(pointer)}));
  EXPECT_EQ(pointer, &variable) << "the host's pointer has changed";
  EXPECT_NE(corresponding(pointer), &pointer);
  EXPECT_EQ(on_device(pointer), in_image);
  ASSERT_TRUE(exit({release(pointer)}));

  int plain = 0; // no attachment to storage apart: shared as ever
  ASSERT_TRUE(enter({to(plain)}));
  EXPECT_EQ(corresponding(plain), &plain);
  ASSERT_TRUE(exit({release(plain)}));
  environment.undeclare(&variable, in_image);
  ASSERT_TRUE(plugin.device().release(in_image));
}

TEST_F(MappingRule, PointersToLinkVariablesIgnoreWhatEndsWhereTheyBegin) {
  int both[12] = {};
  void* const pointer = plugin.device().allocate(sizeof(void*)).value();
  plugin.write<void*>(pointer, nullptr);
  environment.declare_link(&both[4], 8 * sizeof(int), {.pointer = pointer});
  ASSERT_TRUE(enter({section(both, 0, 4)}));
  EXPECT_EQ(plugin.read<void*>(pointer), nullptr);
  ASSERT_TRUE(enter({section(both, 4, 8)}));
  EXPECT_EQ(plugin.read<void*>(pointer), corresponding(both[4]));
  ASSERT_TRUE(exit({section(both, 0, 4), section(both, 4, 8)}));
  environment.undeclare_link(&both[4], {.pointer = pointer});
  ASSERT_TRUE(plugin.device().release(pointer));
}

TEST_F(MappingRule, PointersToLinkVariablesFollowTheirMapping) {
  int before[4] = {};
  int variable[8] = {};
  void* const pointer = plugin.device().allocate(sizeof(void*)).value();
  environment.declare_link(&variable, sizeof variable, {.pointer = pointer});
  const auto target = [&] { return plugin.read<void*>(pointer); };
  ASSERT_TRUE(enter({to(before)}));
  EXPECT_NE(target(), corresponding(before));
  ASSERT_TRUE(enter({to(variable)}));
  EXPECT_EQ(target(), corresponding(variable));
  ASSERT_TRUE(exit({remove(variable), remove(before)}));
  // A part of it stands for the whole.
  ASSERT_TRUE(enter({section(variable, 2, 4)}));
  EXPECT_EQ(static_cast<int*>(target()) + 2, corresponding(variable[2]));
  ASSERT_TRUE(exit({section(variable, 2, 4)}));
  environment.undeclare_link(&variable, {.pointer = pointer});
  void* const last = target();
  ASSERT_TRUE(enter({to(variable)}));
  EXPECT_EQ(target(), last);
  ASSERT_TRUE(exit({remove(variable)}));
  ASSERT_TRUE(plugin.device().release(pointer));
}

} // namespace
} // namespace gantry::core
