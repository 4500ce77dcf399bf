#include "simt/memory/uninitialised_bytes.h"

#include <algorithm>

#include <sys/mman.h>

namespace gantry::simt {

std::unique_ptr<UninitialisedBytes> UninitialisedBytes::reserve(std::uint64_t arena,
                                                                std::uint64_t size) {
  void* const bits = mmap(nullptr, size / 8, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (bits == MAP_FAILED) {
    return nullptr;
  }
  return std::unique_ptr<UninitialisedBytes>(
      new UninitialisedBytes(arena, size, static_cast<std::uint8_t*>(bits)));
}

UninitialisedBytes::~UninitialisedBytes() {
  munmap(bits_, size_ / 8);
}

// Device code on several threads writes neighbouring bytes, whose bits share one of these. Most
// writes are to what is written already.
void UninitialisedBytes::set_bits(std::uint64_t byte, std::uint8_t bits, bool uninitialised) {
  std::uint8_t* const place = bits_ + byte;
  const std::uint8_t now = __atomic_load_n(place, __ATOMIC_RELAXED);
  if (uninitialised && (now & bits) != bits) {
    __atomic_fetch_or(place, bits, __ATOMIC_RELAXED);
  } else if (!uninitialised && (now & bits) != 0) {
    __atomic_fetch_and(place, static_cast<std::uint8_t>(~bits), __ATOMIC_RELAXED);
  }
}

void UninitialisedBytes::mark(std::uint64_t address, std::uint64_t size, bool uninitialised) {
  std::uint64_t offset = address - arena_;
  if (offset >= size_) {
    return;
  }
  const std::uint64_t end = offset + std::min(size, size_ - offset);
  while (offset < end) {
    if (offset % 64 == 0 && end - offset >= 64) {
      // All of these bits are of bytes that the caller alone writes now.
      __atomic_store_n(reinterpret_cast<std::uint64_t*>(bits_ + offset / 8),
                       uninitialised ? ~std::uint64_t{0} : 0, __ATOMIC_RELAXED);
      offset += 64;
      continue;
    }
    const std::uint64_t first = offset % 8;
    const std::uint64_t count = std::min(8 - first, end - offset);
    set_bits(offset / 8, static_cast<std::uint8_t>(((1U << count) - 1) << first), uninitialised);
    offset += count;
  }
}

bool UninitialisedBytes::none_uninitialised(std::uint64_t address, std::uint64_t size) const {
  const std::uint64_t offset = address - arena_;
  if (offset >= size_ || size > size_ - offset) {
    return false;
  }
  const std::uint8_t* place = bits_ + offset / 8;
  const std::uint8_t* const end = bits_ + (offset + size + 7) / 8;
  std::uint64_t found = 0;
  for (; place != end && reinterpret_cast<std::uintptr_t>(place) % 8 != 0; ++place) {
    found |= __atomic_load_n(place, __ATOMIC_RELAXED);
  }
  for (; end - place >= 8; place += 8) {
    found |= __atomic_load_n(reinterpret_cast<const std::uint64_t*>(place), __ATOMIC_RELAXED);
  }
  for (; place != end; ++place) {
    found |= __atomic_load_n(place, __ATOMIC_RELAXED);
  }
  return found == 0;
}

bool UninitialisedBytes::is_uninitialised(std::uint64_t address) const {
  const std::uint64_t offset = address - arena_;
  return offset < size_ &&
         (__atomic_load_n(bits_ + offset / 8, __ATOMIC_RELAXED) >> offset % 8 & 1) != 0;
}

bool UninitialisedBytes::all_uninitialised(std::uint64_t address, std::uint64_t size) const {
  const std::uint64_t offset = address - arena_;
  if (offset < size_ && offset % 8 + size <= 8) {
    const auto bits = static_cast<std::uint8_t>(((1U << size) - 1) << offset % 8);
    return (__atomic_load_n(bits_ + offset / 8, __ATOMIC_RELAXED) & bits) == bits;
  }
  for (std::uint64_t i = 0; i < size; ++i) {
    if (!is_uninitialised(address + i)) {
      return false;
    }
  }
  return true;
}

void UninitialisedBytes::copy(std::uint64_t to, std::uint64_t from, std::uint64_t size) {
  if (from - arena_ >= size_) {
    mark_written(to, size);
    return;
  }
  // In steps of one byte of bits where they lie alike, and backwards where the one range ends
  // inside the other, as memmove does.
  const std::uint64_t step = (to | from | size) % 8 == 0 ? 8 : 1;
  const bool backwards = to > from && to - from < size;
  for (std::uint64_t done = 0; done < size; done += step) {
    const std::uint64_t at = backwards ? size - step - done : done;
    if (step == 1) {
      mark(to + at, 1, is_uninitialised(from + at));
    } else if (to + at - arena_ < size_) {
      const auto bits = __atomic_load_n(bits_ + (from + at - arena_) / 8, __ATOMIC_RELAXED);
      __atomic_store_n(bits_ + (to + at - arena_) / 8, bits, __ATOMIC_RELAXED);
    }
  }
}

} // namespace gantry::simt
