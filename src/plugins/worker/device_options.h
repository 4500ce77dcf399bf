// The options of a device, which follow its name in GANTRY_DEVICES, as in
// worker+threads=4+memory=2G.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace gantry::worker {

struct DeviceOptions {
  std::uint32_t threads = 0; ///< of a parallel region, unless it says otherwise; 0: as on the host
  bool full_teams = false;   ///< threads=limit: see plugins/cpu/full_teams.h
  std::uint64_t memory = 0;  ///< in bytes; 0: as much as the machine has
  std::uint64_t at = 0;      ///< where device memory begins; 0: where there is room
};

/// Reads options separated by '+'; the error names the one that is not understood.
[[nodiscard]] tl::expected<DeviceOptions, std::string> read_device_options(std::string_view text);

} // namespace gantry::worker
