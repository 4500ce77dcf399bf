#include "runtime/core/copied_values.h"

#include <algorithm>
#include <cstring>

namespace gantry::core {

namespace {

using boost::icl::interval;

/// Differences that are nearer than this are one when it is noted where they are, which bounds the
/// notes about an object of which every other element changes.
constexpr std::uint64_t kGap = 256;

/// Calls `visit` with begin and end of each run of bytes in [begin, end) that differ and with how
/// many of them do. `differs` says it of a byte, `same` of a stretch of them, quickly.
template <typename Same, typename Differs, typename Visitor>
void for_each_run(std::uint64_t begin, std::uint64_t end, Same same, Differs differs,
                  Visitor visit) {
  constexpr std::uint64_t kStretch = 4096;
  std::uint64_t first = end;
  std::uint64_t last = end;
  std::uint64_t count = 0;
  const auto close = [&] {
    if (count > 0) {
      visit(first, last + 1, count);
    }
    count = 0;
  };
  for (std::uint64_t stretch = begin; stretch < end; stretch += kStretch) {
    const std::uint64_t stretch_end = std::min(stretch + kStretch, end);
    if (same(stretch, stretch_end - stretch)) {
      continue;
    }
    for (std::uint64_t at = stretch; at < stretch_end; ++at) {
      if (!differs(at)) {
        continue;
      }
      if (count > 0 && at - last > kGap) {
        close();
      }
      if (count == 0) {
        first = at;
      }
      last = at;
      ++count;
    }
  }
  close();
}

} // namespace

void CopiedValues::copied(std::uint64_t offset, Bytes values, const std::string& construct) {
  if (values.empty()) {
    return;
  }
  std::ranges::copy(values, copied_.begin() + static_cast<std::ptrdiff_t>(offset));
  std::ranges::copy(values, device_.begin() + static_cast<std::ptrdiff_t>(offset));
  const auto range = interval<std::uint64_t>::right_open(offset, offset + values.size());
  copied_by_.set({range, construct});
  changed_by_.erase(range);
}

bool CopiedValues::see_device(Bytes device, const std::string& construct) {
  bool changed = false;
  for_each_run(
      0, device.size(),
      [&](std::uint64_t at, std::uint64_t count) {
        return std::memcmp(&device[at], &device_[at], count) == 0;
      },
      [&](std::uint64_t at) { return device[at] != device_[at]; },
      [&](std::uint64_t begin, std::uint64_t end, std::uint64_t /*count*/) {
        const auto range = interval<std::uint64_t>::right_open(begin, end);
        changed_by_.set({range, construct});
        changed = changed || boost::icl::intersects(copied_by_, range);
      });
  std::ranges::copy(device, device_.begin());
  return changed;
}

std::optional<CopiedValues::Difference> CopiedValues::take_host_changes(Bytes host) {
  std::optional<Difference> found;
  boost::icl::interval_set<std::uint64_t> told;
  for (const auto& [range, construct] : copied_by_) {
    for_each_run(
        range.lower(), range.upper(),
        [&](std::uint64_t at, std::uint64_t count) {
          return std::memcmp(&host[at], &copied_[at], count) == 0;
        },
        [&](std::uint64_t at) { return host[at] != copied_[at] && host[at] != device_[at]; },
        [&](std::uint64_t begin, std::uint64_t end, std::uint64_t count) {
          if (!found) {
            found = {.first = begin, .bytes = 0, .copied_by = construct, .changed_by = {}};
          }
          found->bytes += count;
          told.add(interval<std::uint64_t>::right_open(begin, end));
        });
  }
  for (const auto& range : told) {
    copied_by_.erase(range);
  }
  return found;
}

std::optional<CopiedValues::Difference> CopiedValues::device_changes(Bytes host) const {
  std::optional<Difference> found;
  for (const auto& [range, construct] : copied_by_) {
    for_each_run(
        range.lower(), range.upper(),
        [&](std::uint64_t at, std::uint64_t count) {
          return std::memcmp(&device_[at], &copied_[at], count) == 0;
        },
        [&](std::uint64_t at) { return device_[at] != copied_[at] && device_[at] != host[at]; },
        [&](std::uint64_t begin, std::uint64_t /*end*/, std::uint64_t count) {
          if (!found) {
            const auto change = changed_by_.find(begin);
            found = {.first = begin,
                     .bytes = 0,
                     .copied_by = construct,
                     .changed_by = change != changed_by_.end() ? change->second : std::string()};
          }
          found->bytes += count;
        });
  }
  return found;
}

} // namespace gantry::core
