#include "runtime/core/host/read_only_memory.h"

#include <algorithm>
#include <span>

#include <link.h>
#include <unistd.h>

namespace gantry::core {

namespace {

std::uintptr_t page_size() {
  static const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return size;
}

} // namespace

struct ReadOnlyMemory::Search {
  unsigned long long loaded;
  unsigned long long unloaded;
  std::vector<Range> ranges;
  bool changed = false;

  static int look_at(dl_phdr_info* info, std::size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    // The same for every module of one round.
    if (info->dlpi_adds == search.loaded && info->dlpi_subs == search.unloaded && !search.changed) {
      return 1;
    }
    search.changed = true;
    search.loaded = info->dlpi_adds;
    search.unloaded = info->dlpi_subs;
    const std::uintptr_t page = page_size();
    for (const auto& segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
      const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
      const std::uintptr_t end = begin + segment.p_memsz;
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0) {
        search.add(begin, end);
      } else if (segment.p_type == PT_GNU_RELRO) {
        // Only whole pages are protected.
        search.add(begin / page * page, end / page * page);
      }
    }
    return 0;
  }

  void add(std::uintptr_t begin, std::uintptr_t end) {
    if (begin < end) {
      ranges.push_back({begin, end});
    }
  }
};

void ReadOnlyMemory::refresh() {
  expect_no_lock("the dynamic loader is asked");
  Search search{};
  {
    const std::lock_guard lock(mutex_);
    search.loaded = loaded_;
    search.unloaded = unloaded_;
  }
  dl_iterate_phdr(Search::look_at, &search);
  if (!search.changed) {
    return;
  }
  std::ranges::sort(search.ranges, {}, &Range::begin);
  const std::lock_guard lock(mutex_);
  if (search.loaded + search.unloaded < loaded_ + unloaded_) {
    return; // another thread has looked later
  }
  loaded_ = search.loaded;
  unloaded_ = search.unloaded;
  ranges_ = std::move(search.ranges);
}

bool ReadOnlyMemory::holds(std::uintptr_t address) {
  if (!noted(address)) [[likely]] {
    return false;
  }
  refresh(); // its library may have gone, and another's variables may be there
  return noted(address);
}

bool ReadOnlyMemory::noted(std::uintptr_t address) {
  const std::lock_guard lock(mutex_);
  const auto behind = std::ranges::upper_bound(ranges_, address, {}, &Range::begin);
  return behind != ranges_.begin() && address < std::prev(behind)->end;
}

} // namespace gantry::core
