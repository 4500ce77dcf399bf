#include "simt/exec/engine/scheduler.h"

#include "simt/exec/blocks/cluster.h"
#include "simt/exec/reports/fault_report.h"
#include "simt/memory/device_memory.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace gantry::simt::exec {

namespace {

// The gap between the lanes' windows, so that a variable's 32 copies do not share one cache set.
constexpr std::uint32_t kLocalGap = 5 * 64;

std::optional<std::uint64_t> window(std::uint64_t size, MemoryKind kind, std::int32_t device) {
  Allocation what;
  what.size = size;
  what.kind = kind;
  what.device = device;
  return DeviceMemory::instance()->allocate(what);
}

std::uint32_t local_stride(std::uint32_t local_bytes) {
  return local_bytes + kLocalGap;
}

/// A frame on the stack holds the values of all lanes, in quick code each for itself, so the stack
/// grows with the limit of a thread's local memory.
std::size_t stack_size(std::uint32_t local_bytes) {
  constexpr std::size_t kLeast = 8 << 20;
  constexpr std::size_t kOfServices = 512 << 10;
  static_assert(kLeast >= kKernelFrame + 2 * FiberStack::kReserve);
  static_assert(FiberStack::kReserve >= kFunctionFrame + kOfServices);
  return std::max(kLeast, std::size_t{local_bytes} * kLanes * 2);
}

} // namespace

std::unique_ptr<WarpSlot> WarpSlot::make(std::uint32_t local_bytes, std::int32_t device) {
  std::optional<FiberStack::Memory> stack = FiberStack::map(stack_size(local_bytes));
  if (!stack) {
    return nullptr;
  }
  const std::optional<std::uint64_t> local =
      window(std::uint64_t{local_stride(local_bytes)} * kLanes, MemoryKind::kLocal, device);
  return local ? std::unique_ptr<WarpSlot>(new WarpSlot(*std::move(stack), *local, local_bytes))
               : nullptr;
}

WarpSlot::WarpSlot(FiberStack::Memory memory, std::uint64_t local, std::uint32_t local_bytes)
    : stack(std::move(memory)), local_memory(local) {
  const std::uint32_t stride = local_stride(local_bytes);
  warp.local = reinterpret_cast<std::byte*>(local_memory);
  warp.local_size = local_bytes;
  warp.local_stride = stride;
  for (unsigned axis = 0; axis < 3; ++axis) {
    warp.lane_tid[axis] = lane_tid[axis].data();
  }
}

WarpSlot::~WarpSlot() {
  DeviceMemory::instance()->free(local_memory);
}

std::shared_ptr<SharedWindows> SharedWindows::make(std::uint32_t count, std::int32_t device) {
  const std::optional<std::uint64_t> first =
      window(std::uint64_t{count} * kSharedStride, MemoryKind::kShared, device);
  return first ? std::shared_ptr<SharedWindows>(new SharedWindows(*first, count)) : nullptr;
}

SharedWindows::~SharedWindows() {
  DeviceMemory::instance()->free(first);
}

std::unique_ptr<BlockSlot> BlockSlot::make(std::uint32_t local_bytes, std::int32_t device) {
  std::shared_ptr<SharedWindows> windows = SharedWindows::make(1, device);
  return windows != nullptr
             ? std::make_unique<BlockSlot>(local_bytes, device, std::move(windows), 0)
             : nullptr;
}

BlockSlot::BlockSlot(std::uint32_t local, std::int32_t ordinal, std::shared_ptr<SharedWindows> all,
                     std::uint32_t index)
    : windows(std::move(all)), local_bytes(local), device(ordinal),
      shared_memory(windows->first + std::uint64_t{index} * kSharedStride) {}

void Scheduler::begin(BlockSlot& place, void (*entry)(void*)) {
  slot = &place;
  splits.clear();
  current = nullptr;
  for (std::uint32_t i = 0; i < place.block.warps; ++i) {
    WarpSlot& warp = *place.warps[i];
    warp.splits.clear();
    warp.splits.push_back(std::make_unique<WarpSplit>());
    warp.resident = 0;
    WarpSplit& split = *warp.splits[0];
    split.slot = &warp;
    split.live = warp.warp.exists;
    split.at = warp.stack.start(entry, &warp.warp);
    splits.push_back(&split);
  }
}

void Scheduler::begin_straight(BlockSlot& place, void (*entry)(void*), void* argument) {
  slot = &place;
  splits.clear();
  WarpSlot& warp = *place.warps[0];
  warp.splits.clear();
  warp.splits.push_back(std::make_unique<WarpSplit>());
  warp.resident = 0;
  WarpSplit& split = *warp.splits[0];
  split.slot = &warp;
  split.at = warp.stack.start(entry, argument);
  splits.push_back(&split);
}

bool Scheduler::can_go_on(const WarpSplit& split) const {
  const Waiting& waiting = split.waiting;
  if (waiting.what == Waiting::For::kBarrier && waiting.phase) {
    return slot->block.barriers[waiting.id].phase != *waiting.phase;
  }
  if (waiting.what == Waiting::For::kCluster && waiting.phase) {
    return slot->block.cluster->phase != *waiting.phase;
  }
  if (waiting.what == Waiting::For::kLanes && split.exchange.posted) {
    return split.exchange.complete;
  }
  return true;
}

void Scheduler::enter(WarpSplit& split) {
  Warp& warp = split.slot->warp;
  warp.live = split.live;
  warp.local_used = split.local_used;
  current = &split;
}

void Scheduler::leave(WarpSplit& split) {
  const Warp& warp = split.slot->warp;
  split.live = warp.live;
  split.local_used = warp.local_used;
  const Waiting::For what = split.waiting.what;
  loops_ |= what == Waiting::For::kYield || what == Waiting::For::kSleep ||
            what == Waiting::For::kMbarrier;
}

// Runs the split, and those that it switches to.
void Scheduler::run(WarpSplit& split) {
  WarpSlot& warp = *split.slot;
  WarpSplit& resident = *warp.splits[warp.resident];
  if (&resident != &split) {
    if (!resident.finished) {
      resident.saved = warp.stack.save(resident.at);
    }
    warp.stack.restore(split.saved);
    const auto it = std::find_if(warp.splits.begin(), warp.splits.end(),
                                 [&](const auto& other) { return other.get() == &split; });
    warp.resident = static_cast<std::size_t>(it - warp.splits.begin());
  }
  enter(split);
  for (;;) {
    const Resumption at = current->slot->stack.resume(current->at);
    WarpSplit& last = *current;
    last.at = at;
    leave(last);
    if (!split_requested) {
      break;
    }
    // The split asked for a copy of itself: the copy waits its turn, this one goes on at once.
    split_requested = false;
    auto copy = std::make_unique<WarpSplit>();
    copy->slot = last.slot;
    copy->at = last.at;
    copy->saved = last.slot->stack.save(last.at);
    copy->local_used = last.local_used;
    copy->live = last.waiting.lanes;
    last.live &= ~copy->live;
    splits.push_back(copy.get());
    last.slot->splits.push_back(std::move(copy));
    ++slot->block.progress;
    enter(last);
  }
  current = nullptr;
}

// Switches directly to the next split of the round if its frames are on its stack, because that
// takes half the time of a return to the host's stack and kernels with barriers do little else.
void Scheduler::suspend() {
  WarpSplit& split = *current;
  if (FiberStack::kSwitches && !slot->block.launch->failed.load(std::memory_order_relaxed)) {
    for (std::size_t next = position_ + 1; next < round_end_; ++next) {
      WarpSplit& other = *splits[next];
      if (other.finished || !can_go_on(other)) {
        continue;
      }
      if (other.slot->splits[other.slot->resident].get() != &other) {
        break;
      }
      leave(split);
      enter(other);
      position_ = next;
      split.slot->stack.switch_to(other.slot->stack, other.at, split.at);
      return;
    }
  }
  split.slot->stack.suspend();
}

bool Patience::is_over(bool in_vain) {
  // More than it takes until lanes that wait for others of their warp are split from them.
  constexpr std::uint32_t kRounds = 20'000;
  rounds_ = in_vain ? rounds_ + 1 : 0;
  return rounds_ > kRounds;
}

bool Scheduler::all_wait() const {
  return std::ranges::none_of(splits, [](const WarpSplit* split) {
    return split->waiting.what == Waiting::For::kYield ||
           split->waiting.what == Waiting::For::kSleep;
  });
}

void Scheduler::list_waiting(std::vector<WaitingWarp>& waiting) const {
  for (const WarpSplit* split : splits) {
    waiting.push_back({&split->slot->warp, &split->waiting});
  }
}

Turn Scheduler::turn() {
  Block& block = slot->block;
  const std::uint64_t before = block.progress;
  loops_ = false;
  round_end_ = splits.size();
  for (position_ = 0; position_ < round_end_; ++position_) {
    WarpSplit& split = *splits[position_];
    if (split.finished || !can_go_on(split)) {
      continue;
    }
    run(split);
    if (block.launch->failed.load(std::memory_order_relaxed)) {
      return Turn::kEnded;
    }
  }
  std::erase_if(splits, [](const WarpSplit* split) { return split->finished; });
  if (splits.empty()) {
    return Turn::kEnded;
  }
  if (block.progress != before) {
    (void)patience_.is_over(false);
    return Turn::kProgress;
  }
  if (block.cluster != nullptr) {
    return loops_ ? Turn::kIdle : Turn::kWaiting;
  }
  if (loops_ && !patience_.is_over(all_wait())) {
    return Turn::kIdle;
  }
  std::vector<WaitingWarp> waiting;
  list_waiting(waiting);
  block.launch->fail(deadlock_fault(waiting));
  return Turn::kEnded;
}

void Scheduler::split_off(Warp& warp, LaneMask stays) {
  current->waiting.lanes = warp.live & ~stays;
  split_requested = true;
  current->slot->stack.suspend();
}

void Scheduler::end() {
  WarpSplit& split = *current;
  split.waiting = {};
  split.finished = true;
  ++slot->block.progress;
  split.slot->stack.suspend();
  __builtin_unreachable();
}

void suspend(const Warp& warp, const Waiting& why) {
  Scheduler& scheduler = *warp.block->scheduler;
  scheduler.current->waiting = why;
  scheduler.suspend();
}

void fail(const Warp& warp, Fault fault) {
  warp.block->launch->fail(std::move(fault));
  fault = {}; // what it owns would be lost with the frames
  warp.block->scheduler->end();
}

void fail_if(const Warp& warp, std::optional<Fault> fault) {
  if (fault) {
    Fault own = *std::move(fault);
    fault.reset();
    fail(warp, std::move(own));
  }
}

BarrierTicket arrive(const Warp& warp, const Arrival& arrival) {
  Block& block = *warp.block;
  if (const std::string_view wrong = block.wrong_with(arrival); !wrong.empty()) {
    fail(warp,
         barrier_fault(warp, arrival.lanes, arrival.id, arrival.threads, wrong, arrival.site));
  }
  if (block.watch) {
    fail_if(warp, block.watch->arrive(warp, arrival));
  }
  return block.arrive(warp, arrival);
}

void end_lanes(Warp& warp, LaneMask lanes) {
  Block& block = *warp.block;
  block.exit_lanes(warp, lanes);
  if (block.watch && block.warps_alive == 0) {
    fail_if(warp, block.watch->end(warp));
  }
}

} // namespace gantry::simt::exec
