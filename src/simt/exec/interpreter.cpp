#include "simt/exec/interpreter.h"

#include "simt/exec/fault_report.h"
#include "simt/exec/interpreter_machine.h"
#include "simt/exec/of_thread.h"
#include "simt/exec/settings.h"

#include <algorithm>
#include <unordered_map>

namespace gantry::simt::exec {

namespace interpreter {

namespace {

/// Instructions after which the other warps have a turn.
constexpr std::uint32_t kStepsPerTurn = 20'000;
/// Passes of loops after which a group lets the others of its warp go first, and for how long.
constexpr std::uint32_t kPatience = 1'000;
constexpr std::uint32_t kOwedSteps = 2'000;
/// Bytes of .param variables that a function may have for each lane.
constexpr std::uint64_t kLargestFrame = 64 << 10;

/// Whether x is at an earlier position than y: the instruction in the innermost call that both are
/// in, or that they called from there.
bool is_before(const Group& x, const Group& y) {
  const Frame* x_frame = x.frame;
  const Frame* y_frame = y.frame;
  std::uint32_t x_at = x.pc;
  std::uint32_t y_at = y.pc;
  const auto ascend = [](const Frame*& frame, std::uint32_t& at) {
    at = frame->call_site;
    frame = frame->parent;
  };
  while (x_frame->depth > y_frame->depth) {
    ascend(x_frame, x_at);
  }
  while (y_frame->depth > x_frame->depth) {
    ascend(y_frame, y_at);
  }
  while (x_frame != y_frame) {
    ascend(x_frame, x_at);
    ascend(y_frame, y_at);
  }
  return x_at < y_at;
}

bool is_runnable(const Group& group) {
  return group.mask != 0 && group.state == Group::State::kRunnable;
}

} // namespace

void Machine::run(Warp& warp) {
  reset(warp);
  while (Group* group = schedule()) {
    run_group(*group);
  }
}

void Machine::reset(Warp& warp) {
  warp_ = &warp;
  LoadedProgram::State& state = loaded();
  kernel_ = &state.prepared(warp.block->launch->kernel);
  program_ = state.program.get();
  decoded_ = DecodedProgram::of(state.program);
  checks_memory_ = settings().checks.memory;
  steps_ = 0;
  groups_.fill({});
  free_frames_.clear();
  for (const std::unique_ptr<Frame>& frame : frames_) {
    free_frames_.push_back(frame.get());
  }
  Group& all = groups_[0];
  all.frame = &new_frame(decoded_->function(warp.block->launch->kernel), nullptr, warp.exists, 0,
                         site_of(warp.block->launch->kernel, 0));
  ++all.frame->references;
  all.mask = warp.exists;
}

Frame& Machine::new_frame(const DecodedFunction& function, Frame* parent, LaneMask lanes,
                          std::uint32_t call_site, Site site) {
  std::uint32_t top = 0;
  if (parent != nullptr) {
    for_lanes(lanes, [&](unsigned lane) { top = std::max(top, parent->local_top[lane]); });
  }
  const std::uint32_t alignment = std::max(function.local_alignment, 16U);
  const std::uint64_t base = (std::uint64_t{top} + alignment - 1) / alignment * alignment;
  if (base + function.local_bytes > warp_->local_size || function.frame_bytes > kLargestFrame) {
    trap(lanes, Trap::kLocalOverflow, site);
  }
  if (free_frames_.empty()) {
    free_frames_.push_back(frames_.emplace_back(std::make_unique<Frame>()).get());
  }
  Frame& frame = *free_frames_.back();
  free_frames_.pop_back();
  frame.parent = parent;
  frame.function = &function;
  frame.depth = parent != nullptr ? parent->depth + 1 : 0;
  frame.call_site = call_site;
  frame.references = 0;
  frame.carry = 0;
  frame.local_base = static_cast<std::uint32_t>(base);
  frame.local_top.fill(static_cast<std::uint32_t>(base + function.local_bytes));
  frame.registers.assign(std::size_t{function.columns} * kLanes, 0);
  frame.bytes.assign(std::size_t{function.frame_bytes} * kLanes, std::byte{0});
  warp_->local_used = std::max(warp_->local_used, frame.local_top[0]);
  if (parent != nullptr) {
    ++parent->references;
  }
  return frame;
}

void Machine::release(Frame* frame) {
  while (frame != nullptr && --frame->references == 0) {
    free_frames_.push_back(frame);
    frame = frame->parent;
  }
}

Group& Machine::split(Group& group, LaneMask lanes, std::uint32_t pc) {
  group.mask &= ~lanes;
  Group& other = *std::ranges::find(groups_, LaneMask{0}, &Group::mask);
  other = {};
  other.mask = lanes;
  other.frame = group.frame;
  other.pc = pc;
  other.owed = group.owed;
  other.owed_since = group.owed_since;
  other.loops = group.loops;
  other.steps = group.steps;
  ++other.frame->references;
  reschedule();
  return other;
}

void Machine::jump(Group& group, const Operation& from, std::uint32_t pc) {
  group.pc = pc;
  if (pc <= from.index && ++group.loops >= kPatience) {
    give_way(group);
  }
}

void Machine::give_way(Group& group) {
  ++occasions_;
  for (Group& other : groups_) {
    if (is_runnable(other) && !other.owed) {
      other.owed = true;
      other.owed_since = occasions_;
      other.steps = 0;
    }
  }
  group.owed = false;
  group.loops = 0;
  reschedule();
}

void Machine::trap(LaneMask lanes, Trap reason, Site site) {
  block().fail(*warp_, trap_fault(*warp_, lanes, reason, site));
}

/// Groups at one position become one. Those that are owed a turn give that up to the one that is
/// not.
void Machine::join_groups() {
  for (Group& group : groups_) {
    if (!is_runnable(group) && (group.mask == 0 || group.state != Group::State::kAtBarrier)) {
      continue;
    }
    for (Group& other : groups_) {
      const bool meets = &other != &group && other.mask != 0 && other.state == group.state &&
                         other.frame == group.frame && other.pc == group.pc;
      const bool differs = group.state == Group::State::kAtBarrier &&
                           (other.barrier != group.barrier || other.threads != group.threads);
      if (!meets || differs) {
        continue;
      }
      group.mask |= other.mask;
      group.predicates |= other.predicates;
      group.owed = group.owed && other.owed;
      group.owed_since = std::min(group.owed_since, other.owed_since);
      group.loops = std::max(group.loops, other.loops);
      other.mask = 0;
      release(other.frame);
    }
  }
}

/// The group that goes first: of those that are owed a turn the one that is so for longest, else
/// the one at the lowest position.
Group* Machine::next_runnable() {
  const auto goes_before = [](const Group& group, const Group& other) {
    if (group.owed != other.owed) {
      return group.owed;
    }
    if (group.owed && group.owed_since != other.owed_since) {
      return group.owed_since < other.owed_since;
    }
    return is_before(group, other);
  };
  Group* chosen = nullptr;
  for (Group& group : groups_) {
    if (!is_runnable(group)) {
      continue;
    }
    chosen = chosen == nullptr || goes_before(group, *chosen) ? &group : chosen;
  }
  return chosen;
}

/// Groups whose barrier has passed go on.
bool Machine::pass_barriers() {
  bool passed = false;
  for (Group& group : groups_) {
    if (group.mask == 0 || group.state != Group::State::kInBarrier ||
        !block().passed(group.ticket)) {
      continue;
    }
    const Operation& operation = group.frame->function->operations[group.pc];
    const std::uint32_t value = block().take_result(group.ticket);
    if (!operation.destinations.empty()) {
      std::uint64_t* column = result(group, operation.destinations[0]);
      for_lanes(group.mask, [&](unsigned lane) { column[lane] = value; });
    }
    group.state = Group::State::kRunnable;
    ++group.pc;
    passed = true;
  }
  return passed;
}

bool Machine::arrive_at_barriers() {
  bool arrived = false;
  for (Group& group : groups_) {
    if (group.mask == 0 || group.state != Group::State::kAtBarrier) {
      continue;
    }
    const Operation& operation = group.frame->function->operations[group.pc];
    group.ticket = block().arrive(*warp_, group.mask, group.barrier, group.threads, group.reduction,
                                  group.predicates, true, operation.site);
    group.state = Group::State::kInBarrier;
    arrived = true;
  }
  return arrived;
}

/// Lets the block's other warps run: no group of this one can.
void Machine::wait() {
  Waiting why;
  unsigned groups = 0;
  for (const Group& group : groups_) {
    if (group.mask == 0) {
      continue;
    }
    ++groups;
    const Operation& operation = group.frame->function->operations[group.pc];
    const bool in_barrier = group.state == Group::State::kInBarrier;
    if (!in_barrier && why.what != Waiting::For::kNothing) {
      continue;
    }
    why.what = in_barrier ? Waiting::For::kBarrier : Waiting::For::kLanes;
    why.active = group.mask;
    why.site = operation.site;
    why.id = group.barrier;
    why.threads = group.threads;
    why.phase = group.ticket.phase;
    why.lanes = 0;
    for_lanes(in_barrier ? 0 : group.mask,
              [&](unsigned lane) { why.lanes |= exchanged.masks[lane] & warp_->live; });
    why.lanes &= ~group.mask;
  }
  if (groups != 1) {
    why.phase.reset();
  }
  block().suspend(*warp_, why);
}

Group* Machine::schedule() {
  for (;;) {
    if (warp_->live == 0) {
      return nullptr;
    }
    bool advanced = complete_exchanges();
    advanced |= pass_barriers();
    join_groups();
    if (Group* group = next_runnable()) {
      block().progress += advanced ? 1 : 0;
      return group;
    }
    if (!arrive_at_barriers()) {
      wait();
    }
  }
}

void Machine::fall_off(Group& group) {
  const DecodedFunction& function = *group.frame->function;
  const Site site = site_of(function.index, group.pc == 0 ? 0 : group.pc - 1);
  if (group.frame->parent != nullptr && !function.results.empty()) {
    trap(group.mask, Trap::kFellOff, site);
  }
  return_from(group, group.mask, site);
}

/// Another group at the same place joins this one, and one that is further back goes first.
void Machine::meet(Group& group) {
  for (const Group& other : groups_) {
    if (&other == &group || !is_runnable(other) || other.frame != group.frame) {
      continue;
    }
    if (other.pc == group.pc || (other.pc < group.pc && !group.owed)) {
      reschedule();
    }
  }
  if (group.owed && ++group.steps >= kOwedSteps) {
    group.owed = false;
    reschedule();
  }
}

void Machine::run_group(Group& group) {
  attention_ = false;
  const bool alone = group.mask == warp_->live;
  while (!attention_) {
    const std::vector<Operation>& operations = group.frame->function->operations;
    if (group.pc >= operations.size()) {
      fall_off(group);
      continue;
    }
    const Operation& operation = operations[group.pc];
    LaneMask active = group.mask;
    if (operation.guard != kNone) {
      const std::uint64_t* predicate = group.frame->column(operation.guard);
      LaneMask holds = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        holds |= static_cast<LaneMask>(predicate[lane] & 1) << lane;
      }
      active &= operation.guard_negated ? ~holds : holds;
    }
    ++group.pc;
    if (active != 0) {
      operation.handler(*this, group, operation, active);
    }
    if (!alone && !attention_) {
      meet(group);
    }
    if (++steps_ >= kStepsPerTurn) {
      steps_ = 0;
      arrive_at_barriers();
      Waiting why;
      why.what = Waiting::For::kYield;
      why.active = warp_->live;
      why.site = operation.site;
      block().suspend(*warp_, why);
      reschedule();
    }
  }
}

const std::uint64_t* Machine::read(const Group& group, const Source& source, Column& scratch) {
  switch (source.kind) {
  case Source::Kind::kRegister: {
    const std::uint64_t* column = group.frame->column(source.index);
    if (!source.negated) {
      return column;
    }
    std::transform(column, column + kLanes, scratch.begin(),
                   [](std::uint64_t predicate) { return predicate ^ 1; });
    return scratch.data();
  }
  case Source::Kind::kConstant:
    return source.constant->data();
  case Source::Kind::kSpecial:
    read_special(source, scratch);
    return scratch.data();
  case Source::Kind::kVariable:
    scratch.fill(warp_->variables[source.index] + source.value);
    break;
  case Source::Kind::kLocal:
    scratch.fill(group.frame->local_base + source.value);
    break;
  case Source::Kind::kFunction:
    scratch.fill(warp_->function_base + 16 * std::uint64_t{source.index});
    break;
  }
  return scratch.data();
}

LaneMask Machine::read_predicate(const Group& group, const Source& source) {
  Column scratch;
  const std::uint64_t* values = read(group, source, scratch);
  LaneMask lanes = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    lanes |= static_cast<LaneMask>(values[lane] & 1) << lane;
  }
  return lanes;
}

} // namespace interpreter

void interpret(Warp& warp) {
  // Kept from launch to launch: what a failed launch leaves is used again or freed with the thread.
  using Machines = std::unordered_map<Warp*, std::unique_ptr<interpreter::Machine>>;
  std::unique_ptr<interpreter::Machine>& machine = of_thread<Machines>()[&warp];
  if (!machine) {
    machine = std::make_unique<interpreter::Machine>();
  }
  machine->run(warp);
}

} // namespace gantry::simt::exec
