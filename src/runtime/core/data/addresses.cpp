// What an address of the device or the host belongs to, for messages about faults.
#include "runtime/core/data/data_environment.h"

#include "runtime/core/reports/text.h"
#include "runtime/core/host/host_memory.h"

#include <cstring>

namespace gantry::core {

namespace {

DataEnvironment::Storage of_device(const Mapping& mapping) {
  return {quoted_name(mapping.name), mapping.device_begin, mapping.size(), mapped_where(mapping),
          ""};
}

DataEnvironment::Storage of_host(const Mapping& mapping) {
  return {quoted_name(mapping.name), mapping.host_begin, mapping.size(), mapped_where(mapping), ""};
}

std::string where(const char* psource) {
  const std::string text = position(psource);
  return text.empty() ? text : " at " + text;
}

} // namespace

void DataEnvironment::note_gone(const Mapping& mapping, const Construct& construct) {
  if (mapping.allocation == nullptr || mapping.kept != nullptr) {
    return; // nothing is freed, or its strings go with it
  }
  gone_[next_gone_] = {.device_begin = mapping.device_begin,
                       .size = mapping.size(),
                       .name = mapping.name,
                       .mapped_at = mapping.mapped_at,
                       .unmapped_at = construct.psource};
  next_gone_ = (next_gone_ + 1) % gone_.size();
}

/// The mapping that `better` prefers to all others: it is given the best so far, null at first, and
/// the next one.
template <typename Better>
std::optional<DataEnvironment::Storage> DataEnvironment::choose_storage(Better better) {
  const std::lock_guard lock(mutex_);
  const Mapping* best = nullptr;
  table_.for_each([&](const Mapping& mapping) {
    if (!mapping.shared() && !mapping.pending && better(best, mapping)) {
      best = &mapping;
    }
  });
  return best == nullptr ? std::nullopt : std::optional(of_device(*best));
}

std::optional<DataEnvironment::Storage> DataEnvironment::storage_at(std::uintptr_t device_address) {
  return choose_storage([&](const Mapping*, const Mapping& mapping) {
    return device_address >= mapping.device_begin &&
           device_address - mapping.device_begin < mapping.size();
  });
}

std::optional<DataEnvironment::Storage>
DataEnvironment::storage_before(std::uintptr_t device_address) {
  return choose_storage([&](const Mapping* best, const Mapping& mapping) {
    return mapping.device_begin <= device_address &&
           (best == nullptr || mapping.device_begin > best->device_begin);
  });
}

std::optional<DataEnvironment::Storage>
DataEnvironment::storage_behind(std::uintptr_t device_address) {
  return choose_storage([&](const Mapping* best, const Mapping& mapping) {
    return mapping.device_begin > device_address &&
           (best == nullptr || mapping.device_begin < best->device_begin);
  });
}

std::optional<DataEnvironment::Storage>
DataEnvironment::gone_storage_at(std::uintptr_t device_address) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 1; i <= gone_.size(); ++i) {
    const Gone& gone = gone_[(next_gone_ + gone_.size() - i) % gone_.size()];
    if (device_address >= gone.device_begin && device_address - gone.device_begin < gone.size) {
      return Storage{quoted_name(gone.name), gone.device_begin, gone.size, where(gone.mapped_at),
                     where(gone.unmapped_at)};
    }
  }
  return std::nullopt;
}

std::optional<DataEnvironment::Storage> DataEnvironment::original_at(std::uintptr_t host_address) {
  const std::lock_guard lock(mutex_);
  const Lookup lookup = table_.find(host_address, 1);
  return lookup.presence == Presence::kPresent ? std::optional(of_host(*lookup.mapping))
                                               : std::nullopt;
}

std::optional<DataEnvironment::StrayPointer>
DataEnvironment::pointer_to(std::uintptr_t host_address) {
  constexpr std::uint64_t kFar = 64 << 20;
  constexpr std::uint64_t kMostBytes = 64 << 10;
  const std::lock_guard lock(mutex_);
  std::optional<StrayPointer> best;
  table_.for_each([&](const Mapping& mapping) {
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
        best = StrayPointer{of_host(mapping), slot - mapping.host_begin, value};
      }
    }
  });
  return best;
}

} // namespace gantry::core
