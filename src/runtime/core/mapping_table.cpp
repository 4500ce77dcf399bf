#include "runtime/core/mapping_table.h"

#include <algorithm>
#include <memory>

namespace gantry::core {

void Mapping::attach(std::uintptr_t host_slot, std::uint64_t size) {
  const auto place = std::ranges::lower_bound(attached, host_slot, {}, &AttachedPointer::host_slot);
  if (place == attached.end() || place->host_slot != host_slot) {
    attached.insert(place, AttachedPointer{host_slot, size});
  }
}

Lookup MappingTable::find(std::uintptr_t begin, std::uint64_t size) {
  // The first entry that begins after `begin`; the one before it may hold `begin`.
  const auto next = nodes_.upper_bound(begin);
  if (next != nodes_.begin()) {
    Mapping& previous = std::prev(next)->second;
    if (begin < previous.host_end) {
      const bool whole = size <= previous.host_end - begin;
      return {whole ? Presence::kPresent : Presence::kPartial, &previous};
    }
  }
  if (next == nodes_.end()) {
    return {};
  }
  Mapping& following = next->second;
  if (size == 0) {
    return following.host_base <= begin ? Lookup{Presence::kPresent, &following} : Lookup{};
  }
  return following.host_begin - begin < size ? Lookup{Presence::kPartial, &following} : Lookup{};
}

Mapping& MappingTable::insert(std::uintptr_t begin, std::uint64_t size) {
  Nodes::iterator place;
  if (spare_.empty()) {
    place = nodes_.try_emplace(begin).first;
  } else {
    Nodes::node_type node = std::move(spare_.back());
    spare_.pop_back();
    node.key() = begin;
    node.mapped() = Mapping();
    place = nodes_.insert(std::move(node)).position;
  }
  Mapping& mapping = place->second;
  mapping.host_begin = begin;
  mapping.host_end = begin + size;
  mapping.host_base = begin;
  return mapping;
}

void MappingTable::erase(Mapping& mapping) {
  constexpr std::size_t kSpareNodes = 256;
  Nodes::node_type node = nodes_.extract(mapping.host_begin);
  if (spare_.size() < kSpareNodes) {
    spare_.push_back(std::move(node));
  }
}

void MappingTable::intern_strings(std::uintptr_t begin, std::uintptr_t end) {
  const auto vanishes = [&](const char* text) {
    const auto address = reinterpret_cast<std::uintptr_t>(text);
    return address >= begin && address < end;
  };
  for (auto& [key, mapping] : nodes_) {
    if (!vanishes(mapping.name) && !vanishes(mapping.mapped_at)) {
      continue;
    }
    auto kept = std::make_unique<Mapping::KeptStrings>();
    if (mapping.name != nullptr) {
      kept->name = mapping.name;
      mapping.name = kept->name.c_str();
    }
    if (mapping.mapped_at != nullptr) {
      kept->mapped_at = mapping.mapped_at;
      mapping.mapped_at = kept->mapped_at.c_str();
    }
    mapping.kept = std::move(kept);
  }
}

void MappingTable::for_each(const std::function<void(const Mapping&)>& visit) const {
  for (const auto& [key, mapping] : nodes_) {
    visit(mapping);
  }
}

} // namespace gantry::core
