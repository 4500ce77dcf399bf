// The system's list of what is mapped in this process, as /proc/self/maps has it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <sys/types.h>

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

/// Replaces `list`, in order of address; empty if the system has no list. What is mapped for the
/// reading itself is not in it: such memory may lie where the caller looks for a hole. Takes tens
/// of microseconds. Any thread.
void read_host_mappings(std::vector<HostMapping>& list);

/// Asks the system about single mappings, as Linux answers since 6.11 (PROCMAP_QUERY in
/// Documentation/filesystems/proc.rst): a third of a microsecond each, however large they are. Not
/// thread-safe.
class HostMappingQuery {
public:
  HostMappingQuery() = default;
  HostMappingQuery(const HostMappingQuery&) = delete;
  HostMappingQuery& operator=(const HostMappingQuery&) = delete;

  enum class Right : std::uint8_t { kRead, kWrite };

  /// Whether all of [begin, end) is mapped with a right; nothing if the system does not answer.
  [[nodiscard]] std::optional<bool> allows(std::uintptr_t begin, std::uintptr_t end, Right right);

  /// False once the system has turned out not to answer.
  [[nodiscard]] bool answers() const { return answers_; }

private:
  /// The end of the mapping that holds an address, with a right; 0 if none does.
  std::optional<std::uintptr_t> end_of_mapping(std::uintptr_t address, Right right);
  /// Opens the list for this process, unless it is open; true if it was opened.
  bool open_list();

  int list_ = -1;
  pid_t process_ = 0; ///< that `list_` is of: a fork inherits its parent's
  bool answers_ = true;
};

} // namespace gantry
