// The asynchronous operations (PTX ISA 9.0, 9.7.9.25 and 9.7.13.15), as code asks for them:
// LaneOperation::kAsync and kAsyncWait, each with words of 64 bits a lane. Addresses are generic.
#pragma once

#include "simt/ptx/type.h"

#include <cstdint>

namespace gantry::simt::exec {

enum class AsyncAction : std::uint8_t {
  kInit,       ///< (barrier, count)
  kInvalidate, ///< (barrier)
  kExpect,     ///< (barrier, bytes)
  kComplete,   ///< (barrier, bytes)
  kArrive,     ///< (barrier, count, bytes to expect) -> state before it
  kTest,       ///< (barrier, state or parity) -> 1 if the phase is over, else 0
  kWait,       ///< the same, after a while
  /// (destination, source, bytes, barrier that counts them): copies, or reduces into what is there
  kBulk,
  /// (destination, barrier that counts the bytes, elements, each of them …)
  kStore,
  kClusterArrive, ///< () at the barrier of the cluster
  kClusterWait,   ///< ()
};

/// Where what is copied comes from or goes to.
enum class AsyncPlace : std::uint8_t {
  kGlobal,
  kShared,        ///< of the block
  kClusterShared, ///< of a block of the cluster
};

enum class AsyncReduction : std::uint8_t {
  kNone,
  kAdd,
  kMin,
  kMax,
  kIncrement,
  kDecrement,
  kAnd,
  kOr,
  kXor
};

struct AsyncOperation {
  AsyncAction action = AsyncAction::kInit;
  bool relaxed = false;      ///< orders nothing
  bool no_complete = false;  ///< kArrive: must not be the last arrival
  bool drops = false;        ///< kArrive: the next phases expect that many fewer
  bool joins = false;        ///< kArrive: the phase expects this arrival beside all others
  bool multicast = false;    ///< kBulk: a fifth word names the blocks of the cluster
  bool counts_bytes = false; ///< kBulk: at a barrier
  /// Of kBulk; `to` also of the barrier, whatever happens there.
  AsyncPlace to = AsyncPlace::kShared, from = AsyncPlace::kShared;
  AsyncReduction reduction = AsyncReduction::kNone;
  ptx::Type type = ptx::Type::kNone; ///< of what is reduced
  bool by_parity = false; ///< kTest, kWait: of the phase with a parity, not that of a state
  /// kWait: in a loop that does nothing else, and goes on until the phase is over.
  bool only_waits = false;

  [[nodiscard]] constexpr std::uint32_t packed() const {
    return static_cast<std::uint32_t>(action) | (relaxed ? 0x100U : 0) |
           (no_complete ? 0x200U : 0) | (drops ? 0x400U : 0) | (by_parity ? 0x800U : 0) |
           (joins ? 0x1000U : 0) | (counts_bytes ? 0x2000U : 0) | (multicast ? 0x4000U : 0) |
           (only_waits ? 0x8000U : 0) | static_cast<std::uint32_t>(to) << 16 |
           static_cast<std::uint32_t>(from) << 18 | static_cast<std::uint32_t>(reduction) << 20 |
           static_cast<std::uint32_t>(type) << 24;
  }
  [[nodiscard]] static constexpr AsyncOperation unpacked(std::uint32_t bits) {
    AsyncOperation operation;
    operation.action = static_cast<AsyncAction>(bits & 0xFF);
    operation.relaxed = (bits & 0x100) != 0;
    operation.no_complete = (bits & 0x200) != 0;
    operation.drops = (bits & 0x400) != 0;
    operation.by_parity = (bits & 0x800) != 0;
    operation.joins = (bits & 0x1000) != 0;
    operation.multicast = (bits & 0x4000) != 0;
    operation.only_waits = (bits & 0x8000) != 0;
    operation.counts_bytes = (bits & 0x2000) != 0;
    operation.to = static_cast<AsyncPlace>(bits >> 16 & 3);
    operation.from = static_cast<AsyncPlace>(bits >> 18 & 3);
    operation.reduction = static_cast<AsyncReduction>(bits >> 20 & 15);
    operation.type = static_cast<ptx::Type>(bits >> 24 & 31);
    return operation;
  }
};

/// The bits of a barrier's word, and of a state, that are its pending count (blocks/mbarrier.h).
inline constexpr std::uint64_t kMbarrierPending = 0xF'FFFF;

} // namespace gantry::simt::exec
