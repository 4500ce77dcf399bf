// Mistakes that GANTRY_CHECK looks for: nothing that the standard forbids, and seldom what is
// meant.
#include "runtime/core/data/data_environment.h"

#include "runtime/core/reports/text.h"

#include <algorithm>

namespace gantry::core {

void DataEnvironment::warn_of_attached(const ConstructWork& work) {
  if (work.gone.empty()) {
    return;
  }
  table_.for_each([&](const Mapping& holder) {
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
            "{}: {} {} leaves the device while the pointer at offset {} of {} {}, mapped{}, is "
            "attached to it; unmap the pointer first, or do not use it on the device any more",
            label(work.construct), quoted_name((*pointee)->name),
            extent((*pointee)->host_begin, (*pointee)->size()),
            pointer.host_slot - holder.host_begin, quoted_name(holder.name),
            extent(holder.host_begin, holder.size()), mapped_where(holder)));
      }
    }
  });
}

std::vector<std::string> DataEnvironment::leaks() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> found;
  table_.for_each([&](const Mapping& mapping) {
    if (!mapping.infinite()) {
      found.push_back(fmt::format("{} {}, mapped{}, is still mapped at the end, referenced {}",
                                  quoted_name(mapping.name),
                                  extent(mapping.host_begin, mapping.size()), mapped_where(mapping),
                                  counted(mapping.references + mapping.holds, "time")));
    }
  });
  return found;
}

} // namespace gantry::core
