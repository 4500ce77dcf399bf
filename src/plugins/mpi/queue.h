// Queues, and what is done at once.
#pragma once

#include "plugins/mpi/device.h"
#include "plugins/mpi/strand.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/// The opaque queue of gantry/plugin.h.
struct gantry_queue : gantry::mpi::Strand {
  explicit gantry_queue(gantry_device& of) : device(of) {}

  gantry_device& device;
  /// Where copies to other devices arrive, which are done when this is: borrowed of those devices.
  std::vector<gantry_queue*> arrivals;
  // queue_launch_data():
  std::vector<std::byte> launch_host;
  std::uint64_t launch_address = 0; ///< of as many bytes as `launch_host` has
  std::uint64_t launch_bytes = 0;   ///< that the next launch has; 0: none
};

namespace gantry::mpi {

/// Before the device is closed: those that it has for itself.
void end_own_queues(Device& device);

} // namespace gantry::mpi
