#include "simt/races/race_checker.h"

#include "simt/exec/checks/access_facts.h"

#include "simt/ptx/parser.h"

#include <gtest/gtest.h>

#include <deque>
#include <thread>

namespace gantry::simt::exec {
namespace {

constexpr AccessFacts kLoad = {.reads = true};
constexpr AccessFacts kStore = {.writes = true};
constexpr AccessFacts kAtomic = {
    .reads = true, .writes = true, .strong = true, .beyond_block = true};
constexpr AccessFacts kBlockAtomic = {.reads = true, .writes = true, .strong = true};
constexpr AccessFacts kStrongLoad = {.reads = true, .strong = true, .beyond_block = true};

constexpr std::uint64_t kArena = 0x10000;
constexpr std::uint64_t kArenaSize = 0x10000;
constexpr std::uint64_t kPlace = kArena + 0x1000;
constexpr std::uint64_t kShared = kArena + 0x4000;
constexpr std::uint64_t kSharedSize = 0x1000;
constexpr std::uint32_t kWarps = 32;

constexpr const char* kFine = "membar.gl;";
constexpr const char* kBarriers = "bar.sync 0;";

/// Launches and blocks whose threads access memory as they are told. In whichever way threads are
/// ordered by the kernel.
class RaceCheckerTest : public ::testing::TestWithParam<const char*> {
protected:
  struct TestBlock {
    Ordering ordering;
    RaceChecker checker;

    TestBlock(GridHistory& history, AccessCells& cells) : checker(ordering, history, cells) {}
  };

  RaceCheckerTest() {
    auto module =
        ptx::parse(".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k() {\n" +
                       std::string(GetParam()) + "\nret;\n}\n",
                   "test.ptx");
    std::vector<std::unique_ptr<ptx::Module>> modules;
    modules.push_back(*std::move(module));
    facts = std::make_shared<const AccessFactsTable>(*ptx::link(std::move(modules)));
    alive.fill(kAllLanes);
    launch();
  }
  ~RaceCheckerTest() override { end(); }

  std::shared_ptr<const GridRun> begin_run(std::uint32_t count = 2) {
    return history.begin({{count, 1, 1}, {kWarps * kLanes, 1, 1}, facts->order(0), nullptr});
  }
  void end() {
    blocks.clear();
    history.end(*run);
  }
  /// Begins a launch of two blocks, of which the first is the one that is used.
  void launch() {
    run = begin_run();
    begin_block(run, 0);
    begin_block(run, 1);
    block = &blocks[0];
  }
  void begin_block(const std::shared_ptr<const GridRun>& of, std::uint64_t index) {
    TestBlock& made = blocks.emplace_back(history, *cells);
    const StampRange stamps = of->of_block(index);
    made.ordering.begin(stamps, kWarps, 1, history.logs(),
                        [this, of, first = stamps.begin](std::uint32_t least) {
                          return history.more(*of, first, least);
                        });
    made.checker.begin(of, facts->order(0), kShared, kSharedSize);
  }

  /// Whether an instruction of one thread races; its site is the thread's number.
  bool races(std::uint32_t thread, const AccessFacts& what, std::uint64_t address = kPlace,
             std::uint32_t size = 4) {
    block->ordering.finish_reads();
    found = block->checker.access({thread, address, size, what, thread});
    return found.has_value();
  }
  bool races_in(std::size_t index, std::uint32_t thread, const AccessFacts& what,
                std::uint64_t address = kPlace, std::uint32_t size = 4) {
    block = &blocks[index];
    const bool result = races(thread, what, address, size);
    block = &blocks[0];
    return result;
  }
  void barrier() {
    for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
      block->ordering.arrive(warp, kAllLanes, 0, true);
    }
    block->ordering.complete(0, alive);
  }
  [[nodiscard]] bool is_fine() const { return std::string_view(GetParam()) == kFine; }

  std::unique_ptr<AccessCells> cells = AccessCells::reserve(kArena, kArenaSize);
  GridHistory history;
  std::shared_ptr<const AccessFactsTable> facts;
  std::array<LaneMask, kMostWarps> alive = {};
  std::shared_ptr<const GridRun> run;
  std::deque<TestBlock> blocks;
  TestBlock* block = nullptr;
  std::optional<Race> found;
};

INSTANTIATE_TEST_SUITE_P(Kernels, RaceCheckerTest, ::testing::Values(kBarriers, kFine),
                         [](const auto& test) {
                           return std::string_view(test.param) == kFine ? "Fine" : "Barriers";
                         });

TEST_P(RaceCheckerTest, WriteAndRead) {
  EXPECT_FALSE(races(1, kStore));
  EXPECT_FALSE(races(1, kLoad));
  ASSERT_TRUE(races(2, kLoad));
  EXPECT_EQ(found->other.thread(), 1u);
  EXPECT_EQ(found->other.site(), 1u);
  EXPECT_TRUE(found->wrote);
}

TEST_P(RaceCheckerTest, MemoryGivenAnewIsForgotten) {
  const auto raced = [&](std::uint64_t address, std::uint64_t forgotten, std::uint64_t size) {
    end();
    launch();
    EXPECT_FALSE(races(1, kStore, address));
    block->checker.forget(forgotten, size);
    return races(2, kStore, address);
  };
  for (const std::uint64_t size : {std::uint64_t{0x8000}, std::uint64_t{8}}) {
    EXPECT_FALSE(raced(kPlace, kPlace, size));
    EXPECT_FALSE(raced(kPlace, kPlace + 2, size));
    EXPECT_TRUE(raced(kPlace, kPlace + 4, size));
    EXPECT_FALSE(raced(kPlace + size - 4, kPlace, size));
    EXPECT_TRUE(raced(kPlace + size, kPlace, size));
  }
}

TEST_P(RaceCheckerTest, BytesGivenAnewAreForgotten) {
  EXPECT_FALSE(races(1, kStore, kPlace, 1));
  block->checker.forget(kPlace, 4);
  EXPECT_FALSE(races(2, kStore, kPlace, 1));
}

TEST_P(RaceCheckerTest, ReadAndWrite) {
  EXPECT_FALSE(races(1, kLoad));
  EXPECT_FALSE(races(2, kLoad));
  ASSERT_TRUE(races(1, kStore));
  EXPECT_FALSE(found->wrote);
  EXPECT_EQ(found->other.kind(), is_fine() ? CellKind::kWeak : CellKind::kSeveral);
}

TEST_P(RaceCheckerTest, ABarrierOrdersThem) {
  EXPECT_FALSE(races(1, kStore));
  barrier();
  EXPECT_FALSE(races(2, kLoad));
  barrier();
  EXPECT_FALSE(races(3, kStore));
}

// Each of many readers has to be ordered with the write, not just the last.
TEST_P(RaceCheckerTest, AnyReaderCounts) {
  for (const std::uint32_t late : {0u, 500u, 1023u}) {
    end();
    launch();
    for (std::uint32_t thread = 0; thread < 1024; ++thread) {
      EXPECT_FALSE(races(thread, kLoad));
    }
    barrier();
    EXPECT_FALSE(races(late, kLoad));
    const std::uint32_t writer = late == 7 ? 8 : 7;
    ASSERT_TRUE(races(writer, kStore)) << late;
    EXPECT_EQ(found->other.thread(), late);
  }
}

// Not all of very many are kept, but some are.
TEST_P(RaceCheckerTest, OneOfManyReadersIsFound) {
  for (std::uint32_t thread = 0; thread < 1024; ++thread) {
    EXPECT_FALSE(races(thread, kLoad));
  }
  EXPECT_TRUE(races(1023, kStore));
}

TEST_P(RaceCheckerTest, ReadersBeforeABarrierDoNotCount) {
  for (std::uint32_t thread = 0; thread < 1024; ++thread) {
    EXPECT_FALSE(races(thread, kLoad));
  }
  barrier();
  EXPECT_FALSE(races(7, kLoad));
  EXPECT_FALSE(races(7, kStore));
}

TEST_P(RaceCheckerTest, ReadersThatMeetOthersAreOrdered) {
  if (!is_fine()) {
    GTEST_SKIP() << "such a kernel has barriers of all threads alone";
  }
  EXPECT_FALSE(races(1, kLoad));
  EXPECT_FALSE(races(2, kLoad));
  block->ordering.synchronise(0, 0b1110);
  EXPECT_FALSE(races(3, kStore));
  EXPECT_TRUE(races(4, kLoad));
}

TEST_P(RaceCheckerTest, ALoadOfSeveral) {
  const auto load_by = [&](std::uint32_t first, std::uint32_t last) {
    return block->checker.access_by_several({first, kPlace, 4, kLoad, first}, last).has_value();
  };
  EXPECT_FALSE(load_by(1, 9));
  EXPECT_FALSE(load_by(32, 63));
  EXPECT_TRUE(races(1, kStore));
  barrier();
  EXPECT_FALSE(races(1, kStore));
  EXPECT_TRUE(load_by(1, 9)) << "the last one races";
  EXPECT_TRUE(load_by(0, 1)) << "the first one does";
}

TEST_P(RaceCheckerTest, AtomicOperationsRaceWithOthersAlone) {
  EXPECT_FALSE(races(1, kAtomic));
  EXPECT_FALSE(races(2, kAtomic));
  EXPECT_FALSE(races(3, kStrongLoad));
  EXPECT_FALSE(races(2, kLoad));
  EXPECT_TRUE(races(1, kLoad));
}

TEST_P(RaceCheckerTest, AWeakReadAndAnAtomicOperation) {
  EXPECT_FALSE(races(1, kLoad));
  EXPECT_TRUE(races(2, kAtomic));
}

TEST_P(RaceCheckerTest, AWeakAndAStrongReadByOneThread) {
  EXPECT_FALSE(races(1, kLoad));
  EXPECT_FALSE(races(1, kStrongLoad));
  EXPECT_TRUE(races(2, kAtomic));
  EXPECT_FALSE(races(1, kStrongLoad, kPlace + 8));
  EXPECT_FALSE(races(1, kLoad, kPlace + 8));
  EXPECT_TRUE(races(2, kAtomic, kPlace + 8));
}

TEST_P(RaceCheckerTest, AWeakReadAndAStrongOneByAnother) {
  EXPECT_FALSE(races(1, kLoad));
  EXPECT_FALSE(races(2, kStrongLoad));
  EXPECT_FALSE(races(1, kAtomic)) << "the weak one is its own, the other one is strong";
  EXPECT_FALSE(races(1, kLoad, kPlace + 8));
  EXPECT_FALSE(races(2, kStrongLoad, kPlace + 8));
  EXPECT_TRUE(races(3, kAtomic, kPlace + 8));
}

TEST_P(RaceCheckerTest, AStrongReadAndAWeakWrite) {
  EXPECT_FALSE(races(1, kStrongLoad));
  EXPECT_FALSE(races(2, kAtomic));
  EXPECT_FALSE(races(1, kStrongLoad, kPlace + 8));
  EXPECT_TRUE(races(2, kStore, kPlace + 8));
  EXPECT_FALSE(races(1, kStrongLoad, kPlace + 16));
  EXPECT_FALSE(races(2, kStrongLoad, kPlace + 16));
  EXPECT_TRUE(races(1, kStore, kPlace + 16)) << "of several";
}

TEST_P(RaceCheckerTest, PartsOfAWord) {
  EXPECT_FALSE(races(1, kStore, kPlace, 1));
  EXPECT_FALSE(races(2, kStore, kPlace + 1, 1));
  EXPECT_FALSE(races(3, kStore, kPlace + 2, 2));
  ASSERT_TRUE(races(2, kLoad, kPlace, 4));
  EXPECT_EQ(found->other.thread(), 1u);
}

// The atomic operation takes the place of the first load, the second one counts.
TEST_P(RaceCheckerTest, AThreadLoadsAPartAgainThatItHasWritten) {
  EXPECT_FALSE(races(1, kLoad, kPlace, 1));
  EXPECT_FALSE(races(1, kAtomic, kPlace, 1));
  EXPECT_FALSE(races(1, kLoad, kPlace, 1));
  EXPECT_TRUE(races(2, kAtomic, kPlace, 1));
}

TEST_P(RaceCheckerTest, AThreadLoadsAPartAgainThatWasGivenAnew) {
  EXPECT_FALSE(races(1, kLoad, kPlace, 1));
  block->checker.forget(kPlace, 4);
  EXPECT_FALSE(races(2, kAtomic, kPlace + 1, 1)) << "the word has a history again";
  EXPECT_FALSE(races(1, kLoad, kPlace, 1));
  EXPECT_TRUE(races(2, kStore, kPlace, 1));
}

TEST_P(RaceCheckerTest, AWordAndThenAPartOfIt) {
  EXPECT_FALSE(races(1, kStore, kPlace, 8));
  EXPECT_TRUE(races(2, kStore, kPlace + 6, 1));
  EXPECT_FALSE(races(1, kLoad, kPlace + 8));
  EXPECT_TRUE(races(2, kStore, kPlace + 9, 1));
}

// What warp_cells.h notes of a row of bytes.
TEST_P(RaceCheckerTest, BytesOfThreadsInARow) {
  const auto note = [&](std::uint64_t* place, CellKind kind) {
    *place = Cell(block->ordering.now(), 17, 4, kind).bits();
  };
  note(cells->write(kPlace), CellKind::kBytes);
  EXPECT_FALSE(races(5, kStore, kPlace + 1, 1));
  ASSERT_TRUE(races(6, kLoad, kPlace + 1, 1));
  EXPECT_EQ(found->other.thread(), 5u);
  note(cells->write(kPlace + 4), CellKind::kHalves);
  EXPECT_FALSE(races(5, kLoad, kPlace + 6, 2));
  ASSERT_TRUE(races(4, kLoad, kPlace + 4, 4));
  EXPECT_EQ(found->other.thread(), 5u);
  EXPECT_EQ(found->other.site(), 17u);
  note(cells->read(kPlace + 8), CellKind::kBytes);
  EXPECT_FALSE(races(4, kLoad, kPlace + 8, 4));
  ASSERT_TRUE(races(4, kStore, kPlace + 8, 4));
  EXPECT_FALSE(found->wrote);
  note(cells->read(kPlace + 12), CellKind::kBytes);
  EXPECT_TRUE(races_in(1, 4, kStore, kPlace + 12, 4)) << "another block";
  note(cells->write(kPlace + 16), CellKind::kBytes);
  note(cells->read(kPlace + 16), CellKind::kHalves);
  barrier();
  EXPECT_FALSE(races(9, kStore, kPlace + 16, 4));
}

TEST_P(RaceCheckerTest, ManyBytesAtOnce) {
  constexpr std::uint64_t kAcross = kArena + 0xFC;
  EXPECT_FALSE(races(1, kStore, kAcross, 16));
  EXPECT_FALSE(races(2, kStore, kAcross - 4, 4));
  EXPECT_FALSE(races(2, kStore, kAcross + 16, 4));
  EXPECT_TRUE(races(2, kLoad, kAcross + 12, 4));
}

TEST_P(RaceCheckerTest, SharedMemoryIsTheBlocksOwn) {
  for (const std::uint32_t size : {4u, 1u}) {
    EXPECT_FALSE(races_in(0, 1, kStore, kShared, size));
    EXPECT_FALSE(races_in(1, 2, kLoad, kShared, size));
    EXPECT_FALSE(races_in(1, 2, kStore, kShared, size));
    EXPECT_TRUE(races_in(1, 3, kLoad, kShared, size));
  }
}

TEST_P(RaceCheckerTest, OutsideOfTheArena) {
  constexpr std::uint64_t kHost = 0x7000'0000'0000;
  EXPECT_FALSE(races(1, kStore, kHost));
  EXPECT_FALSE(races(2, kLoad, kHost + 4));
  EXPECT_TRUE(races(2, kLoad, kHost));
}

// What no barrier orders.
TEST_P(RaceCheckerTest, BlocksRace) {
  EXPECT_FALSE(races_in(0, 1, kStore));
  barrier();
  ASSERT_TRUE(races_in(1, 1, kLoad));
  EXPECT_EQ(found->other.thread(), 1u);
  EXPECT_EQ(history.owner_of(found->other.stamp())->index, 0u);
  EXPECT_TRUE(races_in(1, 1, kStore));
  EXPECT_TRUE(races_in(1, 1, kAtomic));
}

TEST_P(RaceCheckerTest, ManyBarriersOrderABlockAlone) {
  for (int i = 0; i < 100; ++i) {
    barrier();
    EXPECT_FALSE(races_in(0, static_cast<std::uint32_t>(i), kStore));
  }
  ASSERT_TRUE(races_in(1, 1, kLoad));
  EXPECT_EQ(history.owner_of(found->other.stamp())->index, 0u);
}

TEST_P(RaceCheckerTest, BlocksReadTogether) {
  EXPECT_FALSE(races_in(0, 1, kLoad));
  EXPECT_FALSE(races_in(1, 1, kLoad));
  EXPECT_FALSE(races_in(0, 2, kLoad));
  barrier();
  EXPECT_TRUE(races_in(0, 1, kStore)) << "the other block's read is not ordered by it";
  EXPECT_TRUE(races_in(1, 1, kStore));
}

TEST_P(RaceCheckerTest, AtomicOperationsOfBlocks) {
  EXPECT_FALSE(races_in(0, 1, kAtomic));
  EXPECT_FALSE(races_in(1, 1, kAtomic));
  EXPECT_TRUE(races_in(0, 1, kStore));
}

TEST_P(RaceCheckerTest, AtomicOperationsOfBlockScopeRaceWithOtherBlocks) {
  EXPECT_FALSE(races_in(0, 1, kBlockAtomic));
  EXPECT_FALSE(races_in(0, 2, kBlockAtomic));
  EXPECT_TRUE(races_in(1, 1, kAtomic));
  EXPECT_FALSE(races_in(0, 1, kAtomic, kPlace + 8));
  EXPECT_TRUE(races_in(1, 1, kBlockAtomic, kPlace + 8));
}

// Two host threads tell of their atomic operations in one order, and execute them in the other one.
TEST_P(RaceCheckerTest, TheLastOneOfACounterMaySetItBack) {
  const auto count_in = [&](std::size_t index) {
    blocks[index].ordering.read_strongly(1, kPlace, false, Scope::kDevice);
    EXPECT_FALSE(races_in(index, 1, kAtomic));
    blocks[index].ordering.write_strongly(1, kPlace, false, Scope::kDevice);
  };
  count_in(0);
  count_in(1);
  EXPECT_FALSE(races_in(0, 1, kStore));
  EXPECT_TRUE(races_in(0, 2, kStore)) << "who has not counted";
  EXPECT_TRUE(races_in(1, 1, kLoad)) << "what is no atomic operation";
}

TEST_P(RaceCheckerTest, BytesOfBlocks) {
  EXPECT_FALSE(races_in(0, 1, kStore, kPlace, 1));
  EXPECT_FALSE(races_in(1, 1, kStore, kPlace + 1, 1));
  EXPECT_TRUE(races_in(1, 1, kStore, kPlace, 1));
}

TEST_P(RaceCheckerTest, AReleaseAndAnAcquireOrderBlocks) {
  if (!is_fine()) {
    GTEST_SKIP() << "such a kernel has none";
  }
  constexpr std::uint64_t kFlag = kPlace + 0x100;
  EXPECT_FALSE(races_in(0, 1, kStore));
  EXPECT_FALSE(races_in(0, 2, kLoad, kPlace + 4));
  blocks[0].ordering.write_strongly(1, kFlag, true, Scope::kDevice);
  EXPECT_TRUE(races_in(1, 1, kLoad));
  blocks[1].ordering.read_strongly(1, kFlag, true, Scope::kDevice);
  EXPECT_FALSE(races_in(1, 1, kLoad));
  EXPECT_TRUE(races_in(1, 2, kLoad)) << "another thread";
  EXPECT_TRUE(races_in(1, 1, kStore, kPlace + 4)) << "another thread's read";
}

TEST_P(RaceCheckerTest, ALaunchIsOrderedWithThoseBefore) {
  EXPECT_FALSE(races_in(0, 1, kStore));
  EXPECT_FALSE(races_in(0, 1, kStore, kPlace + 4, 1));
  EXPECT_FALSE(races_in(0, 1, kLoad, kPlace + 8));
  EXPECT_FALSE(races_in(1, 1, kLoad, kPlace + 8));
  end();
  launch();
  for (const std::uint64_t offset : {0, 4, 8}) {
    EXPECT_FALSE(races_in(1, 7, kLoad, kPlace + offset));
    EXPECT_FALSE(races_in(1, 7, kStore, kPlace + offset));
  }
}

TEST_P(RaceCheckerTest, LaunchesAtOnceRace) {
  EXPECT_FALSE(races_in(0, 1, kStore));
  const auto other = begin_run();
  begin_block(other, 1);
  ASSERT_TRUE(races_in(2, 1, kLoad));
  EXPECT_EQ(history.owner_of(found->other.stamp())->run->number, run->number);
  EXPECT_FALSE(races_in(2, 1, kLoad, kPlace + 4));
  ASSERT_TRUE(races_in(0, 1, kStore, kPlace + 4));
  EXPECT_EQ(history.owner_of(found->other.stamp())->run->number, other->number);
  history.end(*other);
  // One that begins after that is ordered with it, but not with the first.
  const auto third = begin_run();
  begin_block(third, 0);
  EXPECT_FALSE(races_in(3, 1, kStore, kPlace + 4));
  EXPECT_TRUE(races_in(3, 1, kStore));
  history.end(*third);
}

// Launches are ordered by what is known when they are asked for, not by when they ran.
TEST_P(RaceCheckerTest, LaunchesOfTwoQueues) {
  const auto begin_numbered = [&](std::uint64_t number) {
    return history.begin({{2, 1, 1}, {kWarps * kLanes, 1, 1}, facts->order(0), nullptr}, number);
  };
  const auto never = [](const LaunchPlace&) { return false; };
  const std::uint64_t first = history.announce({1, 1}, never);
  const std::uint64_t same_queue = history.announce({1, 2}, never);
  const std::uint64_t beside = history.announce({2, 1}, never);
  const std::uint64_t waits = history.announce(
      {3, 1}, [](const LaunchPlace& other) { return other.queue == 1 && other.sequence <= 1; });
  const auto raced = [&](std::uint64_t number) {
    const auto later = begin_numbered(number);
    begin_block(later, 1);
    const bool result = races_in(blocks.size() - 1, 1, kLoad);
    history.end(*later);
    return result;
  };
  end();
  run = begin_numbered(first);
  begin_block(run, 0);
  EXPECT_FALSE(races_in(0, 1, kStore));
  history.end(*run);
  EXPECT_FALSE(raced(same_queue));
  EXPECT_FALSE(raced(waits));
  EXPECT_FALSE(raced(history.announce({2, 2}, never))) << "the first one had ended";
  EXPECT_TRUE(raced(beside));
  history.withdraw(beside);
  blocks.clear();
  launch();
}

// Of two accesses at the same time one sees the other.
TEST_P(RaceCheckerTest, BlocksOnSeveralThreads) {
  constexpr std::uint64_t kWords = 2000;
  std::array<int, 2> counts = {};
  std::array<std::thread, 2> threads;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads[i] = std::thread([&, i] {
      for (std::uint64_t word = 0; word < kWords; ++word) {
        const ThreadAccess access{1, kArena + word * 4, 4, word % 2 == i ? kStore : kLoad, 1};
        counts[i] += blocks[i].checker.access(access) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_GE(counts[0] + counts[1], static_cast<int>(kWords));
}

} // namespace
} // namespace gantry::simt::exec
