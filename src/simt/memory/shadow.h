// The shadow of the arena: for each granule of 16 bytes, how many of them, from the first on, may
// be accessed. A granule's shadow cannot say anything else, so where a range begins or ends in the
// middle of one and that cannot be said exactly, the granule keeps what was accessible before.
//
// Device code reads the shadow while it is written, for other allocations than the ones it may
// touch: every access is a relaxed atomic one, of the widest word that fits. Any thread.
#pragma once

#include <cstdint>
#include <utility>

namespace gantry::simt {

class Shadow {
public:
  static constexpr std::uint64_t kGranule = 16;

  Shadow() = default;
  /// `granules` is the byte of the arena's first granule; the memory is its owner's.
  Shadow(std::uint8_t* granules, std::uint64_t arena) : granules_(granules), arena_(arena) {}

  [[nodiscard]] std::uint8_t* granules() const { return granules_; }

  void make_accessible(std::uint64_t address, std::uint64_t size) const;
  void make_inaccessible(std::uint64_t address, std::uint64_t size) const;
  [[nodiscard]] bool is_accessible(std::uint64_t address, std::uint64_t size) const;

  /// First byte and size of what is accessible around `address`, between `begin` and `end` and not
  /// further than 64 KiB away; size 0 if `address` is not.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t>
  accessible_around(std::uint64_t address, std::uint64_t begin, std::uint64_t end) const;

private:
  [[nodiscard]] std::uint8_t* of(std::uint64_t address) const {
    return granules_ + (address - arena_) / kGranule;
  }

  std::uint8_t* granules_ = nullptr;
  std::uint64_t arena_ = 0;
};

} // namespace gantry::simt
