// What of the process's own memory is there and may be accessed: asked before a construct copies
// host storage, so that a list item that is longer than its object, or whose object is gone, is a
// message and not a crash inside the copy.
//
// The main stack, the heap and the executable stay, so the system's list of mappings is read once
// for them. Of everything else, which may be unmapped or protected at any time, the pages that are
// about to be copied are made present by madvise(), which fails where the copy would: of more than
// a few pages only the first and the last, while mincore() tells whether the others are mapped.
// Either call takes less than a microsecond. When one says no, the list is read again.
#pragma once

#include "base/host_mappings.h"
#include "runtime/core/lock.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gantry::core {

class HostMemory {
public:
  /// The process's; never destroyed.
  static HostMemory& instance();

  enum class Access : std::uint8_t { kRead, kWrite };

  /// The first address of [begin, begin + size), which does not pass the last address, that cannot
  /// be accessed so; nothing if all of them can, or if the system does not tell. Any thread.
  [[nodiscard]] std::optional<std::uintptr_t> first_missing(std::uintptr_t begin,
                                                            std::uint64_t size, Access access);

  [[nodiscard]] bool is_readable(std::uintptr_t begin, std::uint64_t size) {
    return !first_missing(begin, size, Access::kRead);
  }

private:
  struct Range {
    HostMapping mapping;
    bool lasting = false; ///< as long as the process, but for what a heap gives back at its end
  };
  /// What the list says of an extent.
  struct Answer {
    std::optional<std::uintptr_t> missing;
    bool lasting = true;
  };

  HostMemory();

  // With the lock held.
  [[nodiscard]] bool is_there(std::uintptr_t begin, std::uintptr_t end, Access access) const;
  [[nodiscard]] Answer look_up(std::uintptr_t begin, std::uintptr_t end, Access access) const;
  /// False if the system has no list.
  bool read_list();

  Mutex mutex_{LockRank::kHostMemory};
  std::vector<Range> ranges_; ///< in order of address
  HostMapping executable_;    ///< all of its segments
  /// What was there and not in the list, since it was read.
  int unlisted_;
  /// The system makes pages present on request: Linux since 5.14.
  bool populates_ = true;
};

} // namespace gantry::core
