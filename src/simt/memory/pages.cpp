#include "simt/memory/pages.h"

#include "simt/memory/range_allocator.h"

#include <sys/mman.h>
#include <unistd.h>

namespace gantry::simt {

std::uint64_t page_size() {
  static const auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::pair<std::uint64_t, std::uint64_t> give_back(std::uint64_t begin, std::uint64_t size) {
  const std::uint64_t first = round_up(begin, page_size());
  const std::uint64_t end = (begin + size) & ~(page_size() - 1);
  if (first >= end || madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED) != 0) {
    return {0, 0};
  }
  return {first - begin, end - begin};
}

} // namespace gantry::simt
