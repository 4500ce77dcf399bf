// Steps of the evaluator: branches, calls, barriers of the block, exits, and state of the machine.
#include "simt/exec/arithmetic/arithmetic.h"
#include "simt/exec/code/call_plan.h"
#include "simt/exec/code/code.h"
#include "simt/exec/engine/system_calls.h"
#include "simt/exec/evaluator/evaluator.h"
#include "simt/exec/reports/fault_report.h"
#include "simt/exec/warp/special_registers.h"

#include <algorithm>
#include <cstring>

namespace gantry::simt::exec {

namespace {

using Word = std::uint64_t;

/// The depth of calls. It grows with the size of local memory, because CU_LIMIT_STACK_SIZE sets
/// both.
constexpr std::uint32_t kDeepestCall = 4000;
constexpr std::uint32_t kLocalBytesOfCall = 16;

// Branches.

void jump(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask) {
  evaluator.jump(group, step, step.targets[0]);
}

void branch(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const LaneMask yes = group.read_mask(step.operands[0]) & active;
  if (yes != 0 && yes != active) {
    evaluator.keep(group, yes, step.targets[1]);
  }
  evaluator.jump(group, step, step.targets[yes != 0 ? 0 : 1]);
}

/// Conditional steps: some of the lanes execute them, then all go on.
void pass_some(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const LaneMask yes = group.read_mask(step.operands[0]) & active;
  if (yes == 0) {
    evaluator.jump(group, step, step.targets[0]);
  } else if (yes != active) {
    group.active = yes;
    group.passage_end = step.targets[0];
  }
}

void choose(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Word* values = group.read(step.operands[0]);
  // The other lanes execute this step again by themselves.
  const Word value = values[std::countr_zero(active)];
  evaluator.keep(group, lanes_like_first(active, values), group.index_of(step));
  const bool is_listed = value + 1 < step.targets.size();
  evaluator.jump(group, step, step.targets[is_listed ? value + 1 : 0]);
}

void leave(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask) {
  evaluator.leave(group, step);
}

void exit(Evaluator& evaluator, LaneGroup& group, const LaneStep&, LaneMask) {
  evaluator.exit(group);
}

void trap(Evaluator& evaluator, LaneGroup&, const LaneStep& step, LaneMask active) {
  evaluator.trap(active, static_cast<Trap>(step.detail), step.site);
}

// Barriers of the block.

/// Takes the barrier and the count, which all lanes must name alike.
void take_barrier(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Word* id = group.read(step.operands[0]);
  const Word* threads = group.read(step.operands[1]);
  if (lanes_like_first(lanes_like_first(active, id), threads) != active) {
    evaluator.trap(active, Trap::kBarriersDiffer, step.site);
  }
  const int first = std::countr_zero(active);
  group.barrier = static_cast<std::uint32_t>(id[first]);
  group.threads = static_cast<std::uint32_t>(threads[first]);
}

void barrier(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  take_barrier(evaluator, group, step, active);
  group.reduction =
      static_cast<BarrierReduction>(group.read(step.operands[2])[std::countr_zero(active)]);
  group.predicates =
      group.reduction == BarrierReduction::kNone ? 0 : group.read_mask(step.operands[3]) & active;
  group.at = group.index_of(step);
  group.state = LaneGroup::State::kAtBarrier;
  evaluator.reschedule();
}

void arrive(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  take_barrier(evaluator, group, step, active);
  arrive(evaluator.warp(),
         {active, group.barrier, group.threads, BarrierReduction::kNone, 0, false, step.site});
}

void sleep(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  evaluator.give_way(group);
  Waiting why;
  why.what = Waiting::For::kSleep;
  why.active = active;
  why.site = step.site;
  suspend(evaluator.warp(), why);
}

// Calls.

/// The address of a byte in a lane's word of a column.
std::byte* byte_of(std::uint64_t* column, std::uint64_t byte, unsigned lane) {
  return reinterpret_cast<std::byte*>(column + lane) + byte;
}

/// Copies the values that caller and callee both have. `from` and `to` give the column of a word.
template <typename From, typename To>
void move_values(const std::vector<CallPlan::Move>& moves, LaneMask active, From from, To to) {
  for (const CallPlan::Move& value : moves) {
    for (std::uint64_t byte = 0; byte < value.size; ++byte) {
      const auto source = static_cast<std::uint32_t>(byte / value.from_word_bytes);
      const auto target = static_cast<std::uint32_t>(byte / value.to_word_bytes);
      const std::uint64_t* read = from(value.from + source);
      std::uint64_t* written = to(value.to + target);
      for_lanes(active, [&](unsigned lane) {
        *byte_of(written, byte % value.to_word_bytes, lane) =
            static_cast<std::byte>(read[lane] >> (8 * (byte % value.from_word_bytes)) & 0xFF);
      });
    }
  }
}

constexpr std::size_t kSystemWords = 8;
using SystemWords = std::array<Evaluator::Column, kSystemWords>;

void call_system(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  SystemWords words = {};
  SystemWords results = {};
  for (std::size_t i = 0; i < std::min(kSystemWords, step.words.size()); ++i) {
    std::copy_n(group.read(step.words[i]), kLanes, words[i].begin());
  }
  system_call(evaluator.warp(), active, static_cast<ptx::SystemCall>(step.detail), words[0].data(),
              results[0].data(), step.site);
  give(group, step, active, [&](unsigned lane) -> Word { return results[0][lane]; });
}

void call_system_by_plan(Evaluator& evaluator, LaneGroup& group, const LaneStep& step,
                         LaneMask active, const CallPlan& plan) {
  SystemWords words = {};
  SystemWords results = {};
  move_values(
      plan.arguments, active, [&](std::uint32_t word) { return group.read(step.words[word]); },
      [&](std::uint32_t word) { return words[word].data(); });
  system_call(evaluator.warp(), active, *plan.system, words[0].data(), results[0].data(),
              step.site);
  for (const std::uint32_t column : step.results) {
    for_lanes(active, [&](unsigned lane) { group.frame->column(column)[lane] = 0; });
  }
  move_values(
      plan.results, active,
      [&](std::uint32_t word) { return static_cast<const Word*>(results[word].data()); },
      [&](std::uint32_t word) { return group.frame->column(step.results[word]); });
}

void call(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask) {
  evaluator.call(group, step, step.detail);
}

void call_indirect(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Word* handles = group.read(step.operands[0]);
  const Word handle = handles[std::countr_zero(active)];
  evaluator.keep(group, lanes_like_first(active, handles), group.index_of(step));
  const std::optional<std::uint32_t> function = evaluator.loaded().function_of(handle);
  // Any function of the program, because another kernel may have left its address in memory.
  ProgramCode& code = *evaluator.loaded().code;
  if (!function || code.callee(*function).is_entry) {
    fail(evaluator.warp(), call_fault(evaluator.warp(), group.mask, handle, step.site));
  }
  if (code.callee(*function).is_system) {
    call_system_by_plan(evaluator, group, step, group.mask, code.call_plan(step.site, *function));
    return;
  }
  evaluator.call(group, step, *function);
}

// The machine.

void special(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Warp& warp = evaluator.warp();
  const auto which = static_cast<ptx::SpecialRegister>(step.detail);
  const auto number = static_cast<std::uint32_t>(group.read(step.operands[0])[0]);
  const unsigned axis = step.detail - static_cast<unsigned>(ptx::SpecialRegister::kTidX);
  Word value = 0;
  if (const std::optional<WarpMember> member = member_of(which, number)) {
    std::memcpy(&value, reinterpret_cast<const std::byte*>(&warp) + member->offset, member->size);
  }
  give(group, step, active, [&](unsigned lane) -> Word {
    return axis < 3 ? warp.lane_tid[axis][lane] : value_in_lane(which, lane).value_or(value);
  });
}

/// The same for all lanes.
template <Word (*function)(Warp&, const LaneStep&)>
void of_warp(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Word value = function(evaluator.warp(), step);
  give(group, step, active, [&](unsigned) -> Word { return value; });
}

Word variable(Warp& warp, const LaneStep& step) {
  return warp.variables[step.detail];
}
Word parameters(Warp& warp, const LaneStep&) {
  return reinterpret_cast<Word>(warp.parameters);
}
Word function_handle(Warp& warp, const LaneStep& step) {
  return warp.function_base + 16 * Word{step.detail};
}
Word shared_base(Warp& warp, const LaneStep&) {
  return reinterpret_cast<Word>(warp.shared);
}
Word clock(Warp& warp, const LaneStep&) {
  return warp.services->clock(&warp);
}
Word global_timer(Warp& warp, const LaneStep&) {
  return warp.services->global_timer(&warp);
}

void local_base(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Warp& warp = evaluator.warp();
  give(group, step, active, [&](unsigned lane) -> Word {
    return reinterpret_cast<Word>(warp.local) + Word{lane} * warp.local_stride;
  });
}

void local_offset(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Warp& warp = evaluator.warp();
  const Word* address = group.read(step.operands[0]);
  give(group, step, active, [&](unsigned lane) -> Word {
    const Word offset = address[lane] - reinterpret_cast<Word>(warp.local);
    const bool is_local = offset < Word{warp.local_stride} * kLanes;
    return is_local ? offset % warp.local_stride : offset;
  });
}

void in_window(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Warp& warp = evaluator.warp();
  const Word* address = group.read(step.operands[0]);
  give(group, step, active, [&](unsigned lane) -> Word {
    const auto inside = [&](const std::byte* base, Word size) {
      return address[lane] - reinterpret_cast<Word>(base) < size;
    };
    const bool shared = inside(warp.shared, kSharedWindow);
    const bool local = inside(warp.local, Word{warp.local_stride} * kLanes);
    const bool parameter = inside(warp.parameters, kParameterWindow);
    return step.detail == static_cast<unsigned>(AccessSpace::kShared)  ? shared
           : step.detail == static_cast<unsigned>(AccessSpace::kLocal) ? local
           : step.detail == kTrustedSpace ? parameter
                                          : !shared && !local; // parameters are global memory, too
  });
}

void arithmetic(Evaluator&, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Arithmetic operation = Arithmetic::unpacked(step.detail);
  const Word* a = group.read(step.operands[0]);
  const Word* b = group.read(step.operands[1]);
  const Word* c = group.read(step.operands[2]);
  give(group, step, active,
       [&](unsigned lane) -> Word { return compute(operation, a[lane], b[lane], c[lane]); });
}

void active_mask(Evaluator&, LaneGroup& group, const LaneStep& step, LaneMask active) {
  give(group, step, active, [&](unsigned) -> Word { return active; });
}

void allocate(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Word* sizes = group.read(step.operands[0]);
  const Word* alignments = group.read(step.operands[1]);
  const Word limit = evaluator.warp().local_size;
  give(group, step, active, [&](unsigned lane) -> Word {
    const Word alignment = std::max<Word>(alignments[lane], 8);
    const Word size = sizes[lane];
    const Word start = (group.frame->local_top[lane] + alignment - 1) / alignment * alignment;
    if (size > limit || start + size > limit) {
      evaluator.trap(active, Trap::kLocalOverflow, step.site);
    }
    evaluator.set_local_top(*group.frame, lane, static_cast<std::uint32_t>(start + size));
    return start;
  });
}

void save_stack(Evaluator&, LaneGroup& group, const LaneStep& step, LaneMask active) {
  give(group, step, active, [&](unsigned lane) -> Word { return group.frame->local_top[lane]; });
}

void restore_stack(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Word* top = group.read(step.operands[0]);
  for_lanes(active, [&](unsigned lane) {
    evaluator.set_local_top(*group.frame, lane, static_cast<std::uint32_t>(top[lane]));
  });
}

void exchange(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  evaluator.exchange(group, step, active);
}

} // namespace

void Evaluator::call(LaneGroup& group, const LaneStep& step, std::uint32_t function) {
  LaneFrame& caller = *group.frame;
  if (caller.depth >= std::max(kDeepestCall, warp_->local_size / kLocalBytesOfCall)) {
    trap(group.mask, Trap::kStackOverflow, step.site);
  }
  const OneLaneCode& callee = code_of(function);
  LaneFrame& frame = new_frame(callee, &caller, group.mask, group.index_of(step), step.site);
  ProgramCode& code = *loaded().code;
  if (code.callee(function).signature == step.signature) {
    for (std::size_t i = 0; i < callee.parameters.size(); ++i) {
      const Word* word = group.read(step.words[i]);
      Word* parameter = frame.column(callee.parameters[i]);
      for_lanes(group.mask, [&](unsigned lane) { parameter[lane] = word[lane]; });
    }
  } else {
    for (const std::uint32_t column : callee.parameters) {
      std::fill_n(frame.column(column), kLanes, 0);
    }
    move_values(
        code.call_plan(step.site, function).arguments, group.mask,
        [&](std::uint32_t word) { return group.read(step.words[word]); },
        [&](std::uint32_t word) { return frame.column(callee.parameters[word]); });
  }
  // The new frame, no longer the group, refers to the caller's.
  --caller.references;
  ++frame.references;
  group.frame = &frame;
  group.at = 0;
}

void Evaluator::leave(LaneGroup& group, const LaneStep& step) {
  LaneFrame& frame = *group.frame;
  if (frame.parent == nullptr) {
    exit(group);
    return;
  }
  LaneFrame& caller = *frame.parent;
  const LaneStep& made = caller.code->steps[frame.call];
  ProgramCode& code = *loaded().code;
  if (code.callee(frame.code->index).signature == made.signature) {
    for (std::size_t i = 0; i < made.results.size(); ++i) {
      const Word* word = group.read(step.words[i]);
      Word* result = caller.column(made.results[i]);
      for_lanes(group.mask, [&](unsigned lane) { result[lane] = word[lane]; });
    }
  } else {
    for (const std::uint32_t column : made.results) {
      for_lanes(group.mask, [&](unsigned lane) { caller.column(column)[lane] = 0; });
    }
    move_values(
        code.call_plan(made.site, frame.code->index).results, group.mask,
        [&](std::uint32_t word) { return group.read(step.words[word]); },
        [&](std::uint32_t word) { return caller.column(made.results[word]); });
  }
  group.at = frame.call + 1;
  group.frame = &caller;
  ++caller.references;
  release(&frame);
  rejoin(group);
}

void Evaluator::exit(LaneGroup& group) {
  const LaneMask lanes = group.mask;
  end_lanes(*warp_, lanes);
  group.mask = 0;
  release(group.frame);
  group.frame = nullptr;
  reschedule();
}

void Evaluator::set_local_top(LaneFrame& frame, unsigned lane, std::uint32_t top) {
  frame.local_top[lane] = top;
  warp_->local_used = std::max(warp_->local_used, top);
}

StepFunction control_function(const LaneStep& step) {
  switch (step.instruction) {
  case LaneInstruction::kJump:
    return jump;
  case LaneInstruction::kBranch:
    return branch;
  case LaneInstruction::kSwitch:
    return choose;
  case LaneInstruction::kIf:
    return pass_some;
  default:
    return leave;
  }
}

StepFunction operation_function(LaneOperation operation) {
  static constexpr StepFunction kFunctions[] = {
#define GANTRY_LANE_OPERATION(name, function, facts) function,
#include "simt/exec/code/one_lane.def"
  };
  return kFunctions[static_cast<unsigned>(operation)];
}

} // namespace gantry::simt::exec
