// Non-contiguous items of target update: Clang describes an array section of several dimensions by
// one record a dimension, outermost first, and one more for the bytes of the element type.
#include "runtime/abi/clang/decode.h"

#include <span>

namespace gantry::abi::clang {

namespace {

struct Dimension {
  std::uint64_t offset; ///< of the section, in elements of this dimension
  std::uint64_t count;  ///< elements of the section
  std::uint64_t stride; ///< bytes from one of them to the next, the user's stride included
};

/// `unit` is the size of one element of a dimension without the user's stride. Only that of the
/// innermost dimension is known apart from its stride: it is the size of the element type.
void expand(core::MapItem piece, const Dimension* dimension, std::uint64_t left,
            std::uint64_t element, MapItems& items) {
  const bool innermost = left == 1;
  const std::uint64_t unit = innermost ? element : dimension->stride;
  piece.begin += dimension->offset * unit;
  if (innermost && dimension->stride == element) {
    piece.size = dimension->count * element;
    items.push_back(piece);
    return;
  }
  for (std::uint64_t i = 0; i < dimension->count; ++i, piece.begin += dimension->stride) {
    if (innermost) {
      piece.size = element;
      items.push_back(piece);
    } else {
      expand(piece, dimension + 1, left - 1, element, items);
    }
  }
}

/// Clang 22 gives a section with a stride whose length it does not know a number of dimensions that
/// is its length in bytes. What lies behind the records then is not what a descriptor ends with.
bool is_descriptor(std::span<const Dimension> records) {
  const Dimension& element = records.back();
  return element.offset == 0 && element.count == 1 && element.stride > 0;
}

/// No array has more, and so many records can be read without harm where there are fewer.
constexpr std::uint64_t kMostDimensions = 64;

} // namespace

Status expand_noncontiguous(const core::MapItem& whole, const void* descriptor,
                            std::uint64_t dimensions, MapItems& items) {
  const auto* records = static_cast<const Dimension*>(descriptor);
  if (dimensions < 2) {
    return {};
  }
  if (dimensions > kMostDimensions || !is_descriptor({records, dimensions})) {
    return fail(
        "the compiler says that a section has {} dimensions and does not describe them, as Clang "
        "22 does where a section has a stride and a length that is not a constant; give a "
        "constant length, or leave the stride out",
        dimensions);
  }
  core::MapItem piece = whole;
  piece.begin = whole.base;
  expand(piece, records, dimensions - 1, records[dimensions - 1].stride, items);
  return {};
}

} // namespace gantry::abi::clang
