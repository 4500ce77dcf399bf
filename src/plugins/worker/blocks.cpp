#include "plugins/worker/blocks.h"

#include "plugins/worker/protocol.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace gantry::worker {

namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kLargeBlock = kPageSize / 2;
constexpr std::uint64_t kSlabPages = 16;
/// Each guard is two of the mappings that a process may have 65,530 of.
constexpr std::uint64_t kMostGuards = 24'000;

/// How many slots of a size stay away until the one freed first is given out again. Memory that was
/// never touched costs more than a copy into it does, so of huge slots it is few.
struct Quarantine {
  std::size_t small;
  std::size_t large;
  std::size_t huge;
};
constexpr Quarantine kUsual = {.small = 16, .large = 4, .huge = 1};
constexpr Quarantine kLong = {.small = 1024, .large = 64, .huge = 4};
constexpr std::uint64_t kHugeSlot = 1 << 20;

std::uint64_t round_up(std::uint64_t value, std::uint64_t granule) {
  return (value + granule - 1) / granule * granule;
}

/// One of eight sizes for each power of two.
std::uint64_t pages_of_slot(std::uint64_t size) {
  constexpr std::uint64_t kSizes = 8;
  const std::uint64_t pages = round_up(size, kPageSize) / kPageSize;
  return pages <= kSizes ? pages : round_up(pages, std::bit_floor(pages) / kSizes);
}

} // namespace

Blocks::Blocks(std::byte* memory, const Limits& limits, Pages pages)
    : memory_(memory), limits_(limits), pages_(std::move(pages)) {}

void Blocks::poison_new_blocks() {
  const std::lock_guard lock(mutex_);
  poison_new_ = true;
}

Blocks::SizeClass& Blocks::class_of(std::uint64_t size, const Place& place) {
  const bool small = size + place.alignment < kLargeBlock;
  // Wherever a small slot is, a block fits into it; the end of a large one is where it is.
  const std::uint64_t slot_size =
      small ? round_up(size + place.offset + place.alignment - kAlignment, kAlignment) + kAlignment
            : pages_of_slot(size + place.alignment) * kPageSize;
  SizeClass& slots = classes_[slot_size];
  slots.slot_size = slot_size;
  slots.small = small;
  return slots;
}

std::optional<std::uint64_t> Blocks::take_pages(std::uint64_t count, bool guarded) {
  const std::uint64_t addresses = limits_.addresses / kPageSize;
  if (count + 1 > addresses - top_) {
    return std::nullopt;
  }
  const std::uint64_t first = top_;
  if (!guarded && !pages_.set_accessible(first, count + 1, true)) {
    return std::nullopt;
  }
  top_ += count + 1;
  return first * kPageSize;
}

std::optional<Blocks::Slot> Blocks::new_slot(SizeClass& slots) {
  const bool guarded = guards_ < kMostGuards;
  if (slots.small && slots.slab + slots.slot_size <= slots.slab_end) {
    return Slot{.offset = std::exchange(slots.slab, slots.slab + slots.slot_size)};
  }
  const std::uint64_t pages = slots.small ? kSlabPages : slots.slot_size / kPageSize;
  const auto offset = take_pages(pages, guarded);
  if (!offset) {
    return std::nullopt;
  }
  if (slots.small && guarded && !pages_.set_accessible(*offset / kPageSize, pages, true)) {
    top_ = *offset / kPageSize;
    return std::nullopt;
  }
  guards_ += guarded ? 1 : 0;
  if (!slots.small) {
    return Slot{.offset = *offset, .guarded = guarded, .closed = guarded};
  }
  slots.slab = *offset + slots.slot_size;
  slots.slab_end = *offset + kSlabPages * kPageSize;
  return Slot{.offset = *offset};
}

std::optional<Blocks::Slot> Blocks::take_slot(SizeClass& slots) {
  const Quarantine& quarantine = poison_new_ ? kLong : kUsual;
  std::optional<Slot> slot;
  const std::size_t away = slots.small                   ? quarantine.small
                           : slots.slot_size < kHugeSlot ? quarantine.large
                                                         : quarantine.huge;
  if (slots.free.size() <= away) {
    slot = new_slot(slots);
  }
  if (!slot && !slots.free.empty()) {
    slot = slots.free.front();
    slots.free.pop_front();
    kept_ -= std::exchange(slot->kept, false) ? slots.slot_size : 0;
  }
  return slot;
}

std::uint64_t Blocks::begin_of_red_zone(const SizeClass& slots, const Slot& slot,
                                        std::uint64_t block) {
  // Pages that a large slot has before those of its block are not accessible.
  return slots.small ? slot.offset : block / kPageSize * kPageSize;
}

std::optional<std::uint64_t> Blocks::allocate(std::uint64_t size, Place place) {
  const std::lock_guard lock(mutex_);
  if (size > limits_.bytes - used_) {
    return std::nullopt;
  }
  SizeClass& slots = class_of(size, place);
  auto slot = take_slot(slots);
  if (!slot) {
    return std::nullopt;
  }
  const std::uint64_t end = slot->offset + slots.slot_size;
  const std::uint64_t offset =
      slots.small ? round_up(slot->offset, place.alignment) + place.offset
                  : (end - size - place.offset) / place.alignment * place.alignment + place.offset;
  return occupy(slots, *slot, offset, size);
}

std::optional<std::uint64_t> Blocks::allocate_at(std::uint64_t size, std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  if (size > limits_.bytes - used_ || offset > limits_.addresses ||
      size > limits_.addresses - offset) {
    return std::nullopt;
  }
  SizeClass* slots = nullptr;
  const auto slot = take_slot_at(offset, size, slots);
  return slot ? occupy(*slots, *slot, offset, size) : std::nullopt;
}

Blocks::SizeClass& Blocks::large_class(std::uint64_t slot_size) {
  SizeClass& slots = classes_[slot_size];
  slots.slot_size = slot_size;
  return slots;
}

void Blocks::add_large_slot(std::uint64_t offset, std::uint64_t end, bool guarded) {
  if (offset < end) {
    large_class(end - offset)
        .free.push_back({.offset = offset, .guarded = guarded, .closed = guarded});
  }
}

std::optional<Blocks::Slot> Blocks::take_slot_at(std::uint64_t offset, std::uint64_t size,
                                                 SizeClass*& of_class) {
  const std::uint64_t begin = offset / kPageSize * kPageSize;
  const std::uint64_t end = round_up(offset + size, kPageSize);
  if (begin >= top_ * kPageSize) {
    const bool guarded = guards_ < kMostGuards;
    const std::uint64_t pages = end / kPageSize - top_;
    if (const auto unused = take_pages(pages, guarded); unused) {
      guards_ += guarded ? 1 : 0;
      add_large_slot(*unused, end, guarded);
    }
  }
  for (auto& [slot_size, slots] : classes_) {
    const auto slot = std::ranges::find_if(slots.free, [&](const Slot& free) {
      return free.offset <= offset && offset + size <= free.offset + slots.slot_size;
    });
    if (slot == slots.free.end()) {
      continue;
    }
    const Slot taken = *slot;
    const std::uint64_t end_of_slot = taken.offset + slot_size;
    of_class = &slots;
    slots.free.erase(slot);
    kept_ -= taken.kept ? slot_size : 0;
    if (slots.small || slot_size == end - begin) {
      return Slot{.offset = taken.offset, .guarded = taken.guarded, .closed = taken.closed};
    }
    pages_.discard(taken.offset, slot_size);
    add_large_slot(taken.offset, begin, taken.closed);
    add_large_slot(end, end_of_slot, taken.closed);
    guards_ += taken.closed ? 1 : 0;
    of_class = &large_class(end - begin);
    return Slot{.offset = begin, .guarded = taken.closed, .closed = taken.closed};
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Blocks::occupy(SizeClass& slots, Slot slot, std::uint64_t offset,
                                            std::uint64_t size) {
  const std::uint64_t end = slot.offset + slots.slot_size;
  if (slot.closed) {
    const std::uint64_t first = offset / kPageSize;
    if (!pages_.set_accessible(first, end / kPageSize - first, true)) {
      pages_.discard(slot.offset, slots.slot_size);
      slots.free.push_back(slot);
      return std::nullopt;
    }
    slot.closed = false;
  }
  used_ += size;
  if (poison_new_) {
    std::memset(memory_ + offset, std::to_integer<int>(kPoison), size);
  }
  const std::uint64_t red = begin_of_red_zone(slots, slot, offset);
  std::memset(memory_ + red, std::to_integer<int>(kRed), offset - red);
  std::memset(memory_ + offset + size, std::to_integer<int>(kRed), end - offset - size);
  blocks_[offset] = {.slot = slot, .size = size, .of_class = &slots};
  return offset;
}

Blocks::Released Blocks::release(std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  const auto node = blocks_.extract(offset);
  if (node.empty()) {
    return {.outcome = Release::kUnknown};
  }
  const auto& [slot, size, of_class] = node.mapped();
  Released released{.size = size};
  const auto is_damage = [](std::byte value) { return value != kRed; };
  const std::byte* const begin = memory_ + offset;
  const std::byte* const end = begin + size;
  const std::byte* const slot_begin = memory_ + begin_of_red_zone(*of_class, slot, offset);
  const std::byte* const slot_end = memory_ + slot.offset + of_class->slot_size;
  const std::byte* damage = std::find_if(end, slot_end, is_damage);
  if (damage == slot_end) {
    const std::byte* const before = std::find_if(slot_begin, begin, is_damage);
    damage = before == begin ? slot_end : before;
  }
  if (damage != slot_end) {
    released.outcome = Release::kDamaged;
    released.damage = damage - begin;
  }
  used_ -= size;
  if (of_class->small) {
    std::memset(memory_ + offset, std::to_integer<int>(kPoison), size);
  }
  free_slot(*of_class, slot);
  return released;
}

void Blocks::free_slot(SizeClass& slots, Slot slot) {
  if (!slots.small) {
    if (slot.guarded) {
      // Where that fails a mistake goes unseen, and nothing else is wrong.
      (void)pages_.set_accessible(slot.offset / kPageSize, slots.slot_size / kPageSize, false);
      slot.closed = true;
    }
    if (kept_ + slots.slot_size > limits_.kept_bytes) {
      discard_kept();
    }
    slot.kept = slots.slot_size <= limits_.kept_bytes;
    if (slot.kept) {
      kept_ += slots.slot_size;
    } else {
      pages_.discard(slot.offset, slots.slot_size);
    }
  }
  slots.free.push_back(slot);
}

void Blocks::discard_kept() {
  for (auto& [slot_size, slots] : classes_) {
    for (Slot& slot : slots.free) {
      if (std::exchange(slot.kept, false)) {
        pages_.discard(slot.offset, slot_size);
      }
    }
  }
  kept_ = 0;
}

} // namespace gantry::worker
