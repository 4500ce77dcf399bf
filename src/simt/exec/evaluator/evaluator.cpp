#include "simt/exec/evaluator/evaluator.h"

#include "simt/exec/reports/fault_report.h"
#include "simt/host/of_thread.h"
#include "simt/host/settings.h"

#include <algorithm>
#include <unordered_map>

namespace gantry::simt::exec {

namespace {

/// Steps after which the other warps have a turn.
constexpr std::uint32_t kStepsPerTurn = 20'000;
/// Passes of loops after which a group lets the others of its warp go first, and for how long.
constexpr std::uint32_t kPatience = 1'000;
constexpr std::uint32_t kOwedSteps = 2'000;

/// Whether x is at an earlier position than y, compared in the innermost call that both are in.
bool is_before(const LaneGroup& x, const LaneGroup& y) {
  const LaneFrame* x_frame = x.frame;
  const LaneFrame* y_frame = y.frame;
  std::uint32_t x_at = x.at;
  std::uint32_t y_at = y.at;
  const auto ascend = [](const LaneFrame*& frame, std::uint32_t& at) {
    at = frame->call;
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

bool is_runnable(const LaneGroup& group) {
  return group.mask != 0 && group.state == LaneGroup::State::kRunnable;
}

} // namespace

LaneMask LaneGroup::read_mask(const LaneOperand& operand) const {
  const std::uint64_t* values = read(operand);
  LaneMask lanes = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    lanes |= static_cast<LaneMask>(values[lane] & 1) << lane;
  }
  return lanes;
}

LaneMask lanes_like_first(LaneMask active, const std::uint64_t* values) {
  const std::uint64_t first = values[std::countr_zero(active)];
  LaneMask equal = 0;
  for_lanes(active, [&](unsigned lane) { equal |= values[lane] == first ? 1U << lane : 0; });
  return equal;
}

void Evaluator::run(Warp& warp) {
  warp_ = &warp;
  checks_memory_ = settings().checks.memory;
  steps_ = 0;
  groups_.fill({});
  free_frames_.clear();
  for (const std::unique_ptr<LaneFrame>& frame : frames_) {
    free_frames_.push_back(frame.get());
  }
  const std::uint32_t kernel = block().launch->kernel;
  const Site start = site_of(kernel, 0);
  LaneGroup& all = groups_[0];
  all.frame = &new_frame(code_of(kernel), nullptr, warp.exists, 0, start);
  ++all.frame->references;
  all.mask = all.active = warp.exists;
  while (LaneGroup* group = schedule()) {
    run_group(*group);
  }
}

const OneLaneCode& Evaluator::code_of(std::uint32_t function) {
  auto code = loaded().code->one_lane(function);
  if (!code) {
    Fault fault{fault_without_code(), std::move(code.error())};
    fail(*warp_, std::move(fault));
  }
  return **code;
}

LaneFrame& Evaluator::new_frame(const OneLaneCode& code, LaneFrame* parent, LaneMask lanes,
                                std::uint32_t call, Site site) {
  std::uint32_t top = 0;
  if (parent != nullptr) {
    for_lanes(lanes, [&](unsigned lane) { top = std::max(top, parent->local_top[lane]); });
  }
  const std::uint32_t alignment = std::max(code.local_alignment, 16U);
  const std::uint64_t base = (std::uint64_t{top} + alignment - 1) / alignment * alignment;
  if (base + code.local_bytes > warp_->local_size) {
    trap(lanes, Trap::kLocalOverflow, site);
  }
  if (free_frames_.empty()) {
    free_frames_.push_back(frames_.emplace_back(std::make_unique<LaneFrame>()).get());
  }
  LaneFrame& frame = *free_frames_.back();
  free_frames_.pop_back();
  frame.parent = parent;
  frame.code = &code;
  frame.depth = parent != nullptr ? parent->depth + 1 : 0;
  frame.call = call;
  frame.references = 0;
  frame.local_base = static_cast<std::uint32_t>(base);
  frame.local_top.fill(static_cast<std::uint32_t>(base + code.local_bytes));
  if (frame.columns.size() < std::size_t{code.columns} * kLanes) {
    frame.columns.resize(std::size_t{code.columns} * kLanes);
  }
  std::fill_n(frame.columns.begin(), std::size_t{code.zeroed} * kLanes, 0);
  warp_->local_used = std::max(warp_->local_used, frame.local_top[0]);
  if (parent != nullptr) {
    ++parent->references;
  }
  return frame;
}

void Evaluator::release(LaneFrame* frame) {
  while (frame != nullptr && --frame->references == 0) {
    free_frames_.push_back(frame);
    frame = frame->parent;
  }
}

LaneGroup& Evaluator::split(LaneGroup& group, LaneMask lanes, std::uint32_t at) {
  group.mask &= ~lanes;
  group.active = group.mask;
  LaneGroup& other = *std::ranges::find(groups_, LaneMask{0}, &LaneGroup::mask);
  other = {};
  other.mask = other.active = lanes;
  other.frame = group.frame;
  other.at = at;
  other.owed = group.owed;
  other.owed_since = group.owed_since;
  other.loops = group.loops;
  other.steps = group.steps;
  ++other.frame->references;
  reschedule();
  return other;
}

void Evaluator::keep(LaneGroup& group, LaneMask lanes, std::uint32_t at) {
  if (group.mask != lanes) {
    split(group, group.mask & ~lanes, at);
  }
}

void Evaluator::jump(LaneGroup& group, const LaneStep& from, std::uint32_t target) {
  const bool goes_back = target <= group.index_of(from);
  group.at = target;
  if (goes_back && ++group.loops >= kPatience) {
    give_way(group);
  }
  rejoin(group);
}

void Evaluator::give_way(LaneGroup& group) {
  ++occasions_;
  for (LaneGroup& other : groups_) {
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

void Evaluator::trap(LaneMask lanes, Trap reason, Site site) {
  fail(*warp_, trap_fault(*warp_, lanes, reason, site));
}

/// Merges groups at one position. The merged group is owed a turn only if all of them were.
void Evaluator::join_groups() {
  for (LaneGroup& group : groups_) {
    if (!is_runnable(group) && (group.mask == 0 || group.state != LaneGroup::State::kAtBarrier)) {
      continue;
    }
    for (LaneGroup& other : groups_) {
      const bool rejoins = &other != &group && other.mask != 0 && other.state == group.state &&
                           other.frame == group.frame && other.at == group.at;
      const bool differs = group.state == LaneGroup::State::kAtBarrier &&
                           (other.barrier != group.barrier || other.threads != group.threads);
      if (!rejoins || differs) {
        continue;
      }
      group.mask |= other.mask;
      group.active = group.mask;
      group.predicates |= other.predicates;
      group.owed = group.owed && other.owed;
      group.owed_since = std::min(group.owed_since, other.owed_since);
      group.loops = std::max(group.loops, other.loops);
      other.mask = 0;
      release(other.frame);
    }
  }
}

/// The group to run: the one that has been owed a turn for longest, else the one at the lowest
/// position.
LaneGroup* Evaluator::next_runnable() {
  const auto goes_before = [](const LaneGroup& group, const LaneGroup& other) {
    if (group.owed != other.owed) {
      return group.owed;
    }
    if (group.owed && group.owed_since != other.owed_since) {
      return group.owed_since < other.owed_since;
    }
    return is_before(group, other);
  };
  LaneGroup* chosen = nullptr;
  for (LaneGroup& group : groups_) {
    if (!is_runnable(group)) {
      continue;
    }
    chosen = chosen == nullptr || goes_before(group, *chosen) ? &group : chosen;
  }
  return chosen;
}

/// Groups whose barrier is complete go on.
bool Evaluator::leave_barriers() {
  bool left = false;
  for (LaneGroup& group : groups_) {
    if (group.mask == 0 || group.state != LaneGroup::State::kInBarrier ||
        !block().is_complete(group.ticket)) {
      continue;
    }
    const std::uint32_t value = block().take_result(group.ticket);
    std::uint64_t* column = group.frame->column(group.step().result);
    for_lanes(group.mask, [&](unsigned lane) { column[lane] = value; });
    group.state = LaneGroup::State::kRunnable;
    ++group.at;
    left = true;
  }
  return left;
}

bool Evaluator::arrive_at_barriers() {
  bool arrived = false;
  for (LaneGroup& group : groups_) {
    if (group.mask == 0 || group.state != LaneGroup::State::kAtBarrier) {
      continue;
    }
    group.ticket = arrive(*warp_, {group.mask, group.barrier, group.threads, group.reduction,
                                   group.predicates, true, group.step().site});
    group.state = LaneGroup::State::kInBarrier;
    arrived = true;
  }
  return arrived;
}

/// Lets the block's other warps run: no group of this one can.
void Evaluator::wait() {
  Waiting why;
  unsigned groups = 0;
  for (const LaneGroup& group : groups_) {
    if (group.mask == 0) {
      continue;
    }
    ++groups;
    const bool in_barrier = group.state == LaneGroup::State::kInBarrier;
    if (!in_barrier && why.what != Waiting::For::kNothing) {
      continue;
    }
    why.what = in_barrier ? Waiting::For::kBarrier : Waiting::For::kLanes;
    why.active = group.mask;
    why.site = group.step().site;
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
  suspend(*warp_, why);
}

LaneGroup* Evaluator::schedule() {
  for (;;) {
    if (warp_->live == 0) {
      return nullptr;
    }
    bool advanced = complete_exchanges();
    advanced |= leave_barriers();
    join_groups();
    if (LaneGroup* group = next_runnable()) {
      block().progress += advanced ? 1 : 0;
      return group;
    }
    if (!arrive_at_barriers()) {
      wait();
    }
  }
}

/// Reschedules if another group is at the same position, to merge with it, or at a lower one, which
/// runs first.
void Evaluator::rejoin(LaneGroup& group) {
  if (group.mask == warp_->live) {
    return;
  }
  for (const LaneGroup& other : groups_) {
    if (&other == &group || !is_runnable(other) || other.frame != group.frame) {
      continue;
    }
    if (other.at == group.at || (other.at < group.at && !group.owed)) {
      reschedule();
    }
  }
  if (group.owed && group.steps >= kOwedSteps) {
    group.owed = false;
    reschedule();
  }
}

void Evaluator::run_group(LaneGroup& group) {
  attention_ = false;
  // Conditional steps are not interrupted: their lanes rejoin the group before another one runs.
  while (!attention_ || group.passage_end != LaneGroup::kNowhere) {
    const LaneStep& step = group.step();
    ++group.at;
    ++group.steps;
    step.function(*this, group, step, group.active);
    if (group.at == group.passage_end) {
      group.active = group.mask;
      group.passage_end = LaneGroup::kNowhere;
      rejoin(group);
    }
    if (++steps_ >= kStepsPerTurn) {
      steps_ = 0;
      arrive_at_barriers();
      Waiting why;
      why.what = Waiting::For::kYield;
      why.active = warp_->live;
      why.site = step.site;
      suspend(*warp_, why);
      reschedule();
    }
  }
}

void bind_steps(OneLaneCode& code) {
  for (LaneStep& step : code.steps) {
    step.function = step.instruction == LaneInstruction::kOperation
                        ? operation_function(step.operation)
                        : value_function(step);
    step.function = step.function != nullptr ? step.function : memory_function(step);
    step.function = step.function != nullptr ? step.function : control_function(step);
  }
}

void evaluate(Warp& warp) {
  // Kept from launch to launch, because a failed launch leaves memory in it.
  using Evaluators = std::unordered_map<Warp*, std::unique_ptr<Evaluator>>;
  std::unique_ptr<Evaluator>& evaluator = of_thread<Evaluators>()[&warp];
  if (!evaluator) {
    evaluator = std::make_unique<Evaluator>();
  }
  evaluator->run(warp);
}

} // namespace gantry::simt::exec
