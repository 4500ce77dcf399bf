// What GANTRY_CHECK finds.
#include "runtime/core/allocation_table.h"
#include "runtime/testing/environment_case.h"

#include <gmock/gmock.h>

namespace gantry::core {
namespace {

using namespace core::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

struct Checks : EnvironmentCase {
  Checks() { check_bits = ~0u; }
  ~Checks() override { check_bits = 0; }

  /// What `action` writes on stderr.
  template <typename Action>
  std::string said_by(Action action) {
    ::testing::internal::CaptureStderr();
    EXPECT_TRUE(action());
    return ::testing::internal::GetCapturedStderr();
  }
};

TEST_F(Checks, LeaksAreWhatIsMappedAndReferenced) {
  int x = 0;
  int declared = 0;
  EXPECT_THAT(environment.leaks(), IsEmpty());
  MapItem item = tofrom(x);
  item.name = ";x;test.cpp;7;1;;";
  ASSERT_TRUE(enter({item}));
  ASSERT_TRUE(enter({item}));
  ASSERT_TRUE(environment.declare(&declared, 4, &declared, "declared"));
  EXPECT_THAT(environment.leaks(),
              ElementsAre(MatchesRegex("'x' \\[0x[0-9a-f]+, 4 bytes\\), mapped at test.cpp:7, is "
                                       "still mapped at the end, referenced 2 times")));
  ASSERT_TRUE(exit({remove(x)}));
  EXPECT_THAT(environment.leaks(), IsEmpty());
}

TEST_F(Checks, LeaksAreWhatIsAllocatedAndNotFreed) {
  AllocationTable allocations;
  allocations.insert(0x1000, 64, MemoryKind::kDevice);
  allocations.insert(0x2000, 64, MemoryKind::kHost);
  ASSERT_TRUE(allocations.remove(0x2000, MemoryKind::kHost));
  EXPECT_THAT(allocations.leaks(),
              ElementsAre("the allocation [0x1000, 64 bytes) is not freed at the end"));
}

TEST_F(Checks, StorageThatGoesWhileAPointerIsAttachedToIt) {
  int values[4] = {};
  struct {
    long before;
    int* pointer;
  } holder{0, values};
  ASSERT_TRUE(enter({to(holder), to(values), attachment(holder.pointer)}));
  EXPECT_THAT(
      said_by([&] { return exit({release(values)}); }),
      MatchesRegex("gantry: warning: test.cpp:7: target: storage \\[0x[0-9a-f]+, 16 bytes\\) "
                   "leaves the device while the pointer at offset 8 of storage "
                   "\\[0x[0-9a-f]+, 16 bytes\\), mapped at test.cpp:7, is attached to it; "
                   ".*\n"));
  // Attached anew, and gone together: nothing to say.
  ASSERT_TRUE(enter({to(values), attachment(holder.pointer)}));
  EXPECT_EQ(said_by([&] { return exit({release(values), release(holder)}); }), "");
}

TEST_F(Checks, PointersThatAreDeclareTargetVariablesStayOnTheDevice) {
  int values[4] = {};
  int* declared = values;
  auto allocated = plugin.device().allocate(sizeof declared);
  ASSERT_TRUE(allocated);
  ASSERT_TRUE(environment.declare(static_cast<const void*>(&declared), sizeof declared, *allocated,
                                  "declared"));
  ASSERT_TRUE(enter({to(values), attachment(declared)}));
  EXPECT_EQ(said_by([&] { return exit({release(values)}); }), "");
  environment.undeclare(static_cast<const void*>(&declared), *allocated);
  EXPECT_TRUE(plugin.device().release(*allocated));
}

TEST_F(Checks, WhatTheHostChangesBehindACopyIsSaidOnce) {
  int x = 1;
  MapItem item = to(x);
  item.name = ";x;test.cpp;7;1;;";
  ASSERT_TRUE(enter({item}));
  EXPECT_EQ(said_by([&] { return enter({item}); }), "");
  x = 2;
  EXPECT_THAT(
      said_by([&] { return enter({item}); }),
      MatchesRegex("gantry: warning: test.cpp:7: target: 'x' .* has changed on the host \\(1 byte, "
                   "the first at offset 0\\) since it was copied by target at test.cpp:7, and the "
                   "device has the old "
                   "values; .*\n"));
  EXPECT_EQ(said_by([&] { return enter({item}); }), "");
  x = 3;
  ASSERT_TRUE(update({to(x)}));
  EXPECT_EQ(said_by([&] { return enter({item}); }), "");
  EXPECT_EQ(said_by([&] { return exit({remove(x)}); }), "");
}

TEST_F(Checks, WhatTheDeviceChangesAndNobodyGetsIsSaidWhenItGoes) {
  int x = 1;
  MapItem item = to(x);
  item.name = ";x;test.cpp;7;1;;";
  ASSERT_TRUE(enter({item}));
  plugin.write(corresponding(x), 5);
  EXPECT_THAT(
      said_by([&] { return exit({release(x)}); }),
      MatchesRegex("gantry: warning: test.cpp:7: target: 'x' .* leaves the device with values "
                   "of target at test.cpp:7 \\(1 byte, the first at offset 0\\), which the host "
                   "does not get; .*\n"));
  ASSERT_TRUE(enter({item}));
  plugin.write(corresponding(x), 5);
  ASSERT_TRUE(update({from(x)}));
  EXPECT_EQ(said_by([&] { return exit({release(x)}); }), "");
  // Nobody has asked for a copy.
  ASSERT_TRUE(enter({alloc(x)}));
  plugin.write(corresponding(x), 6);
  EXPECT_EQ(said_by([&] { return exit({release(x)}); }), "");
}

TEST_F(Checks, AttachedPointersDifferAndMeanTheSame) {
  int values[4] = {};
  int others[4] = {};
  int* pointer = values;
  MapItem holder = to(pointer);
  holder.name = ";pointer;test.cpp;7;1;;";
  ASSERT_TRUE(enter({holder, to(values), to(others)}));
  EXPECT_EQ(said_by([&] { return enter({holder, attachment(pointer)}); }), "");
  EXPECT_EQ(said_by([&] { return exit({release(pointer)}); }), "");
  pointer = others;
  EXPECT_THAT(said_by([&] { return enter({holder}); }),
              MatchesRegex("gantry: warning: test.cpp:7: target: 'pointer' .* has changed on the "
                           "host .*\n"));
  pointer = values;
  MapItem again = attachment(pointer);
  again.always = true;
  ASSERT_TRUE(enter({holder, again}));
  pointer = others;
  EXPECT_EQ(said_by([&] {
              MapItem here = attachment(pointer);
              here.always = true;
              return enter({holder, here});
            }),
            "");
  EXPECT_EQ(said_by([&] { return exit({remove(pointer), remove(values), remove(others)}); }), "");
}

TEST_F(Checks, WhatAConstructLeavesDifferentIsSaidOnDemand) {
  int x = 1;
  MapItem item = to(x);
  item.name = ";x;test.cpp;7;1;;";
  ASSERT_TRUE(enter({item}));
  ASSERT_TRUE(enter({item}));
  plugin.write(corresponding(x), 5);
  info_bits = static_cast<std::uint32_t>(Info::kStale);
  EXPECT_THAT(said_by([&] { return exit({release(x)}); }),
              MatchesRegex("gantry: info: test.cpp:7: target: 'x' .* has changed on the device "
                           "\\(1 byte, the first at offset 0\\) since it was copied by target at "
                           "test.cpp:7, and the host has the old values until they are copied\n"));
  ASSERT_TRUE(enter({item}));
  EXPECT_EQ(said_by([&] { return exit({release(x)}); }), "") << "nothing that this construct did";
  info_bits = 0;
  ASSERT_TRUE(exit({from(x)}));
}

} // namespace
} // namespace gantry::core
