#include "runtime/core/data/construct_work.h"

#include <algorithm>

namespace gantry::core {

void ConstructWork::add_change(PresenceChange::What what, const Mapping& mapping, const char* name,
                               std::uintptr_t begin, std::uint64_t size, std::uint16_t clause) {
  changes.push_back({{construct(), queue.device_name()},
                     what,
                     name == nullptr ? "" : name,
                     begin,
                     size,
                     mapping.device_address(begin),
                     mapping.references,
                     clause});
}

void ConstructWork::tell_noted() {
  std::ranges::for_each(changes, tell<PresenceChange>);
  changes.clear();
}

} // namespace gantry::core
