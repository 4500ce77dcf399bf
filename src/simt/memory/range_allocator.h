// Hands out ranges of addresses: best fit, with a quarantine in front of reuse.
//
// A range that is given back waits in a queue before it is reused, so that an access to freed
// memory hits memory that nobody owns. The allocator does not touch the memory itself and does not
// lock.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace gantry::simt {

/// `value` brought up to a multiple of `unit`, a power of two.
[[nodiscard]] constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) & ~(unit - 1);
}

class RangeAllocator {
public:
  /// Nothing to hand out.
  RangeAllocator() = default;
  /// Hands out [begin, begin + size). Blocks wait in quarantine while the sum of their weights is
  /// at most `quarantine`.
  RangeAllocator(std::uint64_t begin, std::uint64_t size, std::uint64_t quarantine);

  /// A range of `size` > 0 bytes. Aligned as well as `begin` is, as long as all sizes asked for are
  /// multiples of that alignment. Nothing if there is none, the quarantine's included.
  [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t size);
  /// The range of `size` > 0 bytes at `address`, if nobody has any of it; the quarantine of what it
  /// was ends.
  [[nodiscard]] bool take_at(std::uint64_t address, std::uint64_t size);
  /// Gives back a range that take() gave, of the same size, for reuse after quarantine. `weight`:
  /// what it costs the process to leave it unused.
  void retire(std::uint64_t address, std::uint64_t size, std::uint64_t weight);

private:
  struct Retired {
    std::uint64_t address = 0, size = 0, weight = 0;
  };

  [[nodiscard]] std::optional<std::uint64_t> take_free(std::uint64_t size);
  void insert(std::uint64_t address, std::uint64_t size);
  void release_oldest();

  std::map<std::uint64_t, std::uint64_t> by_address_;         ///< free ranges: begin, size
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_; ///< the same: size, begin
  std::deque<Retired> retired_;
  std::uint64_t retired_weight_ = 0;
  std::uint64_t quarantine_ = 0;
};

} // namespace gantry::simt
