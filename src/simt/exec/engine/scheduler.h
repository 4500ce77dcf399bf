// How the warps of a block take turns on one host thread.
//
// A strand is one copy of a warp's stack: each warp starts with one, and has more while it is
// split. The strands of a block run round and round, each until it suspends; one that waits for
// something that has not come is passed over. If a whole round brings nothing forward and no strand
// merely loops or sleeps, the block is dead, and the launch ends with a report of who waits where.
#pragma once

#include "simt/exec/blocks/block.h"
#include "simt/exec/host/fiber.h"
#include "simt/exec/warp/warp.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace gantry::simt::exec {

struct WarpSlot;

/// An operation of warp_exchange() that lanes of a strand have come to.
struct PostedExchange {
  bool posted = false;
  bool complete = false;
  std::uint32_t kind = 0;
  LaneMask active = 0;
  LaneMask present = 0; ///< once complete: the lanes that took part
  std::array<LaneMask, kLanes> masks = {};
  std::array<std::uint64_t, kLanes> values = {}; ///< what the lanes gave; all lanes' once complete
};

/// The yields of a strand in loops that not all of its lanes are in.
struct Looping {
  LaneMask active = 0;    ///< at the last one …
  std::uint32_t same = 0; ///< … and how many in turn were by these
  LaneMask pending = 0;   ///< lanes that have been pending at each of the last …
  std::uint32_t some = 0; ///< … so many
};

struct Strand {
  WarpSlot* slot = nullptr;
  Resumption at = nullptr;
  bool finished = false;
  std::vector<std::byte> saved; ///< its frames while another strand of the warp is on the stack
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
  /// The strands, the first the original; strands[resident] has its frames on the stack.
  std::vector<std::unique_ptr<Strand>> strands;
  std::size_t resident = 0;

private:
  WarpSlot(FiberStack::Memory memory, std::uint64_t local, std::uint32_t local_bytes);
};

/// A place for one block: its shared memory and its warps; reused.
struct BlockSlot {
  /// Null if there is no memory for one.
  [[nodiscard]] static std::unique_ptr<BlockSlot> make(std::uint32_t local_bytes,
                                                       std::int32_t device);
  ~BlockSlot();
  BlockSlot(const BlockSlot&) = delete;
  BlockSlot& operator=(const BlockSlot&) = delete;

  std::uint32_t local_bytes;
  std::int32_t device;
  std::uint64_t shared_memory = 0;
  std::vector<std::unique_ptr<WarpSlot>> warps;
  Block block;

private:
  BlockSlot(std::uint32_t local, std::int32_t ordinal, std::uint64_t shared);
};

/// What a turn of the block came to.
enum class Turn : std::uint8_t {
  kEnded,    ///< all its warps have, or the launch has failed
  kProgress, ///< it goes on
  kIdle,     ///< its warps only loop or sleep: something outside may help
};

struct Scheduler {
  BlockSlot* slot = nullptr;
  std::vector<Strand*> strands; ///< of the block that have not ended, in order of their turns
  Strand* current = nullptr;
  bool split_requested = false;

  /// Starts the warps of the block in `slot`: each calls entry(&warp) on its own stack.
  void begin(BlockSlot& place, void (*entry)(void*));
  /// One strand on the first warp's stack that calls entry(argument), for a block none of whose
  /// warps ever waits.
  void begin_straight(BlockSlot& place, void (*entry)(void*), void* argument);
  /// Runs every strand that can go on once.
  [[nodiscard]] Turn turn();
  /// On a warp's stack: copies it. Returns twice: in this strand with `live` = stays, in the copy
  /// with the other live lanes.
  void split(Warp& warp, LaneMask stays);
  /// On a warp's stack, which waits as `current->waiting` says: lets others run.
  void suspend();
  /// The warp's code has ended, or must not go on.
  [[noreturn]] void end();

private:
  std::size_t position_ = 0;  ///< in this round, of the strand that runs
  std::size_t round_end_ = 0; ///< those split off in this round have their turn in the next
  bool loops_ = false;        ///< some strand of this round only loops or sleeps

  void run(Strand& strand);
  void enter(Strand& strand);
  void leave(Strand& strand);
  [[nodiscard]] bool can_go_on(const Strand& strand) const;
};

// What the engines do to the block of a warp; to be called on the warp's own stack. A launch that
// has failed is left by none of them: the warp's frames are abandoned, and must own nothing
// (fiber.h).

/// Lets other warps run; returns when it is this one's turn again, which it may be without what it
/// waits for having come. `why` is for the report of a deadlock: kYield and kSleep are no reasons
/// for one.
void suspend(const Warp& warp, const Waiting& why);

/// Ends the launch with a fault, unless it has failed already.
[[noreturn]] void fail(const Warp& warp, Fault fault);
/// The same if there is a fault.
void fail_if(const Warp& warp, std::optional<Fault> fault);

/// Lanes come to a barrier of the block: Block::arrive, for an arrival that may be wrong.
BarrierTicket arrive(const Warp& warp, const Arrival& arrival);

/// The lanes have ended: Block::exit_lanes, and the end of the block if they are its last ones.
void end_lanes(Warp& warp, LaneMask lanes);

} // namespace gantry::simt::exec
