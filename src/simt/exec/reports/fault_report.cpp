#include "simt/exec/reports/fault_report.h"

#include "simt/exec/blocks/block.h"
#include "simt/exec/blocks/cluster.h"
#include "simt/exec/blocks/mbarrier.h"
#include "simt/exec/reports/address_report.h"
#include "simt/exec/reports/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

namespace gantry::simt::exec {

namespace {

/// Waiting warps that a deadlock's report lists one by one.
constexpr std::size_t kWarpsListed = 32;

std::string threads_count(std::uint32_t threads) {
  return threads == 0 ? std::string("all threads") : fmt::format("{} threads", threads);
}

/// Where in the shared memory of another block of the cluster an address is; empty if it is in
/// none's.
std::string neighbour_text(const Warp& warp, std::uint64_t address) {
  const Cluster* const cluster = warp.block->cluster;
  const Block* const owner = cluster != nullptr ? cluster->neighbour_at(address) : nullptr;
  if (owner == nullptr || owner == warp.block) {
    return {};
  }
  return fmt::format("the address is {} into the shared memory of {} of block ({},{},{}) of the "
                     "cluster{}",
                     bytes_text(address - owner->shared), bytes_text(owner->shared_size),
                     owner->index[0], owner->index[1], owner->index[2],
                     owner->warps_alive == 0 ? ", which has ended" : "");
}

/// "mbarrier at offset 16 in 'full'".
std::string mbarrier_text(const Warp& warp, std::uint64_t address) {
  const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(warp.shared);
  if (offset >= warp.shared_size) {
    return fmt::format("mbarrier at {:#x}", address);
  }
  const std::string variable = shared_variable_at(warp, offset);
  return fmt::format("mbarrier at offset {}{}", offset,
                     variable.empty() ? "" : fmt::format(" in '{}'", variable));
}

std::string waiting_for(const Warp& warp, const Waiting& waiting) {
  switch (waiting.what) {
  case Waiting::For::kBarrier: {
    if (waiting.id >= warp.block->barriers.size()) {
      break;
    }
    const Block::Barrier& barrier = warp.block->barriers[waiting.id];
    unsigned arrived = 0;
    for (const LaneMask lanes : barrier.arrived) {
      arrived += static_cast<unsigned>(std::popcount(lanes));
    }
    return fmt::format("barrier {} for {}, of which {} have come", waiting.id,
                       threads_count(waiting.threads), arrived);
  }
  case Waiting::For::kMbarrier: {
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const void*>(waiting.address), sizeof word);
    const std::optional<Mbarrier> barrier = Mbarrier::of(word);
    return fmt::format(
        "the {}{}", mbarrier_text(warp, waiting.address),
        !barrier ? ""
                 : fmt::format(
                       ", of which {} arrivals and {} are missing", barrier->pending,
                       bytes_text(static_cast<std::uint64_t>(std::max(barrier->transactions, 0)))));
  }
  case Waiting::For::kCluster:
    return "the barrier of the cluster";
  case Waiting::For::kLanes:
    return fmt::format("lanes {:#010x} of its warp", waiting.lanes);
  case Waiting::For::kNothing:
  case Waiting::For::kYield:
  case Waiting::For::kSleep:
    break;
  }
  return "nothing";
}

} // namespace

Fault access_fault(const Warp& warp, LaneMask lanes, const std::uint64_t* addresses,
                   std::uint32_t size, AccessKind kind, AccessSpace space, Site site) {
  const unsigned lane = first_lane(lanes);
  const std::uint64_t address = addresses[lane];
  const bool window = space == AccessSpace::kShared || space == AccessSpace::kLocal;
  const std::uint64_t beyond = size == 0 ? 0 : address % size;
  Report report(warp, lanes, site,
                fmt::format("{} {}{} of {} at {}", beyond != 0 ? "misaligned" : "invalid",
                            space_word(space, look_up(warp, site)), access_word(kind),
                            bytes_text(size),
                            window ? fmt::format("offset {}", static_cast<std::int64_t>(address))
                                   : fmt::format("{:#x}", address)));
  if (beyond != 0) {
    report.line(fmt::format("the address is {} past a multiple of {}", bytes_text(beyond), size));
  }
  if (const std::string neighbour =
          neighbour_text(warp, space == AccessSpace::kShared
                                   ? address + reinterpret_cast<std::uint64_t>(warp.shared)
                                   : address);
      !neighbour.empty()) {
    report.line(neighbour);
    const CodePosition position = look_up(warp, site);
    const bool is_own_space = position.instruction != nullptr &&
                              (position.instruction->has(ptx::Modifier::kShared) ||
                               position.instruction->has(ptx::Modifier::kSharedCta)) &&
                              !position.instruction->has(ptx::Modifier::kSharedCluster);
    report.hint(is_own_space
                    ? "an instruction that goes to another block's shared memory must say "
                      ".shared::cluster; .shared is the block's own"
                    : "a block of a cluster must not end, nor must its peers access its shared "
                      "memory, before a barrier of the cluster says that all are ready");
  } else if (space == AccessSpace::kShared) {
    report.append(describe_shared(warp, address, size));
  } else if (space == AccessSpace::kLocal) {
    report.append(describe_local(warp, address, size));
  } else {
    report.about(address,
                 kind == AccessKind::kLoad ? FaultFacts::Access::kRead : FaultFacts::Access::kWrite,
                 beyond == 0);
    report.append(describe_address(warp, lane, address, size));
  }
  return std::move(report).fault(beyond != 0 ? FaultCode::kMisalignedAddress
                                             : FaultCode::kIllegalAddress);
}

Fault trap_fault(const Warp& warp, LaneMask lanes, Trap reason, Site site) {
  const auto fault = [&](FaultCode code, std::string_view what, std::string_view hint) {
    Report report(warp, lanes, site, what);
    report.hint(hint);
    return std::move(report).fault(code);
  };
  switch (reason) {
  case Trap::kTrap:
    return fault(FaultCode::kLaunchFailed, "the instruction trap was executed",
                 "device code traps where it finds that it cannot go on (abort, a failed check)");
  case Trap::kStackOverflow:
    return fault(FaultCode::kStackError, "the call stack overflows",
                 "a recursion may never end; CU_LIMIT_STACK_SIZE of cuCtxSetLimit moves the limit");
  case Trap::kLocalOverflow:
    return fault(
        FaultCode::kStackError,
        fmt::format("a thread's local memory of {} overflows", bytes_text(warp.local_size)),
        "a recursion may never end; the limit is CU_LIMIT_STACK_SIZE of cuCtxSetLimit");
  case Trap::kNotSupported:
    return fault(FaultCode::kIllegalInstruction, "the instruction is not offered by this device",
                 {});
  case Trap::kBarriersDiffer:
    return fault(FaultCode::kIllegalInstruction,
                 "the threads of a warp name different barriers or thread counts",
                 "a barrier counts warps: all threads of one must name the same barrier and count");
  case Trap::kFellOff:
    return fault(FaultCode::kLaunchFailed,
                 "the end of a function is reached that must not be: one that never returns", {});
  case Trap::kBranchIndex:
    return fault(FaultCode::kInvalidPc, "the index of a branch is beyond its list of labels", {});
  case Trap::kLanesMissing:
    return fault(FaultCode::kLaunchFailed,
                 "a matrix instruction is executed by a warp of which threads are missing",
                 "it needs all 32: none may have ended, and a block must have a multiple of 32");
  case Trap::kLanesApart:
    return fault(FaultCode::kLaunchFailed,
                 "the threads of a warp execute different matrix instructions",
                 "with .aligned, all 32 threads must execute the same one");
  case Trap::kNotShared:
    return fault(FaultCode::kIllegalAddress,
                 "the address of a matrix's row is not one of shared memory", {});
  }
  return fault(FaultCode::kLaunchFailed, "the kernel cannot go on", {});
}

Fault call_fault(const Warp& warp, LaneMask lanes, std::uint64_t handle, Site site) {
  Report report(warp, lanes, site, fmt::format("call of {:#x}, which is no function", handle));
  AddressReport there = describe_address(warp, first_lane(lanes), handle, 1);
  there.hint =
      "a function pointer must be taken in device code of this program: one of the host's, "
      "or of another program, is none here";
  report.about(handle, FaultFacts::Access::kCall, true);
  report.append(there);
  return std::move(report).fault(FaultCode::kInvalidPc);
}

Fault barrier_fault(const Warp& warp, LaneMask lanes, std::uint32_t id, std::uint32_t threads,
                    std::string_view what, Site site) {
  Report report(warp, lanes, site,
                fmt::format("barrier {} for {}: {}", id, threads_count(threads), what));
  return std::move(report).fault(FaultCode::kLaunchFailed);
}

Fault cluster_fault(const Warp& warp, LaneMask lanes, std::string_view what, Site site) {
  Report report(warp, lanes, site, fmt::format("barrier of the cluster: {}", what));
  report.hint("each thread of a cluster arrives once and then waits, in turn");
  return std::move(report).fault(FaultCode::kLaunchFailed);
}

Fault window_fault(const Warp& warp, unsigned lane, std::uint64_t address, std::uint32_t size,
                   AccessKind kind, Site site) {
  // An instruction that names the space has given an offset.
  const CodePosition position = look_up(warp, site);
  const auto has = [&](ptx::Modifier modifier) {
    return position.instruction != nullptr && position.instruction->has(modifier);
  };
  const bool is_offset = has(ptx::Modifier::kShared) || has(ptx::Modifier::kSharedCta) ||
                         has(ptx::Modifier::kSharedCluster);
  const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(warp.shared);
  std::uint64_t addresses[kLanes] = {};
  addresses[lane] = is_offset ? offset : address;
  return access_fault(warp, 1U << lane, addresses, size, kind,
                      is_offset ? AccessSpace::kShared : AccessSpace::kGeneric, site);
}

Fault bulk_size_fault(const Warp& warp, unsigned lane, std::uint64_t bytes, Site site) {
  Report report(warp, 1U << lane, site, fmt::format("a bulk copy of {}", bytes_text(bytes)));
  report.hint("sizes of bulk copies are multiples of 16, and so are their addresses");
  return std::move(report).fault(FaultCode::kMisalignedAddress);
}

Fault mbarrier_fault(const Warp& warp, LaneMask lanes, std::uint64_t address, std::string_view what,
                     std::string_view hint, Site site) {
  Report report(warp, lanes, site, fmt::format("{}: {}", mbarrier_text(warp, address), what));
  report.hint(hint);
  return std::move(report).fault(FaultCode::kLaunchFailed);
}

Fault assert_fault(const Warp& warp, LaneMask lanes, std::string_view message,
                   std::string_view file, std::uint32_t line, std::string_view function) {
  Fault fault{FaultCode::kAssert, {}, {}};
  fault.facts = {.kernel = std::string(kernel_of(warp)),
                 .position = fmt::format("{}:{}", file, line),
                 .what = fmt::format("the assertion `{}` failed", message)};
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    fault.report += fmt::format(
        "{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n", file, line,
        function, warp.ctaid[0], warp.ctaid[1], warp.ctaid[2], warp.lane_tid[0][lane],
        warp.lane_tid[1][lane], warp.lane_tid[2][lane], message);
  }
  fault.report += fmt::format("gantry: error: kernel '{}' ({}:{}): an assertion failed\n",
                              kernel_of(warp), file, line);
  return fault;
}

Fault heap_fault(const Warp& warp, LaneMask lanes, std::uint64_t address, FreeResult result,
                 Site site) {
  const std::string_view what = result == FreeResult::kFreedAlready ? "a block freed already"
                                : result == FreeResult::kInside     ? "the inside of a block"
                                                                    : "no block of the heap";
  Report report(warp, lanes, site, fmt::format("free of {:#x}, {}", address, what));
  report.append(describe_address(warp, first_lane(lanes), address, 1));
  return std::move(report).fault(FaultCode::kLaunchFailed);
}

Fault deadlock_fault(const std::vector<WaitingWarp>& warps) {
  if (warps.empty()) {
    return {FaultCode::kLaunchFailed, "gantry: error: a block cannot go on\n", {}};
  }
  const Warp& first = *warps.front().warp;
  std::string text =
      fmt::format("gantry: error: kernel '{}': deadlock: no thread of block ({},{},{}) "
                  "can go on\n",
                  kernel_of(first), first.ctaid[0], first.ctaid[1], first.ctaid[2]);
  std::size_t listed = 0;
  for (const auto& [warp, waiting] : warps) {
    if (listed++ == kWarpsListed) {
      text += fmt::format("  and {} more\n", warps.size() - kWarpsListed);
      break;
    }
    const CodePosition position = look_up(*warp, waiting->site);
    const std::string where = short_position(position);
    text += fmt::format(
        "  {}warp {}, thread {}{}: waits for {}{}{}\n",
        warp->block->cluster == nullptr
            ? ""
            : fmt::format("block ({},{},{}), ", warp->ctaid[0], warp->ctaid[1], warp->ctaid[2]),
        warp->warp_index, thread_text(*warp, first_lane(waiting->active)),
        std::popcount(waiting->active) > 1
            ? fmt::format(" and {} more", std::popcount(waiting->active) - 1)
            : "",
        waiting_for(*warp, *waiting), where.empty() ? "" : " at " + where,
        position.instruction == nullptr ? "" : fmt::format(" ({})", position.instruction->name));
  }
  text +=
      "  hint: every thread that has not exited must come to the barrier or warp-level operation "
      "that the others wait in, with the same number and count\n";
  FaultFacts facts = {.kernel = std::string(kernel_of(first)),
                      .position = source_of(look_up(first, warps.front().waiting->site)),
                      .what = "deadlock: no thread of a block can go on"};
  return {FaultCode::kLaunchFailed, std::move(text), std::move(facts)};
}

} // namespace gantry::simt::exec
