// Where everything lies that took time: on tracks of the host's threads and of devices' queues,
// each with rows on which nothing overlaps.
#pragma once

#include "cli/profile/process_profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::cli::profile {

struct Slice {
  enum class What : std::uint8_t { kConstruct, kWait, kCopy, kLaunch, kImage };
  Interval time; ///< of operations, as far as those before them in the queue leave room
  What what = What::kConstruct;
  Index index = 0; ///< in the profile's list of its kind
  /// How many slices are around it. What overlaps with others and is in none, as `nowait`
  /// constructs are, lies beside them in a row of its own.
  std::uint32_t row = 0;
  bool nests = true; ///< else it lies beside
};

struct Track {
  std::int32_t device = -1;  ///< -1: of the host
  Index thread = 0;          ///< the host's, or that executed what is in no queue
  std::uint64_t queue = 0;   ///< a device's; 0: none
  std::uint32_t number = 0;  ///< among the device's, or the host's: from 0
  std::vector<Slice> slices; ///< in order of begin, the outer ones first
};

/// The host's tracks, one for each thread, and then the devices'.
[[nodiscard]] std::vector<Track> tracks_of(const ProcessProfile& profile);

/// "thread 4711 app", "queue 1", "by thread 4711".
[[nodiscard]] std::string name_of(const ProcessProfile& profile, const Track& track);

/// "app.cpp:31 target nowait in work".
[[nodiscard]] std::string name_of(const Place& place);
/// "x[0:N] to device".
[[nodiscard]] std::string name_of(const ProcessProfile& profile, const Copy& copy);

} // namespace gantry::cli::profile
