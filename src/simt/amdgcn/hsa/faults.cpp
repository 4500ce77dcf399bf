#include "simt/amdgcn/hsa/faults.h"

#include <utility>

namespace gantry::simt::hsa {

Faults& Faults::instance() {
  static auto* const faults = new Faults;
  return *faults;
}

void Faults::keep(const Agent& agent, amdgcn::Fault fault) {
  const std::lock_guard lock(mutex_);
  kept_[&agent].push_back(std::move(fault));
}

const amdgcn::Fault* Faults::last(const Agent& agent) const {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(&agent);
  return found == kept_.end() ? nullptr : &found->second.back();
}

void Faults::clear() {
  const std::lock_guard lock(mutex_);
  kept_.clear();
}

} // namespace gantry::simt::hsa
