// What the program wants to be told: that a signal has a value, that a kernel has accessed what it
// may not.
#pragma once

#include "simt/amdgcn/hsa/agents.h"
#include "simt/amdgcn/hsa/signals.h"

#include <cstdint>
#include <memory>

#include <hsa/hsa_ext_amd.h>

namespace gantry::simt::hsa {

struct SignalHandler {
  Signal* signal = nullptr;
  hsa_signal_condition_t condition = HSA_SIGNAL_CONDITION_EQ;
  std::int64_t value = 0;
  hsa_amd_signal_handler function = nullptr;
  void* argument = nullptr;
};

class Events {
public:
  [[nodiscard]] static Events& instance();

  /// Calls the handler once its condition is satisfied, and as long as it returns true. All are
  /// called by one thread, which starts with the first.
  void add(const SignalHandler& handler);

  /// False if there is one already.
  bool set_system_handler(hsa_amd_system_event_callback_t callback, void* data);
  /// Tells of a wrong access by a kernel of the GPU.
  void tell_memory_fault(const Agent& agent, std::uint64_t address);

  /// Forgets all handlers.
  void clear();

  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

private:
  Events();
  struct State;
  State* state_;
};

} // namespace gantry::simt::hsa
