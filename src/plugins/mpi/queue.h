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
  // queue_launch_data():
  std::vector<std::byte> launch_host;
  std::uint64_t launch_address = 0; ///< of as many bytes as `launch_host` has
  std::uint64_t launch_bytes = 0;   ///< that the next launch has; 0: none
};

namespace gantry::mpi {

/// Before the device is closed.
void end_direct_queues(Device& device);

} // namespace gantry::mpi
