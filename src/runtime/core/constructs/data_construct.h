// The constructs that only map, unmap or update: target data, target enter data, target exit data
// and target update (OpenMP 5.2, sections 13.5 to 13.7 and 13.9).
#pragma once

#include "runtime/core/data/data_environment.h"
#include "runtime/core/runtime/device.h"
#include "runtime/core/runtime/early_plugins.h"
#include "runtime/core/runtime/spreading.h"

#include <optional>

namespace gantry::core {

/// What such a construct does with its items.
using DataStep = Status (DataEnvironment::*)(Items items, Queue& queue);

/// Executes a construct from begin to end; the process ends with a message if it fails.
inline void run_data_construct(Device& device, Construct construct, Items items, DataStep step) {
  const ConstructScope scope(construct, device.plugin_device().name());
  std::optional<Placement> placement;
  if (is_spreading()) [[unlikely]] {
    Spreading::instance().keep(placement.emplace(), device, items, Spreading::Of::kData);
  }
  Queue queue(device.queues(), construct);
  if (Status status = (device.data_environment().*step)(items, queue);
      !status && !is_of_the_end(construct)) {
    device.fail_construct(status.error(), construct);
  }
}

} // namespace gantry::core
