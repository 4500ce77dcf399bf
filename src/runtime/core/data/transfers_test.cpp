// Copies and attached pointers: OpenMP 5.2, section 5.8.3.
#include "runtime/testing/environment_case.h"

#include <cstring>

namespace gantry::core {
namespace {

using namespace core::testing;

using Attachment = EnvironmentCase;

struct Node {
  int before = 1;
  int* values = nullptr;
  int after = 2;
};

TEST_F(Attachment, MakesTheCorrespondingPointerPointToCorrespondingStorage) {
  int values[4] = {1, 2, 3, 4};
  int* pointer = values;
  ASSERT_TRUE(enter({to(pointer), to(values), attachment(pointer)}));
  EXPECT_EQ(on_device(pointer), corresponding(values));
  ASSERT_TRUE(exit({release(pointer), release(values)}));
}

TEST_F(Attachment, DoesNotDependOnTheOrderOfItems) {
  int values[4] = {};
  int* pointer = values;
  ASSERT_TRUE(enter({attachment(pointer), to(values), to(pointer)}));
  EXPECT_EQ(on_device(pointer), corresponding(values));
  ASSERT_TRUE(exit({release(pointer), release(values)}));
}

TEST_F(Attachment, KeepsTheOffsetIntoThePointee) {
  int values[8] = {};
  int* pointer = values;
  MapItem part = section(values, 2, 4);
  MapItem attach = attachment(pointer);
  attach.begin = part.begin;
  ASSERT_TRUE(enter({to(pointer), part, attach}));
  EXPECT_EQ(on_device(pointer) + 2, corresponding(values[2]));
  ASSERT_TRUE(exit({release(pointer), part}));
}

TEST_F(Attachment, NeedsBothPresent) {
  int values[4] = {};
  int* pointer = values;
  ASSERT_TRUE(enter({to(pointer), attachment(pointer)}));
  EXPECT_EQ(on_device(pointer), values) << "a copy of the host's";
  ASSERT_TRUE(enter({to(values)}));
  ASSERT_TRUE(exit({release(pointer)}));
  ASSERT_TRUE(enter({attachment(pointer)}));
  EXPECT_FALSE(present(pointer)) << "attachment maps nothing";
  ASSERT_TRUE(exit({release(values)}));
}

TEST_F(Attachment, HappensWhenOneOfThemIsNewOrAlways) {
  int first[4] = {};
  int second[4] = {};
  int* pointer = first;
  ASSERT_TRUE(enter({to(pointer), to(first), to(second), attachment(pointer)}));
  pointer = second;
  ASSERT_TRUE(enter({attachment(pointer)}));
  EXPECT_EQ(on_device(pointer), corresponding(first));
  MapItem always = attachment(pointer);
  always.always = true;
  ASSERT_TRUE(enter({always}));
  EXPECT_EQ(on_device(pointer), corresponding(second));
  ASSERT_TRUE(exit({release(pointer), release(first), release(second)}));
}

TEST_F(Attachment, DoesNotHappenAgainBecauseASectionIsAlwaysCopied) {
  int first[4] = {};
  int second[4] = {};
  int* pointer = first;
  ASSERT_TRUE(enter({to(second), pointee(pointer, 4)}));
  pointer = second;
  second[0] = 1;
  MapItem always = pointee(pointer, 4);
  always.always = true;
  ASSERT_TRUE(enter({always}));
  EXPECT_EQ(on_device(pointer), corresponding(first));
  EXPECT_EQ(on_device(second[0]), 1);
  ASSERT_TRUE(exit({remove(pointer), remove(first), remove(second)}));
}

TEST_F(Attachment, HappensAgainWhereThePointerHasChangedIfItAsksForThat) {
  int first[4] = {};
  int second[4] = {};
  int* pointer = first;
  const auto if_unattached = [&] {
    MapItem item = attachment(pointer);
    item.if_unattached = true;
    return item;
  };
  ASSERT_TRUE(enter({to(pointer), to(first), to(second), if_unattached()}));
  const auto counts = plugin.counts;
  ASSERT_TRUE(enter({if_unattached()}));
  EXPECT_EQ(plugin.counts.submits, counts.submits) << "it is attached to this pointee";
  pointer = second;
  ASSERT_TRUE(enter({if_unattached()}));
  EXPECT_EQ(on_device(pointer), corresponding(second));
  ASSERT_TRUE(exit({release(pointer), release(first), release(second)}));
}

TEST_F(Attachment, PointersOfLinkVariablesFollowThePartThatIsNamed) {
  int variable[8] = {};
  int* reference = variable; // the pointer by which Clang's code uses the variable
  void* const in_image = plugin.device().allocate(sizeof reference).value();
  ASSERT_TRUE(environment.declare(&reference, sizeof reference, in_image, "",
                                  DataEnvironment::Declared::kLinkPointer));
  const auto part = [&](std::size_t first) {
    MapItem item = pointee(reference, 2);
    item.begin = bytes_of(variable[first]);
    return item;
  };
  const auto target = [&](std::size_t index) { return plugin.read<int*>(in_image) + index; };
  // Mapped by other names, as a section of some pointer is.
  ASSERT_TRUE(enter({section(variable, 2, 2)}));
  ASSERT_TRUE(enter({section(variable, 6, 2)}));
  for (const std::size_t first : {2, 6, 2}) {
    ASSERT_TRUE(enter({part(first)}));
    EXPECT_EQ(target(first), corresponding(variable[first]));
  }
  const auto counts = plugin.counts;
  ASSERT_TRUE(enter({part(2)}));
  EXPECT_EQ(plugin.counts.submits, counts.submits) << "it points there";
  ASSERT_TRUE(exit({remove(variable[2]), remove(variable[6])}));
  environment.undeclare(&reference, in_image);
  ASSERT_TRUE(plugin.device().release(in_image));
}

TEST_F(Attachment, CopiesLeaveAttachedPointersAlone) {
  int values[4] = {};
  Node node;
  node.values = values;
  ASSERT_TRUE(enter({to(node), to(values), attachment(node.values)}));
  node.before = 10;
  node.after = 20;
  ASSERT_TRUE(update({to(node)}));
  EXPECT_EQ(on_device(node).before, 10);
  EXPECT_EQ(on_device(node).after, 20);
  EXPECT_EQ(on_device(node).values, corresponding(values));
  plugin.write(corresponding(node.before), 11);
  plugin.write(corresponding(node.after), 21);
  ASSERT_TRUE(exit({from(node), release(values)}));
  EXPECT_EQ(node.before, 11);
  EXPECT_EQ(node.after, 21);
  EXPECT_EQ(node.values, values) << "the host's pointer is a device address";
}

TEST_F(Attachment, CopiesOfPartsAroundAttachedPointers) {
  int values[4] = {};
  int* pointers[4] = {values, values, values, values};
  ASSERT_TRUE(enter({to(pointers), to(values), attachment(pointers[1]), attachment(pointers[3]),
                     attachment(pointers[0])}));
  const auto counts = plugin.counts;
  ASSERT_TRUE(update({to(pointers[1])}));
  EXPECT_EQ(plugin.counts, counts) << "nothing of it is to be copied";
  MapItem last_two = section(pointers, 2, 2);
  last_two.to = true;
  ASSERT_TRUE(update({last_two}));
  EXPECT_EQ(plugin.counts.bytes_submitted, counts.bytes_submitted + sizeof(int*));
  ASSERT_TRUE(update({to(pointers)}));
  EXPECT_EQ(plugin.counts.bytes_submitted, counts.bytes_submitted + 2 * sizeof(int*));
  for (const int i : {0, 1, 3}) {
    EXPECT_EQ(on_device(pointers[i]), corresponding(values)) << i;
  }
  EXPECT_EQ(on_device(pointers[2]), values);
  ASSERT_TRUE(exit({release(pointers), release(values)}));
}

TEST_F(Attachment, AttachingAgainIsRememberedOnce) {
  int values[4] = {};
  int* pointer = values;
  MapItem always = attachment(pointer);
  always.always = true;
  ASSERT_TRUE(enter({to(pointer), to(values), always}));
  ASSERT_TRUE(enter({always}));
  ASSERT_TRUE(enter({always}));
  const auto counts = plugin.counts;
  ASSERT_TRUE(update({to(pointer)}));
  EXPECT_EQ(plugin.counts, counts);
  ASSERT_TRUE(exit({release(pointer), release(values)}));
}

TEST_F(Attachment, ADescriptorMayHaveOneWordBesideItsPointer) {
  int values[4] = {};
  struct {
    int* pointer;
    std::uint64_t extent = 4;
  } descriptor{values};
  MapItem attach = attachment(descriptor.pointer);
  attach.size = sizeof descriptor;
  ASSERT_TRUE(enter({alloc(descriptor), to(values), attach}));
  EXPECT_EQ(on_device(descriptor).pointer, corresponding(values));
  EXPECT_EQ(on_device(descriptor).extent, 4u);
  ASSERT_TRUE(exit({release(descriptor), release(values)}));
}

TEST_F(Attachment, ADescriptorIsAttachedAsAWhole) {
  int values[4] = {};
  struct {
    int* pointer;
    std::uint64_t rank = 1;
    std::uint64_t extent = 4;
    int other = 5;
  } descriptor{values};
  MapItem attach = attachment(descriptor.pointer);
  attach.size = 24;
  ASSERT_TRUE(enter({alloc(descriptor), to(values), attach}));
  EXPECT_EQ(on_device(descriptor).pointer, corresponding(values));
  EXPECT_EQ(on_device(descriptor).rank, 1u);
  EXPECT_EQ(on_device(descriptor).extent, 4u);
  descriptor.rank = 9;
  descriptor.other = 6;
  ASSERT_TRUE(update({to(descriptor)}));
  EXPECT_EQ(on_device(descriptor).rank, 1u) << "it is part of the attached pointer";
  EXPECT_EQ(on_device(descriptor).other, 6);
  ASSERT_TRUE(exit({release(descriptor), release(values)}));
}

TEST_F(Attachment, OldCompilersItemMapsPointerAndPointee) {
  int values[4] = {1, 2, 3, 4};
  int* pointer = values;
  ASSERT_TRUE(enter({pointee(pointer, 4)}));
  EXPECT_EQ(on_device(pointer), corresponding(values));
  EXPECT_EQ(on_device(values[3]), 4);
  plugin.write(corresponding(values[3]), 9);
  ASSERT_TRUE(exit({pointee(pointer, 4)}));
  EXPECT_EQ(values[3], 9);
  EXPECT_EQ(pointer, values);
  EXPECT_FALSE(present(pointer));
  EXPECT_FALSE(present(values));
}

TEST_F(Attachment, APointerMemberDoesNotMapItsStructAgain) {
  int values[4] = {};
  Node node;
  node.values = values;
  MapItem member = pointee(node.values, 4);
  member.member = true;
  ASSERT_TRUE(enter({to(node), member}));
  EXPECT_EQ(plugin.counts.allocations, 2);
  EXPECT_EQ(on_device(node).values, corresponding(values));
  ASSERT_TRUE(exit({release(node), member}));
  EXPECT_FALSE(present(node));
  EXPECT_FALSE(present(values));
}

TEST(DirectCopies, AreThoseOfConstructsThatCopyOneThing) {
  FakePlugin plugin{Memory::kSeparate, true, true};
  QueuePool queues{plugin.device()};
  AllocationTable allocations;
  DataEnvironment environment{plugin.device(), allocations};
  const Construct construct{"target data", "test.cpp:7"};
  int x = 4;
  int y = 5;
  const std::vector both = {tofrom(x), tofrom(y)};
  Queue queue(queues, construct);
  ASSERT_TRUE(environment.enter(std::span(both).first(1), queue));
  ASSERT_TRUE(environment.exit(std::span(both).first(1), queue));
  EXPECT_EQ(plugin.counts.submits, 1);
  EXPECT_EQ(plugin.counts.retrieves, 1);
  EXPECT_EQ(plugin.live_queues(), 0u);
  ASSERT_TRUE(environment.enter(both, queue));
  ASSERT_TRUE(environment.exit(both, queue));
  EXPECT_EQ(plugin.counts.submits, 3);
  EXPECT_EQ(plugin.counts.synchronizations, 2);
}

} // namespace
} // namespace gantry::core
