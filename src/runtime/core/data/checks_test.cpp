// What GANTRY_CHECK finds.
#include "runtime/core/devices/allocation_table.h"
#include "runtime/core/reports/diagnostics.h"
#include "runtime/core/reports/info.h"
#include "runtime/testing/environment_case.h"

#include <gmock/gmock.h>
#include <sys/mman.h>

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
  item.name = "x";
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

/// Regions over what is present.
struct StaleCopy : Checks {
  StaleCopy() { item.name = "x"; }

  /// What is said when a region begins that uses the items.
  std::string before(const Items& items) {
    return said_by([&] {
      environment.stale_copies().look_before_region(items, construct);
      return true;
    });
  }
  std::vector<std::uintptr_t> after(const Items& items) {
    return environment.stale_copies().look_after_region(items, construct);
  }

  int x = 1;
  MapItem item = to(x);
};

constexpr const char* kHostHasChanged =
    "gantry: warning: test.cpp:7: target: 'x' .* has changed on the host \\(1 byte, the first at "
    "offset 0\\) since it was copied by target at test.cpp:7, and the device has the old values; "
    ".*\n";

TEST_F(StaleCopy, WhatTheHostChangesBehindACopyIsSaidOnce) {
  ASSERT_TRUE(enter({item}));
  EXPECT_EQ(before({item}), "");
  x = 2;
  EXPECT_EQ(said_by([&] { return enter({item}); }), "") << "it reads nothing";
  EXPECT_THAT(before({item}), MatchesRegex(kHostHasChanged));
  EXPECT_EQ(before({item}), "");
  x = 3;
  ASSERT_TRUE(update({to(x)}));
  EXPECT_EQ(before({item}), "");
  EXPECT_EQ(said_by([&] { return exit({remove(x)}); }), "");
}

TEST_F(StaleCopy, ACopyByTheProgramItself) {
  ASSERT_TRUE(enter({item}));
  x = 2;
  plugin.write(corresponding(x), x);
  EXPECT_EQ(before({item}), "");
  EXPECT_EQ(said_by([&] { return exit({remove(x)}); }), "");
}

TEST_F(StaleCopy, ARegionUsesItsSection) {
  int y[4] = {};
  ASSERT_TRUE(enter({to(y)}));
  y[0] = 1;
  MapItem rest = to(y);
  rest.begin += 2 * sizeof(int);
  rest.size = 2 * sizeof(int);
  EXPECT_EQ(before({rest}), "");
  rest.size = 0; // whatever its pointer leads to
  EXPECT_THAT(before({rest}), ::testing::HasSubstr("has changed on the host"));
  ASSERT_TRUE(exit({remove(y)}));
}

TEST_F(StaleCopy, WhatTheDeviceChangesAndNobodyGetsIsSaidWhenItGoes) {
  ASSERT_TRUE(enter({item}));
  plugin.write(corresponding(x), 5);
  after({item});
  EXPECT_THAT(
      said_by([&] { return exit({release(x)}); }),
      MatchesRegex(
          "gantry: warning: test.cpp:7: target: 'x' .* leaves the device with values "
          "of target at test.cpp:7 \\(1 byte, the first at offset 0\\), which the host does "
          "not get; .*\n"));
  ASSERT_TRUE(enter({item}));
  plugin.write(corresponding(x), 5);
  EXPECT_THAT(
      said_by([&] { return exit({release(x)}); }),
      MatchesRegex("gantry: warning: test.cpp:7: target: 'x' .* leaves the device with values "
                   "that it got after target at test.cpp:7 .*\n"))
      << "nobody knows whose";
  ASSERT_TRUE(enter({item}));
  plugin.write(corresponding(x), 5);
  ASSERT_TRUE(update({from(x)}));
  EXPECT_EQ(said_by([&] { return exit({release(x)}); }), "");
  // Nobody has asked for a copy.
  ASSERT_TRUE(enter({alloc(x)}));
  plugin.write(corresponding(x), 6);
  EXPECT_EQ(said_by([&] { return exit({release(x)}); }), "");
}

TEST_F(StaleCopy, AttachedPointersDifferAndMeanTheSame) {
  int values[4] = {};
  int others[4] = {};
  int* pointer = values;
  MapItem holder = to(pointer);
  ASSERT_TRUE(enter({holder, to(values), to(others)}));
  ASSERT_TRUE(enter({holder, attachment(pointer)}));
  EXPECT_EQ(before({holder}), "");
  after({holder});
  pointer = others;
  EXPECT_THAT(before({holder}), ::testing::HasSubstr("has changed on the host"));
  MapItem again = attachment(pointer);
  again.always = true;
  ASSERT_TRUE(enter({holder, again}));
  EXPECT_EQ(before({holder}), "");
  EXPECT_EQ(said_by([&] { return exit({remove(pointer), remove(values), remove(others)}); }), "");
}

TEST_F(StaleCopy, WhatAnAttachedPointerLeadsTo) {
  int values[4] = {};
  int* pointer = values;
  MapItem holder = to(pointer);
  ASSERT_TRUE(enter({holder, to(values), attachment(pointer)}));
  values[1] = 1;
  EXPECT_THAT(before({holder}), ::testing::HasSubstr("16 bytes) has changed on the host"));
  plugin.write(static_cast<int*>(corresponding(values)) + 2, 5);
  after({holder});
  EXPECT_THAT(
      said_by([&] { return exit({remove(pointer), remove(values)}); }),
      ::testing::HasSubstr("values of target at test.cpp:7 (1 byte, the first at offset 8)"));
}

TEST_F(StaleCopy, StorageThatTheHostHasNoMore) {
  constexpr std::size_t kSize = 64 << 10;
  void* const memory =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  MapItem whole = to(x);
  whole.base = whole.begin = static_cast<std::byte*>(memory);
  whole.size = kSize;
  ASSERT_TRUE(enter({whole}));
  plugin.write(environment.corresponding(memory, kSize), 5);
  after({whole});
  munmap(static_cast<std::byte*>(memory) + kSize / 2, kSize / 2);
  EXPECT_EQ(before({whole}), "");
  whole.to = false;
  whole.remove = true;
  EXPECT_EQ(said_by([&] { return exit({whole}); }), "");
  munmap(memory, kSize / 2);
}

TEST_F(StaleCopy, WhatAConstructLeavesDifferentIsSaidOnDemand) {
  ASSERT_TRUE(enter({item}));
  plugin.write(corresponding(x), 5);
  const auto told = [&](const std::vector<std::uintptr_t>& objects) {
    return said_by([&] {
      environment.stale_copies().tell_differences(objects, construct);
      return true;
    });
  };
  const auto changed = after({item});
  EXPECT_EQ(told(changed), "");
  print_info(static_cast<std::uint32_t>(Info::kStale));
  construct = {construct.name, construct.location}; // asks again what is wanted
  EXPECT_THAT(told(changed),
              MatchesRegex("gantry: info: test.cpp:7: target: 'x' .* has changed on the device "
                           "\\(1 byte, the first at offset 0\\) since it was copied by target at "
                           "test.cpp:7, and the host has the old values until they are copied\n"));
  EXPECT_EQ(told(after({item})), "") << "nothing that another construct did";
  print_info(0);
  ASSERT_TRUE(exit({from(x)}));
}

} // namespace
} // namespace gantry::core
