// The grid of a launch: what constructs ask for, what kernels can have, what fills the device.
#include "plugins/cuda/launch.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace gantry::cuda {
namespace {

constexpr std::uint32_t kResident = 16; ///< blocks of a multiprocessor, whatever their size
constexpr std::uint32_t kEnough = 4 * 10 * kResident;

using Sizes = std::array<std::uint32_t, 3>;

struct GridCase {
  const char* rule;
  gpu::Grid expected = {};
  Sizes num_teams = {};
  Sizes thread_limit = {};
  std::uint64_t trip_count = 0;
  int mode = GANTRY_KERNEL_SPMD;
  std::uint32_t kind = GANTRY_LAUNCH_TEAMS;
  int max_block_size = 1024;
  int max_threads = 0;
  std::uint32_t usual_threads = 128;
  bool open_team = false;
};

const GridCase kCases[] = {
    {.rule = "without clauses the device is full", .expected = {{kEnough, 1, 1}, {128, 1, 1}}},
    {.rule = "a short loop has a team for each of its chunks",
     .expected = {{8, 1, 1}, {128, 1, 1}},
     .trip_count = 1000},
    {.rule = "in a generic kernel each iteration is worth a team",
     .expected = {{100, 1, 1}, {128, 1, 1}},
     .trip_count = 100,
     .mode = GANTRY_KERNEL_GENERIC},
    {.rule = "a long loop has no more teams than there is work for",
     .expected = {{kEnough, 1, 1}, {128, 1, 1}},
     .trip_count = 1U << 30},
    {.rule = "where the program does not say, the device does",
     .expected = {{kEnough, 1, 1}, {32, 1, 1}},
     .usual_threads = 32},
    {.rule = "a clause is a bound where the program cannot tell",
     .expected = {{7, 1, 1}, {32, 1, 1}},
     .num_teams = {7},
     .thread_limit = {256},
     .usual_threads = 32,
     .open_team = true},
    {.rule = "and stays one",
     .expected = {{7, 1, 1}, {8, 1, 1}},
     .num_teams = {7},
     .thread_limit = {8},
     .usual_threads = 32,
     .open_team = true},
    {.rule = "a generic kernel has a worker at least",
     .expected = {{kEnough, 1, 1}, {64, 1, 1}},
     .mode = GANTRY_KERNEL_GENERIC,
     .usual_threads = 32},
    {.rule = "clauses are followed",
     .expected = {{7, 1, 1}, {96, 1, 1}},
     .num_teams = {7},
     .thread_limit = {96}},
    {.rule = "a generic kernel has a warp beside its workers",
     .expected = {{kEnough, 1, 1}, {128, 1, 1}},
     .thread_limit = {96},
     .mode = GANTRY_KERNEL_GENERIC},
    {.rule = "no more threads than the function can have",
     .expected = {{kEnough, 1, 1}, {64, 1, 1}},
     .thread_limit = {1000},
     .max_block_size = 64},
    {.rule = "no more threads than the kernel can have",
     .expected = {{kEnough, 1, 1}, {32, 1, 1}},
     .thread_limit = {1000},
     .max_block_size = 64,
     .max_threads = 32},
    {.rule = "a construct without teams has one",
     .expected = {{1, 1, 1}, {128, 1, 1}},
     .num_teams = {1},
     .trip_count = 1U << 20,
     .kind = GANTRY_LAUNCH_TARGET},
    {.rule = "a bare kernel gets what it asks for",
     .expected = {{3, 1, 1}, {5, 1, 1}},
     .num_teams = {3},
     .thread_limit = {5},
     .mode = GANTRY_KERNEL_BARE},
    {.rule = "a bare kernel has three dimensions",
     .expected = {{2, 3, 1}, {4, 5, 6}},
     .num_teams = {2, 3, 0},
     .thread_limit = {4, 5, 6},
     .mode = GANTRY_KERNEL_BARE},
    {.rule = "only bare kernels have more than one dimension",
     .expected = {{2, 1, 1}, {32, 1, 1}},
     .num_teams = {2, 3, 4},
     .thread_limit = {32, 5, 6}},
};

TEST(ChooseGrid, SuitsTheConstructAndTheKernel) {
  for (const GridCase& each : kCases) {
    Device device;
    device.multiprocessors = 10;
    device.usual_threads = each.usual_threads;
    device.max_grid_size = 2147483647;
    gantry_kernel kernel;
    kernel.device = &device;
    kernel.open_team = each.open_team;
    kernel.max_block_size = each.max_block_size;
    kernel.environment.max_threads = each.max_threads;
    kernel.environment.mode = static_cast<decltype(kernel.environment.mode)>(each.mode);
    // As if the driver had said it of blocks of that size.
    kernel.occupancy = std::uint64_t{kResident} << 48 | std::uint64_t{each.expected.threads[0]}
                                                            << 32;
    gantry_launch launch = {.size = sizeof launch, .kind = each.kind};
    std::ranges::copy(each.num_teams, launch.num_teams);
    std::ranges::copy(each.thread_limit, launch.thread_limit);
    launch.trip_count = each.trip_count;
    const gpu::Grid grid = choose_grid(kernel, launch);
    EXPECT_EQ(grid.blocks, each.expected.blocks) << each.rule;
    EXPECT_EQ(grid.threads, each.expected.threads) << each.rule;
  }
}

} // namespace
} // namespace gantry::cuda
