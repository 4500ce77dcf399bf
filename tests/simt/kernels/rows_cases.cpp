// Kernels of rows.cu.
#include "kernel_case.h"

#include <fmt/format.h>

namespace gantry::simt::testing {

namespace {

using Word = std::uint32_t;

template <typename Number>
Result rearranged(Driver& driver, const char* name) {
  constexpr int kWidth = 45;
  constexpr int kHeight = 37;
  constexpr int kPitch = 51;
  Random random(77);
  const auto from = Random::list<Number>(
      kPitch * kHeight, [&] { return static_cast<Number>(random.below(1U << 30)); });
  Module module(driver, ptx_of("rows"));
  const DeviceBuffer source(driver, from);
  Result result;
  // As many rows as fill warps and others; not a power of two; a column.
  for (const auto& [columns, rows] : {std::pair{16U, 16U},
                                      {16U, 3U},
                                      {8U, 8U},
                                      {8U, 5U},
                                      {4U, 8U},
                                      {4U, 9U},
                                      {2U, 16U},
                                      {2U, 31U},
                                      {1U, 40U},
                                      {24U, 4U},
                                      {32U, 2U}}) {
    const auto at = [&](unsigned x, unsigned y, unsigned first_x, unsigned first_y) {
      const unsigned column = first_x + x;
      const unsigned row = first_y + y;
      return column < kWidth && row < kHeight ? from[std::size_t{row} * kPitch + column]
                                              : static_cast<Number>(y * columns + x);
    };
    std::vector<Number> expected(from.size(), 0);
    for (unsigned row = 0; row < kHeight; ++row) {
      for (unsigned column = 0; column < kWidth; ++column) {
        const unsigned x = column % columns;
        const unsigned y = row % rows;
        Number sum = 0;
        for (unsigned i = 0; i < columns; ++i) {
          sum = static_cast<Number>(sum + at(i, y, column - x, row - y) +
                                    at(x, i % rows, column - x, row - y));
        }
        expected[std::size_t{kHeight - 1 - row} * kPitch + column] = sum;
      }
    }
    const DeviceBuffer to(driver, std::vector<Number>(from.size(), 0));
    module.kernel(name).launch(
        {{(kWidth + columns - 1) / columns, (kHeight + rows - 1) / rows}, {columns, rows}}, source,
        to, kWidth, kHeight, kPitch);
    result.add(fmt::format("{} x {}", columns, rows), to.download(), expected);
  }
  return result;
}

} // namespace

GANTRY_KERNEL_CASE(rows_of_bytes) {
  return rearranged<std::uint8_t>(driver, "rearrange_bytes");
}

GANTRY_KERNEL_CASE(rows_of_shorts) {
  return rearranged<std::uint16_t>(driver, "rearrange_shorts");
}

GANTRY_KERNEL_CASE(rows_of_words) {
  return rearranged<std::uint32_t>(driver, "rearrange_words");
}

GANTRY_KERNEL_CASE(rows_of_wide_words) {
  return rearranged<std::uint64_t>(driver, "rearrange_wide");
}

GANTRY_KERNEL_CASE(rows_that_wrap_around) {
  constexpr Word kSize = 600;
  const auto from = Random::list<Word>(kSize, [n = 0U]() mutable { return ++n * 7; });
  Module module(driver, ptx_of("rows"));
  const DeviceBuffer source(driver, from);
  Result result;
  const Dimensions blocks[] = {{16, 4, 2}, {16, 5},    {8, 4, 3}, {8, 3, 3},
                               {4, 16, 2}, {2, 16, 4}, {4, 4, 3}};
  for (const Dimensions& block : blocks) {
    for (const Word step : {20U, 0U, 1U, ~0U - 15, 0x8000'0000U, 0x4000'0000U, 0x1000'0001U}) {
      std::vector<Word> expected;
      std::vector<Word> expected_last(200, 0);
      for (Word z = 0; z < block.z; ++z) {
        for (Word y = 0; y < block.y; ++y) {
          for (Word x = 0; x < block.x; ++x) {
            const Word index = x + y * step + z * 100 - 5;
            expected.push_back((index < kSize ? from[index] : 0) * 3 + from[y * 2 + 1]);
          }
          expected_last[z * block.y + y] = y + 1000 * z;
        }
        expected_last[100 + z] = step;
      }
      const DeviceBuffer<Word> to(driver, expected.size());
      const DeviceBuffer last(driver, std::vector<Word>(expected_last.size(), 0));
      module.kernel("wrapping_rows").launch({{1}, block}, source, to, last, step, kSize);
      const std::string name =
          fmt::format("{} x {} x {}, step {}", block.x, block.y, block.z, step);
      result.add(name, to.download(), expected);
      result.add(name + ": last", last.download(), expected_last);
    }
  }
  return result;
}

} // namespace gantry::simt::testing
