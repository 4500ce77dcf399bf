#include "runtime/core/data_environment.h"

namespace gantry::core {

namespace {

std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

std::string quoted_name(const char* name) {
  const std::string_view variable = map_name(name);
  return variable.empty() ? "storage" : fmt::format("'{}'", variable);
}

std::string extent(std::uintptr_t begin, std::uint64_t size) {
  return fmt::format("[{:#x}, {} bytes)", begin, size);
}

std::string mapped_where(const Mapping& mapping) {
  const std::string where = position(mapping.mapped_at);
  return where.empty() ? std::string() : " at " + where;
}

/// OpenMP 5.2, section 5.8.3, restrictions on the map clause: storage that is mapped in part cannot
/// be extended.
tl::unexpected<Error> partly_mapped(const MapItem& item, std::uintptr_t begin, std::uint64_t size,
                                    const Mapping& mapping) {
  return fail("mapping of {} {} extends past {} {} already mapped{}; map the whole object first",
              quoted_name(item.name), extent(begin, size), quoted_name(mapping.name),
              extent(mapping.host_begin, mapping.size()), mapped_where(mapping));
}

tl::unexpected<Error> not_present(const MapItem& item) {
  return fail("{} {} is not present on the device, as its present modifier demands; map it first, "
              "with target enter data for instance",
              quoted_name(item.name), extent(address(item.begin), item.size));
}

/// A pointer that the compiler mapped by itself for use in a region: it asks for translation and
/// holds no reference.
bool only_translates(const MapItem& item) {
  return item.implicit && item.size == 0;
}

std::uint64_t& count_of(Mapping& mapping, const MapItem& item) {
  return item.hold ? mapping.holds : mapping.references;
}

} // namespace

Status DataEnvironment::enter(std::span<const MapItem> items, const Construct& construct) {
  const std::lock_guard lock(mutex_);
  Found found;
  if (Status status = enter_locked(items, construct, found); !status) {
    return status;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const MapItem& item = items[i];
    if (item.returned_base != nullptr && found[i] != nullptr) {
      const std::uintptr_t host_base = item.kind == MapKind::kPointee
                                           ? *reinterpret_cast<std::uintptr_t*>(item.base)
                                           : address(item.base);
      *item.returned_base = reinterpret_cast<void*>(found[i]->device_address(host_base));
    }
  }
  return {};
}

Status DataEnvironment::enter_target(std::span<const MapItem> items, const Construct& construct,
                                     KernelArguments& arguments, PrivateStorage& storage) {
  const std::lock_guard lock(mutex_);
  Found found;
  if (Status status = enter_locked(items, construct, found); !status) {
    return status;
  }
  return append_arguments(items, found, arguments, storage);
}

Status DataEnvironment::enter_locked(std::span<const MapItem> items, const Construct& construct,
                                     Found& found) {
  const std::uint64_t call = table_.next_call();
  found.assign(items.size(), nullptr);
  bool attachments = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const MapItem& item = items[i];
    if (item.kind == MapKind::kPointee && !item.member) {
      MapItem pointer = item;
      pointer.to = pointer.from = pointer.present = false;
      if (auto entered =
              enter_storage(items, pointer, address(item.base), sizeof(void*), call, construct);
          !entered) {
        return tl::unexpected(entered.error());
      }
    }
    if (item.kind == MapKind::kStorage || item.kind == MapKind::kPointee) {
      auto entered = enter_storage(items, item, address(item.begin), item.size, call, construct);
      if (!entered) {
        return tl::unexpected(entered.error());
      }
      found[i] = *entered;
    }
    attachments |= item.kind == MapKind::kPointee || item.kind == MapKind::kAttachment;
  }
  // Pointers are attached when everything is in place, whatever the order of the items.
  for (std::size_t i = 0; attachments && i < items.size(); ++i) {
    if (items[i].kind == MapKind::kPointee || items[i].kind == MapKind::kAttachment) {
      if (Status status = attach(items[i], call); !status) {
        return status;
      }
    }
  }
  return {};
}

Result<Mapping*> DataEnvironment::enter_storage(std::span<const MapItem> items, const MapItem& item,
                                                std::uintptr_t begin, std::uint64_t size,
                                                std::uint64_t call, const Construct& construct) {
  if (begin == 0) {
    return size == 0 ? Result<Mapping*>(nullptr)
                     : fail("{} is a null pointer, of which {} bytes are to be mapped",
                            quoted_name(item.name), size);
  }
  const Lookup lookup = table_.find(begin, size);
  Mapping* mapping = lookup.mapping;
  if (lookup.presence == Presence::kPartial && !item.implicit) {
    return partly_mapped(item, begin, size, *mapping);
  }
  if (lookup.presence == Presence::kAbsent) {
    if (item.present) {
      return not_present(item);
    }
    if (size == 0) {
      return nullptr;
    }
    auto created = create(items, item, begin, size, call, construct);
    if (!created) {
      return created;
    }
    mapping = *created;
  }
  // A member's storage is counted by the item that maps the whole; a pointee's always by itself.
  const bool counts = !(item.member && item.kind == MapKind::kStorage) && !only_translates(item);
  const bool is_new = mapping->created_by == call;
  if (std::uint64_t& count = count_of(*mapping, item);
      !mapping->infinite() && (counts || !mapping->referenced())) {
    ++count;
  }
  if (!is_new) {
    if (info_enabled(Info::kPresent)) [[unlikely]] {
      info("{}: {} {} is present, referenced {} times", label(construct), quoted_name(item.name),
           extent(begin, size),
           mapping->infinite() ? "infinitely many" : fmt::to_string(mapping->references));
    }
  }
  // OpenMP 5.2, section 5.8.3: a to item is copied if its corresponding storage is new, or always.
  if (item.to && (is_new || item.always)) {
    if (Status status = copy(*mapping, begin, size, Direction::kToDevice, construct); !status) {
      return tl::unexpected(status.error());
    }
  }
  return mapping;
}

Result<Mapping*> DataEnvironment::create(std::span<const MapItem> items, const MapItem& item,
                                         std::uintptr_t begin, std::uint64_t size,
                                         std::uint64_t call, const Construct& construct) {
  std::uintptr_t device_begin = begin;
  void* allocation = nullptr;
  if (!device_.shares_memory() || points_to_own_storage(items, begin, size)) {
    // The corresponding storage is aligned as the original is, up to a cache line.
    constexpr std::uintptr_t kAlignment = 64;
    const std::uintptr_t padding = begin % kAlignment;
    auto allocated = device_.allocate(size + padding);
    if (!allocated) {
      return with_context(allocated.error(), fmt::format("mapping of {} {}", quoted_name(item.name),
                                                         extent(begin, size)));
    }
    allocation = *allocated;
    device_begin = address(allocation) + padding;
  }
  Mapping& mapping = table_.insert(begin, size);
  const bool is_section = item.kind == MapKind::kStorage && address(item.base) < begin;
  mapping.host_base = is_section ? address(item.base) : begin;
  mapping.device_begin = device_begin;
  mapping.allocation = allocation;
  mapping.created_by = call;
  mapping.name = item.name;
  mapping.mapped_at = construct.psource;
  if (info_enabled(Info::kMap)) [[unlikely]] {
    info("{}: {} {} mapped to {:#x}{}", label(construct), quoted_name(item.name),
         extent(begin, size), device_begin, mapping.shared() ? " (shared)" : "");
  }
  return &mapping;
}

Status DataEnvironment::exit(std::span<const MapItem> items, const Construct& construct) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t call = table_.next_call();
  // An error does not keep the other items on the device; the first one is the answer.
  Status outcome;
  const auto note = [&](Status status) {
    if (outcome && !status) {
      outcome = std::move(status);
    }
  };
  // Counts first, so that every item knows whether its storage goes; then copies back; then the
  // storage goes.
  Found found(items.size(), nullptr);
  Found gone;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const MapItem& item = items[i];
    if (item.kind == MapKind::kPointee && !item.member) {
      MapItem pointer = item;
      pointer.present = false;
      if (auto left = leave(pointer, address(item.base), sizeof(void*), call, gone); !left) {
        note(tl::unexpected(left.error()));
      }
    }
    if (item.kind == MapKind::kStorage || item.kind == MapKind::kPointee) {
      auto left = leave(item, address(item.begin), item.size, call, gone);
      if (left) {
        found[i] = *left;
      } else {
        note(tl::unexpected(left.error()));
      }
    }
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    // OpenMP 5.2, section 5.8.3: a from item is copied back if its storage goes, or always.
    const MapItem& item = items[i];
    if (item.from && found[i] != nullptr && (item.always || !found[i]->referenced())) {
      note(copy(*found[i], address(item.begin), item.size, Direction::kFromDevice, construct));
    }
  }
  for (Mapping* mapping : gone) {
    if (info_enabled(Info::kMap)) [[unlikely]] {
      info("{}: {} {} unmapped", label(construct), quoted_name(mapping->name),
           extent(mapping->host_begin, mapping->size()));
    }
    note(remove(*mapping));
  }
  return outcome;
}

Result<Mapping*> DataEnvironment::leave(const MapItem& item, std::uintptr_t begin,
                                        std::uint64_t size, std::uint64_t call, Found& gone) {
  const Lookup lookup = begin == 0 ? Lookup{} : table_.find(begin, size);
  if (lookup.presence == Presence::kAbsent) {
    // OpenMP 5.2, section 13.6.1: what is not present is ignored.
    return item.present ? not_present(item) : Result<Mapping*>(nullptr);
  }
  Mapping& mapping = *lookup.mapping;
  if (lookup.presence == Presence::kPartial && !item.implicit) {
    return partly_mapped(item, begin, size, mapping);
  }
  const bool counts = !(item.member && item.kind == MapKind::kStorage) && !only_translates(item);
  if (!counts || mapping.infinite()) {
    return &mapping;
  }
  std::uint64_t& count = count_of(mapping, item);
  count = item.remove || count == 0 ? 0 : count - 1;
  if (!mapping.referenced() && mapping.removed_by != call) {
    mapping.removed_by = call;
    gone.push_back(&mapping);
  }
  return &mapping;
}

Status DataEnvironment::remove(Mapping& mapping) {
  void* allocation = mapping.allocation;
  separate_storage_ -= mapping.infinite() && !mapping.shared() ? 1 : 0;
  table_.erase(mapping);
  return allocation == nullptr ? Status() : device_.release(allocation);
}

Status DataEnvironment::update(std::span<const MapItem> items, const Construct& construct) {
  const std::lock_guard lock(mutex_);
  for (const MapItem& item : items) {
    const bool has_storage = item.kind == MapKind::kStorage || item.kind == MapKind::kPointee;
    if (!has_storage || item.size == 0 || (!item.to && !item.from)) {
      continue;
    }
    const std::uintptr_t begin = address(item.begin);
    const Lookup lookup = table_.find(begin, item.size);
    if (lookup.presence == Presence::kAbsent) {
      // OpenMP 5.2, section 13.9: an item that is not present is left alone.
      if (item.present) {
        return not_present(item);
      }
      continue;
    }
    if (lookup.presence == Presence::kPartial) {
      return partly_mapped(item, begin, item.size, *lookup.mapping);
    }
    const Direction direction = item.to ? Direction::kToDevice : Direction::kFromDevice;
    if (Status status = copy(*lookup.mapping, begin, item.size, direction, construct); !status) {
      return status;
    }
  }
  return {};
}

Mapping& DataEnvironment::insert_infinite(std::uintptr_t begin, std::uint64_t size,
                                          void* device_address) {
  Mapping& mapping = table_.insert(begin, size);
  mapping.device_begin = address(device_address);
  mapping.references = Mapping::kInfinite;
  separate_storage_ += mapping.shared() ? 0 : 1;
  return mapping;
}

Status DataEnvironment::associate(const void* host, std::uint64_t size, void* device_address) {
  const std::lock_guard lock(mutex_);
  const std::uintptr_t begin = address(host);
  const Lookup lookup = table_.find(begin, size);
  if (lookup.presence == Presence::kAbsent) {
    insert_infinite(begin, size, device_address);
    return {};
  }
  const Mapping& present = *lookup.mapping;
  if (present.host_begin == begin && present.size() == size &&
      present.device_begin == address(device_address) && present.infinite()) {
    return {};
  }
  return fail("host storage {} already has corresponding storage{}", extent(begin, size),
              mapped_where(present));
}

Status DataEnvironment::disassociate(const void* host) {
  const std::lock_guard lock(mutex_);
  const std::uintptr_t begin = address(host);
  const Lookup lookup = table_.find(begin, 1);
  if (lookup.presence != Presence::kPresent || lookup.mapping->host_begin != begin ||
      !lookup.mapping->infinite() || lookup.mapping->declared) {
    return fail("host address {:#x} is not the start of storage that omp_target_associate_ptr "
                "associated",
                begin);
  }
  return remove(*lookup.mapping);
}

Status DataEnvironment::declare(const void* host, std::uint64_t size, void* device_address,
                                const char* name) {
  const std::lock_guard lock(mutex_);
  const std::uintptr_t begin = address(host);
  const Lookup lookup = table_.find(begin, size);
  if (lookup.presence == Presence::kAbsent) {
    Mapping& mapping = insert_infinite(begin, size, device_address);
    mapping.declared = true;
    mapping.name = name;
    return {};
  }
  const Mapping& present = *lookup.mapping;
  if (present.declared && present.host_begin == begin && present.size() == size) {
    return {};
  }
  return fail("host storage {} already has corresponding storage{}", extent(begin, size),
              mapped_where(present));
}

void DataEnvironment::undeclare(const void* host, const void* device_address) {
  const std::lock_guard lock(mutex_);
  const Lookup lookup = table_.find(address(host), 1);
  if (lookup.presence == Presence::kPresent && lookup.mapping->declared &&
      lookup.mapping->device_begin == address(device_address)) {
    (void)remove(*lookup.mapping); // it owns no allocation, so nothing can fail
  }
}

void* DataEnvironment::corresponding(const void* host, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  const Lookup lookup = table_.find(address(host), size);
  return lookup.presence == Presence::kPresent
             ? reinterpret_cast<void*>(lookup.mapping->device_address(address(host)))
             : nullptr;
}

void DataEnvironment::intern_strings(std::uintptr_t begin, std::uintptr_t end) {
  const std::lock_guard lock(mutex_);
  table_.intern_strings(begin, end);
}

std::string DataEnvironment::describe() {
  const std::lock_guard lock(mutex_);
  std::string text = fmt::format("{:>18} {:>18} {:>12} {:>10} {:>6}  {}\n", "host", "device",
                                 "bytes", "references", "holds", "variable");
  table_.for_each([&](const Mapping& mapping) {
    text += fmt::format("{:#18x} {:#18x} {:>12} {:>10} {:>6}  {}\n", mapping.host_begin,
                        mapping.device_begin, mapping.size(),
                        mapping.infinite() ? "infinite" : fmt::to_string(mapping.references),
                        mapping.holds, map_name(mapping.name));
  });
  return text;
}

} // namespace gantry::core
