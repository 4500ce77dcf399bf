#include "runtime/core/data/checks.h"

#include "runtime/core/reports/text.h"

#include <algorithm>

namespace gantry::core {

void warn_of_attached(const MappingTable& table, const ConstructWork& work) {
  if (work.gone.empty()) {
    return;
  }
  table.for_each([&](const Mapping& holder) {
    // A declare target pointer stays on the device whatever it points to, and so does the reference
    // pointer of a link variable.
    if (holder.declared || std::ranges::find(work.gone, &holder) != work.gone.end()) {
      return;
    }
    for (const AttachedPointer& pointer : holder.attached) {
      const auto pointee = std::ranges::find_if(work.gone, [&](const Mapping* mapping) {
        return pointer.pointee >= mapping->host_begin && pointer.pointee < mapping->host_end;
      });
      if (pointee != work.gone.end()) {
        write_warning(fmt::format(
            "{}: {} leaves the device while the pointer at offset {} of {}, mapped{}, is attached "
            "to it; unmap the pointer first, or do not use it on the device any more",
            label(work.construct()),
            named_extent((*pointee)->name, (*pointee)->host_begin, (*pointee)->size()),
            pointer.host_slot - holder.host_begin,
            named_extent(holder.name, holder.host_begin, holder.size()),
            at_position(holder.mapped_at)));
      }
    }
  });
}

std::vector<std::string> leaks_of(const MappingTable& table) {
  std::vector<std::string> found;
  table.for_each([&](const Mapping& mapping) {
    if (!mapping.infinite()) {
      found.push_back(fmt::format("{}, mapped{}, is still mapped at the end, referenced {}",
                                  named_extent(mapping.name, mapping.host_begin, mapping.size()),
                                  at_position(mapping.mapped_at),
                                  counted(mapping.references + mapping.holds, "time")));
    }
  });
  return found;
}

} // namespace gantry::core
