#include "simt/memory/range_allocator.h"

#include <iterator>

namespace gantry::simt {

RangeAllocator::RangeAllocator(std::uint64_t begin, std::uint64_t size, std::uint64_t quarantine)
    : quarantine_(quarantine) {
  if (size != 0) {
    insert(begin, size);
  }
}

std::optional<std::uint64_t> RangeAllocator::take(std::uint64_t size) {
  std::optional<std::uint64_t> address = take_free(size);
  while (!address && !retired_.empty()) {
    release_oldest();
    address = take_free(size);
  }
  return address;
}

bool RangeAllocator::take_at(std::uint64_t address, std::uint64_t size) {
  for (;;) {
    const auto behind = by_address_.upper_bound(address);
    if (behind != by_address_.begin()) {
      const auto [begin, available] = *std::prev(behind);
      const std::uint64_t before = address - begin;
      if (before <= available && size <= available - before) {
        by_address_.erase(std::prev(behind));
        by_size_.erase({available, begin});
        if (before > 0) {
          insert(begin, before);
        }
        if (available - before > size) {
          insert(address + size, available - before - size);
        }
        return true;
      }
    }
    if (retired_.empty()) {
      return false;
    }
    release_oldest();
  }
}

void RangeAllocator::retire(std::uint64_t address, std::uint64_t size, std::uint64_t weight) {
  retired_.push_back({address, size, weight});
  retired_weight_ += weight;
  while (retired_weight_ > quarantine_) {
    release_oldest();
  }
}

std::optional<std::uint64_t> RangeAllocator::take_free(std::uint64_t size) {
  const auto fit = by_size_.lower_bound({size, 0});
  if (fit == by_size_.end()) {
    return std::nullopt;
  }
  const auto [available, address] = *fit;
  by_size_.erase(fit);
  by_address_.erase(address);
  if (available > size) {
    by_address_.emplace(address + size, available - size);
    by_size_.emplace(available - size, address + size);
  }
  return address;
}

void RangeAllocator::insert(std::uint64_t address, std::uint64_t size) {
  auto next = by_address_.lower_bound(address);
  if (next != by_address_.end() && next->first == address + size) {
    size += next->second;
    by_size_.erase({next->second, next->first});
    next = by_address_.erase(next);
  }
  if (next != by_address_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == address) {
      address = previous->first;
      size += previous->second;
      by_size_.erase({previous->second, previous->first});
      by_address_.erase(previous);
    }
  }
  by_address_.emplace(address, size);
  by_size_.emplace(size, address);
}

void RangeAllocator::release_oldest() {
  const Retired oldest = retired_.front();
  retired_.pop_front();
  retired_weight_ -= oldest.weight;
  insert(oldest.address, oldest.size);
}

} // namespace gantry::simt
