#include "simt/exec/engine/async.h"

#include "simt/exec/blocks/cluster.h"
#include "simt/exec/engine/bulk_copy.h"
#include "simt/exec/engine/scheduler.h"
#include "simt/exec/engine/shared_barrier.h"
#include "simt/exec/reports/fault_report.h"

#include <bit>
#include <optional>

#include <fmt/format.h>

namespace gantry::simt::exec {

namespace {

/// An operation of one lane; returns a fault as SharedBarrier does.
std::optional<Fault> change(SharedBarrier& barrier, const AsyncOperation& operation,
                            const LaneWords& words, std::uint64_t& result) {
  const bool arrives = operation.action == AsyncAction::kArrive;
  const auto what = [&](Mbarrier& object) {
    if (operation.action == AsyncAction::kExpect) {
      return object.expect(static_cast<std::int64_t>(words[1]));
    }
    if (operation.action == AsyncAction::kComplete) {
      return object.complete(static_cast<std::int64_t>(words[1]));
    }
    const std::string_view error =
        operation.joins ? object.join() : object.expect(static_cast<std::int64_t>(words[2]));
    return error.empty() ? object.arrive(words[1], operation.drops, operation.no_complete) : error;
  };
  return barrier.change(what, arrives && !operation.relaxed, result);
}

std::optional<Fault> test(SharedBarrier& barrier, const AsyncOperation& operation,
                          const LaneWords& words, std::uint64_t& result) {
  bool parity = (words[1] & 1) != 0;
  if (!operation.by_parity) {
    const std::optional<Mbarrier> state = Mbarrier::of(words[1]);
    if (!state) {
      return barrier.wrong(fmt::format("{:#x} is no state of a barrier", words[1]),
                           "mbarrier.arrive gives the state of the phase that it was for");
    }
    parity = state->parity;
  }
  bool is_over = false;
  auto fault = barrier.test(parity, !operation.relaxed, is_over);
  result = is_over ? 1 : 0;
  return fault;
}

std::optional<Fault> start(Warp& warp, const AsyncOperation& operation, const LaneWords& words,
                           std::uint64_t& result, Site site) {
  SharedBarrier barrier(warp, words.lane(), words[0], operation.to, site);
  result = 0;
  switch (operation.action) {
  case AsyncAction::kInit:
    return barrier.init(words[1]);
  case AsyncAction::kInvalidate:
    return barrier.invalidate();
  case AsyncAction::kTest:
  case AsyncAction::kWait:
    return test(barrier, operation, words, result);
  case AsyncAction::kBulk:
    return copy_bulk(warp, operation, words, site);
  case AsyncAction::kStore:
    return store_async(warp, operation, words, site);
  default:
    return change(barrier, operation, words, result);
  }
}

/// Kernels that are known to have barrier.cluster are in clusters, if only of one block
/// (KernelFacts::has_cluster_barrier).
Cluster& cluster_of(Warp& warp, LaneMask active, Site site) {
  if (warp.block->cluster == nullptr) {
    fail(warp, cluster_fault(warp, active, "the launch has no clusters", site));
  }
  return *warp.block->cluster;
}

void arrive_in_cluster(Warp& warp, LaneMask active, const AsyncOperation& operation, Site site) {
  Cluster& cluster = cluster_of(warp, active, site);
  if (warp.block->watch) {
    for (LaneMask left = active; left != 0; left &= left - 1) {
      warp.block->watch->release(warp, static_cast<unsigned>(std::countr_zero(left)),
                                 cluster.token(true), operation.relaxed);
    }
  }
  const std::string_view error = cluster.arrive(*warp.block, warp.warp_index, active);
  if (!error.empty()) {
    fail(warp, cluster_fault(warp, active, error, site));
  }
}

} // namespace

bool wait_in_cluster(Warp& warp, LaneMask active, Site site) {
  Cluster& cluster = cluster_of(warp, active, site);
  if (!cluster.have_arrived(*warp.block, warp.warp_index, active)) {
    fail(warp, cluster_fault(warp, active, "a thread waits that has not arrived", site));
  }
  if (!cluster.take(*warp.block, warp.warp_index, active)) {
    return false;
  }
  if (warp.block->watch) {
    for (LaneMask left = active; left != 0; left &= left - 1) {
      warp.block->watch->acquire(warp, static_cast<unsigned>(std::countr_zero(left)),
                                 cluster.token(false));
    }
  }
  return true;
}

Waiting waiting_for_cluster(const Warp& warp, LaneMask active, Site site) {
  Waiting why;
  why.what = Waiting::For::kCluster;
  why.active = active;
  why.phase = warp.block->cluster->phase;
  why.site = site;
  return why;
}

void start_async(Warp& warp, LaneMask active, AsyncOperation operation,
                 const std::uint64_t* arguments, std::uint64_t* results, Site site) {
  if (operation.action == AsyncAction::kClusterArrive) {
    arrive_in_cluster(warp, active, operation, site);
    for (LaneMask left = active; left != 0; left &= left - 1) {
      results[std::countr_zero(left)] = 0;
    }
    return;
  }
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    fail_if(warp, start(warp, operation, LaneWords(arguments, lane), results[lane], site));
  }
}

LaneMask test_async(Warp& warp, LaneMask active, AsyncOperation operation,
                    const std::uint64_t* arguments, std::uint64_t* results, Site site) {
  start_async(warp, active, operation, arguments, results, site);
  LaneMask over = 0;
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    over |= results[lane] != 0 ? 1U << lane : 0;
  }
  return over;
}

Waiting waiting_for_async(LaneMask active, AsyncOperation operation, const std::uint64_t* arguments,
                          Site site) {
  Waiting why;
  why.what = operation.only_waits ? Waiting::For::kMbarrier : Waiting::For::kYield;
  why.active = active;
  why.address = arguments[std::countr_zero(active)];
  why.site = site;
  return why;
}

} // namespace gantry::simt::exec
