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

MappingTable::~MappingTable() {
  index_.for_each([](Mapping& mapping) { delete &mapping; });
}

Lookup MappingTable::find(std::uintptr_t begin, std::uint64_t size) {
  if (Mapping* mapping = index_.holding(begin)) {
    const bool whole = size <= mapping->host_end - begin;
    return {whole ? Presence::kPresent : Presence::kPartial, mapping};
  }
  Mapping* next = index_.after(begin);
  if (next == nullptr) {
    return {};
  }
  if (size == 0) {
    return next->host_base <= begin ? Lookup{Presence::kPresent, next} : Lookup{};
  }
  return next->host_begin - begin < size ? Lookup{Presence::kPartial, next} : Lookup{};
}

Mapping& MappingTable::insert(std::uintptr_t begin, std::uint64_t size) {
  std::unique_ptr<Mapping> mapping;
  if (spare_.empty()) {
    mapping = std::make_unique<Mapping>();
  } else {
    mapping = std::move(spare_.back());
    spare_.pop_back();
    *mapping = Mapping();
  }
  mapping->host_begin = begin;
  mapping->host_end = begin + size;
  mapping->host_base = begin;
  index_.insert(begin, mapping->host_end, *mapping);
  return *mapping.release();
}

void MappingTable::erase(Mapping& erased) {
  constexpr std::size_t kSpare = 256;
  std::unique_ptr<Mapping> mapping(&erased);
  index_.erase(mapping->host_begin);
  if (spare_.size() < kSpare) {
    spare_.push_back(std::move(mapping));
  }
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

void MappingTable::for_each(const std::function<void(const Mapping&)>& visit) const {
  index_.for_each(visit);
}

} // namespace gantry::core
