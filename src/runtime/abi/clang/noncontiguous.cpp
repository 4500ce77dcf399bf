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

/// Appends an item for all elements of the last dimension that is not contiguous, for each element
/// of those outside of it. `piece` is the first, with what is contiguous in it.
void expand(core::MapItem piece, std::span<const Dimension> dimensions, MapItems& items) {
  if (dimensions.empty()) {
    items.push_back(piece);
    return;
  }
  const Dimension& outermost = dimensions.front();
  if (dimensions.size() == 1) {
    piece.pieces = outermost.count;
    piece.stride = outermost.stride;
    if (outermost.count > 0) {
      items.push_back(piece);
    }
    return;
  }
  for (std::uint64_t i = 0; i < outermost.count; ++i, piece.begin += outermost.stride) {
    expand(piece, dimensions.subspan(1), items);
  }
}

/// More than any array has.
constexpr std::uint64_t kMostDimensions = 64;

/// What a descriptor ends with: one element of the element type's size.
bool describes_element(const Dimension& record) {
  return record.offset == 0 && record.count == 1 && record.stride > 0;
}

/// Whether the last of the records is the one that a descriptor ends with. Clang 22 gives a section
/// with a stride whose length it does not know a number of dimensions that is its length in bytes
/// (llvm/llvm-project#181987, which repairs Clang 23; this may go with Clang 22). The records
/// themselves are right, and the true last one can be told: the wrong number is a multiple of its
/// size, and large enough for the elements of the dimension before it. No record behind it is read.
bool is_descriptor(const Dimension* records, std::uint64_t dimensions) {
  if (dimensions > kMostDimensions) {
    return false;
  }
  for (std::uint64_t i = 1; i < dimensions - 1; ++i) {
    if (describes_element(records[i]) && dimensions % records[i].stride == 0 &&
        records[i - 1].count <= dimensions / records[i].stride) {
      return false;
    }
  }
  return describes_element(records[dimensions - 1]);
}

} // namespace

Status expand_noncontiguous(const core::MapItem& whole, const void* descriptor,
                            std::uint64_t dimensions, MapItems& items) {
  const auto* records = static_cast<const Dimension*>(descriptor);
  if (dimensions < 2) {
    return {};
  }
  if (!is_descriptor(records, dimensions)) {
    return fail(
        "the compiler says that a section has {} dimensions and does not describe them, as Clang "
        "22 does where a section has a stride and a length that is not a constant; give a "
        "constant length, or leave the stride out",
        dimensions);
  }
  std::span<const Dimension> left(records, dimensions - 1);
  const std::uint64_t element = records[dimensions - 1].stride;
  core::MapItem piece = whole;
  piece.begin = whole.base;
  for (const Dimension& dimension : left) {
    // The size of one element of a dimension without the user's stride is known of the innermost
    // alone: it is that of the element type.
    const bool innermost = &dimension == &left.back();
    piece.begin += dimension.offset * (innermost ? element : dimension.stride);
  }
  piece.size = element;
  while (!left.empty() && left.back().stride == piece.size) {
    piece.size *= left.back().count;
    left = left.first(left.size() - 1);
  }
  expand(piece, left, items);
  return {};
}

} // namespace gantry::abi::clang
