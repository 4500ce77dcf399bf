#include "simt/exec/engine/services.h"

#include "simt/exec/arithmetic/arithmetic.h"
#include "simt/exec/arithmetic/matrix.h"
#include "simt/exec/blocks/known_ranges.h"
#include "simt/exec/blocks/lane_memory.h"
#include "simt/exec/code/code.h"
#include "simt/exec/engine/async.h"
#include "simt/exec/engine/call_adapter.h"
#include "simt/exec/engine/scheduler.h"
#include "simt/exec/engine/system_calls.h"
#include "simt/exec/reports/fault_report.h"
#include "simt/exec/reports/report.h"
#include "simt/host/of_thread.h"
#include "simt/memory/device_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>

namespace gantry::simt::exec {

namespace {

std::uint64_t now() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

/// Whether the instruction names the block's own shared memory, and must not leave it. One with a
/// generic address may access that by an offset, too.
bool names_own_shared(const Warp& warp, Site site) {
  const ptx::Instruction* const instruction = look_up(warp, site).instruction;
  return instruction != nullptr &&
         (instruction->has(ptx::Modifier::kShared) || instruction->has(ptx::Modifier::kSharedCta));
}

/// Whether all lanes' accesses are aligned, and in one granule each whose shadow allows them.
bool are_good_by_shadow(const Warp& warp, LaneMask active, const std::uint64_t* addresses,
                        std::uint32_t needed, std::uint32_t whole, std::uint32_t offset) {
  constexpr std::uint64_t kGranule = DeviceMemory::kGranule;
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const std::uint64_t address = addresses[std::countr_zero(left)];
    const std::uint64_t place = address - warp.arena;
    if ((address - offset) % whole != 0 || place >= warp.arena_size ||
        place % kGranule + needed >
            __atomic_load_n(warp.shadow + place / kGranule, __ATOMIC_RELAXED)) {
      return false;
    }
  }
  return true;
}

// The report describes the whole access of the PTX instruction, of which this may be a part.
void check_exactly(Warp* warp, LaneMask active, const std::uint64_t* addresses, std::uint32_t size,
                   std::uint32_t whole, std::uint32_t offset, AccessKind kind, Site site,
                   AccessSpace space) {
  LaneMask wrong = 0;
  std::uint64_t starts[kLanes] = {};
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    starts[lane] = addresses[lane] - offset;
    const bool good =
        starts[lane] % whole == 0 &&
        LaneMemory(*warp, lane)
            .may_access(space, addresses[lane], size, needed_bytes(kind, size), kind) &&
        (space != AccessSpace::kShared || addresses[lane] < warp->shared_size ||
         !names_own_shared(*warp, site));
    wrong |= good ? 0 : 1U << lane;
  }
  if (wrong != 0) {
    fail(*warp, access_fault(*warp, wrong, starts, whole, kind, space, site));
  }
}

void check_access(Warp* warp, LaneMask active, const std::uint64_t* addresses, std::uint32_t size,
                  std::uint32_t whole, std::uint32_t offset, AccessKind kind, Site site,
                  AccessSpace space, std::uint32_t range) {
  if (range == kKnownRanges) {
    check_exactly(warp, active, addresses, size, whole, offset, kind, site, space);
    return;
  }
  const std::uint32_t needed = needed_bytes(kind, size);
  if (!are_good_by_shadow(*warp, active, addresses, needed, whole, offset)) {
    check_exactly(warp, active, addresses, size, whole, offset, kind, site, space);
  }
  of_thread<KnownRanges>().missed(*DeviceMemory::instance(), range, active, addresses, needed);
}

void watch_access(Warp* warp, LaneMask active, const std::uint64_t* addresses, std::uint32_t size,
                  AccessKind kind, Site site, AccessSpace space) {
  fail_if(*warp, warp->block->watch->access(*warp, active, addresses, size, kind, space, site));
}

void watch_row(Warp* warp, LaneMask active, std::uint64_t first, std::uint32_t stride,
               std::uint32_t size, AccessKind kind, Site site, AccessSpace space) {
  fail_if(*warp,
          warp->block->watch->access_row(*warp, active, first, stride, size, kind, space, site));
}

void watch_fence(Warp* warp, LaneMask active, std::uint32_t beyond_block) {
  warp->block->watch->fence(*warp, active, beyond_block != 0);
}

// Splits the warp if it has other lanes than `active`. False in the copy with those other lanes,
// which are not at this operation.
bool separate(Warp* warp, LaneMask active) {
  if ((warp->live & ~active) != 0) {
    warp->block->scheduler->split_off(*warp, active);
  }
  return (warp->live & active) != 0;
}

std::uint32_t barrier(Warp* warp, LaneMask active, std::uint32_t id, std::uint32_t threads,
                      std::uint32_t reduction, LaneMask predicates, Site site) {
  if (!separate(warp, active)) {
    return 0;
  }
  Block& block = *warp->block;
  const BarrierTicket ticket =
      arrive(*warp, {active, id, threads, static_cast<BarrierReduction>(reduction), predicates,
                     true, site});
  while (!block.is_complete(ticket)) {
    Waiting& why = block.scheduler->current->waiting; // in place, because barriers are hot
    why.what = Waiting::For::kBarrier;
    why.active = active;
    why.id = id;
    why.threads = threads;
    why.phase = ticket.phase;
    why.site = site;
    block.scheduler->suspend();
  }
  return block.take_result(ticket);
}

void barrier_arrive(Warp* warp, LaneMask active, std::uint32_t id, std::uint32_t threads,
                    Site site) {
  // Nobody waits here, so lanes that arrive later are simply counted then.
  arrive(*warp, {active, id, threads, BarrierReduction::kNone, 0, false, site});
}

// Whether all lanes that a lane's mask names have masks that name it, too. A lane whose mask does
// not waits in another operation.
bool mean_each_other(LaneMask lanes, LaneMask alive, const std::array<LaneMask, kLanes>& masks) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned other = 0; (lanes >> lane & 1) != 0 && other < kLanes; ++other) {
      const bool named = (masks[lane] & alive & lanes) >> other & 1;
      if (named && (masks[other] >> lane & 1) == 0) {
        return false;
      }
    }
  }
  return true;
}

// Completes the operations of a warp's splits whose lanes have all arrived: a set of posted
// operations of one kind, such that each lane of each of their masks is in the set or has exited.
void settle_exchanges(WarpSlot& slot, Block& block) {
  const LaneMask alive = block.alive[slot.warp.warp_index];
  for (const auto& first : slot.splits) {
    if (!first->exchange.posted || first->exchange.complete) {
      continue;
    }
    const std::uint32_t kind = first->exchange.kind;
    LaneMask arrived = 0;
    for (const auto& split : slot.splits) {
      if (split->exchange.posted && !split->exchange.complete && split->exchange.kind == kind) {
        arrived |= split->exchange.active;
      }
    }
    // Grow the set of lanes from this split by what its lanes' masks name.
    LaneMask wanted = first->exchange.active;
    for (LaneMask before = 0; wanted != before;) {
      before = wanted;
      for (const auto& split : slot.splits) {
        const PostedExchange& exchange = split->exchange;
        if (!exchange.posted || exchange.complete || exchange.kind != kind ||
            (exchange.active & wanted) == 0) {
          continue;
        }
        wanted |= exchange.active;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          wanted |= (exchange.active >> lane & 1) != 0 ? exchange.masks[lane] & alive : 0;
        }
      }
    }
    if ((wanted & ~arrived) != 0) {
      continue;
    }
    std::array<std::uint64_t, kLanes> values = {};
    std::array<LaneMask, kLanes> masks = {};
    for (const auto& split : slot.splits) {
      const PostedExchange& exchange = split->exchange;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (exchange.posted && !exchange.complete && exchange.kind == kind &&
            (exchange.active & wanted) >> lane & 1) {
          values[lane] = exchange.values[lane];
          masks[lane] = exchange.masks[lane];
        }
      }
    }
    if (!mean_each_other(wanted, alive, masks)) {
      continue;
    }
    for (const auto& split : slot.splits) {
      PostedExchange& exchange = split->exchange;
      if (exchange.posted && !exchange.complete && (exchange.active & wanted) != 0) {
        exchange.values = values;
        exchange.present = wanted;
        exchange.complete = true;
        ++block.progress;
      }
    }
    if (block.watch) {
      block.watch->complete_in_warp(slot.warp, wanted, static_cast<Exchange>(kind));
    }
  }
}

LaneMask warp_exchange(Warp* warp, LaneMask active, const LaneMask* masks, std::uint64_t* values,
                       std::uint32_t kind, Site site) {
  Block& block = *warp->block;
  LaneMask named = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    named |= (active >> lane & 1) != 0 ? masks[lane] : 0;
  }
  named &= block.alive[warp->warp_index];
  if (block.watch) {
    fail_if(*warp, block.watch->arrive_in_warp(*warp, active, masks, site));
  }
  if ((named & ~active) == 0) {
    if (block.watch) {
      block.watch->complete_in_warp(*warp, active, static_cast<Exchange>(kind));
    }
    return named;
  }
  if (!separate(warp, active)) {
    return 0;
  }
  WarpSplit& split = *block.scheduler->current;
  PostedExchange& exchange = split.exchange;
  exchange.posted = true;
  exchange.complete = false;
  exchange.kind = kind;
  exchange.active = active;
  std::copy(masks, masks + kLanes, exchange.masks.begin());
  std::copy(values, values + kLanes, exchange.values.begin());
  ++block.progress;
  settle_exchanges(*split.slot, block);
  while (!exchange.complete) {
    Waiting why;
    why.what = Waiting::For::kLanes;
    why.active = active;
    why.lanes = named & ~active;
    why.site = site;
    suspend(*warp, why);
    settle_exchanges(*split.slot, block);
  }
  std::copy(exchange.values.begin(), exchange.values.end(), values);
  exchange.posted = false;
  return exchange.present;
}

// Its variables are on the warp's stack, which may be copied in the middle of it: AddressSanitizer
// would keep them elsewhere.
__attribute__((no_sanitize("address"))) void matrix(Warp* warp, LaneMask active,
                                                    std::uint32_t packed, std::uint64_t* words,
                                                    std::uint64_t* results, Site site) {
  const MatrixOperation operation = MatrixOperation::unpacked(packed);
  const auto trap_if = [&](bool wrong, Trap reason) {
    if (wrong) {
      fail(*warp, trap_fault(*warp, active, reason, site));
    }
  };
  trap_if(warp->block->alive[warp->warp_index] != kAllLanes, Trap::kLanesMissing);
  if (active != kAllLanes || warp->block->watch) {
    std::array<LaneMask, kLanes> masks = {};
    std::array<std::uint64_t, kLanes> sites = {};
    masks.fill(kAllLanes);
    sites.fill(site);
    const auto exchange = [&](std::uint64_t* values) {
      return warp_exchange(warp, active, masks.data(), values,
                           static_cast<std::uint32_t>(Exchange::kMatrix), site);
    };
    const LaneMask present = exchange(sites.data());
    if ((warp->live & active) == 0) {
      return; // the copy with the other lanes
    }
    trap_if(present != kAllLanes, Trap::kLanesMissing);
    trap_if(std::ranges::any_of(sites, [&](Site other) { return other != site; }),
            Trap::kLanesApart);
    // Each split does what the warp would have done together.
    for (unsigned i = 0; active != kAllLanes && i < operation.words_in(); ++i) {
      trap_if(exchange(words + std::size_t{i} * kLanes) != kAllLanes, Trap::kLanesMissing);
    }
  }
  std::array<MatrixColumn, kMostMatrixWords> in = {};
  std::array<std::uint64_t*, kMostMatrixWords> out = {};
  for (std::size_t i = 0; i < kMostMatrixWords; ++i) {
    in[i] = words + i * kLanes;
    out[i] = results + i * kLanes;
  }
  compute_matrix(operation, in.data(), out.data());
}

// Whether the warp is to be split for a loop that yields, after which its parts never reconverge.
// It must be if the loop waits for a lane outside of it. Only time distinguishes that from a loop
// that makes progress, which lanes leave one after the other. Once one loop of the launch was found
// to wait, other loops are split at once.
bool waits_for_own_warp(const Warp& warp, LaneMask active) {
  // In yields, each after kLoopFuel iterations.
  constexpr std::uint32_t kSameLanes = 64;
  constexpr std::uint32_t kSomeLanes = 1024;
  std::atomic<bool>& known = warp.block->launch->lanes_wait_in_loops;
  const LaneMask pending = warp.live & ~active;
  if (pending == 0 || known.load(std::memory_order_relaxed)) {
    return true;
  }
  Looping& looping = warp.block->scheduler->current->looping;
  looping.same = looping.active == active ? looping.same + 1 : 1;
  looping.active = active;
  looping.pending &= pending;
  looping.some = looping.pending != 0 ? looping.some + 1 : 1;
  looping.pending = looping.pending != 0 ? looping.pending : pending;
  if (looping.same < kSameLanes && looping.some < kSomeLanes) {
    return false;
  }
  known.store(true, std::memory_order_relaxed);
  return true;
}

void pause(Warp* warp, LaneMask active, Waiting::For what, Site site) {
  warp->fuel = kLoopFuel;
  const bool apart = what == Waiting::For::kSleep || waits_for_own_warp(*warp, active);
  if (apart && !separate(warp, active)) {
    return;
  }
  Waiting why;
  why.what = what;
  why.active = active;
  why.site = site;
  suspend(*warp, why);
}

void yield(Warp* warp, LaneMask active, Site site) {
  pause(warp, active, Waiting::For::kYield, site);
}

void nanosleep(Warp* warp, LaneMask active, const std::uint32_t*, Site site) {
  pause(warp, active, Waiting::For::kSleep, site);
}

void exit_lanes(Warp* warp, LaneMask active) {
  Block& block = *warp->block;
  end_lanes(*warp, active);
  settle_exchanges(*block.scheduler->current->slot, block);
}

void trap(Warp* warp, LaneMask active, std::uint32_t reason, Site site) {
  fail(*warp, trap_fault(*warp, active, static_cast<Trap>(reason), site));
}

Code resolve_call(Warp* warp, LaneMask active, std::uint64_t handle, std::uint64_t signature,
                  Site site) {
  const Launch& launch = *warp->block->launch;
  const std::optional<std::uint32_t> function = launch.program->function_of(handle);
  ProgramCode& program = *launch.program->code;
  if (!function || program.callee(*function).is_entry) {
    fail(*warp, call_fault(*warp, active, handle, site));
  }
  const ProgramCode::Callee& callee = program.callee(*function);
  Code code = callee.is_system ? nullptr : program.known(*function, launch.geometry);
  if (code == nullptr && !callee.is_system) {
    auto entry = program.of(*function, launch.geometry);
    if (!entry) {
      Fault fault{fault_without_code(), std::move(entry.error())};
      fail(*warp, std::move(fault));
    }
    code = entry->code;
  }
  if (callee.is_system || callee.signature != signature) {
    warp->call_plan = &program.call_plan(site, *function);
    warp->call_site = site;
    return call_adapted;
  }
  return code;
}

void call_system(Warp* warp, LaneMask active, std::uint32_t call, const std::uint64_t* arguments,
                 std::uint64_t* results, Site site) {
  system_call(*warp, active, static_cast<ptx::SystemCall>(call), arguments, results, site);
}

void start_async(Warp* warp, LaneMask active, std::uint32_t operation,
                 const std::uint64_t* arguments, std::uint64_t* results, Site site) {
  start_async(*warp, active, AsyncOperation::unpacked(operation), arguments, results, site);
}

void await_cluster(Warp* warp, LaneMask active, Site site) {
  if (wait_in_cluster(*warp, active, site) || !separate(warp, active)) {
    return;
  }
  do {
    suspend(*warp, waiting_for_cluster(*warp, active, site));
  } while (!wait_in_cluster(*warp, active, site));
}

void await_async(Warp* warp, LaneMask active, std::uint32_t operation,
                 const std::uint64_t* arguments, std::uint64_t* results, Site site) {
  const AsyncOperation what = AsyncOperation::unpacked(operation);
  if (what.action == AsyncAction::kClusterWait) {
    await_cluster(warp, active, site);
    return;
  }
  if (test_async(*warp, active, what, arguments, results, site) != 0) {
    return;
  }
  // Pending lanes may be those that are to arrive.
  warp->fuel = kLoopFuel;
  if (waits_for_own_warp(*warp, active) && !separate(warp, active)) {
    return;
  }
  suspend(*warp, waiting_for_async(active, what, arguments, site));
  (void)test_async(*warp, active & warp->live, what, arguments, results, site);
}

std::uint64_t clock_now(Warp*) {
  return now();
}

constexpr Services kServices = {
    check_access, barrier,      barrier_arrive, warp_exchange, yield,
    nanosleep,    exit_lanes,   trap,           resolve_call,  call_system,
    start_async,  await_async,  compute_lanes,  matrix,        clock_now,
    clock_now,    watch_access, watch_row,      watch_fence,
};

} // namespace

const Services& services() {
  return kServices;
}

} // namespace gantry::simt::exec
