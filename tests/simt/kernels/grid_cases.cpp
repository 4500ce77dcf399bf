// Kernels of grid.cu: blocks of cooperative launches that wait for each other.
#include "kernel_case.h"

#include <numeric>

namespace gantry::simt::testing {
namespace {

std::vector<unsigned> some_values(std::size_t count) {
  std::vector<unsigned> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<unsigned>(i * 2654435761U >> 20U);
  }
  return values;
}

Shape cooperative(Dimensions grid, Dimensions block) {
  Shape shape = {grid, block};
  shape.cooperative = true;
  return shape;
}

} // namespace

GANTRY_KERNEL_CASE(grid_rounds) {
  constexpr unsigned kRounds = 20;
  Module module(driver, ptx_of("grid"));
  Result result;
  // More blocks than a small machine has cores; of several dimensions; one alone.
  for (const auto& [grid, block] :
       {std::pair(Dimensions{13}, Dimensions{96}), std::pair(Dimensions{3, 2, 2}, Dimensions{8, 4}),
        std::pair(Dimensions{1}, Dimensions{64})}) {
    const std::size_t size = std::size_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z;
    std::vector<unsigned> expected = some_values(size);
    const DeviceBuffer values(driver, expected);
    const DeviceBuffer<unsigned> next(driver, size);
    module.kernel("rounds").launch(cooperative(grid, block), values, next, kRounds);
    for (unsigned round = 0; round < kRounds; ++round) {
      std::vector<unsigned> after(size);
      for (std::size_t i = 0; i < size; ++i) {
        after[i] = expected[(i + 1) % size] + 3 * expected[(i + size - 1) % size] + round;
      }
      expected = after;
    }
    result.add("values", values.download(), expected);
  }
  return result;
}

GANTRY_KERNEL_CASE(grid_totals) {
  constexpr std::size_t kBlocks = 16;
  const std::vector<unsigned> values = some_values(kBlocks * 64);
  Module module(driver, ptx_of("grid"));
  const DeviceBuffer input(driver, values);
  const DeviceBuffer<unsigned> partial(driver, kBlocks);
  const DeviceBuffer<unsigned> sums(driver, values.size());
  // Twice: the barrier of a launch is new.
  for (int i = 0; i < 2; ++i) {
    module.kernel("totals").launch(cooperative({kBlocks}, {64}), input, partial, sums);
  }
  Result result;
  result.add(
      "sums", sums.download(),
      std::vector<unsigned>(values.size(), std::accumulate(values.begin(), values.end(), 0U)));
  return result;
}

} // namespace gantry::simt::testing
