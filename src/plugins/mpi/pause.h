// How a thread waits for what comes over the wire, of which nothing wakes it.
//
// It looks as often as it can at first, as the next message may be there in a microsecond; then it
// sleeps between two looks, for a part of the time that it has waited: others want the processor,
// kernels above all. Once it sleeps it does not yield any more: with two processors, threads that
// do so again and again, as libomp's idle ones do, were seen to keep others from running for
// seconds (Linux 6.18).
#pragma once

#include <chrono>
#include <cstdint>

namespace gantry::mpi {

/// One thread's.
class Pause {
public:
  /// `longest`: the most that it sleeps.
  explicit Pause(std::chrono::nanoseconds longest) : longest_(longest.count()) {}

  /// How long to sleep before the next look; not at all if 0.
  [[nodiscard]] std::chrono::nanoseconds next();
  /// Between two looks.
  void once();
  /// Something has come.
  void begin_again() { began_ = 0; }

private:
  std::int64_t longest_;
  std::uint32_t looks_ = 0;
  std::uint64_t began_ = 0; ///< when it began to wait; 0: the next look is the first
};

} // namespace gantry::mpi
