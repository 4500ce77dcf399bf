// A device of the plugin: a worker, started when it is needed first.
#pragma once

#include "plugins/worker/worker.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <gantry/plugin.h>

/// The opaque device of gantry/plugin.h. What is not said to be locked is immutable.
struct gantry_device {
  gantry::worker::WorkerSettings settings;
  std::string description;

  std::mutex mutex; ///< for the start of the worker, and the images
  std::atomic<gantry::worker::Worker*> worker = nullptr;
  std::vector<gantry_image*> images; ///< created
};

namespace gantry::worker {

using Device = ::gantry_device;

/// The worker of a device, started if it is not; GANTRY_SUCCESS or an error, kept, if there is none
/// or it is lost.
std::int32_t enter(Device& device, Worker*& worker);

} // namespace gantry::worker
