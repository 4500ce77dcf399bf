// How the warps of a block take turns on one host thread.
//
// A warp split is one copy of a warp's stack: each warp starts with one, and has more once it has
// divided. The splits of a block run in rounds, each until it suspends; one that still waits is
// skipped. If a whole round makes no progress and no split merely loops or sleeps, the block is
// dead, and the launch ends with a report of who waits where. A split that waits at a barrier in
// shared memory asks again and again. If its code does nothing else (lower/waiting_loops.h), only
// an arrival helps it: if all others wait, too, and nobody arrives, the block is as dead. If it
// does more, it merely loops.
#pragma once

#include "simt/exec/blocks/block.h"
#include "simt/exec/reports/fault_report.h"
#include "simt/exec/warp/warp.h"
#include "simt/host/fiber.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace gantry::simt::exec {

struct WarpSlot;

/// An operation of warp_exchange() at which lanes of a split have arrived.
struct PostedExchange {
  bool posted = false;
  bool complete = false;
  std::uint32_t kind = 0;
  LaneMask active = 0;
  LaneMask present = 0; ///< once complete: the lanes that took part
  std::array<LaneMask, kLanes> masks = {};
  std::array<std::uint64_t, kLanes> values =
      {}; ///< the lanes' own; once complete, those of all lanes
};

/// The yields of a split in loops that not all of its lanes are in.
struct Looping {
  LaneMask active = 0;    ///< at the last one …
  std::uint32_t same = 0; ///< … and how many in turn were by these
  LaneMask pending = 0;   ///< lanes that have been pending at each of the last …
  std::uint32_t some = 0; ///< … so many
};

struct WarpSplit {
  WarpSlot* slot = nullptr;
  Resumption at = nullptr;
  bool finished = false;
  std::vector<std::byte> saved; ///< its frames while another split of the warp is on the stack
  LaneMask live = 0;
  std::uint32_t local_used = 0;
  Waiting waiting;
  PostedExchange exchange;
  Looping looping;
};

/// A warp with its stack and its lanes' local memory; reused from block to block.
struct WarpSlot {
  /// Null if there is no memory for one.
  [[nodiscard]] static std::unique_ptr<WarpSlot> make(std::uint32_t local_bytes,
                                                      std::int32_t device);
  ~WarpSlot();
  WarpSlot(const WarpSlot&) = delete;
  WarpSlot& operator=(const WarpSlot&) = delete;

  Warp warp = {};
  FiberStack stack;
  std::array<std::array<std::uint32_t, kLanes>, 3> lane_tid = {};
  std::uint64_t local_memory = 0;
  /// The splits, the first the original; splits[resident] has its frames on the stack.
  std::vector<std::unique_ptr<WarpSplit>> splits;
  std::size_t resident = 0;

private:
  WarpSlot(FiberStack::Memory memory, std::uint64_t local, std::uint32_t local_bytes);
};

/// Shared memory, and the place of parameters behind it, for some blocks side by side.
struct SharedWindows {
  /// Null if there is no memory for it.
  [[nodiscard]] static std::shared_ptr<SharedWindows> make(std::uint32_t count,
                                                           std::int32_t device);
  ~SharedWindows();
  SharedWindows(const SharedWindows&) = delete;
  SharedWindows& operator=(const SharedWindows&) = delete;

  const std::uint64_t first;
  const std::uint32_t count;

private:
  SharedWindows(std::uint64_t address, std::uint32_t blocks) : first(address), count(blocks) {}
};

/// A place for one block: its shared memory and its warps; reused.
struct BlockSlot {
  /// Null if there is no memory for one.
  [[nodiscard]] static std::unique_ptr<BlockSlot> make(std::uint32_t local_bytes,
                                                       std::int32_t device);
  /// With the shared memory of that index.
  BlockSlot(std::uint32_t local, std::int32_t ordinal, std::shared_ptr<SharedWindows> all,
            std::uint32_t index);
  BlockSlot(const BlockSlot&) = delete;
  BlockSlot& operator=(const BlockSlot&) = delete;

  std::shared_ptr<SharedWindows> windows;
  std::uint32_t local_bytes;
  std::int32_t device;
  std::uint64_t shared_memory;
  std::vector<std::unique_ptr<WarpSlot>> warps;
  Block block;
};

/// The outcome of a turn of the block.
enum class Turn : std::uint8_t {
  kEnded,    ///< all its warps have ended, or the launch has failed
  kProgress, ///< it goes on
  kIdle,     ///< its warps only loop or sleep, and may wait for another block
  kWaiting,  ///< all wait; of a block of a cluster, whose others may help
};

/// Counts the rounds in which all that was done is asking for barriers.
class Patience {
public:
  /// After a round. Whether there have been enough of them in turn.
  [[nodiscard]] bool is_over(bool in_vain);

private:
  std::uint32_t rounds_ = 0;
};

struct Scheduler {
  BlockSlot* slot = nullptr;
  std::vector<WarpSplit*> splits; ///< of the block that have not ended, in order of their turns
  WarpSplit* current = nullptr;
  bool split_requested = false;

  /// Starts the warps of the block in `slot`: each calls entry(&warp) on its own stack.
  void begin(BlockSlot& place, void (*entry)(void*));
  /// One split on the first warp's stack that calls entry(argument), for a block none of whose
  /// warps ever waits.
  void begin_straight(BlockSlot& place, void (*entry)(void*), void* argument);
  /// Runs every split that can go on once.
  [[nodiscard]] Turn turn();
  /// Whether none of its splits does more than wait, or ask for a barrier again and again.
  [[nodiscard]] bool all_wait() const;
  /// The splits that have not ended, for the report of a deadlock.
  void list_waiting(std::vector<WaitingWarp>& waiting) const;
  /// On a warp's stack: copies it. Returns twice: in this split with `live` = stays, in the copy
  /// with the other live lanes.
  void split_off(Warp& warp, LaneMask stays);
  /// On a warp's stack, which waits as `current->waiting` says: lets others run.
  void suspend();
  /// The warp's code has ended, or must not go on.
  [[noreturn]] void end();

private:
  std::size_t position_ = 0;  ///< in this round, of the split that runs
  std::size_t round_end_ = 0; ///< those split off in this round have their turn in the next
  bool loops_ = false;        ///< some split of this round only loops or sleeps
  Patience patience_;

  void run(WarpSplit& split);
  void enter(WarpSplit& split);
  void leave(WarpSplit& split);
  [[nodiscard]] bool can_go_on(const WarpSplit& split) const;
};

// What the engines do to the block of a warp; called on the warp's own stack. None of these
// functions returns once the launch has failed: the warp's frames are abandoned, and must own
// nothing (host/fiber.h).

/// Lets other warps run; returns when it is this one's turn again, even if what it waits for has
/// not happened. `why` is for the report of a deadlock; kYield and kSleep cannot cause one.
void suspend(const Warp& warp, const Waiting& why);

/// Ends the launch with a fault, unless it has failed already.
[[noreturn]] void fail(const Warp& warp, Fault fault);
/// The same if there is a fault.
void fail_if(const Warp& warp, std::optional<Fault> fault);

/// Block::arrive for an arrival that may be wrong: then ends the launch.
BarrierTicket arrive(const Warp& warp, const Arrival& arrival);

/// Block::exit_lanes, and the watch's end of the block if no lane of it is left.
void end_lanes(Warp& warp, LaneMask lanes);

} // namespace gantry::simt::exec
