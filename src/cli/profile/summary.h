// The tables of the report: what took how long, where, and on which device.
#pragma once

#include "cli/profile/process_profile.h"

#include <string>
#include <string_view>
#include <vector>

namespace gantry::cli::profile {

/// "'x[0:N]'", or "4096 bytes without a name".
[[nodiscard]] std::string quoted(const Name& name, std::uint64_t size);
/// "always tofrom", "implicit to"; empty if there is no clause.
[[nodiscard]] std::string clause_text(std::uint16_t clause);

/// One construct in the source, all its executions. Times are sums of those.
struct RegionRow {
  Index place = 0;
  std::uint64_t calls = 0;
  Time time = 0;   ///< from begin to end
  Time kernel = 0; ///< of its kernels
  Time copies = 0; ///< of its copies
  Time wait = 0;   ///< of the host for its queue, beyond both
  /// What is left: the runtime's own.
  [[nodiscard]] Time rest() const { return std::max<Time>(0, time - kernel - copies - wait); }
};

/// A variable's copies in one direction, by one construct in the source.
struct CopyRow {
  Index name = 0;
  Index place = 0; ///< kNone: a routine's
  gantry::profile::CopyKind kind = gantry::profile::kItem;
  bool to_device = false;
  std::uint16_t clause = 0;
  std::uint64_t size = 0; ///< of the largest one
  std::uint64_t bytes = 0;
  std::uint64_t calls = 0;
  Time time = 0;
};

/// A variable that is part of a device's largest amount of mapped bytes.
struct PeakPart {
  Index name = 0;
  Index place = 0; ///< that mapped it
  std::uint64_t host = 0;
  std::uint64_t size = 0;
};

struct DeviceRow {
  std::int32_t device = 0;
  std::uint64_t kernels = 0;
  Time kernel = 0;  ///< with at least one kernel under way
  Time copies = 0;  ///< with at least one copy
  Time overlap = 0; ///< with both
  Time idle = 0;    ///< with neither, of the process's time
  Interval gap;     ///< the longest stretch between two of its operations in which there is none
  Index gap_after = kNone;          ///< the construct whose operation was the last before it
  std::uint64_t peak = 0;           ///< the most bytes that were mapped at once
  Index peak_construct = kNone;     ///< that has mapped the last of them
  std::vector<PeakPart> peak_parts; ///< the largest first
};

struct Summary {
  Time total = 0;
  Time in_constructs = 0; ///< sums over all constructs
  Time kernel = 0;
  Time copies = 0;
  Time wait = 0;
  Time rest = 0;
  std::vector<RegionRow> regions; ///< the longest first
  std::vector<CopyRow> copied;    ///< the most bytes first
  std::vector<DeviceRow> devices;
};

[[nodiscard]] Summary summarise(const ProcessProfile& profile);

/// Times of each construct's operations.
struct ConstructTimes {
  Time kernel = 0;
  Time copies = 0;
  Time wait = 0;
};
/// One for each construct.
[[nodiscard]] std::vector<ConstructTimes> times_of_constructs(const ProcessProfile& profile);

} // namespace gantry::cli::profile
