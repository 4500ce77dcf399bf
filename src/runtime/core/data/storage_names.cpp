#include "runtime/core/data/storage_names.h"

#include "runtime/core/host/host_memory.h"
#include "runtime/core/reports/text.h"

#include <cstring>

namespace gantry::core {

namespace {

StorageNames::Storage described(const Mapping& mapping, std::uintptr_t begin) {
  return {quoted_name(mapping.name), begin, mapping.size(), at_position(mapping.mapped_at), ""};
}

} // namespace

void StorageNames::note_gone(const Mapping& mapping, const Construct& construct) {
  if (mapping.allocation == nullptr || mapping.kept != nullptr) {
    return; // nothing is freed, or its strings go with it
  }
  gone_[next_gone_] = {.device_begin = mapping.device_begin,
                       .size = mapping.size(),
                       .name = mapping.name,
                       .mapped_at = mapping.mapped_at,
                       .unmapped_at = construct.location};
  next_gone_ = (next_gone_ + 1) % gone_.size();
}

void StorageNames::forget_strings(std::uintptr_t begin, std::uintptr_t end) {
  for (Gone& gone : gone_) {
    for (const char** text : {&gone.name, &gone.mapped_at, &gone.unmapped_at}) {
      if (address(*text) >= begin && address(*text) < end) {
        *text = nullptr;
      }
    }
  }
}

std::string StorageNames::Storage::facts() const {
  return fmt::format("which has {}{}{}", counted(size, "byte"),
                     mapped_at.empty() ? "" : " and was mapped", mapped_at);
}

/// The mapping that `better` prefers to all others: it is given the best so far, null at first, and
/// the next one.
template <typename Better>
std::optional<StorageNames::Storage> StorageNames::choose(Better better) const {
  const std::lock_guard lock(guarded_.mutex);
  const Mapping* best = nullptr;
  guarded_.table.for_each([&](const Mapping& mapping) {
    if (!mapping.shared() && !mapping.pending && better(best, mapping)) {
      best = &mapping;
    }
  });
  return best == nullptr ? std::nullopt : std::optional(described(*best, best->device_begin));
}

std::optional<StorageNames::Storage> StorageNames::at(std::uintptr_t device_address) const {
  return choose([&](const Mapping*, const Mapping& mapping) {
    return device_address >= mapping.device_begin &&
           device_address - mapping.device_begin < mapping.size();
  });
}

std::optional<StorageNames::Storage> StorageNames::before(std::uintptr_t device_address) const {
  return choose([&](const Mapping* best, const Mapping& mapping) {
    return mapping.device_begin <= device_address &&
           (best == nullptr || mapping.device_begin > best->device_begin);
  });
}

std::optional<StorageNames::Storage> StorageNames::behind(std::uintptr_t device_address) const {
  return choose([&](const Mapping* best, const Mapping& mapping) {
    return mapping.device_begin > device_address &&
           (best == nullptr || mapping.device_begin < best->device_begin);
  });
}

std::optional<StorageNames::Storage> StorageNames::gone_at(std::uintptr_t device_address) const {
  const std::lock_guard lock(guarded_.mutex);
  for (std::size_t i = 1; i <= gone_.size(); ++i) {
    const Gone& gone = gone_[(next_gone_ + gone_.size() - i) % gone_.size()];
    if (device_address >= gone.device_begin && device_address - gone.device_begin < gone.size) {
      return Storage{quoted_name(gone.name), gone.device_begin, gone.size,
                     at_position(gone.mapped_at), at_position(gone.unmapped_at)};
    }
  }
  return std::nullopt;
}

std::optional<StorageNames::Storage> StorageNames::original_at(std::uintptr_t host_address) const {
  const std::lock_guard lock(guarded_.mutex);
  const Lookup lookup = guarded_.table.find(host_address, 1);
  return lookup.presence == Presence::kPresent
             ? std::optional(described(*lookup.mapping, lookup.mapping->host_begin))
             : std::nullopt;
}

std::optional<StorageNames::StrayPointer>
StorageNames::pointer_to(std::uintptr_t host_address) const {
  constexpr std::uint64_t kFar = 64 << 20;
  constexpr std::uint64_t kMostBytes = 64 << 10;
  const std::lock_guard lock(guarded_.mutex);
  std::optional<StrayPointer> best;
  guarded_.table.for_each([&](const Mapping& mapping) {
    // The host storage of what is mapped may be gone, which is no mistake while nothing is copied.
    if (mapping.shared() || mapping.size() > kMostBytes ||
        !HostMemory::instance().is_readable(mapping.host_begin, mapping.size())) {
      return;
    }
    const std::uintptr_t first = (mapping.host_begin + sizeof(void*) - 1) & ~(sizeof(void*) - 1);
    for (std::uintptr_t slot = first; slot + sizeof(void*) <= mapping.host_end;
         slot += sizeof(void*)) {
      std::uintptr_t value = 0;
      std::memcpy(&value, reinterpret_cast<const void*>(slot), sizeof value);
      if (value <= host_address && host_address - value < kFar && (!best || value > best->value) &&
          !mapping.has_attached(slot, value)) {
        best =
            StrayPointer{described(mapping, mapping.host_begin), slot - mapping.host_begin, value};
      }
    }
  });
  return best;
}

} // namespace gantry::core
