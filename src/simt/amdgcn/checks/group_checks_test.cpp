// Two work-groups of four waves, which access memory as the tests say. With GANTRY_SIMT_CHECK=all.
#include "simt/amdgcn/checks/group_checks.h"

#include "simt/memory/device_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace gantry::simt::amdgcn {
namespace {

using Kind = WaveAccess::Kind;

constexpr unsigned kLanes = 64;
constexpr unsigned kWaves = 4;
constexpr std::uint64_t kBytes = 4096;
constexpr std::uint32_t kSite = 7;

class FakeKernel : public RacingKernel {
public:
  [[nodiscard]] std::string name() const override { return "fake"; }
  [[nodiscard]] std::string source(std::uint32_t site) const override {
    return "line " + std::to_string(site);
  }
  [[nodiscard]] std::string position(std::uint32_t site) const override {
    return "instruction " + std::to_string(site);
  }
};

class GroupChecksTest : public ::testing::Test {
protected:
  GroupChecksTest() {
    memory_ = allocate(kBytes, MemoryKind::kDevice);
    shared_ = allocate(2 * kBytes, MemoryKind::kShared);
    launch();
  }
  ~GroupChecksTest() override {
    end();
    DeviceMemory::instance()->free(memory_);
    DeviceMemory::instance()->free(shared_);
  }

  void launch() {
    Checks checks;
    checks.race = true;
    checks.init = true;
    GridShape shape;
    shape.blocks = {2, 1, 1};
    shape.threads = {kWaves * kLanes, 1, 1};
    shape.kernel = std::make_shared<FakeKernel>();
    dispatch_.emplace(checks, std::move(shape),
                      [this](std::uint32_t site) { return site == kSite && is_of_runtime_; });
    for (unsigned group = 0; group < 2; ++group) {
      groups_[group].begin(*dispatch_, group, kWaves, kLanes, shared_ + group * kBytes, kBytes);
    }
  }
  void end() { dispatch_.reset(); }

  /// All lanes of a wave access consecutive words from `word` on, or one of them.
  std::optional<CheckFinding> wave(unsigned number, Kind kind, std::uint64_t word = 0,
                                   unsigned group = 0, bool one = false) {
    return access(memory_, number, kind, word, group, one);
  }
  std::optional<CheckFinding> lds(unsigned number, Kind kind, std::uint64_t word = 0) {
    return access(shared_, number, kind, word, 0, false);
  }
  void barrier(std::vector<unsigned> waves = {0, 1, 2, 3}, unsigned group = 0) {
    groups_[group].pass_barrier(waves);
  }

  std::uint64_t memory_ = 0, shared_ = 0;
  bool is_of_runtime_ = false;
  std::optional<DispatchChecks> dispatch_;
  GroupChecks groups_[2];

private:
  static std::uint64_t allocate(std::uint64_t bytes, MemoryKind kind) {
    const auto made =
        DeviceMemory::instance()->allocate(Allocation{0, bytes, kind, 0, 0, {}, false});
    EXPECT_TRUE(made);
    return made.value_or(0);
  }
  std::optional<CheckFinding> access(std::uint64_t base, unsigned number, Kind kind,
                                     std::uint64_t word, unsigned group, bool one) {
    std::uint64_t addresses[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      addresses[lane] = base + (word + (one ? 0 : lane)) * 4;
    }
    return groups_[group].access({kind, number, ~std::uint64_t{0}, 0, addresses, 4, kSite});
  }
};

TEST_F(GroupChecksTest, MemoryHasNoValueUntilItIsStoredTo) {
  const auto found = wave(0, Kind::kLoad);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->other);
  EXPECT_EQ(found->lane, 0u);
  EXPECT_EQ(found->address, memory_);
  EXPECT_TRUE(wave(0, Kind::kAtomic));
  EXPECT_FALSE(lds(0, Kind::kLoad));
  EXPECT_FALSE(wave(0, Kind::kStore));
  EXPECT_FALSE(wave(0, Kind::kLoad));
  EXPECT_FALSE(wave(0, Kind::kAtomic));
}

TEST_F(GroupChecksTest, ALoadOfWhatAnotherWaveStoresRaces) {
  EXPECT_FALSE(wave(0, Kind::kStore));
  const auto found = wave(1, Kind::kLoad);
  ASSERT_TRUE(found && found->other);
  EXPECT_TRUE(found->other->wrote);
  EXPECT_TRUE(found->other->in_block);
  EXPECT_EQ(found->other->thread, (std::array<std::uint32_t, 3>{0, 0, 0}));
  EXPECT_EQ(found->other->source, "line 7");
}

TEST_F(GroupChecksTest, AStoreToWhatAnotherWaveLoadsRaces) {
  EXPECT_FALSE(wave(0, Kind::kStore));
  barrier();
  EXPECT_FALSE(wave(1, Kind::kLoad));
  const auto found = wave(2, Kind::kStore);
  ASSERT_TRUE(found && found->other);
  EXPECT_FALSE(found->other->wrote);
}

TEST_F(GroupChecksTest, ABarrierOrdersTheWavesThatHaveNotEnded) {
  EXPECT_FALSE(wave(0, Kind::kStore));
  barrier({1, 2, 3});
  EXPECT_FALSE(wave(1, Kind::kLoad));
  EXPECT_FALSE(lds(1, Kind::kStore));
  EXPECT_TRUE(lds(2, Kind::kLoad));
}

TEST_F(GroupChecksTest, TheLanesOfAWaveAreInLockstep) {
  EXPECT_FALSE(wave(0, Kind::kStore, 0));
  EXPECT_FALSE(wave(0, Kind::kStore, 1)); // each lane that of its neighbour
  EXPECT_FALSE(wave(0, Kind::kLoad, 0));
}

TEST_F(GroupChecksTest, WhatMayBeAtomicIsNotReported) {
  EXPECT_FALSE(wave(0, Kind::kStore, 0, 0, true));
  EXPECT_FALSE(wave(1, Kind::kStore, 0, 0, true));
  EXPECT_FALSE(wave(2, Kind::kAtomic, 0, 0, true));
  EXPECT_FALSE(wave(3, Kind::kCoherentLoad, 0, 0, true));
  EXPECT_FALSE(wave(0, Kind::kStore, 0, 1, true));
  EXPECT_FALSE(wave(0, Kind::kAtomic, 0, 1, true));
}

TEST_F(GroupChecksTest, ALoadMayBeThatInFrontOfAnAtomicOperation) {
  EXPECT_FALSE(wave(0, Kind::kStore, 0, 0, true));
  barrier();
  EXPECT_FALSE(wave(1, Kind::kAtomic, 0, 0, true));
  EXPECT_FALSE(wave(2, Kind::kLoad, 0, 0, true));
  EXPECT_FALSE(wave(3, Kind::kAtomic, 0, 0, true));
}

TEST_F(GroupChecksTest, AtomicOperationsOrderWhatIsAroundThem) {
  constexpr std::uint64_t kFlag = 512;
  EXPECT_FALSE(wave(0, Kind::kStore, kFlag, 0, true));
  end();
  launch();
  EXPECT_FALSE(wave(0, Kind::kStore));
  EXPECT_FALSE(wave(0, Kind::kAtomic, kFlag, 0, true));
  EXPECT_FALSE(wave(1, Kind::kAtomic, kFlag, 0, true));
  EXPECT_FALSE(wave(1, Kind::kLoad));
  EXPECT_FALSE(wave(2, Kind::kAtomic, kFlag, 1, true)); // of the other group
  groups_[1].fence(2);
  EXPECT_FALSE(wave(2, Kind::kLoad, 0, 1));
  EXPECT_FALSE(wave(3, Kind::kAtomic, kFlag, 1, true)); // and does not acquire
  EXPECT_TRUE(wave(3, Kind::kLoad, 0, 1));
}

// Each such operation is one after all others at its address; that must not cost what all of them
// have done: the test would not end.
TEST_F(GroupChecksTest, ManyAtomicOperationsTakeTheirTimeAlone) {
  constexpr unsigned kWords = 256;
  for (unsigned word = 0; word < kWords; word += kLanes) {
    EXPECT_FALSE(wave(0, Kind::kStore, word));
  }
  end();
  launch();
  for (unsigned round = 0; round < 200; ++round) {
    for (unsigned word = 0; word < kWords; word += kLanes) {
      const unsigned number = (round + word) % kWaves;
      EXPECT_FALSE(wave(number, Kind::kLoad, word, round % 2));
      EXPECT_FALSE(wave(number, Kind::kAtomic, word, round % 2));
    }
  }
}

TEST_F(GroupChecksTest, ALockThatAStoreLetsGoOrdersItsHolders) {
  constexpr std::uint64_t kLock = 512;
  EXPECT_FALSE(wave(3, Kind::kStore, kLock, 0, true));
  EXPECT_FALSE(wave(3, Kind::kStore));
  barrier();
  for (const unsigned holder : {0U, 1U, 0U, 2U}) {
    EXPECT_FALSE(wave(holder, Kind::kAtomic, kLock, 0, true));
    EXPECT_FALSE(wave(holder, Kind::kLoad));
    EXPECT_FALSE(wave(holder, Kind::kStore));
    EXPECT_FALSE(wave(holder, Kind::kStore, kLock, 0, true));
  }
  EXPECT_TRUE(wave(3, Kind::kLoad));
}

TEST_F(GroupChecksTest, ALockMayLieInPrivateMemory) {
  const std::uint64_t lock = memory_ + 2048;
  const auto take = [&](unsigned number, Kind kind) {
    EXPECT_FALSE(groups_[0].access({kind, number, 1, 1, &lock, 4, kSite}));
  };
  for (const unsigned holder : {0U, 1U, 0U}) {
    take(holder, Kind::kAtomic);
    EXPECT_FALSE(wave(holder, Kind::kStore));
    EXPECT_FALSE(wave(holder, Kind::kLoad));
    take(holder, Kind::kStore);
  }
  EXPECT_TRUE(wave(2, Kind::kLoad));
}

TEST_F(GroupChecksTest, WhoHasSeenAFlagHasWaitedForItsWriter) {
  constexpr std::uint64_t kFlag = 512;
  EXPECT_FALSE(wave(0, Kind::kStore));
  EXPECT_FALSE(wave(0, Kind::kStore, kFlag, 0, true));
  EXPECT_FALSE(wave(1, Kind::kCoherentLoad, kFlag, 0, true));
  EXPECT_FALSE(wave(1, Kind::kLoad));
  EXPECT_FALSE(wave(1, Kind::kCoherentLoad, kFlag, 1, true));
  EXPECT_FALSE(wave(1, Kind::kLoad, 0, 1));
  EXPECT_TRUE(wave(2, Kind::kLoad));
}

TEST_F(GroupChecksTest, RuntimesAreNotReported) {
  is_of_runtime_ = true;
  EXPECT_FALSE(wave(0, Kind::kStore));
  EXPECT_FALSE(wave(1, Kind::kLoad));
  is_of_runtime_ = false;
  EXPECT_TRUE(wave(2, Kind::kLoad));
}

TEST_F(GroupChecksTest, NothingOrdersWorkGroups) {
  EXPECT_FALSE(wave(0, Kind::kStore, 0, 0, true));
  barrier();
  barrier({0, 1, 2, 3}, 1);
  const auto found = wave(0, Kind::kLoad, 0, 1, true);
  ASSERT_TRUE(found && found->other);
  EXPECT_FALSE(found->other->in_block);
  EXPECT_EQ(found->other->block, (std::array<std::uint32_t, 3>{0, 0, 0}));
}

TEST_F(GroupChecksTest, TheNextDispatchIsBehindTheOneBefore) {
  EXPECT_FALSE(wave(0, Kind::kStore));
  end();
  launch();
  EXPECT_FALSE(wave(1, Kind::kLoad));
  EXPECT_FALSE(wave(2, Kind::kLoad, 0, 1));
}

TEST_F(GroupChecksTest, InLdsALoadAndAStoreRaceAndAtomicWordsDoNot) {
  EXPECT_FALSE(lds(0, Kind::kStore));
  EXPECT_FALSE(lds(1, Kind::kStore)); // both may be atomic
  EXPECT_TRUE(lds(2, Kind::kLoad));
  EXPECT_FALSE(lds(3, Kind::kAtomic));
  EXPECT_FALSE(lds(1, Kind::kLoad));
  EXPECT_FALSE(lds(0, Kind::kStore));
}

TEST_F(GroupChecksTest, AtomicOperationsInLdsOrderWaves) {
  constexpr std::uint64_t kFlag = 512;
  EXPECT_FALSE(lds(0, Kind::kStore, kFlag));
  EXPECT_FALSE(wave(0, Kind::kStore));
  EXPECT_FALSE(lds(0, Kind::kAtomic, kFlag));
  EXPECT_FALSE(lds(1, Kind::kLoad, kFlag));
  EXPECT_FALSE(wave(1, Kind::kLoad));
  EXPECT_TRUE(wave(2, Kind::kLoad));
}

} // namespace
} // namespace gantry::simt::amdgcn
