// Signals. Those of a queue's doorbell belong to the queue, which a change of them wakes.
#include "simt/amdgcn/hsa/agents.h"
#include "simt/amdgcn/hsa/events.h"
#include "simt/amdgcn/hsa/process.h"
#include "simt/amdgcn/hsa/queues.h"
#include "simt/amdgcn/hsa/signals.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <hsa/hsa_ext_amd.h>

using namespace gantry::simt::hsa; // NOLINT(google-build-using-namespace)

namespace {

/// Null as well while no calls may be made.
Signal* find(hsa_signal_t signal) {
  return Process::instance().is_ready() ? Signals::instance().find(signal) : nullptr;
}

hsa_status_t create(hsa_signal_value_t value, std::uint32_t consumers_count,
                    const hsa_agent_t* consumers, hsa_signal_t* signal) {
  if (signal == nullptr || (consumers_count != 0 && consumers == nullptr)) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  for (std::uint32_t i = 0; i < consumers_count; ++i) {
    const auto same = [&](const hsa_agent_t& other) { return other.handle == consumers[i].handle; };
    if (Agents::instance().find(consumers[i]) == nullptr ||
        std::any_of(consumers, consumers + i, same)) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  }
  const Signal* const made = Signals::instance().create(value);
  if (made == nullptr) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  signal->handle = handle_of(*made);
  return HSA_STATUS_SUCCESS;
}

void change(hsa_signal_t handle, hsa_signal_value_t value, void (*how)(Signal&, std::int64_t)) {
  Signal* const signal = find(handle);
  if (signal == nullptr) {
    return;
  }
  how(*signal, value);
  if (signal->queue_ptr != nullptr) {
    if (const auto queue = Queues::instance().find(&signal->queue_ptr->hsa_queue)) {
      queue->ring();
    }
  }
}

hsa_signal_value_t value_of(hsa_signal_t handle) {
  const Signal* const signal = find(handle);
  return signal == nullptr ? 0 : load(*signal);
}

hsa_signal_value_t wait_for(hsa_signal_t handle, hsa_signal_condition_t condition,
                            hsa_signal_value_t compared, std::uint64_t timeout,
                            hsa_wait_state_t state) {
  Signal* const signal = find(handle);
  return signal == nullptr || !is_condition(static_cast<int>(condition))
             ? 0
             : wait(*signal, condition, compared, timeout, state);
}

} // namespace

extern "C" {

hsa_status_t HSA_API hsa_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                                       const hsa_agent_t* consumers, hsa_signal_t* signal) {
  return call([&] { return create(initial_value, num_consumers, consumers, signal); });
}

hsa_status_t HSA_API hsa_amd_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                                           const hsa_agent_t* consumers, uint64_t attributes,
                                           hsa_signal_t* signal) {
  return call([&] {
    // Signals between processes (HSA_AMD_SIGNAL_IPC) are not offered.
    return (attributes & ~std::uint64_t{HSA_AMD_SIGNAL_AMD_GPU_ONLY}) != 0
               ? HSA_STATUS_ERROR_INVALID_ARGUMENT
               : create(initial_value, num_consumers, consumers, signal);
  });
}

hsa_status_t HSA_API hsa_signal_destroy(hsa_signal_t signal) {
  return call([&] {
    if (signal.handle == 0) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    Signal* const found = Signals::instance().find(signal);
    return found == nullptr || found->queue_ptr != nullptr || !Signals::instance().destroy(found)
               ? HSA_STATUS_ERROR_INVALID_SIGNAL
               : HSA_STATUS_SUCCESS;
  });
}

// Memory orders: each is at least what its name says.

void HSA_API hsa_signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  change(signal, value, store);
}
void HSA_API hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  change(signal, value, store);
}
void HSA_API hsa_signal_store_release(hsa_signal_t signal, hsa_signal_value_t value) {
  change(signal, value, store);
}
void HSA_API hsa_signal_subtract_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  change(signal, value, [](Signal& of, std::int64_t by) {
    add(of, static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(by)));
  });
}
hsa_signal_value_t HSA_API hsa_signal_load_scacquire(hsa_signal_t signal) {
  return value_of(signal);
}
hsa_signal_value_t HSA_API hsa_signal_load_acquire(hsa_signal_t signal) {
  return value_of(signal);
}
hsa_signal_value_t HSA_API hsa_signal_wait_scacquire(hsa_signal_t signal,
                                                     hsa_signal_condition_t condition,
                                                     hsa_signal_value_t compare_value,
                                                     uint64_t timeout_hint,
                                                     hsa_wait_state_t wait_state_hint) {
  return wait_for(signal, condition, compare_value, timeout_hint, wait_state_hint);
}
hsa_signal_value_t HSA_API hsa_signal_wait_acquire(hsa_signal_t signal,
                                                   hsa_signal_condition_t condition,
                                                   hsa_signal_value_t compare_value,
                                                   uint64_t timeout_hint,
                                                   hsa_wait_state_t wait_state_hint) {
  return wait_for(signal, condition, compare_value, timeout_hint, wait_state_hint);
}

uint32_t HSA_API hsa_amd_signal_wait_any(uint32_t signal_count, hsa_signal_t* signals,
                                         hsa_signal_condition_t* conds, hsa_signal_value_t* values,
                                         uint64_t timeout_hint, hsa_wait_state_t /*wait_hint*/,
                                         hsa_signal_value_t* satisfying_value) {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  if (!Process::instance().is_ready() || signals == nullptr || conds == nullptr ||
      values == nullptr) {
    return kNone;
  }
  std::vector<Signal*> found;
  for (std::uint32_t i = 0; i < signal_count; ++i) {
    Signal* const signal = find(signals[i]);
    if (signal == nullptr || !is_condition(static_cast<int>(conds[i]))) {
      return kNone;
    }
    found.push_back(signal);
  }
  std::uint32_t satisfied = kNone;
  wait_until(found, timeout_hint, [&] {
    for (std::uint32_t i = 0; i < signal_count && satisfied == kNone; ++i) {
      const std::int64_t value = load(*found[i]);
      if (is_satisfied(value, conds[i], values[i])) {
        satisfied = i;
        if (satisfying_value != nullptr) {
          *satisfying_value = value;
        }
      }
    }
    return satisfied != kNone || signal_count == 0;
  });
  return satisfied;
}

hsa_status_t HSA_API hsa_amd_signal_async_handler(hsa_signal_t signal, hsa_signal_condition_t cond,
                                                  hsa_signal_value_t value,
                                                  hsa_amd_signal_handler handler, void* arg) {
  return call([&] {
    Signal* const found = Signals::instance().find(signal);
    if (found == nullptr) {
      return HSA_STATUS_ERROR_INVALID_SIGNAL;
    }
    if (handler == nullptr || !is_condition(static_cast<int>(cond))) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    Events::instance().add({found, cond, value, handler, arg});
    return HSA_STATUS_SUCCESS;
  });
}

} // extern "C"
