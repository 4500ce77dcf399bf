#include "simt/amdgcn/exec/accessible_ranges.h"

#include "simt/amdgcn/code/instruction.h"

#include <gtest/gtest.h>
#include <vector>

namespace gantry::simt::amdgcn {
namespace {

class AccessibleRangesTest : public testing::Test {
protected:
  std::uint64_t allocate(std::uint64_t size) {
    Allocation what;
    what.size = size;
    const std::uint64_t made = memory_.allocate(what).value();
    made_.push_back(made);
    return made;
  }
  ~AccessibleRangesTest() override {
    for (const std::uint64_t address : made_) {
      memory_.free(address);
    }
  }

  DeviceMemory& memory_ = *DeviceMemory::instance();
  std::vector<std::uint64_t> made_;
  Instruction code_[65];
  AccessibleRanges ranges_;
};

TEST_F(AccessibleRangesTest, KnowWhatAnInstructionHasComeTo) {
  const std::uint64_t address = allocate(100);
  EXPECT_FALSE(ranges_.contain(&code_[0], address, 4));
  ranges_.missed(memory_, &code_[0], address + 40);
  EXPECT_TRUE(ranges_.contain(&code_[0], address, 100));
  EXPECT_FALSE(ranges_.contain(&code_[0], address, 101));
  EXPECT_FALSE(ranges_.contain(&code_[0], address - 1, 4));
  EXPECT_FALSE(ranges_.contain(&code_[0], address + 97, 4));
  EXPECT_FALSE(ranges_.contain(&code_[0], ~std::uint64_t{0} - 1, 4));
}

TEST_F(AccessibleRangesTest, AreFoundByOtherInstructions) {
  const std::uint64_t address = allocate(100);
  ranges_.missed(memory_, &code_[0], address);
  EXPECT_FALSE(ranges_.contain(&code_[1], address, 4));
  EXPECT_TRUE(ranges_.find(&code_[1], address + 96, 4));
  EXPECT_TRUE(ranges_.contain(&code_[1], address, 4));
  EXPECT_FALSE(ranges_.find(&code_[1], address + 97, 4));
}

TEST_F(AccessibleRangesTest, OfInstructionsThatShareAPlaceAreBothKept) {
  const std::uint64_t first = allocate(64);
  const std::uint64_t second = allocate(64);
  ranges_.missed(memory_, &code_[0], first);
  ranges_.missed(memory_, &code_[64], second);
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(ranges_.find(&code_[0], first, 64));
    ASSERT_TRUE(ranges_.find(&code_[64], second, 64));
  }
}

TEST_F(AccessibleRangesTest, MoreThanAreKeptAreAskedForSeldom) {
  std::vector<std::uint64_t> addresses;
  for (int i = 0; i < 40; ++i) {
    addresses.push_back(allocate(16));
  }
  unsigned known = 0;
  for (const std::uint64_t address : addresses) {
    ranges_.missed(memory_, &code_[0], address);
    known += ranges_.contain(&code_[0], address, 16) ? 1 : 0;
  }
  EXPECT_GE(known, 16U);
  EXPECT_LT(known, 30U);
}

TEST_F(AccessibleRangesTest, OfFreedMemoryAreForgottenAtTheNextWorkGroup) {
  const std::uint64_t address = allocate(100);
  ranges_.begin_group(memory_);
  ranges_.missed(memory_, &code_[0], address);
  ranges_.begin_group(memory_);
  EXPECT_TRUE(ranges_.contain(&code_[0], address, 4));
  memory_.free(made_.back());
  made_.pop_back();
  ranges_.begin_group(memory_);
  EXPECT_FALSE(ranges_.contain(&code_[0], address, 4));
  EXPECT_FALSE(ranges_.find(&code_[0], address, 4));
}

TEST_F(AccessibleRangesTest, AreAllAddressesIfNothingIsChecked) {
  ranges_.reset(true);
  EXPECT_TRUE(ranges_.contain(&code_[3], 0x1234, 16));
  const std::uint64_t address = allocate(16);
  memory_.free(address);
  made_.pop_back();
  ranges_.begin_group(memory_);
  EXPECT_TRUE(ranges_.contain(&code_[3], 0x1234, 16));
}

} // namespace
} // namespace gantry::simt::amdgcn
