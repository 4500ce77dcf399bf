// Which parts of a device's memory are in use: what gives them out and takes them back.
//
// Small blocks lie in slabs, each in a slot with a red zone behind it, and before it where it
// begins later: bytes of a known pattern, looked at when the block is freed. A large block, of half
// a page and more, has a slot of pages that ends where the worker can access nothing, and lies as
// near to the end as its alignment allows, so that what runs past it stops there (but behind a
// block at a chosen address there may be another one); nor can the worker access the slot's pages
// before the block's, and what is left of those is red zone. Freed blocks are not given out again
// at once: a small one is filled with poison, the pages of a large one are taken from the worker,
// until some others of the size have been freed.
//
// A slot keeps its size, unless a block is asked for at an address inside of it. Sizes are few, so
// that a program which maps and unmaps the same things in a loop finds its slots again, with their
// pages; of free slots so much memory is kept that kept_bytes allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace gantry::worker {

/// Offsets count from the beginning of the memory. Any thread.
class Blocks {
public:
  struct Limits {
    std::uint64_t addresses = 0;  ///< the extent of the memory
    std::uint64_t bytes = 0;      ///< so much of it may be in use at once
    std::uint64_t kept_bytes = 0; ///< so much of free slots keeps its pages
  };
  /// What becomes of pages; called with the lock held.
  struct Pages {
    /// False if they are not: memory that is to be accessible is then not handed out.
    std::function<bool(std::uint64_t first, std::uint64_t count, bool accessible)> set_accessible;
    std::function<void(std::uint64_t offset, std::uint64_t size)> discard;
  };

  /// `memory` is where the program sees it.
  Blocks(std::byte* memory, const Limits& limits, Pages pages);
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  /// From now on new blocks are filled with poison, and freed ones stay away for longer.
  void poison_new_blocks();

  /// Where a block is to begin: `offset` more than a multiple of `alignment`, of which the offset
  /// is a part and which is a power of two from 64 to a page.
  struct Place {
    std::uint64_t alignment = 64;
    std::uint64_t offset = 0;
  };
  /// The offset of `size` > 0 bytes; nothing if there are not as many.
  [[nodiscard]] std::optional<std::uint64_t> allocate(std::uint64_t size, Place place);
  [[nodiscard]] std::optional<std::uint64_t> allocate(std::uint64_t size) {
    return allocate(size, Place());
  }
  /// `offset`, where `size` > 0 bytes are a block now; nothing if some of them are in use. The
  /// bytes of a freed block are free at once here.
  [[nodiscard]] std::optional<std::uint64_t> allocate_at(std::uint64_t size, std::uint64_t offset);

  enum class Release : std::uint8_t {
    kDone,
    kUnknown, ///< no block begins there
    kDamaged, ///< done, and the red zone was written to
  };
  struct Released {
    Release outcome = Release::kDone;
    std::uint64_t size = 0;
    std::int64_t damage = 0; ///< the offset, from the block's begin, of a byte of the red zone
  };
  Released release(std::uint64_t offset);

  static constexpr std::byte kPoison{0xa5}; ///< no address has such bytes only
  static constexpr std::byte kRed{0xfb};

private:
  struct Slot {
    std::uint64_t offset = 0;
    bool guarded = false; ///< what is behind it is not accessible
    bool closed = false;  ///< it is not accessible itself, all of it
    bool kept = false;    ///< its pages are
  };
  /// Slots of one size.
  struct SizeClass {
    std::uint64_t slot_size = 0;
    bool small = false;
    std::deque<Slot> free;  ///< the one freed first in front
    std::uint64_t slab = 0; ///< what was never used of a slab, of small slots
    std::uint64_t slab_end = 0;
  };
  struct Block {
    Slot slot;
    std::uint64_t size = 0;
    SizeClass* of_class = nullptr;
  };

  SizeClass& class_of(std::uint64_t size, const Place& place);
  /// A slot that was never used; nothing if there are no addresses left.
  std::optional<Slot> new_slot(SizeClass& slots);
  std::optional<Slot> take_slot(SizeClass& slots);
  /// A free slot that has these bytes, and whose class it is. A large one has no more pages than
  /// they need: what it had before and behind becomes slots of their own.
  std::optional<Slot> take_slot_at(std::uint64_t offset, std::uint64_t size, SizeClass*& of_class);
  SizeClass& large_class(std::uint64_t slot_size);
  void add_large_slot(std::uint64_t offset, std::uint64_t end, bool guarded);
  /// `offset`, where a block is now in a slot that is nobody's; it is free again if that fails.
  std::optional<std::uint64_t> occupy(SizeClass& slots, Slot slot, std::uint64_t offset,
                                      std::uint64_t size);
  /// The bytes from there to a block are accessible and nobody's.
  static std::uint64_t begin_of_red_zone(const SizeClass& slots, const Slot& slot,
                                         std::uint64_t block);
  /// Pages that were never used, and one behind them; the worker cannot access them if `guarded`.
  std::optional<std::uint64_t> take_pages(std::uint64_t count, bool guarded);
  void free_slot(SizeClass& slots, Slot slot);
  void discard_kept();

  std::byte* const memory_;
  const Limits limits_;
  const Pages pages_;

  std::mutex mutex_; ///< for all below
  bool poison_new_ = false;
  std::uint64_t top_ = 0; ///< pages from here on were never used
  std::uint64_t used_ = 0;
  std::uint64_t kept_ = 0;
  std::uint64_t guards_ = 0;
  std::unordered_map<std::uint64_t, SizeClass> classes_; ///< by the size of their slots
  std::unordered_map<std::uint64_t, Block> blocks_;      ///< in use, by offset
};

} // namespace gantry::worker
