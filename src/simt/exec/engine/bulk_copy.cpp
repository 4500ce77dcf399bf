#include "simt/exec/engine/bulk_copy.h"

#include "simt/exec/arithmetic/arithmetic.h"
#include "simt/exec/blocks/lane_memory.h"
#include "simt/exec/engine/shared_barrier.h"
#include "simt/exec/reports/fault_report.h"
#include "simt/host/settings.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

namespace gantry::simt::exec {

namespace {

/// Addresses and sizes are multiples of it.
constexpr std::uint32_t kPiece = 16;

template <typename Bits>
Bits reduced(const AsyncOperation& operation, Bits old, Bits value) {
  using Signed = std::make_signed_t<Bits>;
  const bool is_signed = ptx::is_signed(operation.type);
  if (operation.reduction == AsyncReduction::kNone) {
    return value;
  }
  if (ptx::is_float(operation.type)) {
    Arithmetic arithmetic;
    arithmetic.type = operation.type;
    arithmetic.operation = operation.reduction == AsyncReduction::kAdd   ? Operator::kAdd
                           : operation.reduction == AsyncReduction::kMin ? Operator::kMin
                                                                         : Operator::kMax;
    return static_cast<Bits>(compute(arithmetic, old, value));
  }
  const auto less = [&](Bits a, Bits b) {
    return is_signed ? static_cast<Signed>(a) < static_cast<Signed>(b) : a < b;
  };
  switch (operation.reduction) {
  case AsyncReduction::kAdd:
    return static_cast<Bits>(old + value);
  case AsyncReduction::kMin:
    return less(old, value) ? old : value;
  case AsyncReduction::kMax:
    return less(old, value) ? value : old;
  case AsyncReduction::kIncrement:
    return static_cast<Bits>(old >= value ? 0 : old + 1);
  case AsyncReduction::kDecrement:
    return static_cast<Bits>(old == 0 || old > value ? value : old - 1);
  case AsyncReduction::kAnd:
    return old & value;
  case AsyncReduction::kOr:
    return old | value;
  case AsyncReduction::kXor:
    return old ^ value;
  case AsyncReduction::kNone:
    break;
  }
  return value;
}

/// Each element atomically.
template <typename Bits>
void reduce(const AsyncOperation& operation, std::uint64_t to, std::uint64_t from,
            std::uint64_t bytes) {
  for (std::uint64_t at = 0; at < bytes; at += sizeof(Bits)) {
    auto* const place = reinterpret_cast<Bits*>(to + at);
    const Bits value = *reinterpret_cast<const Bits*>(from + at);
    Bits old = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(place, &old, reduced(operation, old, value), true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
  }
}

std::optional<Fault> count_bytes(Warp& warp, unsigned lane, std::uint64_t barrier, AsyncPlace place,
                                 std::uint64_t bytes, Site site) {
  std::uint64_t before = 0;
  return SharedBarrier(warp, lane, barrier, place, site)
      .change([&](Mbarrier& object) { return object.complete(static_cast<std::int64_t>(bytes)); },
              true, before);
}

class BulkCopy {
public:
  BulkCopy(Warp& warp, const AsyncOperation& operation, const LaneWords& words, Site site)
      : warp_(warp), operation_(operation), words_(words), site_(site) {}

  std::optional<Fault> run() {
    if (bytes() % kPiece != 0) {
      return bulk_size_fault(warp_, words_.lane(), bytes(), site_);
    }
    const AccessKind kind =
        operation_.reduction == AsyncReduction::kNone ? AccessKind::kStore : AccessKind::kAtomic;
    if (auto fault = check(from(), operation_.from, AccessKind::kLoad)) {
      return fault;
    }
    if (!operation_.multicast) {
      return deliver(0, kind);
    }
    // To the same place in each block of the mask.
    for (std::uint32_t rank = 0; rank < kMostBlocks; ++rank) {
      if ((words_[4] >> rank & 1) == 0) {
        continue;
      }
      const std::uint64_t distance = (std::uint64_t{rank} - warp_.block->rank) * kSharedStride;
      if (auto fault = deliver(distance, kind)) {
        return fault;
      }
    }
    return std::nullopt;
  }

private:
  static constexpr std::uint32_t kMostBlocks = 16;

  /// To the destination, or so far behind it, as its barrier is.
  std::optional<Fault> deliver(std::uint64_t distance, AccessKind kind) const {
    const std::uint64_t to = words_[0] + distance;
    if (auto fault = check(to, operation_.to, kind)) {
      return fault;
    }
    move(to);
    return operation_.counts_bytes ? count_bytes(warp_, words_.lane(), words_[3] + distance,
                                                 operation_.to, bytes(), site_)
                                   : std::nullopt;
  }

  [[nodiscard]] std::uint64_t from() const { return words_[1]; }
  [[nodiscard]] std::uint64_t bytes() const { return words_[2]; }

  /// The first piece that may not be accessed.
  std::optional<Fault> check(std::uint64_t first, AsyncPlace place, AccessKind kind) const {
    BlockWatch* const watch = warp_.block->watch.get();
    const bool is_global = place == AsyncPlace::kGlobal;
    const LaneMemory memory(warp_, words_.lane());
    for (std::uint64_t at = 0; at < bytes(); at += kPiece) {
      const std::uint64_t address = first + at;
      std::uint64_t addresses[kLanes] = {};
      addresses[words_.lane()] = address;
      const LaneMask lane = 1U << words_.lane();
      if (is_global) {
        const bool good = address % kPiece == 0 &&
                          memory.may_access(AccessSpace::kGlobal, address, kPiece, kPiece, kind);
        if (!good && settings().checks.memory) {
          return access_fault(warp_, lane, addresses, kPiece, kind, AccessSpace::kGlobal, site_);
        }
      } else if (address % kPiece != 0 ||
                 block_with_shared(warp_, address, kPiece, place) == nullptr) {
        return window_fault(warp_, words_.lane(), address, kPiece, kind, site_);
      }
      if (watch != nullptr) {
        if (auto fault =
                watch->access(warp_, lane, addresses, kPiece, kind,
                              is_global ? AccessSpace::kGlobal : AccessSpace::kGeneric, site_)) {
          return fault;
        }
      }
    }
    return std::nullopt;
  }

  void move(std::uint64_t to) const {
    if (operation_.reduction == AsyncReduction::kNone) {
      std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from()), bytes());
      return;
    }
    switch (ptx::size_of(operation_.type)) {
    case 2:
      return reduce<std::uint16_t>(operation_, to, from(), bytes());
    case 4:
      return reduce<std::uint32_t>(operation_, to, from(), bytes());
    default:
      return reduce<std::uint64_t>(operation_, to, from(), bytes());
    }
  }

  Warp& warp_;
  const AsyncOperation& operation_;
  const LaneWords& words_;
  Site site_;
};

} // namespace

std::optional<Fault> copy_bulk(Warp& warp, const AsyncOperation& operation, const LaneWords& words,
                               Site site) {
  return BulkCopy(warp, operation, words, site).run();
}

std::optional<Fault> store_async(Warp& warp, const AsyncOperation& operation,
                                 const LaneWords& words, Site site) {
  const std::uint32_t size = ptx::size_of(operation.type);
  const auto bytes = static_cast<std::uint32_t>(words[2] * size);
  const std::uint64_t to = words[0];
  const AccessKind kind =
      operation.reduction == AsyncReduction::kNone ? AccessKind::kStore : AccessKind::kAtomic;
  if (to % bytes != 0 || block_with_shared(warp, to, bytes, operation.to) == nullptr) {
    return window_fault(warp, words.lane(), to, bytes, kind, site);
  }
  if (BlockWatch* const watch = warp.block->watch.get()) {
    std::uint64_t addresses[kLanes] = {};
    addresses[words.lane()] = to;
    if (auto fault = watch->access(warp, 1U << words.lane(), addresses, bytes, kind,
                                   AccessSpace::kGeneric, site)) {
      return fault;
    }
  }
  for (std::uint64_t i = 0; i < words[2]; ++i) {
    const std::uint64_t value = words[static_cast<unsigned>(3 + i)];
    const auto from = reinterpret_cast<std::uint64_t>(&value);
    if (size == 4) {
      reduce<std::uint32_t>(operation, to + i * size, from, size);
    } else {
      reduce<std::uint64_t>(operation, to + i * size, from, size);
    }
  }
  return count_bytes(warp, words.lane(), words[1], operation.to, bytes, site);
}

} // namespace gantry::simt::exec
