#include "simt/exec/checks/check_report.h"

#include "simt/exec/blocks/block.h"
#include "simt/exec/blocks/cluster.h"
#include "simt/exec/reports/report.h"

#include <fmt/format.h>

#include <bit>
#include <string>
#include <utility>

namespace gantry::simt::exec {

namespace {

/// An address as the program sees it: an offset if it is of the shared memory of the block, or of
/// another one of its cluster.
struct ProgramAddress {
  const Block* neighbour = nullptr; ///< of the cluster; null: the block itself
  bool shared = false;
  std::uint64_t offset = 0;

  ProgramAddress(const Warp& warp, std::uint64_t address) : offset(address) {
    const auto own = reinterpret_cast<std::uint64_t>(warp.shared);
    const bool is_own = address - own < warp.shared_size;
    const Cluster* const cluster = warp.block->cluster;
    neighbour = is_own || cluster == nullptr ? nullptr : cluster->neighbour_at(address);
    shared = is_own || neighbour != nullptr;
    offset -= is_own ? own : neighbour != nullptr ? neighbour->shared : 0;
  }
  [[nodiscard]] const char* memory() const { return shared ? "shared" : "global"; }
  [[nodiscard]] std::string text(const Warp& warp) const {
    const std::string variable =
        shared ? shared_variable_at(warp, offset) : global_variable_at(offset);
    return (shared ? fmt::format("offset {}", offset) : fmt::format("{:#x}", offset)) +
           (neighbour == nullptr ? ""
                                 : fmt::format(" of block ({},{},{})", neighbour->index[0],
                                               neighbour->index[1], neighbour->index[2])) +
           (variable.empty() ? "" : fmt::format(" in '{}'", variable));
  }
  [[nodiscard]] AddressReport described(const Warp& warp, unsigned lane, std::uint32_t size) const {
    return shared ? describe_shared(warp, offset, size)
                  : describe_address(warp, lane, offset, size);
  }
};

std::string_view word_of(const AccessFacts& facts) {
  return access_word(facts.reads && facts.writes ? AccessKind::kAtomic
                     : facts.writes              ? AccessKind::kStore
                                                 : AccessKind::kLoad);
}

std::string text_of(const std::array<std::uint32_t, 3>& place) {
  return fmt::format("({},{},{})", place[0], place[1], place[2]);
}

/// "a write at sum.cu:9 by block (1,0,0), thread (0,0,0)".
std::string text_of(const RacingAccess& other) {
  const char* const what = other.wrote                                    ? "a write"
                           : other.threads == RacingAccess::Threads::kOne ? "a read"
                                                                          : "reads";
  std::string who;
  switch (other.threads) {
  case RacingAccess::Threads::kOne:
    who = (other.in_block ? "" : fmt::format("block {}, ", text_of(other.block))) + "thread " +
          text_of(other.thread);
    break;
  case RacingAccess::Threads::kSeveral:
    who = other.in_block ? "several threads of the block"
                         : fmt::format("several threads of block {}", text_of(other.block));
    break;
  case RacingAccess::Threads::kSeveralBlocks:
    who = "threads of several blocks";
    break;
  }
  return fmt::format("{}{} by {}{}", what, other.source.empty() ? "" : " at " + other.source, who,
                     other.kernel.empty() ? "" : fmt::format(" of kernel '{}'", other.kernel));
}

/// "sum.cu:9, PTX line 33 of a.ptx: st.shared.u32 [%r1], %r2;", the source line if the PTX gives
/// it.
std::string where(std::string_view kernel, const CodePosition& position) {
  if (position.instruction == nullptr) {
    return "elsewhere in the kernel";
  }
  const std::string source = source_of(position);
  return (source.empty() ? "" : source + ", ") + ptx_position(kernel, position);
}

std::string where(const Warp& warp, Site site) {
  return where(kernel_of(warp), look_up(warp, site));
}

/// What orders the two accesses of a race.
std::string_view what_orders(const RacingAccess& other) {
  if (!other.kernel.empty()) {
    return "launches of several streams are ordered only by events, or by waiting for one of them";
  }
  return other.in_block
             ? "threads that share memory need a barrier between a write and what others do there "
               "(bar.sync; bar.warp.sync within a warp), or atomic operations and fences"
             : "no barrier orders the blocks of a launch: threads of several blocks need atomic "
               "operations, or a lock in global memory that all of them use, or another launch";
}

class KernelOfProgram : public RacingKernel {
public:
  KernelOfProgram(std::shared_ptr<const AccessFactsTable> facts, std::uint32_t kernel)
      : facts_(std::move(facts)), kernel_(kernel) {}

  [[nodiscard]] std::string name() const override {
    return std::string(facts_->program().definition(kernel_).name);
  }
  [[nodiscard]] std::string source(std::uint32_t site) const override {
    return short_position(look_up(facts_->program(), facts_->site(site)));
  }
  [[nodiscard]] std::string position(std::uint32_t site) const override {
    return where(name(), look_up(facts_->program(), facts_->site(site)));
  }

private:
  std::shared_ptr<const AccessFactsTable> facts_;
  std::uint32_t kernel_;
};

} // namespace

std::shared_ptr<const RacingKernel> racing_kernel(std::shared_ptr<const AccessFactsTable> facts,
                                                  std::uint32_t kernel) {
  return std::make_shared<const KernelOfProgram>(std::move(facts), kernel);
}

Fault race_fault(const Warp& warp, unsigned lane, std::uint64_t address, std::uint32_t size,
                 const AccessFacts& facts, Site site, const RacingAccess& other) {
  const ProgramAddress shown(warp, address);
  Report report(warp, 1U << lane, site,
                fmt::format("race in {} memory: {} of {} at {}, not ordered with {}",
                            shown.memory(), word_of(facts), bytes_text(size), shown.text(warp),
                            text_of(other)));
  report.line("the other one is at " + other.position);
  if (!shown.shared) {
    report.about(address, facts.writes ? FaultFacts::Access::kWrite : FaultFacts::Access::kRead);
  }
  AddressReport there = shown.described(warp, lane, size);
  there.hint = what_orders(other);
  report.append(there);
  return std::move(report).fault(FaultCode::kLaunchFailed);
}

Fault uninitialised_fault(const Warp& warp, unsigned lane, std::uint64_t address,
                          std::uint32_t size, AccessKind kind, AccessSpace space, Site site) {
  const ProgramAddress shown(warp, address);
  Report report(warp, 1U << lane, site,
                fmt::format("{}{} of {} at {}, which nothing has been written to",
                            space_word(space, look_up(warp, site)), access_word(kind),
                            bytes_text(size), shown.text(warp)));
  if (!shown.shared) {
    report.about(address, FaultFacts::Access::kRead);
  }
  AddressReport there = shown.described(warp, lane, size);
  there.hint = shown.shared
                   ? "a block's shared memory has no value when the block begins"
                   : "memory has no value until it is copied to, filled or stored to: see whether "
                     "the data are mapped to the device, and as large as the kernel takes them";
  report.append(there);
  return std::move(report).fault(FaultCode::kLaunchFailed);
}

Fault foreign_mask_fault(const Warp& warp, unsigned lane, LaneMask mask, Site site) {
  Report report(warp, 1U << lane, site,
                fmt::format("lane {} is not in the mask {:#010x} that it gives", lane, mask));
  report.hint("a mask must name the lane that executes the operation");
  return std::move(report).fault(FaultCode::kLaunchFailed);
}

Fault masks_fault(const Warp& warp, unsigned lane, LaneMask mask, unsigned other,
                  LaneMask other_mask, Site site) {
  Report report(warp, 1U << lane, site,
                fmt::format("lane {} gives the mask {:#010x}, and lane {}, which that names, gives "
                            "{:#010x}",
                            lane, mask, other, other_mask));
  report.hint("lanes that take part in one operation must give the same mask");
  return std::move(report).fault(FaultCode::kLaunchFailed);
}

Fault divergent_barrier_fault(const Warp& warp, LaneMask lanes, std::uint32_t barrier, Site before,
                              Site site) {
  Report report(
      warp, lanes, site,
      fmt::format("barrier {}: other threads of the warp have come to it elsewhere", barrier));
  report.line("they came at " + where(warp, before));
  report.hint("all threads of a warp must execute the same barrier instruction; barrier.sync "
              "without .aligned has no such rule");
  return std::move(report).fault(FaultCode::kLaunchFailed);
}

Fault open_barrier_fault(const Warp& warp, std::uint32_t barrier, Site site) {
  unsigned arrived = 0;
  for (const LaneMask lanes : warp.block->barriers[barrier].arrived) {
    arrived += static_cast<unsigned>(std::popcount(lanes));
  }
  Report report(warp, warp.exists, site,
                fmt::format("the block ends, and barrier {} for {} threads has not passed, to "
                            "which {} have come",
                            barrier, warp.block->barriers[barrier].expected, arrived));
  report.hint(
      "what bar.arrive announces somebody must wait for with bar.sync, with the same number "
      "and count");
  return std::move(report).fault(FaultCode::kLaunchFailed);
}

} // namespace gantry::simt::exec
