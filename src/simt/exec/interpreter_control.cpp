// Branches, calls, barriers of the block, and the ends of lanes.
#include "simt/exec/fault_report.h"
#include "simt/exec/interpreter_machine.h"
#include "simt/exec/system_calls.h"

#include <algorithm>
#include <cstring>

namespace gantry::simt::exec::interpreter {

namespace {

using ptx::Modifier;
using ptx::Opcode;

/// Calls nest less deep than this, but with more local memory than usual deeper in proportion: both
/// are what CU_LIMIT_STACK_SIZE is for.
constexpr std::uint32_t kDeepestCall = 4000;
constexpr std::uint32_t kLocalBytesOfCall = 16;

/// Those of `active` that have the first one's value.
LaneMask lanes_like_first(LaneMask active, const std::uint64_t* values) {
  const std::uint64_t first = values[std::countr_zero(active)];
  LaneMask equal = 0;
  for_lanes(active, [&](unsigned lane) { equal |= values[lane] == first ? 1U << lane : 0; });
  return equal;
}

void branch(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  if (group.mask != active) {
    machine.split(group, group.mask & ~active, group.pc);
  }
  machine.jump(group, operation, operation.targets[0]);
}

void branch_indexed(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  Column scratch;
  const std::uint64_t* index = machine.read(group, operation.sources[0], scratch);
  const LaneMask same = lanes_like_first(active, index);
  const auto chosen = static_cast<std::uint32_t>(index[std::countr_zero(active)]);
  if (chosen >= operation.targets.size()) {
    machine.trap(same, Trap::kBranchIndex, operation.site);
  }
  // The lanes that go elsewhere come here again by themselves.
  if (group.mask != active) {
    machine.split(group, group.mask & ~active, group.pc);
  }
  if (active != same) {
    machine.split(group, active & ~same, operation.index);
  }
  machine.jump(group, operation, operation.targets[chosen]);
}

void call(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  machine.call(group, operation, active);
}

void leave(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  machine.return_from(group, active, operation.site);
}

void exit(Machine& machine, Group& group, const Operation&, LaneMask active) {
  machine.exit(group, active);
}

void trap(Machine& machine, Group&, const Operation& operation, LaneMask active) {
  machine.trap(active, Trap::kTrap, operation.site);
}

void unsupported(Machine& machine, Group&, const Operation& operation, LaneMask active) {
  machine.trap(active, Trap::kNotSupported, operation.site);
}

void nothing(Machine&, Group&, const Operation&, LaneMask) {}

void sleep(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  machine.give_way(group);
  Waiting why;
  why.what = Waiting::For::kSleep;
  why.active = active;
  why.site = operation.site;
  machine.block().suspend(machine.warp(), why);
}

void barrier(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  const bool reduces = operation.has(Modifier::kRed);
  const std::size_t plain = operation.sources.size() - (reduces ? 1 : 0);
  Column scratch[2];
  const std::uint64_t* id = machine.read(group, operation.sources[0], scratch[0]);
  const std::uint64_t* threads =
      plain > 1 ? machine.read(group, operation.sources[1], scratch[1]) : nullptr;
  LaneMask same = lanes_like_first(active, id);
  if (threads != nullptr) {
    same &= lanes_like_first(same, threads);
  }
  const int first = std::countr_zero(same);
  group.barrier = static_cast<std::uint32_t>(id[first]);
  group.threads = threads != nullptr ? static_cast<std::uint32_t>(threads[first]) : 0;
  group.predicates = reduces ? machine.read_predicate(group, operation.sources.back()) & same : 0;
  group.reduction = !reduces                         ? BarrierReduction::kNone
                    : operation.has(Modifier::kPopc) ? BarrierReduction::kPopc
                    : operation.has(Modifier::kAnd)  ? BarrierReduction::kAnd
                                                     : BarrierReduction::kOr;
  if (group.mask != active) {
    machine.split(group, group.mask & ~active, group.pc);
  }
  if (active != same) {
    machine.split(group, active & ~same, operation.index);
  }
  if (operation.has(Modifier::kArrive)) {
    machine.block().arrive(machine.warp(), same, group.barrier, group.threads,
                           BarrierReduction::kNone, 0, false, operation.site);
    return;
  }
  group.pc = operation.index;
  group.state = Group::State::kAtBarrier;
  machine.reschedule();
}

/// One lane's bytes of something that is passed, copied to or from `value`.
struct Carried {
  std::byte* at;
  std::uint32_t size;
};

Carried carried(Warp& warp, Frame& frame, const Passed& passed, unsigned lane,
                std::uint64_t& value) {
  switch (passed.kind) {
  case Passed::Kind::kFrame:
    return {frame.parameter(lane, passed.offset), passed.size};
  case Passed::Kind::kLocal:
    return {warp.local + std::size_t{lane} * warp.local_stride + frame.local_base + passed.offset,
            passed.size};
  case Passed::Kind::kRegister:
    return {reinterpret_cast<std::byte*>(frame.column(passed.offset) + lane), passed.size};
  case Passed::Kind::kValue:
    value = passed.value;
    return {reinterpret_cast<std::byte*>(&value), passed.size};
  case Passed::Kind::kNothing:
    break;
  }
  return {nullptr, 0};
}

/// Caller and callee may disagree about sizes: what both have is copied, the rest is zero.
void pass(Warp& warp, Frame& from, const Passed& source, Frame& to, const Passed& target,
          LaneMask active) {
  for_lanes(active, [&](unsigned lane) {
    std::uint64_t value = 0;
    std::uint64_t unused = 0;
    const Carried in = carried(warp, from, source, lane, value);
    const Carried out = carried(warp, to, target, lane, unused);
    if (out.at == nullptr) {
      return;
    }
    const std::uint32_t both = std::min(in.size, out.size);
    if (both != 0) {
      std::memmove(out.at, in.at, both);
    }
    const std::uint32_t whole =
        target.kind == Passed::Kind::kRegister ? sizeof(std::uint64_t) : out.size;
    std::memset(out.at + both, 0, whole - both);
  });
}

/// Calls what the driver defines: its parameters and results are words.
void call_system(Machine& machine, Group& group, const Operation& operation, LaneMask active,
                 ptx::SystemCall call) {
  constexpr std::size_t kWords = 8;
  std::array<Column, kWords> arguments = {};
  std::array<Column, kWords> results = {};
  Warp& warp = machine.warp();
  Frame& frame = *group.frame;
  const CallSite& site = *operation.call;
  for (std::size_t i = 0; i < std::min(kWords, site.arguments.size()); ++i) {
    for_lanes(active, [&](unsigned lane) {
      std::uint64_t value = 0;
      const Carried in = carried(warp, frame, site.arguments[i], lane, value);
      std::memcpy(&arguments[i][lane], in.at,
                  std::min<std::size_t>(in.size, sizeof(std::uint64_t)));
    });
  }
  system_call(warp, active, call, arguments[0].data(), results[0].data(), operation.site);
  for (std::size_t i = 0; i < std::min(kWords, site.results.size()); ++i) {
    for_lanes(active, [&](unsigned lane) {
      std::uint64_t unused = 0;
      const Carried out = carried(warp, frame, site.results[i], lane, unused);
      if (out.at != nullptr) {
        const auto both = std::min<std::uint32_t>(out.size, sizeof(std::uint64_t));
        std::memcpy(out.at, &results[i][lane], both);
        std::memset(out.at + both, 0, out.size - both);
      }
    });
  }
}

} // namespace

void Machine::call(Group& group, const Operation& operation, LaneMask active) {
  const CallSite& site = *operation.call;
  std::uint32_t function = site.function;
  LaneMask same = active;
  if (function == kNone) {
    Column scratch;
    const std::uint64_t* handles = read(group, site.handle, scratch);
    same = lanes_like_first(active, handles);
    const std::uint64_t handle = handles[std::countr_zero(active)];
    const std::optional<std::uint32_t> named = loaded().function_of(handle);
    // Of any function of the program: another kernel may have left its address in memory.
    const bool callable = named && (program_->functions[*named].system_call ||
                                    !program_->definition(*named).is_entry);
    if (!callable) {
      block().fail(*warp_, call_fault(*warp_, same, handle, operation.site));
    }
    function = *named;
  }
  if (const auto& system = program_->functions[function].system_call) {
    call_system(*this, group, operation, same, *system);
    if (active != same) {
      split(group, active & ~same, operation.index);
    }
    return;
  }
  if (group.mask != active) {
    split(group, group.mask & ~active, group.pc);
  }
  if (active != same) {
    split(group, active & ~same, operation.index);
  }
  call_function(group, operation, function);
}

void Machine::call_function(Group& group, const Operation& operation, std::uint32_t function) {
  Frame& caller = *group.frame;
  if (caller.depth >= std::max(kDeepestCall, warp_->local_size / kLocalBytesOfCall)) {
    trap(group.mask, Trap::kStackOverflow, operation.site);
  }
  const DecodedFunction& callee = decoded_->function(function);
  Frame& frame = new_frame(callee, &caller, group.mask, operation.index, operation.site);
  const CallSite& site = *operation.call;
  for (std::size_t i = 0; i < callee.parameters.size(); ++i) {
    const Passed argument = i < site.arguments.size() ? site.arguments[i] : Passed{};
    pass(*warp_, caller, argument, frame, callee.parameters[i], group.mask);
  }
  // The new frame refers to the caller's in the group's stead.
  --caller.references;
  ++frame.references;
  group.frame = &frame;
  group.pc = 0;
}

void Machine::return_from(Group& group, LaneMask active, Site site) {
  Frame& frame = *group.frame;
  if (frame.parent == nullptr) {
    exit(group, active);
    return;
  }
  if (frame.function->function->noreturn) {
    trap(active, Trap::kFellOff, site);
  }
  if (group.mask != active) {
    split(group, group.mask & ~active, group.pc);
  }
  Frame& caller = *frame.parent;
  const CallSite& call_site = *caller.function->operations[frame.call_site].call;
  for (std::size_t i = 0; i < call_site.results.size(); ++i) {
    const Passed result =
        i < frame.function->results.size() ? frame.function->results[i] : Passed{};
    pass(*warp_, frame, result, caller, call_site.results[i], active);
  }
  group.pc = frame.call_site + 1;
  group.frame = &caller;
  ++caller.references;
  release(&frame);
}

void Machine::exit(Group& group, LaneMask active) {
  block().exit_lanes(*warp_, active);
  warp_->live &= ~active;
  group.mask &= ~active;
  if (group.mask == 0) {
    release(group.frame);
    group.frame = nullptr;
  }
  reschedule();
}

void Machine::set_local_top(Frame& frame, unsigned lane, std::uint32_t top) {
  frame.local_top[lane] = top;
  warp_->local_used = std::max(warp_->local_used, top);
}

Handler control_handler(const Operation& operation) {
  switch (operation.instruction->opcode) {
  case Opcode::k_bra:
    return branch;
  case Opcode::k_brx:
    return branch_indexed;
  case Opcode::k_call:
    return operation.call->function != kNone ||
                   operation.call->handle.kind == Source::Kind::kRegister
               ? call
               : unsupported;
  case Opcode::k_ret:
    return leave;
  case Opcode::k_exit:
    return exit;
  case Opcode::k_trap:
    return trap;
  case Opcode::k_brkpt:
  case Opcode::k_pmevent:
    return nothing;
  case Opcode::k_nanosleep:
    return sleep;
  case Opcode::k_bar:
  case Opcode::k_barrier:
    return barrier;
  default:
    return unsupported;
  }
}

} // namespace gantry::simt::exec::interpreter
