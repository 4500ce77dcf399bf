#include "runtime/core/data/stale_copies.h"
#include "runtime/core/host/host_memory.h"
#include "runtime/core/reports/text.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace gantry::core {

namespace {

CopiedValues::Bytes host_copy(const Mapping& mapping) {
  return {reinterpret_cast<const std::byte*>(mapping.host_begin), mapping.size()};
}

/// False if a part of [begin, end) is not there any more, which is no mistake while nothing is
/// copied of it.
bool is_on_host(std::uintptr_t begin, std::uintptr_t end) {
  return HostMemory::instance().is_readable(begin, end - begin);
}

/// "target enter data at app.cpp:12".
std::string name_of(const Construct& construct) {
  const std::string where = position(construct.location);
  return where.empty() ? std::string(construct.name)
                       : fmt::format("{} at {}", construct.name, where);
}

std::string object(const Mapping& mapping) {
  return named_extent(mapping.name, mapping.host_begin, mapping.size());
}

/// "(4 bytes, the first at offset 40)".
std::string amount(const CopiedValues::Difference& difference) {
  return fmt::format("({}, the first at offset {})", counted(difference.bytes, "byte"),
                     difference.first);
}

void note_copied(Mapping& mapping, std::uintptr_t begin, std::uint64_t size,
                 const std::string& construct) {
  if (mapping.shared()) {
    return;
  }
  if (mapping.copied_values == nullptr) {
    mapping.copied_values = std::make_unique<CopiedValues>(mapping.size());
  }
  mapping.copied_values->copied(
      begin - mapping.host_begin,
      {reinterpret_cast<const std::byte*>(begin), std::min(size, mapping.host_end - begin)},
      construct);
}

} // namespace

void StaleCopies::note_copies(const ConstructWork& work) {
  const std::string construct = name_of(work.construct());
  work.transfers.for_each_piece([&](Mapping& mapping, std::uintptr_t begin, std::uint64_t size) {
    note_copied(mapping, begin, size, construct);
  });
  for (const auto& [mapping, pointer] : work.attachments) {
    if (mapping->copied_values != nullptr) {
      note_copied(*mapping, pointer.host_slot, pointer.size, construct);
    }
  }
}

void StaleCopies::see_device(const Use& use, const std::string& construct) const {
  constexpr std::uint64_t kPiece = 1 << 20;
  Mapping& mapping = *use.mapping;
  std::vector<std::byte> piece(std::min(use.end - use.begin, kPiece));
  for (std::uintptr_t begin = use.begin; begin < use.end; begin += piece.size()) {
    piece.resize(std::min(use.end - begin, kPiece));
    if (!device_.retrieve(piece.data(),
                          reinterpret_cast<const void*>(mapping.device_address(begin)),
                          piece.size())) {
      return; // the construct that needs the device says so
    }
    // An attached pointer differs from the host's and means the same. They are sorted.
    const std::uintptr_t piece_end = begin + piece.size();
    auto pointer =
        std::ranges::partition_point(mapping.attached, [&](const AttachedPointer& candidate) {
          return candidate.host_slot + candidate.size <= begin;
        });
    for (; pointer != mapping.attached.end() && pointer->host_slot < piece_end; ++pointer) {
      const std::uintptr_t first = std::max(pointer->host_slot, begin);
      const std::uintptr_t end = std::min(pointer->host_slot + pointer->size, piece_end);
      mapping.copied_values->last_seen(first - mapping.host_begin,
                                       std::span(piece).subspan(first - begin, end - first));
    }
    mapping.copied_values->see_device(begin - mapping.host_begin, piece, construct);
  }
}

std::vector<StaleCopies::Use> StaleCopies::uses_of(Items items) {
  std::vector<Use> uses;
  for (const MapItem& item : items) {
    if (item.kind != MapKind::kStorage && item.kind != MapKind::kPointee &&
        item.kind != MapKind::kCapture) {
      continue;
    }
    const std::uint64_t section = item.kind == MapKind::kCapture ? 0 : item.span();
    const std::uintptr_t begin = address(item.begin);
    Mapping* const mapping = guarded_.table.find(begin, section).mapping;
    if (mapping == nullptr) {
      continue;
    }
    Use use = {mapping, mapping->host_begin, mapping->host_end};
    if (section != 0) {
      use.begin = std::max(begin, use.begin);
      use.end = begin + std::min<std::uint64_t>(section, use.end - begin);
    }
    uses.push_back(use);
  }
  guarded_.table.for_each([&](Mapping& mapping) {
    if (mapping.declared) {
      uses.push_back({&mapping, mapping.host_begin, mapping.host_end});
    }
  });
  // What pointers on the device lead to.
  std::unordered_set<const Mapping*> known;
  for (const Use& use : uses) {
    if (use.end - use.begin == use.mapping->size()) {
      known.insert(use.mapping);
    }
  }
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Use use = uses[i];
    for (const AttachedPointer& pointer : use.mapping->attached) {
      Mapping* const pointee = pointer.host_slot >= use.begin && pointer.host_slot < use.end
                                   ? guarded_.table.find(pointer.pointee, 0).mapping
                                   : nullptr;
      if (pointee != nullptr && known.insert(pointee).second) {
        uses.push_back({pointee, pointee->host_begin, pointee->host_end});
      }
    }
  }
  std::erase_if(uses, [](const Use& use) { return use.mapping->copied_values == nullptr; });
  return uses;
}

void StaleCopies::look_at_uses(Items items, const std::function<void(const Use&)>& look) {
  Lock lock(guarded_.mutex);
  std::vector<Use> uses = uses_of(items);
  while (std::ranges::any_of(uses, &Mapping::marked, &Use::mapping)) {
    guarded_.marks.wait(lock);
    uses = uses_of(items);
  }
  std::vector<Mapping*> mappings;
  for (const Use& use : uses) {
    mappings.push_back(use.mapping);
  }
  while_marked(lock, mappings, [&] { std::ranges::for_each(uses, look); });
}

void StaleCopies::look_before_region(Items items, const Construct& construct) {
  look_at_uses(items, [&](const Use& use) {
    Mapping& mapping = *use.mapping;
    see_device(use, "");
    if (!is_on_host(use.begin, use.end)) {
      return;
    }
    const std::uint64_t offset = use.begin - mapping.host_begin;
    if (const auto changes = mapping.copied_values->take_host_changes(
            offset, host_copy(mapping).subspan(offset, use.end - use.begin))) {
      write_warning(fmt::format(
          "{}: {} has changed on the host {} since it was copied by {}, and the device has the old "
          "values; add target update to, or map it always",
          label(construct), object(mapping), amount(*changes), changes->copied_by));
    }
  });
}

std::vector<std::uintptr_t> StaleCopies::look_after_region(Items items,
                                                           const Construct& construct) {
  std::vector<std::uintptr_t> changed;
  look_at_uses(items, [&](const Use& use) {
    see_device(use, name_of(construct));
    if (use.mapping->copied_values->take_changed()) {
      changed.push_back(use.mapping->host_begin);
    }
  });
  return changed;
}

void StaleCopies::tell_differences(std::span<const std::uintptr_t> objects,
                                   const Construct& construct) {
  if (!construct.tells(Event::kDifference)) {
    return;
  }
  std::vector<Difference> differences;
  {
    const std::lock_guard lock(guarded_.mutex);
    for (const std::uintptr_t object_begin : objects) {
      const Mapping* const mapping = guarded_.table.find(object_begin, 0).mapping;
      if (mapping == nullptr || mapping->host_begin != object_begin || mapping->marked ||
          mapping->copied_values == nullptr ||
          !is_on_host(mapping->host_begin, mapping->host_end)) {
        continue; // it is gone, or another construct copies it now
      }
      if (const auto changes = mapping->copied_values->device_changes(host_copy(*mapping))) {
        differences.push_back({{construct, device_.name()},
                               mapping->name == nullptr ? "" : mapping->name,
                               mapping->host_begin,
                               mapping->size(),
                               changes->bytes,
                               changes->first,
                               changes->copied_by});
      }
    }
  }
  std::ranges::for_each(differences, tell<Difference>);
}

void StaleCopies::look_at_gone(Lock& lock, const ConstructWork& work) {
  while_marked(lock, work.gone, [&] {
    for (Mapping* const mapping : work.gone) {
      look_at_gone(*mapping, work.construct());
    }
  });
}

void StaleCopies::look_at_gone(Mapping& mapping, const Construct& construct) const {
  if (mapping.copied_values == nullptr || !is_on_host(mapping.host_begin, mapping.host_end)) {
    return;
  }
  see_device({&mapping, mapping.host_begin, mapping.host_end}, "");
  const auto changes = mapping.copied_values->device_changes(host_copy(mapping));
  if (!changes) {
    return;
  }
  const std::string whose = changes->changed_by.empty()
                                ? fmt::format("values that it got after {}", changes->copied_by)
                                : fmt::format("values of {}", changes->changed_by);
  write_warning(fmt::format("{}: {} leaves the device with {} {}, which the host does not get; map "
                            "it from, or add target update from",
                            label(construct), object(mapping), whose, amount(*changes)));
}

template <typename Action>
void StaleCopies::while_marked(Lock& lock, std::span<Mapping* const> mappings, Action action) {
  Marks::Mine mine;
  for (Mapping* const mapping : mappings) {
    guarded_.marks.set(*mapping, mine);
  }
  lock.unlock();
  action();
  lock.lock();
  guarded_.marks.take_off(mine);
}

} // namespace gantry::core
