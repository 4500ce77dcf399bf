#include "plugins/hsa/arguments.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace gantry::hsa {

namespace {
constexpr std::size_t kPageBytes = 64 << 10;
constexpr std::size_t kAlignment = 64;
} // namespace

std::int32_t ArgumentMemory::reserve(Stream& stream, std::size_t size, std::byte*& memory) {
  size = (std::max<std::size_t>(size, 1) + kAlignment - 1) / kAlignment * kAlignment;
  if (pages_[turn_].used + size > pages_[turn_].capacity) {
    turn_ = (turn_ + 1) % pages_.size();
    Page& page = pages_[turn_];
    GANTRY_STATUS_TRY(stream.wait(page.last));
    page.used = 0;
    if (page.capacity < size) {
      if (page.memory != nullptr) {
        page.capacity = 0;
        GANTRY_STATUS_TRY(device_.source.free_pinned(std::exchange(page.memory, nullptr)));
      }
      const std::size_t capacity = std::bit_ceil(std::max(size, kPageBytes));
      void* made = nullptr;
      GANTRY_STATUS_TRY(device_.source.allocate_pinned(capacity, made));
      page.memory = static_cast<std::byte*>(made);
      page.capacity = capacity;
    }
  }
  Page& page = pages_[turn_];
  memory = page.memory + page.used;
  page.used += size;
  page.last = stream.last() + 1;
  return GANTRY_SUCCESS;
}

std::int32_t ArgumentMemory::release() {
  std::int32_t status = GANTRY_SUCCESS;
  for (Page& page : pages_) {
    if (page.memory != nullptr) {
      keep_failure(status, device_.source.free_pinned(page.memory));
    }
    page = {};
  }
  return status;
}

} // namespace gantry::hsa
