// What ended a worker, in words.
#pragma once

#include "plugins/worker/protocol.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace gantry::worker {

/// True if the worker has ended, or is about to.
[[nodiscard]] inline bool is_lost(const Control& control) {
  return control.fault.complete.load(std::memory_order_acquire) != 0 || control.worker_is_gone();
}

/// How often whoever waits for a worker asks is_lost(), because one that is killed wakes nobody.
inline constexpr std::chrono::milliseconds kLossCheckInterval(20);

/// The GANTRY_FAULT_* of gantry/plugin.h.
[[nodiscard]] std::int32_t kind_of(FaultKind kind);

/// "the device is lost: a kernel wrote to address 0x10"; of a worker that is lost.
[[nodiscard]] std::string describe_loss(const Control& control);

} // namespace gantry::worker
