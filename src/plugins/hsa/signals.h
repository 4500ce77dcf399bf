// Signals, with which the runtime says that something is done: 1 until it is, 0 from then on, and
// less if it failed.
#pragma once

#include "plugins/hsa/library.h"

#include <cstdint>
#include <mutex>
#include <vector>

namespace gantry::hsa {

/// Those of one device, used again and again. Any thread.
class Signals {
public:
  Signals() = default;
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// A signal that is 1. GANTRY_SUCCESS or an error, kept.
  std::int32_t take(hsa_signal_t& signal);
  /// Nothing changes the signal any more, nor waits for it.
  void give_back(hsa_signal_t signal);
  /// Frees those that nobody has.
  std::int32_t free_kept();

private:
  std::mutex mutex_;
  std::vector<hsa_signal_t> kept_;
};

} // namespace gantry::hsa
