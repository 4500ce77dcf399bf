// The system's list of what is mapped in this process, as /proc/self/maps has it.
#pragma once

#include <cstdint>
#include <vector>

namespace gantry {

/// One line of the list.
struct HostMapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool readable = false;
  bool writable = false;
  bool heap = false;  ///< what malloc grows with brk()
  bool stack = false; ///< the first thread's
};

/// In order of address; empty if the system has no list. Takes tens of microseconds. Any thread.
[[nodiscard]] std::vector<HostMapping> read_host_mappings();

} // namespace gantry
