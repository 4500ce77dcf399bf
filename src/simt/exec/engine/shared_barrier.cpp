#include "simt/exec/engine/shared_barrier.h"

#include "simt/exec/blocks/cluster.h"
#include "simt/exec/reports/fault_report.h"
#include "simt/exec/reports/report.h"
#include "simt/host/settings.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace gantry::simt::exec {

Block* block_with_shared(const Warp& warp, std::uint64_t address, std::uint64_t size,
                         AsyncPlace place) {
  Block& own = *warp.block;
  const std::uint64_t into = address - own.shared;
  if (into < own.shared_size && own.shared_size - into >= size) {
    return &own;
  }
  return place == AsyncPlace::kClusterShared && own.cluster != nullptr
             ? own.cluster->owner_of(address, size)
             : nullptr;
}

std::uint32_t SharedBarrier::offset() const {
  return static_cast<std::uint32_t>(address_ - owner_->shared);
}

Fault SharedBarrier::wrong(std::string_view what, std::string_view hint) const {
  return mbarrier_fault(*warp_, 1U << lane_, address_, what, hint, site_);
}

/// A barrier lies in shared memory, on a multiple of eight bytes.
std::optional<Fault> SharedBarrier::begin(AccessKind kind) {
  std::uint64_t addresses[kLanes] = {};
  addresses[lane_] = address_;
  owner_ = block_with_shared(*warp_, address_, Mbarrier::kBytes, place_);
  if (owner_ == nullptr || address_ % Mbarrier::kBytes != 0) {
    return window_fault(*warp_, lane_, address_, Mbarrier::kBytes, kind, site_);
  }
  BlockWatch* const watch = warp_->block->watch.get();
  return watch == nullptr ? std::nullopt
                          : watch->access(*warp_, 1U << lane_, addresses, Mbarrier::kBytes, kind,
                                          AccessSpace::kGeneric, site_);
}

std::optional<Fault> SharedBarrier::read(Mbarrier& barrier) {
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(address_), sizeof word);
  const std::vector<std::uint32_t>& known = owner_->mbarriers;
  const auto found = Mbarrier::of(word);
  if (std::ranges::find(known, offset()) == known.end() || !found) {
    return wrong("there is no barrier there",
                 "mbarrier.init makes one, mbarrier.inval ends it, and it is not to be written "
                 "over");
  }
  barrier = *found;
  return std::nullopt;
}

void SharedBarrier::write(std::uint64_t word) const {
  std::memcpy(reinterpret_cast<void*>(address_), &word, sizeof word);
  ++owner_->progress;
  ++warp_->block->progress;
}

std::optional<Fault> SharedBarrier::init(std::uint64_t count) {
  if (auto fault = begin(AccessKind::kStore)) {
    return fault;
  }
  std::vector<std::uint32_t>& known = owner_->mbarriers;
  const bool again = std::ranges::find(known, offset()) != known.end();
  if (again && settings().checks.sync) {
    return wrong("it is initialised a second time", "mbarrier.inval must end a barrier first");
  }
  Mbarrier barrier;
  if (const std::string_view error = barrier.init(count); !error.empty()) {
    return wrong(error);
  }
  if (!again) {
    known.push_back(offset());
  }
  write(barrier.word());
  return std::nullopt;
}

std::optional<Fault> SharedBarrier::invalidate() {
  Mbarrier barrier;
  if (auto fault = begin(AccessKind::kStore)) {
    return fault;
  }
  if (auto fault = read(barrier)) {
    return fault;
  }
  std::erase(owner_->mbarriers, offset());
  write(0);
  return std::nullopt;
}

std::optional<Fault> SharedBarrier::change(const std::function<std::string_view(Mbarrier&)>& change,
                                           bool releases, std::uint64_t& before) {
  Mbarrier barrier;
  if (auto fault = begin(AccessKind::kAtomic)) {
    return fault;
  }
  if (auto fault = read(barrier)) {
    return fault;
  }
  before = barrier.word();
  if (const std::string_view error = change(barrier); !error.empty()) {
    return wrong(error);
  }
  if (releases && warp_->block->watch) {
    warp_->block->watch->release(*warp_, lane_, address_, false);
  }
  write(barrier.word());
  return std::nullopt;
}

std::optional<Fault> SharedBarrier::test(bool parity, bool acquires, bool& is_over) {
  Mbarrier barrier;
  if (auto fault = begin(AccessKind::kAtomic)) {
    return fault;
  }
  if (auto fault = read(barrier)) {
    return fault;
  }
  is_over = barrier.parity != parity;
  if (is_over && acquires && warp_->block->watch) {
    warp_->block->watch->acquire(*warp_, lane_, address_);
  }
  return std::nullopt;
}

} // namespace gantry::simt::exec
