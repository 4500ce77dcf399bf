// Memory of a device that watches over what it gives, so that it cannot be divided: the program has
// blocks of the device's own, and keeps some of each size for what it allocates next. What it gives
// back, the node exchanges for another of the size, without a word for the program to wait for.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gantry::mpi {

/// Any thread.
class LeasedMemory {
public:
  /// What the node does; called without a lock, by any thread.
  struct Calls {
    /// As many blocks as that, or fewer, but one.
    std::function<Result<std::vector<std::uint64_t>>(std::uint64_t bytes, std::uint32_t count)>
        take;
    /// Gives a block back; `again`: another of its size is granted().
    std::function<void(std::uint64_t block, std::uint64_t bytes, bool again)> give_back;
  };
  /// Larger blocks are had one by one, and so many bytes are kept at most.
  static constexpr std::uint64_t kLargest = std::uint64_t{1} << 20;
  static constexpr std::uint64_t kKept = std::uint64_t{16} << 20;

  explicit LeasedMemory(Calls calls) : calls_(std::move(calls)) {}
  LeasedMemory(const LeasedMemory&) = delete;
  LeasedMemory& operator=(const LeasedMemory&) = delete;

  /// A block of `bytes` > 0 bytes.
  [[nodiscard]] Result<std::uint64_t> allocate(std::uint64_t bytes);
  /// False if no block begins there.
  [[nodiscard]] bool release(std::uint64_t block);
  /// A block has come for one that was given back; false if none was to come.
  [[nodiscard]] bool granted(std::uint64_t bytes, std::uint64_t block);

private:
  struct Size {
    std::vector<std::uint64_t> free;
    std::uint32_t expected = 0; ///< that are to be granted
    std::uint32_t next = 2;     ///< so many are taken when there is none
    std::uint64_t used = 0;     ///< when one was allocated last
  };
  /// The blocks of the size that was of no use for longest, if it is not this one.
  std::vector<std::uint64_t> drop_oldest(std::uint64_t but, std::uint64_t& bytes);

  const Calls calls_;
  std::mutex mutex_; ///< of all below
  std::unordered_map<std::uint64_t, Size> sizes_;
  std::unordered_map<std::uint64_t, std::uint64_t> used_; ///< sizes by blocks
  std::uint64_t kept_ = 0;                                ///< bytes that are free or expected
  std::uint64_t clock_ = 0;
};

} // namespace gantry::mpi
