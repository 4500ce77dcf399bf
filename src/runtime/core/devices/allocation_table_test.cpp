#include "runtime/core/devices/allocation_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::core {
namespace {

using testing::HasSubstr;

std::string message(const Status& status) {
  return status ? std::string() : status.error().message;
}

struct Allocations : ::testing::Test {
  Allocations() {
    table.insert(0x1000, 0x100, MemoryKind::kDevice);
    table.insert(0x2000, 0x10, MemoryKind::kShared);
  }
  AllocationTable table;
};

TEST_F(Allocations, AreFreedOnce) {
  EXPECT_TRUE(table.remove(0x1000, MemoryKind::kDevice));
  EXPECT_THAT(message(table.remove(0x1000, MemoryKind::kDevice)),
              HasSubstr("the allocation [0x1000, 256 bytes) was freed already"));
  table.insert(0x1000, 8, MemoryKind::kDevice);
  EXPECT_TRUE(table.remove(0x1000, MemoryKind::kDevice)) << "the address was given out again";
  EXPECT_THAT(message(table.remove(0x1000, MemoryKind::kDevice)), HasSubstr("freed already"));
}

TEST_F(Allocations, AreFreedByTheirFirstByte) {
  EXPECT_THAT(message(table.remove(0x1001, MemoryKind::kDevice)),
              HasSubstr("0x1001 lies inside the allocation [0x1000, 256 bytes)"));
  EXPECT_THAT(message(table.remove(0x1100, MemoryKind::kDevice)),
              HasSubstr("0x1100 was not allocated on this device"));
  EXPECT_THAT(message(table.remove(0xfff, MemoryKind::kDevice)), HasSubstr("not allocated"));
  EXPECT_TRUE(table.contains(0x1000, 0x100)) << "a wrong free changes nothing";
}

TEST_F(Allocations, AreFreedAsTheKindTheyAre) {
  EXPECT_THAT(message(table.remove(0x2000, MemoryKind::kHost)),
              HasSubstr("free it with llvm_omp_target_free_shared"));
  EXPECT_THAT(message(table.remove(0x1000, MemoryKind::kHost)),
              HasSubstr("free it with omp_target_free"));
  EXPECT_TRUE(table.remove(0x2000, MemoryKind::kShared));
}

TEST_F(Allocations, ManyFreesLaterASecondOneIsStillAnError) {
  EXPECT_TRUE(table.remove(0x1000, MemoryKind::kDevice));
  for (int i = 0; i < 100; ++i) {
    table.insert(0x5000, 1, MemoryKind::kDevice);
    EXPECT_TRUE(table.remove(0x5000, MemoryKind::kDevice));
  }
  EXPECT_THAT(message(table.remove(0x1000, MemoryKind::kDevice)), HasSubstr("not allocated"));
}

TEST_F(Allocations, MayBeAccessedToTheirLastByte) {
  EXPECT_TRUE(table.check(0x1000, 0, 0x100));
  EXPECT_TRUE(table.check(0x1080, 0x7f, 1));
  EXPECT_TRUE(table.check(0x1000, 0x100, 0));
  EXPECT_THAT(message(table.check(0x1080, 0, 0x81)),
              HasSubstr("129 bytes at 0x1080 reach past the allocation [0x1000, 256 bytes), which "
                        "ends 128 bytes behind 0x1080"));
  EXPECT_FALSE(table.check(0x1000, 0x100, 1));
  EXPECT_FALSE(table.check(0x1000, 0x1000, 1)) << "also where another allocation is";
  EXPECT_FALSE(table.check(0x1000, 1, ~std::uint64_t{0} - 0x2000));
}

TEST_F(Allocations, AreNotReachedFromOutside) {
  EXPECT_TRUE(table.check(0x800, 0, 0x800)) << "unknown memory is taken on trust";
  EXPECT_THAT(message(table.check(0x800, 0, 0x801)), HasSubstr("run into the allocation [0x1000"));
  EXPECT_THAT(message(table.check(0x800, 0x810, 4)), HasSubstr("run into the allocation [0x1000"));
  EXPECT_TRUE(table.check(0x3000, 0, 0x1000));
}

TEST_F(Allocations, ContainRanges) {
  EXPECT_TRUE(table.contains(0x1000, 0x100));
  EXPECT_TRUE(table.contains(0x10ff, 1));
  EXPECT_FALSE(table.contains(0x10ff, 2));
  EXPECT_FALSE(table.contains(0x1100, 0));
  EXPECT_FALSE(table.contains(0, 1));
}

} // namespace
} // namespace gantry::core
