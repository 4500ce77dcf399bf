#include "simt/exec/checks/check_report.h"

#include "simt/exec/blocks/block.h"
#include "simt/exec/reports/report.h"

#include <fmt/format.h>

#include <bit>
#include <string>
#include <utility>

namespace gantry::simt::exec {

namespace {

/// An address as the program sees it: an offset if it is of the block's shared memory.
struct ProgramAddress {
  bool shared = false;
  std::uint64_t offset = 0;

  ProgramAddress(const Warp& warp, std::uint64_t address)
      : shared(address - reinterpret_cast<std::uint64_t>(warp.shared) < warp.shared_size),
        offset(shared ? address - reinterpret_cast<std::uint64_t>(warp.shared) : address) {}
  [[nodiscard]] const char* memory() const { return shared ? "shared" : "global"; }
  [[nodiscard]] std::string text() const {
    return shared ? fmt::format("offset {}", offset) : fmt::format("{:#x}", offset);
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

std::string thread_of_block(const Warp& warp, std::uint32_t thread) {
  return fmt::format("({},{},{})", thread % warp.ntid[0], thread / warp.ntid[0] % warp.ntid[1],
                     thread / warp.ntid[0] / warp.ntid[1]);
}

/// "sum.cu:9, PTX line 33 of a.ptx: st.shared.u32 [%r1], %r2;", the source line if the PTX gives
/// it.
std::string where(const Warp& warp, Site site) {
  const CodePosition position = look_up(warp, site);
  if (position.instruction == nullptr) {
    return "elsewhere in the kernel";
  }
  const std::string source = source_of(position);
  return (source.empty() ? "" : source + ", ") + ptx_position(warp, position);
}

} // namespace

Fault race_fault(const Warp& warp, unsigned lane, std::uint64_t address, std::uint32_t size,
                 const AccessFacts& facts, Site site, const RacingAccess& other) {
  const ProgramAddress shown(warp, address);
  Report report(warp, 1U << lane, site,
                fmt::format("race in {} memory: {} of {} at {}, not ordered with a {} by thread {}",
                            shown.memory(), word_of(facts), bytes_text(size), shown.text(),
                            other.wrote ? "write" : "read", thread_of_block(warp, other.thread)));
  report.line("the other one is at " + where(warp, other.site));
  if (!shown.shared) {
    report.about(address, facts.writes ? FaultFacts::Access::kWrite : FaultFacts::Access::kRead);
  }
  AddressReport there = shown.described(warp, lane, size);
  there.hint = "threads that share memory need a barrier between a write and what others do there "
               "(bar.sync; bar.warp.sync within a warp), or atomic operations and fences";
  report.append(there);
  return std::move(report).fault(FaultCode::kLaunchFailed);
}

Fault uninitialised_fault(const Warp& warp, unsigned lane, std::uint64_t address,
                          std::uint32_t size, AccessKind kind, AccessSpace space, Site site) {
  const ProgramAddress shown(warp, address);
  Report report(warp, 1U << lane, site,
                fmt::format("{}{} of {} at {}, which nothing has been written to",
                            space_word(space, look_up(warp, site)), access_word(kind),
                            bytes_text(size), shown.text()));
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
