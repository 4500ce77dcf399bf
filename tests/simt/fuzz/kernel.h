// A kernel at random, with all that its launch needs.
#pragma once

#include "node.h"
#include "simt/exec/run/loaded_program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::simt::fuzz {

/// What a kernel reads: its parameter `input` points to the middle of so many bytes.
inline constexpr std::uint64_t kInputBytes = 1 << 20;
/// What each thread has for itself (`own`) before the cells of its own that lie side by side with
/// those of other threads.
inline constexpr unsigned kOwnBytes = 64;
/// For each size of 1, 2, 4, 8 and 16 bytes so many cells a thread.
inline constexpr unsigned kOwnCells = 4;
/// Counters of module scope that all threads add to, in `.global counters` and `.shared tallies`.
inline constexpr unsigned kCounterBytes = 512;
inline constexpr unsigned kTallyBytes = 128;

struct Kernel {
  std::uint64_t seed = 0;
  exec::LaunchShape shape;
  unsigned threads = 0; ///< of the grid
  Node text;            ///< the module
  /// What each thread writes at its end: registers, eight bytes of memory each.
  struct Result {
    std::string name;
    unsigned bytes = 0;
  };
  std::vector<Result> results;
  bool in_columns = false; ///< results of one name together, not those of one thread
  /// Parameters: addresses of input and of what the kernel writes, then these.
  std::uint32_t small = 0;
  std::uint32_t wide = 0;
  std::uint64_t wider = 0;
  std::uint64_t bytes[4] = {};
  unsigned input_offset = 0; ///< of `input` from the middle

  [[nodiscard]] std::uint64_t result_bytes() const {
    return (8 * results.size() * threads + 15) / 16 * 16;
  }
  [[nodiscard]] std::uint64_t own_bytes() const {
    return std::uint64_t{threads} * (kOwnBytes + kOwnCells * 31);
  }
  /// "%r3 of thread 17": which part of what the kernel writes that is.
  [[nodiscard]] std::string place_of(std::uint64_t offset) const;
  /// "grid (2,1,1), block (33,2,1)"
  [[nodiscard]] std::string launch() const;
};

/// Who is to run a kernel.
enum class Audience : std::uint8_t {
  kExecutor, ///< all that the executor takes
  /// Any driver: types as NVIDIA's assembler wants them, and no results in which an H200 was seen
  /// to differ (docs/gpu-results.md), as in the NaNs of f64.
  kHardware,
};

/// The kernel of a seed: always the same one, of programs that one compiler has made (arguments of
/// a call are evaluated in the order that it likes).
[[nodiscard]] Kernel random_kernel(std::uint64_t seed, Audience audience);

} // namespace gantry::simt::fuzz
