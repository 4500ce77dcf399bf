// GANTRY_CHECK=map: objects of which one side has values that the other does not get to see, though
// a copy of them was made before. At each construct the two copies of what it names are compared
// with what they were when they were last the same, each by itself: attached pointers differ
// between the two and mean the same.
//
// Objects of which no copy was ever asked for are the device's own scratch memory.
#include "runtime/core/data_environment.h"

#include "runtime/core/extent.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace gantry::core {

namespace {

std::uint64_t hash(const void* bytes, std::uint64_t size) {
  return std::hash<std::string_view>()({static_cast<const char*>(bytes), size});
}

std::uint64_t host_hash(const Mapping& mapping) {
  return hash(reinterpret_cast<const void*>(mapping.host_begin), mapping.size());
}

/// "target enter data at app.cpp:12".
std::string name_of(const Construct& construct) {
  const std::string where = position(construct.psource);
  return where.empty() ? std::string(construct.name)
                       : fmt::format("{} at {}", construct.name, where);
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

} // namespace

std::optional<std::uint64_t> DataEnvironment::device_hash(const Mapping& mapping) const {
  constexpr std::uint64_t kPiece = 1 << 20;
  std::vector<std::byte> piece(std::min(mapping.size(), kPiece));
  std::uint64_t all = 0;
  for (std::uint64_t done = 0; done < mapping.size(); done += kPiece) {
    const std::uint64_t count = std::min(kPiece, mapping.size() - done);
    if (!device_.retrieve(piece.data(), reinterpret_cast<const void*>(mapping.device_begin + done),
                          count)) {
      return std::nullopt; // the construct that needs the device says so
    }
    all = all * 31 + hash(piece.data(), count);
  }
  return all;
}

void DataEnvironment::note_copied(Mapping& mapping, const Construct& construct) {
  if (mapping.fingerprint == nullptr) {
    mapping.fingerprint = std::make_unique<Mapping::Fingerprint>();
  }
  mapping.fingerprint->host = host_hash(mapping);
  mapping.fingerprint->device = device_hash(mapping).value_or(0);
  mapping.fingerprint->copied_by = name_of(construct);
  mapping.fingerprint->changed_by.clear();
}

void DataEnvironment::look_at_host(Mapping& mapping, const Construct& construct) {
  if (mapping.fingerprint == nullptr) {
    return;
  }
  Mapping::Fingerprint& known = *mapping.fingerprint;
  if (const std::uint64_t now = host_hash(mapping); now != known.host) {
    known.host = now;
    write_warning(fmt::format(
        "{}: {} {} has changed on the host since it was copied by {}, and the device has the old "
        "values; add target update to, or map it always",
        label(construct), quoted_name(mapping.name), extent(mapping.host_begin, mapping.size()),
        known.copied_by));
  }
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
  for_each_separate(work.found, [&](Mapping& mapping) {
    if (work.transfers.concerns(mapping)) {
      note_copied(mapping, work.construct);
    } else {
      look_at_host(mapping, work.construct);
    }
  });
  for (const auto& [mapping, pointer] : work.attachments) {
    if (mapping->fingerprint != nullptr) {
      mapping->fingerprint->device = device_hash(*mapping).value_or(0);
    }
  }
}

void DataEnvironment::look_at_left(const ConstructWork& work) {
  for_each_separate(work.found, [&](Mapping& mapping) {
    const bool gone = std::ranges::find(work.gone, &mapping) != work.gone.end();
    if (work.transfers.concerns(mapping)) {
      if (!gone) {
        note_copied(mapping, work.construct);
      }
      return;
    }
    if (mapping.fingerprint == nullptr) {
      return;
    }
    Mapping::Fingerprint& known = *mapping.fingerprint;
    const auto now = device_hash(mapping);
    if (!now) {
      return;
    }
    if (*now != known.device) {
      known.device = *now;
      known.changed_by = name_of(work.construct);
    }
    if (gone && !known.changed_by.empty()) {
      write_warning(fmt::format("{}: {} {} leaves the device with values of {}, which the host "
                                "does not get; map it from, "
                                "or add target update from",
                                label(work.construct), quoted_name(mapping.name),
                                extent(mapping.host_begin, mapping.size()), known.changed_by));
    }
  });
}

void DataEnvironment::look_at_updated(const ConstructWork& work) {
  for_each_separate(work.marked, [&](Mapping& mapping) { note_copied(mapping, work.construct); });
}

} // namespace gantry::core
