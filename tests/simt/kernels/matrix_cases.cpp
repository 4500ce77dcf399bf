// Kernels of matrix.cu.
#include "kernel_case.h"

#include <cmath>

namespace gantry::simt::testing {

namespace {

/// By tiles, the last of which are partly outside of the matrix: 50 is no multiple of 16 or 32.
Result multiply_tiled(Driver& driver, const char* kernel, unsigned tile) {
  constexpr int kSize = 50;
  Random random(tile);
  const auto a =
      Random::list<float>(std::size_t{kSize} * kSize, [&] { return random.between(-2, 2); });
  const auto b =
      Random::list<float>(std::size_t{kSize} * kSize, [&] { return random.between(-2, 2); });
  std::vector<float> expected(std::size_t{kSize} * kSize);
  for (std::size_t row = 0; row < kSize; ++row) {
    for (std::size_t column = 0; column < kSize; ++column) {
      float sum = 0;
      for (std::size_t i = 0; i < kSize; ++i) {
        const float product = a[row * kSize + i] * b[i * kSize + column];
        sum += product;
      }
      expected[row * kSize + column] = sum;
    }
  }
  Module module(driver, ptx_of("matrix"));
  const DeviceBuffer buffer_a(driver, a);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer<float> buffer_c(driver, a.size());
  const unsigned blocks = (kSize + tile - 1) / tile;
  module.kernel(kernel).launch({{blocks, blocks}, {tile, tile}}, buffer_a, buffer_b, buffer_c,
                               kSize);
  Result result;
  result.add("product", buffer_c.download(), expected);
  return result;
}

} // namespace

GANTRY_KERNEL_CASE(matrix_tiles_of_16) {
  return multiply_tiled(driver, "multiply_16", 16);
}

GANTRY_KERNEL_CASE(matrix_tiles_of_32) {
  return multiply_tiled(driver, "multiply_32", 32);
}

GANTRY_KERNEL_CASE(matrix_fused) {
  constexpr int kSize = 33;
  Random random(5);
  const auto a =
      Random::list<double>(std::size_t{kSize} * kSize, [&] { return random.between(-2, 2) / 3; });
  const auto b =
      Random::list<double>(std::size_t{kSize} * kSize, [&] { return random.between(-2, 2) / 7; });
  std::vector<double> expected(std::size_t{kSize} * kSize);
  for (std::size_t row = 0; row < kSize; ++row) {
    for (std::size_t column = 0; column < kSize; ++column) {
      double sum = 0;
      for (std::size_t i = 0; i < kSize; ++i) {
        sum = std::fma(a[row * kSize + i], b[i * kSize + column], sum);
      }
      expected[row * kSize + column] = sum;
    }
  }
  Module module(driver, ptx_of("matrix"));
  const DeviceBuffer buffer_a(driver, a);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer<double> buffer_c(driver, a.size());
  module.kernel("multiply_fma").launch({{3, 5}, {12, 8}}, buffer_a, buffer_b, buffer_c, kSize);
  Result result;
  result.add("product", buffer_c.download(), expected);
  return result;
}

} // namespace gantry::simt::testing
