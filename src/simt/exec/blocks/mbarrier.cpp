#include "simt/exec/blocks/mbarrier.h"

#include "simt/exec/warp/async_operation.h"

namespace gantry::simt::exec {

namespace {

constexpr unsigned kExpectedShift = 20, kBytesShift = 40, kParityShift = 61, kMarkShift = 62;
constexpr std::uint64_t kMark = 1;
constexpr std::uint64_t kBytesMask = 0x1F'FFFF;
static_assert(kMbarrierPending == Mbarrier::kMostArrivals);

} // namespace

std::optional<Mbarrier> Mbarrier::of(std::uint64_t word) {
  if (word >> kMarkShift != kMark) {
    return std::nullopt;
  }
  Mbarrier barrier;
  barrier.pending = static_cast<std::uint32_t>(word & kMbarrierPending);
  barrier.expected = static_cast<std::uint32_t>(word >> kExpectedShift & kMbarrierPending);
  const auto bytes = static_cast<std::int32_t>(word >> kBytesShift & kBytesMask);
  barrier.transactions =
      bytes > kMostBytes ? bytes - static_cast<std::int32_t>(kBytesMask) - 1 : bytes;
  barrier.parity = (word >> kParityShift & 1) != 0;
  return barrier;
}

std::uint64_t Mbarrier::word() const {
  return pending | std::uint64_t{expected} << kExpectedShift |
         (static_cast<std::uint64_t>(transactions) & kBytesMask) << kBytesShift |
         std::uint64_t{parity} << kParityShift | kMark << kMarkShift;
}

std::string_view Mbarrier::init(std::uint64_t count) {
  if (count == 0 || count > kMostArrivals) {
    return "the count of arrivals must be 1 to 1048575";
  }
  *this = {};
  pending = expected = static_cast<std::uint32_t>(count);
  return {};
}

bool Mbarrier::settle() {
  if (pending != 0 || transactions != 0) {
    return false;
  }
  parity = !parity;
  pending = expected;
  return true;
}

std::string_view Mbarrier::arrive(std::uint64_t count, bool drops, bool must_not_complete) {
  if (count == 0 || count > kMostArrivals) {
    return "the count of an arrival must be 1 to 1048575";
  }
  if (count > pending) {
    return "more threads arrive than the phase waits for";
  }
  if (drops && count > expected) {
    return "more threads leave than the barrier expects";
  }
  Mbarrier next = *this;
  next.pending -= static_cast<std::uint32_t>(count);
  next.expected -= drops ? static_cast<std::uint32_t>(count) : 0;
  if (next.settle() && must_not_complete) {
    return "an arrival with .noComplete completes the phase";
  }
  *this = next;
  return {};
}

std::string_view Mbarrier::join() {
  if (pending == kMostArrivals) {
    return "the phase would wait for more than 1048575 arrivals";
  }
  ++pending;
  return {};
}

std::string_view Mbarrier::expect(std::int64_t bytes) {
  if (bytes < 0 || transactions + bytes > kMostBytes) {
    return "the phase would wait for more than 1048575 bytes";
  }
  transactions += static_cast<std::int32_t>(bytes);
  return {};
}

std::string_view Mbarrier::complete(std::int64_t bytes) {
  if (bytes < 0 || transactions - bytes < -kMostBytes) {
    return "1048575 bytes more have come than the phase waits for";
  }
  transactions -= static_cast<std::int32_t>(bytes);
  (void)settle();
  return {};
}

} // namespace gantry::simt::exec
