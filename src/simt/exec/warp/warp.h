// A warp as the code of a kernel sees it: its state, and the services that code calls.
//
// A warp is 32 lanes that execute one instruction at a time, in lockstep, for the lanes of a mask.
// Compiled code and the evaluator both get a Warp&; its layout and that of Services are an ABI
// between exec/ and the code that lower/ makes (lower/ takes the offsets from here; cached
// code carries kWarpAbi).
//
// Divergence. Code runs the sides of a divergent branch one after the other, so some lanes of the
// warp may be *pending*: they wait, in some frame of this warp's stack, for the active ones to
// reach the reconvergence point. When the active lanes have to wait for a pending one (for a lock
// that it holds, or at a warp-level barrier), the warp splits in two: the stack is copied, and each
// copy goes on with its share of the lanes (`live`). Therefore a call into Services that may
// suspend can return with a smaller `live`, and masks in frames are valid only together with
// `live`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gantry::simt::exec {

inline constexpr unsigned kLanes = 32;
inline constexpr std::uint32_t kAllLanes = 0xFFFFFFFF;
/// Of a block. Also the value of %nwarpid.
inline constexpr std::uint32_t kMostWarps = 32;
/// Changes whenever Warp, Services or the calling convention of compiled code change.
inline constexpr std::uint32_t kWarpAbi = 13;
/// Iterations of a loop that may wait for other threads, before the warp lets others run.
inline constexpr std::int32_t kLoopFuel = 1000;

/// The largest shared memory of a block, in bytes, and what a device reserves of it.
inline constexpr std::uint32_t kSharedWindow = 228 << 10;
/// Behind it lie the kernel's parameters, whose addresses device code may take.
inline constexpr std::uint32_t kParameterWindow = 32 << 10;
/// From a block's shared memory to that of the next one of its cluster.
inline constexpr std::uint32_t kSharedStride = kSharedWindow + kParameterWindow;

/// Bytes of stack that frames may take: a kernel's, and another function's, which is checked for
/// once it is there. Stacks have room for the one, and the other behind their limit.
inline constexpr std::uint64_t kKernelFrame = 4 << 20;
inline constexpr std::uint64_t kFunctionFrame = 1536 << 10;

using LaneMask = std::uint32_t;

/// Addresses that device code may access.
struct KnownRange {
  std::uint64_t first = 0;
  std::uint64_t size = 0; ///< bytes
};
/// Of a host thread. As the number of a range: none.
inline constexpr std::uint32_t kKnownRanges = 256;

struct Warp;
struct Block;
struct CallPlan;

/// A compiled PTX function: executes it for the lanes of `active`. `arguments` and `results` hold
/// each word of the parameters and results for 32 lanes in turn; both are null for an entry.
using Code = void (*)(Warp* warp, LaneMask active, void* arguments, void* results);

/// An instruction of the program, for reports: the function's index in Program::functions in the
/// upper half, the instruction's index in Function::instructions in the lower one.
using Site = std::uint64_t;
[[nodiscard]] constexpr Site site_of(std::uint32_t function, std::uint32_t instruction) {
  return Site{function} << 32 | instruction;
}

/// What a memory access does, for the report of one that fails.
enum class AccessKind : std::uint32_t { kLoad, kStore, kAtomic };

/// Where the instruction says that it goes; the numbers are LLVM's for NVIDIA's GPUs. Addresses of
/// shared and local memory are offsets in the block's or the lane's window.
enum class AccessSpace : std::uint32_t {
  kGeneric = 0,
  kGlobal = 1,
  kShared = 3,
  kConst = 4,
  kLocal = 5
};

/// How many bytes of an aligned access of `size` bytes have to be in an allocation. A load may pass
/// its end, because every GPU has memory there and functions like strcmp, which read whole words,
/// rely on it. So may an atomic operation, because compilers use one on a word for a byte in it.
[[nodiscard]] constexpr std::uint32_t needed_bytes(AccessKind kind, std::uint32_t size) {
  return kind == AccessKind::kStore ? size : 1;
}

/// Operations that compiled code leaves to exec/. Each is called with the warp's stack current.
/// `site` is a Site (below). Arrays have 32 elements, one a lane; those of lanes outside
/// `active` are neither read nor written. "Suspends": other warps may run meanwhile, the warp may
/// be split, and `live` be smaller afterwards.
struct Services {
  /// The exact check of an access (blocks/lane_memory.h) that the quick one in the code has not
  /// passed. Returns if every lane's access is aligned and allowed, ends the launch otherwise. The
  /// access is of `size` bytes, and part of one of `whole` bytes, from `offset` on. `range` is the
  /// number of the known range that the code has looked at; it may become another range.
  void (*check_access)(Warp*, LaneMask active, const std::uint64_t* addresses, std::uint32_t size,
                       std::uint32_t whole, std::uint32_t offset, AccessKind kind, Site site,
                       AccessSpace space, std::uint32_t range);

  /// bar.sync, bar.red and barrier: suspends until `threads` threads (0: all of the block) have
  /// arrived. `reduction` 0: none, 1: popc, 2: and, 3: or, over `predicates`. Returns the result.
  std::uint32_t (*barrier)(Warp*, LaneMask active, std::uint32_t id, std::uint32_t threads,
                           std::uint32_t reduction, LaneMask predicates, Site site);
  void (*barrier_arrive)(Warp*, LaneMask active, std::uint32_t id, std::uint32_t threads,
                         Site site);
  /// Warp-level synchronisation with the lanes of a mask that is not just the active ones. Suspends
  /// until every lane of its mask that has not exited has arrived at an operation of the same kind.
  /// `values` (two words a lane: what shfl, vote, match and redux exchange) is replaced by the
  /// values of all lanes of the mask. `kind` is an Exchange. Returns the lanes that took part: when
  /// this one goes on, others may have ended that did.
  LaneMask (*warp_exchange)(Warp*, LaneMask active, const std::uint32_t* masks,
                            std::uint64_t* values, std::uint32_t kind, Site site);
  /// Lets other warps and blocks go on, and pending lanes if these wait for them. Suspends.
  void (*yield)(Warp*, LaneMask active, Site site);
  void (*nanosleep)(Warp*, LaneMask active, const std::uint32_t* nanoseconds, Site site);
  /// The lanes end: `live` loses them, and barriers no longer wait for them.
  void (*exit_lanes)(Warp*, LaneMask active);

  /// trap, brkpt, and what the code finds wrong; end the launch, never return. `reason` is a Trap.
  void (*trap)(Warp*, LaneMask active, std::uint32_t reason, Site site);
  /// Calls of functions: the code of a handle (a 64-bit function address of device code), to be
  /// called at once with the words that `signature` (ptx::CallInterface) stands for; ends the
  /// launch with "invalid program counter" if it is none.
  Code (*resolve_call)(Warp*, LaneMask active, std::uint64_t handle, std::uint64_t signature,
                       Site site);
  /// vprintf, malloc, free, __assertfail; `call` is a ptx::SystemCall (system_calls.h).
  void (*call_system)(Warp*, LaneMask active, std::uint32_t call, const std::uint64_t* arguments,
                      std::uint64_t* results, Site site);

  /// mbarrier, bulk copies and what else is asynchronous; `operation` is a packed AsyncOperation
  /// (async_operation.h), of which kWait is await's. That suspends while no lane's phase is over,
  /// but not for ever.
  void (*start_async)(Warp*, LaneMask active, std::uint32_t operation,
                      const std::uint64_t* arguments, std::uint64_t* results, Site site);
  void (*await_async)(Warp*, LaneMask active, std::uint32_t operation,
                      const std::uint64_t* arguments, std::uint64_t* results, Site site);

  /// Arithmetic that no machine instruction does; `operation` is an Arithmetic (arithmetic.h).
  /// Operands and result are words of 64 bits a lane, of which the operation's width is used.
  void (*arithmetic)(std::uint32_t operation, LaneMask active, std::uint64_t* result,
                     const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c);

  /// mma, ldmatrix, stmatrix and movmatrix, of all 32 lanes; `operation` is a MatrixOperation
  /// (matrix.h). `words` and `results` hold each word for 32 lanes in turn; either may be written
  /// in any lane. Suspends if not all lanes are active, and ends the launch if they execute
  /// different instructions or some have exited.
  void (*matrix)(Warp*, LaneMask active, std::uint32_t operation, std::uint64_t* words,
                 std::uint64_t* results, Site site);

  std::uint64_t (*clock)(Warp*);        ///< %clock64
  std::uint64_t (*global_timer)(Warp*); ///< %globaltimer, nanoseconds

  /// Called if CompileRequest asks for it: before each allowed access to shared or global memory,
  /// with addresses as for check_access, and at each fence. Of a row the addresses grow from lane 0
  /// on by `stride`, which is 0 or `size`. A fence is for threads of the block alone or of others
  /// too.
  void (*watch_access)(Warp*, LaneMask active, const std::uint64_t* addresses, std::uint32_t size,
                       AccessKind kind, Site site, AccessSpace space);
  void (*watch_row)(Warp*, LaneMask active, std::uint64_t first, std::uint32_t stride,
                    std::uint32_t size, AccessKind kind, Site site, AccessSpace space);
  void (*watch_fence)(Warp*, LaneMask active, std::uint32_t beyond_block);
};

/// Kinds of Services::warp_exchange: operations match only others of their kind.
enum class Exchange : std::uint32_t { kBarrier, kShuffle, kVote, kMatch, kRedux, kMatrix };

enum class Trap : std::uint32_t {
  kTrap,           ///< the instruction trap
  kStackOverflow,  ///< calls nested too deep
  kLocalOverflow,  ///< out of local memory
  kNotSupported,   ///< an instruction that the verifier rejects, reached all the same
  kBarriersDiffer, ///< lanes name different barriers or counts in one instruction
  kFellOff,        ///< the end of a function without a result, or of a .noreturn one
  kBranchIndex,    ///< the index of brx.idx is beyond its list
  kLanesMissing,   ///< an instruction of all 32 lanes of a warp that has fewer
  kLanesApart,     ///< lanes execute different instructions of that kind
  kNotShared,      ///< the generic address of ldmatrix or stmatrix is not one of shared memory
};

/// A warp being executed. One at a time is current on a host thread.
struct Warp {
  LaneMask live;            ///< lanes of this copy of the stack that have not exited
  LaneMask alive;           ///< lanes of the warp, in whatever copy, that have not exited
  LaneMask exists;          ///< lanes that the warp was started with (the last warp may be partial)
  std::int32_t fuel;        ///< iterations of loops until the next yield()
  std::uint32_t warp_index; ///< in the block
  std::uint32_t tid[3];     ///< of lane 0
  const std::uint32_t* lane_tid[3]; ///< 32 each, always valid
  std::uint32_t ntid[3];
  std::uint32_t ctaid[3];
  std::uint32_t nctaid[3];
  std::uint32_t clusterid[3];
  std::uint32_t nclusterid[3];
  std::uint32_t cluster_ctaid[3];
  std::uint32_t cluster_nctaid[3];
  std::uint32_t cluster_ctarank;
  std::uint32_t cluster_nctarank;
  std::uint32_t is_explicit_cluster;
  std::uint32_t smid;
  std::uint32_t nsmid;
  std::uint64_t grid_id;
  std::uint32_t static_shared;
  std::uint32_t dynamic_shared;
  std::uint32_t shared_size;      ///< bytes of the block's shared memory, dynamic part included
  std::uint32_t local_used;       ///< bytes of each lane's local window in use; code moves it
  std::uint32_t local_size;       ///< bytes of each lane's local window
  std::uint32_t local_stride;     ///< bytes from one lane's window to the next one's
  std::byte* local;               ///< lane 0's window; a generic address as it is
  std::byte* shared;              ///< the block's shared memory; likewise
  const std::byte* parameters;    ///< of the kernel; a generic address as it is
  const std::uint64_t* variables; ///< address of each of the program's (shared ones: offset)
  Code* functions;                ///< by index in the program; calls go through it
  std::uint64_t function_base;    ///< handle of function 0; function i is at function_base + 16 * i
  const Services* services;
  const std::uint8_t* shadow;   ///< valid bytes of each 16 bytes of the arena (device_memory.h)
  std::uint64_t arena;          ///< its first address
  std::uint64_t arena_size;     ///< bytes
  const KnownRange* known;      ///< kKnownRanges of the host thread's (blocks/known_ranges.h)
  const std::byte* stack_limit; ///< code that finds its stack pointer below it traps
  std::uint32_t envreg[32];

  // What follows is not read by compiled code.
  Block* block;
  const CallPlan* call_plan; ///< of the call under way through an adapter (code/call_plan.h)
  Site call_site;
};

} // namespace gantry::simt::exec
