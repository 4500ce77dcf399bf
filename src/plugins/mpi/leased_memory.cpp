#include "plugins/mpi/leased_memory.h"

#include <algorithm>

namespace gantry::mpi {

Result<std::uint64_t> LeasedMemory::allocate(std::uint64_t bytes) {
  constexpr std::uint32_t kMost = 16;
  std::uint32_t count = 1;
  {
    const std::lock_guard lock(mutex_);
    if (bytes <= kLargest) {
      Size& size = sizes_[bytes];
      size.used = ++clock_;
      if (!size.free.empty()) {
        const std::uint64_t block = size.free.back();
        size.free.pop_back();
        kept_ -= bytes;
        used_[block] = bytes;
        return block;
      }
      const std::uint64_t room = kKept > kept_ ? (kKept - kept_) / bytes : 0;
      count = static_cast<std::uint32_t>(std::min<std::uint64_t>(size.next, room + 1));
      size.next = std::min(size.next * 2, kMost);
    }
  }
  const std::vector<std::uint64_t> blocks = GANTRY_TRY(calls_.take(bytes, count));
  const std::lock_guard lock(mutex_);
  used_[blocks.front()] = bytes;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    sizes_[bytes].free.push_back(blocks[i]);
    kept_ += bytes;
  }
  return blocks.front();
}

bool LeasedMemory::release(std::uint64_t block) {
  std::uint64_t bytes = 0;
  bool again = false;
  std::vector<std::uint64_t> dropped;
  std::uint64_t dropped_bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto used = used_.extract(block);
    if (used.empty()) {
      return false;
    }
    bytes = used.mapped();
    if (bytes <= kLargest) {
      if (kept_ + bytes > kKept) {
        dropped = drop_oldest(bytes, dropped_bytes);
      }
      again = kept_ + bytes <= kKept;
      kept_ += again ? bytes : 0;
      sizes_[bytes].expected += again ? 1 : 0;
    }
  }
  for (const std::uint64_t old : dropped) {
    calls_.give_back(old, dropped_bytes, false);
  }
  calls_.give_back(block, bytes, again);
  return true;
}

std::vector<std::uint64_t> LeasedMemory::drop_oldest(std::uint64_t but, std::uint64_t& bytes) {
  auto oldest = sizes_.end();
  for (auto size = sizes_.begin(); size != sizes_.end(); ++size) {
    if (size->first != but && !size->second.free.empty() &&
        (oldest == sizes_.end() || size->second.used < oldest->second.used)) {
      oldest = size;
    }
  }
  if (oldest == sizes_.end()) {
    return {};
  }
  bytes = oldest->first;
  oldest->second.next = 2;
  kept_ -= bytes * oldest->second.free.size();
  return std::exchange(oldest->second.free, {});
}

bool LeasedMemory::granted(std::uint64_t bytes, std::uint64_t block) {
  const std::lock_guard lock(mutex_);
  const auto size = sizes_.find(bytes);
  if (size == sizes_.end() || size->second.expected == 0) {
    return false;
  }
  --size->second.expected;
  if (block == 0) {
    kept_ -= bytes; // there was none
  } else {
    size->second.free.push_back(block);
  }
  return true;
}

} // namespace gantry::mpi
