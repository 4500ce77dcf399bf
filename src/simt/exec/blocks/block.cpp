#include "simt/exec/blocks/block.h"

#include "simt/exec/blocks/cluster.h"

#include <algorithm>
#include <bit>

namespace gantry::simt::exec {

namespace {

std::uint32_t reduced(const Block::Barrier& barrier) {
  switch (barrier.reduction) {
  case BarrierReduction::kNone:
    return 0;
  case BarrierReduction::kPopc:
    return barrier.count;
  case BarrierReduction::kAnd:
    return barrier.count == barrier.counted ? 1 : 0;
  case BarrierReduction::kOr:
    return barrier.count != 0 ? 1 : 0;
  }
  return 0;
}

} // namespace

std::uint32_t Block::take_result(BarrierTicket ticket) {
  std::vector<Barrier::Result>& results = barriers[ticket.id].results;
  const auto found = std::ranges::find(results, ticket.phase, &Barrier::Result::phase);
  if (found == results.end()) {
    return 0;
  }
  const std::uint32_t value = found->value;
  if (--found->wanted == 0) {
    results.erase(found);
  }
  return value;
}

void Block::settle(Barrier& barrier) {
  if (!barrier.open) {
    return;
  }
  std::uint32_t arrived_threads = 0;
  std::uint32_t all = 0;
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    const LaneMask arrived = barrier.arrived[warp];
    const bool complete = arrived != 0 && (alive[warp] & ~arrived) == 0;
    arrived_threads += complete ? kLanes : 0;
    all += arrived != 0 || alive[warp] != 0 ? kLanes : 0;
  }
  barrier.warps_arrived = arrived_threads / kLanes;
  const std::uint32_t expected = barrier.expected == 0 ? all : barrier.expected;
  if (arrived_threads < expected) {
    return;
  }
  if (barrier.reduction != BarrierReduction::kNone && barrier.waiting != 0) {
    barrier.results.push_back({barrier.phase, reduced(barrier), barrier.waiting});
  }
  if (watch) {
    watch->complete(static_cast<std::uint32_t>(&barrier - barriers.data()));
  }
  ++barrier.phase;
  barrier.open = false;
  barrier.expected = barrier.count = barrier.counted = barrier.warps_arrived = barrier.waiting = 0;
  barrier.arrived = {};
  ++progress;
}

std::string_view Block::wrong_with(const Arrival& arrival) const {
  const std::uint32_t threads = arrival.threads;
  if (arrival.id >= barriers.size()) {
    return "there are barriers 0 to 15";
  }
  if (threads % kLanes != 0 || (!arrival.waits && threads == 0)) {
    return "the count must be a multiple of 32 and greater than 0";
  }
  if (threads > warps * kLanes) {
    return "the block has fewer threads";
  }
  const Barrier& barrier = barriers[arrival.id];
  return barrier.open && barrier.expected != threads ? "threads that came before gave another count"
                                                     : "";
}

BarrierTicket Block::arrive(const Warp& warp, const Arrival& arrival) {
  const auto& [active, id, threads, reduction, predicates, waits, site] = arrival;
  Barrier& barrier = barriers[id];
  const BarrierTicket ticket{id, barrier.phase};
  if (!barrier.open) {
    barrier.open = true;
    barrier.expected = threads;
    barrier.reduction = reduction;
  }
  barrier.waiting += waits ? 1 : 0;
  barrier.count += static_cast<std::uint32_t>(std::popcount(predicates & active));
  barrier.counted += static_cast<std::uint32_t>(std::popcount(active));
  const LaneMask before = barrier.arrived[warp.warp_index];
  const LaneMask living = alive[warp.warp_index];
  barrier.arrived[warp.warp_index] = before | active;
  if ((living & ~(before | active)) == 0 && (before == 0 || (living & ~before) != 0)) {
    ++barrier.warps_arrived;
  }
  ++progress;
  // Most arrivals are not the last; settle() counts anew.
  if (threads == 0 ? barrier.warps_arrived >= warps_alive
                   : barrier.warps_arrived * kLanes >= threads) {
    settle(barrier);
  }
  return ticket;
}

void Block::exit_lanes(Warp& warp, LaneMask lanes) {
  const bool was_alive = alive[warp.warp_index] != 0;
  alive[warp.warp_index] &= ~lanes;
  warps_alive -= was_alive && alive[warp.warp_index] == 0 ? 1 : 0;
  warp.live &= ~lanes;
  warp.alive &= ~lanes;
  ++progress;
  for (Barrier& barrier : barriers) {
    settle(barrier);
  }
  if (cluster != nullptr) {
    cluster->settle();
  }
}

} // namespace gantry::simt::exec
