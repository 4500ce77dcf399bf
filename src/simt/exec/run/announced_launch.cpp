#include "simt/exec/run/announced_launch.h"

#include "simt/host/settings.h"
#include "simt/races/grid_history.h"

namespace gantry::simt::exec {

AnnouncedLaunch::AnnouncedLaunch(
    std::uint64_t queue, std::uint64_t sequence,
    const std::function<bool(std::uint64_t queue, std::uint64_t sequence)>& is_after) {
  if (settings().checks.race) {
    number_ = GridHistory::instance().announce({queue, sequence}, [&](const LaunchPlace& other) {
      return is_after(other.queue, other.sequence);
    });
  }
}

AnnouncedLaunch::~AnnouncedLaunch() {
  if (number_ != 0) {
    GridHistory::instance().withdraw(number_);
  }
}

bool AnnouncedLaunch::is_followed() const {
  return GridHistory::instance().announced() != number_;
}

} // namespace gantry::simt::exec
