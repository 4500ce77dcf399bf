// Memory of a device that the host divides: pieces are taken from the device's node, large, and
// what a program allocates are parts of them, so that most allocations need no word with the node.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace gantry::mpi {

/// Any thread.
class DividedMemory {
public:
  /// How pieces are had and given back; called without a lock, by any thread.
  struct Pieces {
    std::function<Result<std::uint64_t>(std::uint64_t bytes)> take;
    std::function<void(std::uint64_t begin)> give_back;
  };
  static constexpr std::uint64_t kPiece = std::uint64_t{64} << 20; ///< bytes of one at least
  static constexpr std::uint64_t kAlignment = 64;

  explicit DividedMemory(Pieces pieces) : pieces_(std::move(pieces)) {}
  DividedMemory(const DividedMemory&) = delete;
  DividedMemory& operator=(const DividedMemory&) = delete;

  /// The address of `bytes` > 0 bytes.
  [[nodiscard]] Result<std::uint64_t> allocate(std::uint64_t bytes);
  /// False if nothing that was allocated begins there.
  [[nodiscard]] bool release(std::uint64_t begin);

private:
  struct Piece {
    std::uint64_t bytes = 0;
    std::map<std::uint64_t, std::uint64_t> free; ///< sizes by addresses; no two are neighbours
  };

  std::optional<std::uint64_t> take_part(std::uint64_t bytes);
  void add_free(Piece& piece, std::uint64_t begin, std::uint64_t bytes);
  void remove_free(Piece& piece, std::map<std::uint64_t, std::uint64_t>::iterator part);

  const Pieces pieces_;
  std::mutex mutex_; ///< of all below
  std::map<std::uint64_t, Piece> by_begin_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_; ///< size and address of what is free
  std::unordered_map<std::uint64_t, std::uint64_t> used_;     ///< sizes by addresses
  std::uint64_t used_bytes_ = 0;
  std::uint64_t most_used_ = 0;
  std::uint64_t taken_bytes_ = 0;
};

} // namespace gantry::mpi
