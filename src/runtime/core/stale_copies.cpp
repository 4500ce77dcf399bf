// GANTRY_CHECK=map: objects of which one side has values that the other does not get to see, though
// a copy of them was made before. At each construct the two copies of what it names are compared
// with what they were when they were last made the same.
//
// Objects of which no copy was ever asked for are the device's own scratch memory.
#include "runtime/core/copied_values.h"
#include "runtime/core/data_environment.h"
#include "runtime/core/extent.h"

#include <algorithm>
#include <cstring>

namespace gantry::core {

namespace {

CopiedValues::Bytes host_copy(const Mapping& mapping) {
  return {reinterpret_cast<const std::byte*>(mapping.host_begin), mapping.size()};
}

/// "target enter data at app.cpp:12".
std::string name_of(const Construct& construct) {
  const std::string where = position(construct.psource);
  return where.empty() ? std::string(construct.name)
                       : fmt::format("{} at {}", construct.name, where);
}

std::string object(const Mapping& mapping) {
  return fmt::format("{} {}", quoted_name(mapping.name),
                     extent(mapping.host_begin, mapping.size()));
}

/// "(4 bytes, the first at offset 40)".
std::string amount(const CopiedValues::Difference& difference) {
  return fmt::format("({}, the first at offset {})", counted(difference.bytes, "byte"),
                     difference.first);
}

/// Calls `visit` once for each mapping of a construct's items that has storage of its own.
template <typename Found, typename Visitor>
void for_each_separate(const Found& found, Visitor visit) {
  for (auto mapping = found.begin(); mapping != found.end(); ++mapping) {
    if (*mapping != nullptr && !(*mapping)->shared() &&
        std::find(found.begin(), mapping, *mapping) == mapping) {
      visit(**mapping);
    }
  }
}

/// Notes what a construct's copies have made the same.
void note_copied(Mapping& mapping, const ConstructWork& work) {
  const CopiedValues::Bytes host = host_copy(mapping);
  const std::string construct = name_of(work.construct);
  work.transfers.for_each_piece(mapping, [&](std::uintptr_t begin, std::uint64_t size) {
    if (mapping.copied_values == nullptr) {
      mapping.copied_values = std::make_unique<CopiedValues>(mapping.size());
    }
    const std::uint64_t offset = begin - mapping.host_begin;
    mapping.copied_values->copied(offset, host.subspan(offset, size), construct);
  });
}

/// Warns if the host has changed what was copied before.
void look_at_host(Mapping& mapping, const Construct& construct) {
  if (mapping.copied_values == nullptr) {
    return;
  }
  if (const auto changes = mapping.copied_values->take_host_changes(host_copy(mapping))) {
    write_warning(fmt::format(
        "{}: {} has changed on the host {} since it was copied by {}, and the device has the old "
        "values; add target update to, or map it always",
        label(construct), object(mapping), amount(*changes), changes->copied_by));
  }
}

} // namespace

std::optional<std::vector<std::byte>> DataEnvironment::device_copy(const Mapping& mapping) const {
  std::vector<std::byte> copy(mapping.size());
  if (!device_.retrieve(copy.data(), reinterpret_cast<const void*>(mapping.device_begin),
                        copy.size())) {
    return std::nullopt; // the construct that needs the device says so
  }
  const CopiedValues::Bytes host = host_copy(mapping);
  for (const AttachedPointer& pointer : mapping.attached) {
    // It differs from the host's and means the same.
    const std::uint64_t offset = pointer.host_slot - mapping.host_begin;
    const std::uint64_t size = std::min(pointer.size, mapping.size() - offset);
    std::memcpy(&copy[offset], &host[offset], size);
  }
  return copy;
}

void DataEnvironment::look_at_declared(const Construct& construct) {
  const std::lock_guard lock(mutex_);
  table_.for_each([&](Mapping& mapping) {
    if (mapping.declared && !mapping.shared()) {
      look_at_host(mapping, construct);
    }
  });
}

void DataEnvironment::look_at_entered(const ConstructWork& work) {
  for (const auto& [mapping, pointer] : work.attachments) {
    if (mapping->copied_values != nullptr) {
      const std::uint64_t offset = pointer.host_slot - mapping->host_begin;
      const std::uint64_t size = std::min(pointer.size, mapping->size() - offset);
      mapping->copied_values->copied(offset, host_copy(*mapping).subspan(offset, size),
                                     name_of(work.construct));
    }
  }
  for_each_separate(work.found, [&](Mapping& mapping) {
    note_copied(mapping, work);
    look_at_host(mapping, work.construct);
  });
}

void DataEnvironment::look_at_left(const ConstructWork& work) {
  for_each_separate(work.found, [&](Mapping& mapping) {
    if (mapping.copied_values == nullptr) {
      note_copied(mapping, work);
      return;
    }
    const auto device = device_copy(mapping);
    if (!device) {
      return;
    }
    const bool changed = mapping.copied_values->see_device(*device, name_of(work.construct));
    note_copied(mapping, work);
    const auto changes = mapping.copied_values->device_changes(host_copy(mapping));
    if (!changes) {
      return;
    }
    if (std::ranges::find(work.gone, &mapping) != work.gone.end()) {
      write_warning(fmt::format(
          "{}: {} leaves the device with values of {} {}, which the host does not get; map it "
          "from, or add target update from",
          label(work.construct), object(mapping), changes->changed_by, amount(*changes)));
    } else if (changed && info_enabled(Info::kStale)) {
      info("{}: {} has changed on the device {} since it was copied by {}, and the host has the "
           "old values until they are copied",
           label(work.construct), object(mapping), amount(*changes), changes->copied_by);
    }
  });
}

void DataEnvironment::look_at_updated(const ConstructWork& work) {
  for_each_separate(work.marked, [&](Mapping& mapping) { note_copied(mapping, work); });
}

} // namespace gantry::core
