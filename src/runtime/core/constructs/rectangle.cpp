#include "runtime/core/constructs/rectangle.h"

#include <algorithm>

namespace gantry::core {

Result<RectangleCopy::Side> RectangleCopy::make_side(std::size_t element_size,
                                                     const std::vector<std::size_t>& volume,
                                                     const Array& array, std::string_view name) {
  if (array.offsets == nullptr || array.extents == nullptr) {
    return fail(
        "'{0}_offsets' or '{0}_dimensions' is null; each holds one value for every dimension",
        name);
  }
  Side side;
  side.memory = array.memory;
  side.strides.resize(volume.size());
  std::uint64_t stride = element_size;
  for (std::size_t d = volume.size(); d-- > 0;) {
    const std::uint64_t extent = array.extents[d];
    const std::uint64_t offset = array.offsets[d];
    if (offset > extent || volume[d] > extent - offset) {
      return fail("dimension {}: {} elements from offset {} reach past the {} elements of '{}'", d,
                  volume[d], offset, extent, name);
    }
    side.strides[d] = stride;
    // Cannot overflow if the size does not: an offset is less than its extent, or nothing is
    // copied.
    side.first += offset * stride;
    if (__builtin_mul_overflow(stride, extent, &stride)) {
      return fail("the size of '{}' in bytes overflows in dimension {}: {} elements of {} bytes",
                  name, d, extent, side.strides[d]);
    }
  }
  return side;
}

Result<RectangleCopy> RectangleCopy::make(std::size_t element_size, int dimensions,
                                          const std::size_t* volume, const Array& to,
                                          const Array& from) {
  if (element_size == 0) {
    return fail("'element_size' is 0; an element has at least one byte");
  }
  if (dimensions < 1) {
    return fail("'num_dims' is {}; there is at least one dimension", dimensions);
  }
  if (volume == nullptr) {
    return fail("'volume' is null; it holds the number of elements in each dimension");
  }
  const std::vector<std::size_t> counts(volume, volume + dimensions);
  auto to_side = GANTRY_TRY(make_side(element_size, counts, to, "dst"));
  auto from_side = GANTRY_TRY(make_side(element_size, counts, from, "src"));
  RectangleCopy copy;
  if (std::ranges::find(counts, std::size_t{0}) != counts.end()) {
    return copy; // nothing to do, with a row of 0 bytes
  }
  // From the outside to the inside, the last element of the rectangle ends where its bytes do.
  const auto span_of = [&](const Side& side) {
    std::uint64_t span = element_size;
    for (std::size_t d = 0; d < counts.size(); ++d) {
      span += (counts[d] - 1) * side.strides[d];
    }
    return span;
  };
  const std::uint64_t to_span = span_of(to_side);
  const std::uint64_t from_span = span_of(from_side);
  Status status = check(to_side.memory, to_side.first, to_span, "dst");
  if (status) {
    status = check(from_side.memory, from_side.first, from_span, "src");
  }
  if (!status) {
    return tl::unexpected(status.error());
  }
  // Dimensions that are copied whole in both arrays are one row with the dimension around them.
  copy.row_ = element_size;
  std::size_t outer = counts.size();
  do {
    --outer;
    copy.row_ *= counts[outer];
  } while (outer > 0 && copy.row_ == to_side.strides[outer - 1] &&
           copy.row_ == from_side.strides[outer - 1]);
  copy.counts_.assign(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(outer));
  copy.to_ = std::move(to_side);
  copy.from_ = std::move(from_side);
  if (!check_host(copy.to_.memory, copy.to_.first, to_span, HostMemory::Access::kWrite, "dst") ||
      !check_host(copy.from_.memory, copy.from_.first, from_span, HostMemory::Access::kRead,
                  "src")) {
    // What lies between rows need not be there.
    status = copy.for_each_row([](const Copy& row) { return check_host(row); });
    if (!status) {
      return tl::unexpected(status.error());
    }
  }
  return copy;
}

Status RectangleCopy::perform(const Construct& routine) const {
  if (!counts_.empty() && fits_queue()) {
    QueuedCopies queue(first_row(), routine);
    GANTRY_TRY(put_into(queue));
    return queue.wait();
  }
  return for_each_row([&](const Copy& row) { return core::perform(row, routine); });
}

bool RectangleCopy::fits_queue() const {
  Copy all = first_row(); // from the first row to the last, if one place has both
  if (!QueuedCopies::takes(all)) {
    return false;
  }
  std::uint64_t to_span = row_;
  std::uint64_t from_span = row_;
  for (std::size_t d = 0; d < counts_.size(); ++d) {
    to_span += (counts_[d] - 1) * to_.strides[d];
    from_span += (counts_[d] - 1) * from_.strides[d];
  }
  all.size = std::max(to_span, from_span);
  return to_.memory.device != from_.memory.device || all.is_apart();
}

Status RectangleCopy::put_into(QueuedCopies& queue) const {
  return for_each_row([&](const Copy& row) { return queue.put(row); });
}

template <typename Visit>
Status RectangleCopy::for_each_row(Visit visit) const {
  std::vector<std::size_t> index(counts_.size(), 0);
  Copy row = first_row();
  for (;;) {
    GANTRY_TRY(visit(row));
    // The next row: the innermost index that is not at its end goes on, those inside start again.
    std::size_t d = counts_.size();
    while (d > 0 && index[d - 1] + 1 == counts_[d - 1]) {
      --d;
      row.to_offset -= index[d] * to_.strides[d];
      row.from_offset -= index[d] * from_.strides[d];
      index[d] = 0;
    }
    if (d == 0) {
      return {};
    }
    ++index[d - 1];
    row.to_offset += to_.strides[d - 1];
    row.from_offset += from_.strides[d - 1];
  }
}

} // namespace gantry::core
