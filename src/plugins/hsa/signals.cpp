#include "plugins/hsa/signals.h"

#include <utility>

namespace gantry::hsa {

std::int32_t Signals::take(hsa_signal_t& signal) {
  {
    const std::lock_guard lock(mutex_);
    if (!kept_.empty()) {
      signal = kept_.back();
      kept_.pop_back();
      library().hsa_signal_store_relaxed(signal, 1);
      return GANTRY_SUCCESS;
    }
  }
  GANTRY_HSA_TRY(hsa_signal_create, 1, 0, nullptr, &signal);
  return GANTRY_SUCCESS;
}

void Signals::give_back(hsa_signal_t signal) {
  const std::lock_guard lock(mutex_);
  kept_.push_back(signal);
}

std::int32_t Signals::free_kept() {
  const std::lock_guard lock(mutex_);
  std::int32_t status = GANTRY_SUCCESS;
  for (const hsa_signal_t signal : std::exchange(kept_, {})) {
    keep_failure(status, check(library().hsa_signal_destroy(signal), "hsa_signal_destroy"));
  }
  return status;
}

} // namespace gantry::hsa
