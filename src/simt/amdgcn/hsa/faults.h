// The faults of kernels and packets, for programs that ask what it was (gantry/simt_hsa.h).
#pragma once

#include "simt/amdgcn/exec/executor.h"
#include "simt/amdgcn/hsa/agents.h"

#include <deque>
#include <map>
#include <mutex>

namespace gantry::simt::hsa {

/// Any thread.
class Faults {
public:
  [[nodiscard]] static Faults& instance();

  void keep(const Agent& agent, amdgcn::Fault fault);
  /// The agent's last; null if there was none. Lives until clear().
  [[nodiscard]] const amdgcn::Fault* last(const Agent& agent) const;
  /// At the end of the runtime.
  void clear();

  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

private:
  Faults() = default;

  mutable std::mutex mutex_;
  std::map<const Agent*, std::deque<amdgcn::Fault>> kept_;
};

} // namespace gantry::simt::hsa
