#include "plugins/cuda/launch.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

namespace gantry::cuda {
namespace {

constexpr std::uint32_t kResident = 16; ///< blocks of a multiprocessor, whatever their size
constexpr std::uint32_t kEnough = 4 * 10 * kResident;

class GridTest : public testing::Test {
protected:
  GridTest() {
    device_.multiprocessors = 10;
    device_.max_grid_size = 2147483647;
    kernel_.device = &device_;
    kernel_.max_block_size = 1024;
    kernel_.environment.mode = GANTRY_KERNEL_SPMD;
    launch_.size = sizeof launch_;
    launch_.kind = GANTRY_LAUNCH_TEAMS;
  }

  /// As if the driver had said it.
  Grid choose() {
    for (const std::uint64_t threads : {32, 64, 96, 128, 160, 1024}) {
      kernel_.occupancy = std::uint64_t{kResident} << 48 | threads << 32;
      const Grid grid = choose_grid(kernel_, launch_);
      if (grid.threads[0] == threads) {
        return grid;
      }
    }
    return choose_grid(kernel_, launch_);
  }

  Device device_;
  gantry_kernel kernel_;
  gantry_launch launch_ = {};
};

TEST_F(GridTest, WithoutClausesTheDeviceIsFull) {
  const Grid grid = choose();
  EXPECT_EQ(grid.blocks[0], kEnough);
  EXPECT_EQ(grid.threads[0], 128U);
}

TEST_F(GridTest, AShortLoopHasATeamForEachOfItsChunks) {
  launch_.trip_count = 1000;
  EXPECT_EQ(choose().blocks[0], 8U);
  kernel_.environment.mode = GANTRY_KERNEL_GENERIC;
  launch_.trip_count = 100;
  EXPECT_EQ(choose().blocks[0], 100U);
}

TEST_F(GridTest, ALongLoopHasNoMoreTeamsThanThereIsWorkFor) {
  launch_.trip_count = 1U << 30;
  EXPECT_EQ(choose().blocks[0], kEnough);
}

TEST_F(GridTest, ClausesAreFollowed) {
  launch_.num_teams[0] = 7;
  launch_.thread_limit[0] = 96;
  const Grid grid = choose();
  EXPECT_EQ(grid.blocks[0], 7U);
  EXPECT_EQ(grid.threads[0], 96U);
}

TEST_F(GridTest, AGenericKernelHasAWarpBesideItsWorkers) {
  kernel_.environment.mode = GANTRY_KERNEL_GENERIC;
  launch_.thread_limit[0] = 96;
  EXPECT_EQ(choose().threads[0], 128U);
}

TEST_F(GridTest, NoMoreThreadsThanTheKernelCanHave) {
  kernel_.max_block_size = 64;
  launch_.thread_limit[0] = 1000;
  EXPECT_EQ(choose().threads[0], 64U);
  kernel_.environment.max_threads = 32;
  EXPECT_EQ(choose().threads[0], 32U);
}

TEST_F(GridTest, AConstructWithoutTeamsHasOne) {
  launch_.kind = GANTRY_LAUNCH_TARGET;
  launch_.num_teams[0] = 1;
  launch_.trip_count = 1U << 20;
  EXPECT_EQ(choose().blocks[0], 1U);
}

TEST_F(GridTest, ABareKernelGetsWhatItAsksFor) {
  kernel_.environment.mode = GANTRY_KERNEL_BARE;
  launch_.num_teams[0] = 3;
  launch_.thread_limit[0] = 5;
  const Grid grid = choose();
  EXPECT_EQ(grid.blocks[0], 3U);
  EXPECT_EQ(grid.threads[0], 5U);
}

TEST_F(GridTest, ABareKernelHasThreeDimensions) {
  kernel_.environment.mode = GANTRY_KERNEL_BARE;
  std::ranges::copy(std::array{2, 3, 0}, launch_.num_teams);
  std::ranges::copy(std::array{4, 5, 6}, launch_.thread_limit);
  const Grid grid = choose();
  EXPECT_EQ(grid.blocks, (std::array<std::uint32_t, 3>{2, 3, 1}));
  EXPECT_EQ(grid.threads, (std::array<std::uint32_t, 3>{4, 5, 6}));
}

TEST_F(GridTest, OnlyBareKernelsHaveMoreThanOneDimension) {
  std::ranges::copy(std::array{2, 3, 4}, launch_.num_teams);
  std::ranges::copy(std::array{32, 5, 6}, launch_.thread_limit);
  const Grid grid = choose();
  EXPECT_EQ(grid.blocks, (std::array<std::uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(grid.threads, (std::array<std::uint32_t, 3>{32, 1, 1}));
}

} // namespace
} // namespace gantry::cuda
