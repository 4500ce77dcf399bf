// Copies and fills: what is moved, checked when it is asked for and done when its turn comes.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/driver/allocations.h"

#include <cstddef>
#include <cstdint>

#include <tl/expected.hpp>

namespace gantry::simt::driver {

class Context;
class Stream;

/// One side of a copy: rows in slices.
struct CopySide {
  std::uint64_t address = 0; ///< of the first byte that is copied
  std::uint64_t pitch = 0;   ///< bytes from row to row
  std::uint64_t slice = 0;   ///< bytes from slice to slice
  RangeSide side = RangeSide::kEither;
};

struct Copy {
  CopySide source;
  CopySide destination;
  std::uint64_t width = 0; ///< bytes
  std::uint64_t height = 1;
  std::uint64_t depth = 1;

  [[nodiscard]] bool empty() const { return width == 0 || height == 0 || depth == 0; }
  [[nodiscard]] std::uint64_t bytes() const { return width * height * depth; }
  void run() const;
};

struct Fill {
  std::uint64_t address = 0;
  std::uint64_t pitch = 0; ///< bytes from row to row
  std::uint32_t value = 0;
  std::uint8_t element = 1; ///< bytes of an element: 1, 2 or 4
  std::uint64_t width = 0;  ///< elements of a row
  std::uint64_t height = 1;

  [[nodiscard]] bool empty() const { return width == 0 || height == 0; }
  void run() const;
};

/// A copy of the two- or three-dimensional kind; an error if it is not well formed or needs an
/// array.
[[nodiscard]] tl::expected<Copy, CUresult> copy_of(const CUDA_MEMCPY2D& parameters);
[[nodiscard]] tl::expected<Copy, CUresult> copy_of(const CUDA_MEMCPY3D& parameters);

/// What cuGraphMemcpyNodeGetParams says of a copy.
[[nodiscard]] CUDA_MEMCPY3D parameters_of(const Copy& copy);

/// Whether the ranges are such that they can be copied, or filled.
[[nodiscard]] CUresult check(const Copy& copy);
[[nodiscard]] CUresult check(const Fill& fill);

/// Appends it to the stream. Memory of the program that is not pinned has to live until it has run.
void enqueue(Stream& stream, const Copy& copy);
void enqueue(Stream& stream, const Fill& fill);

/// Whether the call returns before the copy has ended.
enum class Returns : std::uint8_t { kWhenDone, kAtOnce };

/// Checks the copy's ranges and does it in the stream's order. Where the program's memory is not
/// pinned, it is free for use again when the call returns.
[[nodiscard]] CUresult copy_in(Stream& stream, const Copy& copy, Returns returns);
[[nodiscard]] CUresult fill_in(Stream& stream, const Fill& fill, Returns returns);

} // namespace gantry::simt::driver
