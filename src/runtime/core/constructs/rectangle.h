// Copies of a rectangular part of one multi-dimensional array into another one of any extents
// (omp_target_memcpy_rect; OpenMP 5.2, section 18.8.6).
#pragma once

#include "base/result.h"
#include "runtime/core/constructs/queued_copies.h"

#include <cstddef>
#include <vector>

namespace gantry::core {

/// A rectangle and where it lies in the two arrays; values a dimension, outermost first, in
/// elements. Holds copies of what the caller passed, so that it may outlive the call.
class RectangleCopy {
public:
  /// One array of the two, as the routine's arguments describe it.
  struct Array {
    Memory memory;
    const std::size_t* offsets;
    const std::size_t* extents;
  };

  /// Checks everything: no argument is null or 0 that may not be, nothing overflows, the rectangle
  /// lies inside both arrays and these inside known allocations, and the host's memory is there.
  [[nodiscard]] static Result<RectangleCopy> make(std::size_t element_size, int dimensions,
                                                  const std::size_t* volume, const Array& to,
                                                  const Array& from);

  [[nodiscard]] Status perform(const Construct& routine) const;

  /// The first row, of 0 bytes if there is nothing to copy.
  [[nodiscard]] Copy first_row() const {
    return {to_.memory, from_.memory, to_.first, from_.first, row_};
  }
  /// Whether all rows can be put into a queue.
  [[nodiscard]] bool fits_queue() const;
  /// Puts them in.
  [[nodiscard]] Status put_into(QueuedCopies& queue) const;

private:
  /// How one array is walked through, in bytes.
  struct Side {
    Memory memory;
    std::uint64_t first = 0; ///< of the rectangle's first element
    std::vector<std::uint64_t> strides;
  };

  RectangleCopy() = default;

  [[nodiscard]] static Result<Side> make_side(std::size_t element_size,
                                              const std::vector<std::size_t>& volume,
                                              const Array& array, std::string_view name);

  /// Calls `visit` with every row, until one fails.
  template <typename Visit>
  [[nodiscard]] Status for_each_row(Visit visit) const;

  Side to_;
  Side from_;
  /// The outermost dimensions, those inside of which a row is not contiguous with the next, and the
  /// bytes of what is copied for each of their elements.
  std::vector<std::size_t> counts_;
  std::uint64_t row_ = 0;
};

} // namespace gantry::core
