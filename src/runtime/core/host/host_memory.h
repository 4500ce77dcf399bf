// What of the process's own memory is there and may be accessed: asked before a construct copies
// host storage, so that a list item that is longer than its object, or whose object is gone, is a
// message and not a crash inside the copy.
//
// The main stack, the heap and the executable stay, so the system's list of mappings is read once
// for them. Of everything else, which may be unmapped or protected at any time, the pages that are
// about to be copied are made present by madvise(), which fails where the copy would. That takes as
// long as the copy itself, so of more than a few pages these are only the first and the last, and
// the system is asked about the mappings that hold the others (HostMappingQuery). Either takes less
// than a microsecond. When one says no, the list is read again.
//
// Linux before 6.11 answers no such questions. There the list is read before the longest copies;
// of shorter ones mincore() tells whether what lies between the first and the last page is mapped,
// and not whether it is protected.
#pragma once

#include "base/host_mappings.h"
#include "runtime/core/host/lock.h"

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
  /// What the list says of an extent.
  struct Answer {
    std::optional<std::uintptr_t> missing;
    bool lasting = true;
  };

  enum class Verdict : std::uint8_t {
    kThere,
    kMissing,
    kUnknown, ///< the list tells
  };

  HostMemory();

  // With the lock held.
  [[nodiscard]] Verdict judge(std::uintptr_t begin, std::uintptr_t end, Access access);
  static Verdict populate(std::uintptr_t begin, std::uintptr_t end, Access access);
  /// The first address of [begin, end), all of which is mapped, whose page cannot be made present;
  /// or what is not before `end`.
  static std::uintptr_t first_not_populated(std::uintptr_t begin, std::uintptr_t end,
                                            Access access);
  [[nodiscard]] Answer look_up(std::uintptr_t begin, std::uintptr_t end, Access access) const;
  /// It stays as long as the process, but for what a heap gives back at its end.
  [[nodiscard]] bool is_lasting(const HostMapping& mapping) const;
  /// False if the system has no list.
  bool read_list();

  Mutex mutex_{LockRank::kHostMemory};
  std::vector<HostMapping> list_; ///< the system's, as last read
  HostMapping executable_;        ///< all of its segments
  HostMappingQuery query_;
  /// What was there and not in the list, since it was read.
  int unlisted_;
  /// The system makes pages present on request: Linux since 5.14.
  bool populates_ = true;
};

} // namespace gantry::core
