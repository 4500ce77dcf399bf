// Steps of the evaluator that access memory.
#include "simt/exec/arithmetic/arithmetic.h"
#include "simt/exec/blocks/lane_memory.h"
#include "simt/exec/evaluator/evaluator.h"
#include "simt/host/settings.h"

#include <algorithm>

namespace gantry::simt::exec {

namespace {

using Word = std::uint64_t;
using Column = Evaluator::Column;

/// Each lane's address as a host address, after the checks that machine code does as well
/// (Services::check_access, watch_access).
Column places(Evaluator& evaluator, const LaneGroup& group, const LaneStep& step, LaneMask active,
              AccessKind kind) {
  Warp& warp = evaluator.warp();
  const Word* given = group.read(step.operands[0]);
  Column addresses = {};
  if (step.space == kTrustedSpace) {
    std::copy_n(given, kLanes, addresses.begin());
    return addresses;
  }
  const auto space = static_cast<AccessSpace>(step.space);
  for_lanes(active, [&](unsigned lane) {
    addresses[lane] = space == AccessSpace::kGeneric
                          ? LaneMemory(warp, lane).own_address(given[lane])
                          : given[lane];
  });
  const std::uint32_t size = step.width / 8;
  if (evaluator.checks_memory()) {
    warp.services->check_access(&warp, active, addresses.data(), size, step.whole, step.offset,
                                kind, step.site, space, kKnownRanges);
  }
  if (evaluator.block().watch && space != AccessSpace::kLocal && space != AccessSpace::kConst) {
    warp.services->watch_access(&warp, active, addresses.data(), size, kind, step.site, space);
  }
  if (space == AccessSpace::kShared || space == AccessSpace::kLocal) {
    const bool is_local = space == AccessSpace::kLocal;
    const auto window = reinterpret_cast<Word>(is_local ? warp.local : warp.shared);
    for_lanes(active, [&](unsigned lane) {
      addresses[lane] += window + (is_local ? Word{lane} * warp.local_stride : 0);
    });
  }
  return addresses;
}

template <typename Bits>
Word load_at(Word at, bool acquires) {
  const auto* place = reinterpret_cast<const Bits*>(at);
  return acquires ? __atomic_load_n(place, __ATOMIC_ACQUIRE)
                  : __atomic_load_n(place, __ATOMIC_RELAXED);
}

template <typename Bits>
void load(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Column at = places(evaluator, group, step, active, AccessKind::kLoad);
  // Lanes that load from one address get one value, even while another thread writes there, because
  // code that runs in lockstep relies on it.
  Word before = 0;
  Word value = 0;
  give(group, step, active, [&](unsigned lane) -> Word {
    value = at[lane] == before ? value : load_at<Bits>(at[lane], step.acquires);
    before = at[lane];
    return value;
  });
}

template <typename Bits>
void store(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Column at = places(evaluator, group, step, active, AccessKind::kStore);
  const Word* value = group.read(step.operands[1]);
  for_lanes(active, [&](unsigned lane) {
    auto* place = reinterpret_cast<Bits*>(at[lane]);
    if (step.releases) {
      __atomic_store_n(place, static_cast<Bits>(value[lane]), __ATOMIC_RELEASE);
    } else {
      __atomic_store_n(place, static_cast<Bits>(value[lane]), __ATOMIC_RELAXED);
    }
  });
}

/// The sum of two numbers of the step's format. Subnormal f32 are flushed to zero except in shared
/// memory (PTX ISA 9.0, 9.7.13.5).
Word sum(const Warp& warp, const LaneStep& step, Word at, Word old, Word value) {
  Arithmetic addition;
  addition.operation = Operator::kAdd;
  addition.type = step.is_bfloat     ? ptx::Type::kBf16
                  : step.width == 16 ? ptx::Type::kF16
                  : step.width == 32 ? ptx::Type::kF32
                                     : ptx::Type::kF64;
  addition.ftz = addition.type == ptx::Type::kF32 &&
                 at - reinterpret_cast<Word>(warp.shared) >= warp.shared_size;
  return compute(addition, old, value);
}

template <typename Bits>
Bits updated(const Warp& warp, const LaneStep& step, Word at, Bits old, Bits value) {
  const auto old_number = static_cast<std::make_signed_t<Bits>>(old);
  const auto number = static_cast<std::make_signed_t<Bits>>(value);
  switch (static_cast<Update>(step.detail)) {
#define GANTRY_LANE_UPDATE(name, llvm, result)                                                     \
  case Update::k##name:                                                                            \
    return static_cast<Bits>(result);
#include "simt/exec/code/one_lane.def"
  }
  return old;
}

/// Lane after lane, each atomically.
template <typename Bits>
void update(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Column at = places(evaluator, group, step, active, AccessKind::kAtomic);
  const Word* value = group.read(step.operands[1]);
  const Word* replacement = group.read(step.operands[2]);
  give(group, step, active, [&](unsigned lane) -> Word {
    auto* place = reinterpret_cast<Bits*>(at[lane]);
    const auto given = static_cast<Bits>(value[lane]);
    Bits old = __atomic_load_n(place, __ATOMIC_RELAXED);
    Bits wanted = 0;
    do {
      wanted = step.instruction == LaneInstruction::kUpdate
                   ? updated(evaluator.warp(), step, at[lane], old, given)
               : old == given ? static_cast<Bits>(replacement[lane])
                              : old;
    } while (!__atomic_compare_exchange_n(place, &old, wanted, true, __ATOMIC_SEQ_CST,
                                          __ATOMIC_RELAXED));
    return old;
  });
}

void fence(Evaluator& evaluator, LaneGroup&, const LaneStep& step, LaneMask active) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (evaluator.block().watch) {
    evaluator.warp().services->watch_fence(&evaluator.warp(), active, step.detail);
  }
}

void local_address(Evaluator&, LaneGroup& group, const LaneStep& step, LaneMask active) {
  give(group, step, active,
       [&](unsigned) -> Word { return group.frame->local_base + step.detail; });
}

template <typename Bits>
StepFunction function_of(LaneInstruction instruction) {
  switch (instruction) {
  case LaneInstruction::kLoad:
    return load<Bits>;
  case LaneInstruction::kStore:
    return store<Bits>;
  default:
    return update<Bits>;
  }
}

} // namespace

StepFunction memory_function(const LaneStep& step) {
  switch (step.instruction) {
  case LaneInstruction::kLoad:
  case LaneInstruction::kStore:
  case LaneInstruction::kUpdate:
  case LaneInstruction::kExchange:
    return step.width == 8    ? function_of<std::uint8_t>(step.instruction)
           : step.width == 16 ? function_of<std::uint16_t>(step.instruction)
           : step.width == 32 ? function_of<std::uint32_t>(step.instruction)
                              : function_of<std::uint64_t>(step.instruction);
  case LaneInstruction::kFence:
    return fence;
  case LaneInstruction::kLocalAddress:
    return local_address;
  default:
    return nullptr;
  }
}

} // namespace gantry::simt::exec
