#include "simt/memory/shadow.h"

#include "simt/memory/pages.h"

#include <algorithm>

namespace gantry::simt {

namespace {

constexpr std::uint64_t kGranule = Shadow::kGranule;
constexpr std::uint64_t kHugePage = 2 << 20;

std::uint8_t read(const std::uint8_t* granule) {
  return __atomic_load_n(granule, __ATOMIC_RELAXED);
}

void write(std::uint8_t* granule, std::uint8_t value) {
  __atomic_store_n(granule, value, __ATOMIC_RELAXED);
}

void fill(std::uint8_t* begin, std::uint8_t* end, std::uint8_t value) {
  constexpr std::uint64_t kEveryByte = 0x0101'0101'0101'0101;
  while (begin != end && reinterpret_cast<std::uintptr_t>(begin) % sizeof(std::uint64_t) != 0) {
    write(begin++, value);
  }
  for (; end - begin >= 8; begin += 8) {
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(begin), kEveryByte * value, __ATOMIC_RELAXED);
  }
  while (begin != end) {
    write(begin++, value);
  }
}

bool all_full(const std::uint8_t* begin, const std::uint8_t* end) {
  constexpr std::uint64_t kEightFull = 0x1010'1010'1010'1010;
  while (begin != end && reinterpret_cast<std::uintptr_t>(begin) % sizeof(std::uint64_t) != 0) {
    if (read(begin++) != kGranule) {
      return false;
    }
  }
  for (; end - begin >= 8; begin += 8) {
    if (__atomic_load_n(reinterpret_cast<const std::uint64_t*>(begin), __ATOMIC_RELAXED) !=
        kEightFull) {
      return false;
    }
  }
  return std::all_of(begin, end,
                     [](const std::uint8_t& granule) { return read(&granule) == kGranule; });
}

/// Sets the shadow of whole granules to zero; from a huge page on by giving its pages back, as
/// taking huge pages apart costs more than it saves.
void clear(std::uint8_t* begin, std::uint8_t* end) {
  const auto size = static_cast<std::uint64_t>(end - begin);
  if (size < kHugePage) {
    fill(begin, end, 0);
    return;
  }
  const auto [first, last] = give_back(reinterpret_cast<std::uint64_t>(begin), size);
  fill(begin, begin + first, 0);
  fill(begin + last, end, 0);
}

} // namespace

void Shadow::make_accessible(std::uint64_t address, std::uint64_t size) const {
  const std::uint64_t end = address + size;
  fill(of(address), of(end), kGranule);
  if (const std::uint64_t tail = end % kGranule; tail != 0) {
    std::uint8_t* const last = of(end);
    write(last, std::max(read(last), static_cast<std::uint8_t>(tail)));
  }
}

void Shadow::make_inaccessible(std::uint64_t address, std::uint64_t size) const {
  const auto clear_part = [&](std::uint64_t granule, std::uint64_t from, std::uint64_t to) {
    std::uint8_t* const place = of(granule);
    const std::uint8_t accessible = read(place);
    if (accessible > from && accessible <= to) {
      write(place, static_cast<std::uint8_t>(from));
    }
  };
  const std::uint64_t end = address + size;
  std::uint64_t begin = address;
  if (const std::uint64_t head = begin % kGranule; head != 0) {
    const std::uint64_t granule = begin - head;
    clear_part(granule, head, std::min(end - granule, kGranule));
    begin = granule + kGranule;
  }
  if (begin >= end) {
    return;
  }
  clear(of(begin), of(end));
  if (const std::uint64_t tail = end % kGranule; tail != 0) {
    clear_part(end - tail, 0, tail);
  }
}

bool Shadow::is_accessible(std::uint64_t address, std::uint64_t size) const {
  const std::uint64_t end = address + size;
  const std::uint64_t tail = end % kGranule;
  return all_full(of(address), of(end)) && (tail == 0 || read(of(end)) >= tail);
}

std::pair<std::uint64_t, std::uint64_t>
Shadow::accessible_around(std::uint64_t address, std::uint64_t begin, std::uint64_t end) const {
  constexpr std::uint64_t kNear = 64 << 10;
  const auto valid = [&](std::uint64_t granule) { return read(of(granule)); };
  const std::uint64_t granule = address & ~(kGranule - 1);
  if (valid(granule) <= address - granule) {
    return {address, 0};
  }
  std::uint64_t first = granule;
  while (first - kGranule >= begin && granule - first < kNear &&
         valid(first - kGranule) == kGranule) {
    first -= kGranule;
  }
  std::uint64_t last = granule;
  while (valid(last) == kGranule && last - granule < kNear && last + kGranule < end &&
         valid(last + kGranule) != 0) {
    last += kGranule;
  }
  return {first, last + valid(last) - first};
}

} // namespace gantry::simt
