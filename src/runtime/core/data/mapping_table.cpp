#include "runtime/core/data/mapping_table.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace gantry::core {

void Mapping::attach(const AttachedPointer& pointer) {
  const auto place =
      std::ranges::lower_bound(attached, pointer.host_slot, {}, &AttachedPointer::host_slot);
  if (place == attached.end() || place->host_slot != pointer.host_slot) {
    attached.insert(place, pointer);
  } else {
    *place = pointer;
  }
}

const AttachedPointer* Mapping::attached_at(std::uintptr_t host_slot) const {
  const auto place = std::ranges::lower_bound(attached, host_slot, {}, &AttachedPointer::host_slot);
  return place != attached.end() && place->host_slot == host_slot ? &*place : nullptr;
}

Lookup MappingTable::find(std::uintptr_t begin, std::uint64_t size) {
  const ExtentIndex::Place place = index_.find(begin);
  if (place.holding.mapping != nullptr) {
    const bool whole = size <= place.holding.end - begin;
    return {whole ? Presence::kPresent : Presence::kPartial, place.holding.mapping};
  }
  if (place.next == nullptr) {
    return {};
  }
  if (size == 0) {
    return place.next->host_base <= begin ? Lookup{Presence::kPresent, place.next} : Lookup{};
  }
  return place.next_begin - begin < size ? Lookup{Presence::kPartial, place.next} : Lookup{};
}

Mapping& MappingTable::insert(std::uintptr_t begin, std::uint64_t size,
                              std::uintptr_t device_begin) {
  Mapping& mapping = mappings_.take();
  mapping.host_begin = begin;
  mapping.host_end = begin + size;
  mapping.host_base = begin;
  mapping.device_begin = device_begin;
  separate_ += mapping.shared() ? 0 : 1;
  index_.insert(begin, mapping.host_end, mapping);
  check_invariants();
  return mapping;
}

void MappingTable::erase(Mapping& mapping) {
  separate_ -= mapping.shared() ? 0 : 1;
  index_.erase(mapping.host_begin);
  static_cast<MappingFacts&>(mapping) = {};
  mapping.kept.reset();
  mapping.copied_values.reset();
  mapping.attached.clear();
  mappings_.give_back(mapping);
  check_invariants();
}

void MappingTable::check_invariants() {
#ifdef GANTRY_CHECKED
  // So seldom that all checks take time in proportion to the changes.
  if (++changes_ % (size() / 16 + 1) != 0) {
    return;
  }
  if (const char* const broken = broken_invariant(); broken != nullptr) {
    std::fprintf(stderr,
                 "gantry: internal error: a table of mappings in which it does not hold that "
                 "%s\n",
                 broken);
    std::abort();
  }
#endif
}

void MappingTable::intern_strings(std::uintptr_t begin, std::uintptr_t end) {
  const auto vanishes = [&](const char* text) {
    const auto address = reinterpret_cast<std::uintptr_t>(text);
    return address >= begin && address < end;
  };
  index_.for_each([&](Mapping& mapping) {
    if (!vanishes(mapping.name) && !vanishes(mapping.mapped_at)) {
      return;
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
  });
}

const char* MappingTable::broken_invariant() const {
  const char* broken = index_.broken_invariant();
  std::size_t separate = 0;
  index_.for_each([&](const Mapping& mapping) {
    separate += mapping.shared() ? 0 : 1;
    const ExtentIndex::Extent found = index_.find(mapping.host_begin).holding;
    if (found.mapping != &mapping || found.begin != mapping.host_begin ||
        found.end != mapping.host_end || mapping.host_base > mapping.host_begin) {
      broken = "an entry's extent is that of the index";
    }
    std::uintptr_t end = mapping.host_begin;
    for (const AttachedPointer& pointer : mapping.attached) {
      if (pointer.host_slot < end || pointer.host_slot + pointer.size > mapping.host_end) {
        broken = "attached pointers lie in their entry, in order";
      }
      end = pointer.host_slot + pointer.size;
    }
  });
  if (separate != separate_) {
    broken = "storage of its own is counted";
  }
  return broken;
}

void MappingTable::for_each(const std::function<void(Mapping&)>& visit) const {
  index_.for_each(visit);
}

} // namespace gantry::core
