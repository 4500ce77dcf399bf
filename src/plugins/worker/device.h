// The devices of the plugin: a worker each, started when it is needed first.
#pragma once

#include "plugins/worker/worker.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gantry/plugin.h>

namespace gantry::worker {

/// Never freed. What is not said to be locked is immutable once the device is in use.
struct Device {
  std::int32_t index = 0;
  WorkerSettings settings; ///< locked until the worker is started
  std::string description;

  std::mutex mutex; ///< for the start of the worker, and the images
  std::atomic<Worker*> worker = nullptr;
  std::vector<gantry_image*> images; ///< created
};

/// An open device.
[[nodiscard]] Device& device_of(std::int32_t device);

/// The worker of a device, started if it is not; GANTRY_SUCCESS or an error, kept, if there is none
/// or it is lost.
std::int32_t enter(Device& device, Worker*& worker);

} // namespace gantry::worker
