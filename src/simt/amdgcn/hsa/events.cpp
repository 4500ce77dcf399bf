#include "simt/amdgcn/hsa/events.h"

#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace gantry::simt::hsa {

struct Events::State {
  std::mutex mutex;
  std::vector<SignalHandler> handlers;
  std::uint64_t cleared = 0; ///< how many times
  bool has_thread = false;
  hsa_amd_system_event_callback_t system_handler = nullptr;
  void* system_data = nullptr;

  void serve();
  bool call_satisfied();
};

Events::Events() : state_(new State) {}

Events& Events::instance() {
  static auto* const events = new Events;
  return *events;
}

/// Calls each handler whose condition is satisfied once. Whether one was that will not be again.
bool Events::State::call_satisfied() {
  std::unique_lock lock(mutex);
  const std::vector<SignalHandler> present = std::exchange(handlers, {});
  const std::uint64_t generation = cleared;
  lock.unlock();
  std::vector<SignalHandler> kept;
  bool any = false;
  for (const SignalHandler& handler : present) {
    const std::int64_t value = load(*handler.signal);
    const bool is_live = Signals::instance().find({handle_of(*handler.signal)}) != nullptr;
    if (is_live && (!is_satisfied(value, handler.condition, handler.value) ||
                    handler.function(value, handler.argument))) {
      kept.push_back(handler);
    } else {
      any = true;
    }
  }
  lock.lock();
  if (generation == cleared) { // those that were added meanwhile come behind
    handlers.insert(handlers.begin(), kept.begin(), kept.end());
  }
  return any;
}

void Events::State::serve() {
  for (;;) {
    std::vector<Signal*> signals;
    std::unique_lock lock(mutex);
    for (const SignalHandler& handler : handlers) {
      signals.push_back(handler.signal);
    }
    const std::size_t count = handlers.size();
    lock.unlock();
    // Goes on when something has changed that makes the list of signals another one.
    wait_until(signals, kForEver, [&] {
      if (call_satisfied()) {
        return true;
      }
      const std::lock_guard again(mutex);
      return handlers.size() != count;
    });
  }
}

void Events::add(const SignalHandler& handler) {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->has_thread) {
      std::thread([state = state_] { state->serve(); }).detach();
      state_->has_thread = true;
    }
    state_->handlers.push_back(handler);
  }
  ring();
}

bool Events::set_system_handler(hsa_amd_system_event_callback_t callback, void* data) {
  const std::lock_guard lock(state_->mutex);
  if (state_->system_handler != nullptr) {
    return false;
  }
  state_->system_handler = callback;
  state_->system_data = data;
  return true;
}

void Events::tell_memory_fault(const Agent& agent, std::uint64_t address) {
  std::unique_lock lock(state_->mutex);
  const auto callback = state_->system_handler;
  void* const data = state_->system_data;
  lock.unlock();
  if (callback == nullptr) {
    return;
  }
  hsa_amd_event_t event = {};
  event.event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT;
  event.memory_fault.agent = agent.handle;
  event.memory_fault.virtual_address = address;
  event.memory_fault.fault_reason_mask = HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT;
  callback(&event, data);
}

void Events::clear() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->handlers.clear();
    ++state_->cleared;
    state_->system_handler = nullptr;
    state_->system_data = nullptr;
  }
  ring();
}

} // namespace gantry::simt::hsa
