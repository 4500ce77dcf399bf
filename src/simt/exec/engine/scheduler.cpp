#include "simt/exec/engine/scheduler.h"

#include "simt/exec/memory/device_memory.h"
#include "simt/exec/reports/fault_report.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace gantry::simt::exec {

namespace {

// Between the lanes' windows, so that the same variable of 32 lanes does not fall on one cache set.
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

/// Frames hold what all lanes have in theirs, so the limit of a thread's local memory moves that of
/// the depth of its calls.
std::size_t stack_size(std::uint32_t local_bytes) {
  constexpr std::size_t kLeast = 2 << 20;
  return std::max(kLeast, std::size_t{local_bytes} * kLanes);
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

std::unique_ptr<BlockSlot> BlockSlot::make(std::uint32_t local_bytes, std::int32_t device) {
  const std::optional<std::uint64_t> shared =
      window(kSharedWindow + kParameterWindow, MemoryKind::kShared, device);
  return shared ? std::unique_ptr<BlockSlot>(new BlockSlot(local_bytes, device, *shared)) : nullptr;
}

BlockSlot::BlockSlot(std::uint32_t local, std::int32_t ordinal, std::uint64_t shared)
    : local_bytes(local), device(ordinal), shared_memory(shared) {}

BlockSlot::~BlockSlot() {
  DeviceMemory::instance()->free(shared_memory);
}

void Scheduler::begin(BlockSlot& place, void (*entry)(void*)) {
  slot = &place;
  strands.clear();
  current = nullptr;
  for (std::uint32_t i = 0; i < place.block.warps; ++i) {
    WarpSlot& warp = *place.warps[i];
    warp.strands.clear();
    warp.strands.push_back(std::make_unique<Strand>());
    warp.resident = 0;
    Strand& strand = *warp.strands[0];
    strand.slot = &warp;
    strand.live = warp.warp.exists;
    strand.at = warp.stack.start(entry, &warp.warp);
    strands.push_back(&strand);
  }
}

void Scheduler::begin_straight(BlockSlot& place, void (*entry)(void*), void* argument) {
  slot = &place;
  strands.clear();
  WarpSlot& warp = *place.warps[0];
  warp.strands.clear();
  warp.strands.push_back(std::make_unique<Strand>());
  warp.resident = 0;
  Strand& strand = *warp.strands[0];
  strand.slot = &warp;
  strand.at = warp.stack.start(entry, argument);
  strands.push_back(&strand);
}

bool Scheduler::can_go_on(const Strand& strand) const {
  const Waiting& waiting = strand.waiting;
  if (waiting.what == Waiting::For::kBarrier && waiting.phase) {
    return slot->block.barriers[waiting.id].phase != *waiting.phase;
  }
  if (waiting.what == Waiting::For::kLanes && strand.exchange.posted) {
    return strand.exchange.complete;
  }
  return true;
}

void Scheduler::enter(Strand& strand) {
  Warp& warp = strand.slot->warp;
  warp.live = strand.live;
  warp.local_used = strand.local_used;
  current = &strand;
}

void Scheduler::leave(Strand& strand) {
  const Warp& warp = strand.slot->warp;
  strand.live = warp.live;
  strand.local_used = warp.local_used;
  loops_ |=
      strand.waiting.what == Waiting::For::kYield || strand.waiting.what == Waiting::For::kSleep;
}

// Runs the strand, and those that it passes on to.
void Scheduler::run(Strand& strand) {
  WarpSlot& warp = *strand.slot;
  Strand& resident = *warp.strands[warp.resident];
  if (&resident != &strand) {
    if (!resident.finished) {
      resident.saved = warp.stack.save(resident.at);
    }
    warp.stack.restore(strand.saved);
    const auto it = std::find_if(warp.strands.begin(), warp.strands.end(),
                                 [&](const auto& other) { return other.get() == &strand; });
    warp.resident = static_cast<std::size_t>(it - warp.strands.begin());
  }
  enter(strand);
  for (;;) {
    const Resumption at = current->slot->stack.resume(current->at);
    Strand& last = *current;
    last.at = at;
    leave(last);
    if (!split_requested) {
      break;
    }
    // The strand asked for a copy of itself: the copy waits its turn, this one goes on at once.
    split_requested = false;
    auto copy = std::make_unique<Strand>();
    copy->slot = last.slot;
    copy->at = last.at;
    copy->saved = last.slot->stack.save(last.at);
    copy->local_used = last.local_used;
    copy->live = last.waiting.lanes;
    last.live &= ~copy->live;
    strands.push_back(copy.get());
    last.slot->strands.push_back(std::move(copy));
    ++slot->block.progress;
    enter(last);
  }
  current = nullptr;
}

// Straight on to the next strand of the round, where that is on its stack: without a step back to
// the host this takes half the time, and kernels with barriers do little else.
void Scheduler::suspend() {
  Strand& strand = *current;
  if (FiberStack::kPasses && !slot->block.launch->failed.load(std::memory_order_relaxed)) {
    for (std::size_t next = position_ + 1; next < round_end_; ++next) {
      Strand& other = *strands[next];
      if (other.finished || !can_go_on(other)) {
        continue;
      }
      if (other.slot->strands[other.slot->resident].get() != &other) {
        break;
      }
      leave(strand);
      enter(other);
      position_ = next;
      strand.slot->stack.pass(other.slot->stack, other.at, strand.at);
      return;
    }
  }
  strand.slot->stack.suspend();
}

Turn Scheduler::turn() {
  Block& block = slot->block;
  const std::uint64_t before = block.progress;
  loops_ = false;
  round_end_ = strands.size();
  for (position_ = 0; position_ < round_end_; ++position_) {
    Strand& strand = *strands[position_];
    if (strand.finished || !can_go_on(strand)) {
      continue;
    }
    run(strand);
    if (block.launch->failed.load(std::memory_order_relaxed)) {
      return Turn::kEnded;
    }
  }
  std::erase_if(strands, [](const Strand* strand) { return strand->finished; });
  if (strands.empty()) {
    return Turn::kEnded;
  }
  if (block.progress != before) {
    return Turn::kProgress;
  }
  if (loops_) {
    return Turn::kIdle;
  }
  std::vector<WaitingWarp> waiting;
  for (const Strand* strand : strands) {
    waiting.push_back({&strand->slot->warp, &strand->waiting});
  }
  block.launch->fail(deadlock_fault(waiting));
  return Turn::kEnded;
}

void Scheduler::split(Warp& warp, LaneMask stays) {
  current->waiting.lanes = warp.live & ~stays;
  split_requested = true;
  current->slot->stack.suspend();
}

void Scheduler::end() {
  Strand& strand = *current;
  strand.waiting = {};
  strand.finished = true;
  ++slot->block.progress;
  strand.slot->stack.suspend();
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
