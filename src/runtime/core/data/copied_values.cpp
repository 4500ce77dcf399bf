#include "runtime/core/data/copied_values.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace gantry::core {

namespace {

/// Calls `visit` with every index below `size` at which the two differ.
template <typename Visitor>
void for_each_difference(const std::byte* one, const std::byte* other, std::uint64_t size,
                         Visitor visit) {
  constexpr std::uint64_t kStretch = 4096;
  for (std::uint64_t begin = 0; begin < size; begin += kStretch) {
    const std::uint64_t end = std::min(begin + kStretch, size);
    if (std::memcmp(one + begin, other + begin, end - begin) == 0) {
      continue;
    }
    for (std::uint64_t i = begin; i < end; ++i) {
      if (one[i] != other[i]) {
        visit(i);
      }
    }
  }
}

} // namespace

CopiedValues::CopiedValues(std::uint64_t size)
    : copied_(size), device_(size), state_(size), copied_by_(size / kElement + 1),
      changed_by_(size / kElement + 1) {}

CopiedValues::Number CopiedValues::number_of(const std::string& construct) {
  const auto known = std::ranges::find(constructs_, construct);
  if (known == constructs_.end()) {
    if (constructs_.size() > std::numeric_limits<Number>::max()) {
      return 0;
    }
    constructs_.push_back(construct);
    return static_cast<Number>(constructs_.size() - 1);
  }
  return static_cast<Number>(known - constructs_.begin());
}

void CopiedValues::copied(std::uint64_t offset, Bytes values, const std::string& construct) {
  if (values.empty()) {
    return;
  }
  std::memcpy(&copied_[offset], values.data(), values.size());
  std::memcpy(&device_[offset], values.data(), values.size());
  std::memset(&state_[offset], kKnown, values.size());
  const std::uint64_t last = (offset + values.size() - 1) / kElement;
  std::fill(&copied_by_[offset / kElement], &copied_by_[last] + 1, number_of(construct));
}

void CopiedValues::see_device(std::uint64_t offset, Bytes device, const std::string& construct) {
  const Number number = number_of(construct);
  for_each_difference(device.data(), &device_[offset], device.size(), [&](std::uint64_t i) {
    const std::uint64_t at = offset + i;
    if ((state_[at] & kKnown) != 0) {
      changed_by_[at / kElement] = number;
      changed_ = changed_ || number != 0;
    }
  });
  std::memcpy(&device_[offset], device.data(), device.size());
}

void CopiedValues::last_seen(std::uint64_t offset, std::span<std::byte> values) const {
  std::memcpy(values.data(), &device_[offset], values.size());
}

void CopiedValues::add(std::optional<Difference>& found, std::uint64_t at) const {
  if (!found) {
    found = {.first = at,
             .bytes = 0,
             .copied_by = constructs_[copied_by_[at / kElement]],
             .changed_by = constructs_[changed_by_[at / kElement]]};
  }
  ++found->bytes;
}

std::optional<CopiedValues::Difference> CopiedValues::take_host_changes(std::uint64_t offset,
                                                                        Bytes host) {
  std::optional<Difference> found;
  for_each_difference(host.data(), &copied_[offset], host.size(), [&](std::uint64_t i) {
    const std::uint64_t at = offset + i;
    if (state_[at] != 0 && host[i] == device_[at]) { // the program itself has copied it
      copied_[at] = host[i];
      state_[at] = kKnown;
    } else if (state_[at] == kKnown) {
      state_[at] |= kTold;
      add(found, at);
    }
  });
  return found;
}

std::optional<CopiedValues::Difference> CopiedValues::device_changes(Bytes host) const {
  std::optional<Difference> found;
  for_each_difference(device_.data(), copied_.data(), device_.size(), [&](std::uint64_t at) {
    if ((state_[at] & kKnown) != 0 && device_[at] != host[at]) {
      add(found, at);
    }
  });
  return found;
}

} // namespace gantry::core
