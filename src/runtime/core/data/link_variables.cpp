#include "runtime/core/data/link_variables.h"

#include <algorithm>

namespace gantry::core {

void LinkVariables::add(std::uintptr_t host, std::uint64_t size, const LinkTarget& target) {
  links_.insert(std::ranges::upper_bound(links_, host, {}, &Link::host), {host, size, target});
}

void LinkVariables::remove(std::uintptr_t host, const LinkTarget& target) {
  std::erase_if(links_,
                [&](const Link& link) { return link.host == host && link.target == target; });
}

std::uintptr_t LinkVariables::storage_of(std::uintptr_t begin, std::uint64_t size) const {
  for (auto link = first(begin); link != links_.end() && link->host <= begin; ++link) {
    if (link->target.storage != nullptr && size <= link->size - (begin - link->host)) {
      return reinterpret_cast<std::uintptr_t>(link->target.storage) + (begin - link->host);
    }
  }
  return 0;
}

LinkVariables::Links::const_iterator LinkVariables::first(std::uintptr_t begin) const {
  auto link = std::ranges::upper_bound(links_, begin, {}, &Link::host);
  while (link != links_.begin() && begin - std::prev(link)->host < std::prev(link)->size) {
    --link;
  }
  return link;
}

} // namespace gantry::core
