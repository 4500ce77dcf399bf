// The evaluator (GANTRY_SIMT_MODE=interpret): executes a kernel's one-lane code
// (code/one_lane_code.h) step by step for the lanes of a warp. It is slow and simple. Tests compare
// machine code with it, which checks LLVM's passes, the divergence analysis, the widening and the
// code generation.
//
// A group is a set of lanes at one position: a frame and a step in it. The group at the lowest
// position runs, and groups at the same position merge, so lanes reconverge. If a group only loops,
// the others have their turn, so every lane makes progress. Lanes of one call share a frame, even
// in different groups; each has its own element of every column.
//
// The evaluator runs on the warp's stack, which is abandoned without unwinding when a launch fails
// (host/fiber.h). Therefore the Evaluator, which outlives the warp, owns all memory, and nothing on
// the stack owns any where the warp may suspend or fail. Calls nest in frames, not on the stack.
#pragma once

#include "simt/exec/blocks/block.h"
#include "simt/exec/code/one_lane_code.h"
#include "simt/exec/engine/scheduler.h"

#include <bit>
#include <limits>
#include <span>

namespace gantry::simt::exec {

/// Executes the launch's kernel for the lanes of warp.exists, on the warp's stack.
void evaluate(Warp& warp);

/// Chooses the function of each step.
void bind_steps(OneLaneCode& code);

/// One call of a function, shared by the groups that are in it.
struct LaneFrame {
  LaneFrame* parent = nullptr;
  const OneLaneCode* code = nullptr;
  std::uint32_t depth = 0;
  std::uint32_t call = 0;                           ///< the step of the parent that has called
  std::uint32_t references = 0;                     ///< groups and frames below
  std::uint32_t local_base = 0;                     ///< of the variables in each lane's window
  std::array<std::uint32_t, kLanes> local_top = {}; ///< end of what is in use
  std::vector<std::uint64_t> columns;

  [[nodiscard]] std::uint64_t* column(std::uint32_t index) {
    return columns.data() + std::size_t{index} * kLanes;
  }
};

struct LaneGroup {
  enum class State : std::uint8_t {
    kRunnable,
    kAtBarrier,  ///< arrives at a block's barrier, not yet counted there
    kInBarrier,  ///< counted; waits for the barrier to complete
    kExchanging, ///< waits for other lanes of the warp
  };
  static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

  LaneMask mask = 0;   ///< zero: unused
  LaneMask active = 0; ///< those of `mask` that execute the steps as far as `passage_end`
  std::uint32_t passage_end = kNowhere;
  State state = State::kRunnable;
  bool owed = false;            ///< its turn, because another group has looped for long
  std::uint64_t owed_since = 0; ///< a count of such occasions
  LaneFrame* frame = nullptr;
  std::uint32_t at = 0;
  std::uint32_t loops = 0; ///< backward branches since the others had their turn
  std::uint32_t steps = 0; ///< executed since it was owed its turn
  BarrierTicket ticket;
  std::uint32_t barrier = 0, threads = 0;
  BarrierReduction reduction = BarrierReduction::kNone;
  LaneMask predicates = 0;

  [[nodiscard]] const LaneStep& step() const { return frame->code->steps[at]; }
  [[nodiscard]] std::uint32_t index_of(const LaneStep& step) const {
    return static_cast<std::uint32_t>(&step - frame->code->steps.data());
  }
  [[nodiscard]] const std::uint64_t* read(const LaneOperand& operand) const {
    return operand.constant != nullptr ? operand.constant : frame->column(operand.column);
  }
  /// Lanes for which a predicate is true.
  [[nodiscard]] LaneMask read_mask(const LaneOperand& operand) const;
};

class Evaluator {
public:
  using Column = OneLaneCode::Column;

  /// Executes the kernel of the warp's launch.
  void run(Warp& warp);

  [[nodiscard]] Warp& warp() { return *warp_; }
  [[nodiscard]] Block& block() { return *warp_->block; }
  [[nodiscard]] ProgramState& loaded() { return *warp_->block->launch->program; }
  [[nodiscard]] bool checks_memory() const { return checks_memory_; }

  // Groups.
  /// Reduces the group to `lanes`. Its other lanes become a group at `at`.
  void keep(LaneGroup& group, LaneMask lanes, std::uint32_t at);
  /// The group goes on at `target`. After many iterations of loops the others have their turn.
  void jump(LaneGroup& group, const LaneStep& from, std::uint32_t target);
  /// Another group may have to run now: one waits, has ended or has arrived.
  void reschedule() { attention_ = true; }
  /// The other warps have had a turn.
  void has_suspended() { steps_ = 0; }
  /// The other groups are owed a turn.
  void give_way(LaneGroup& group);

  // Calls and ends (control.cpp).
  void call(LaneGroup& group, const LaneStep& step, std::uint32_t function);
  void leave(LaneGroup& group, const LaneStep& step);
  void exit(LaneGroup& group);
  void set_local_top(LaneFrame& frame, unsigned lane, std::uint32_t top);

  // Operations of several lanes (exchange.cpp).
  void exchange(LaneGroup& group, const LaneStep& step, LaneMask active);
  [[nodiscard]] bool complete_exchanges();

  [[noreturn]] void trap(LaneMask lanes, Trap reason, Site site);

  struct Exchanged {
    std::array<LaneMask, kLanes> masks = {};
    Column values = {};
  };
  Exchanged exchanged; ///< of the lanes that wait in warp-level operations

private:
  LaneGroup& split(LaneGroup& group, LaneMask lanes, std::uint32_t at);
  /// The results of an operation of all 32 lanes, which are in `groups`.
  void finish_matrix(std::span<LaneGroup* const> groups, const LaneStep& step);
  bool complete_matrix();
  [[nodiscard]] LaneGroup* schedule();
  void run_group(LaneGroup& group);
  void join_groups();
  [[nodiscard]] LaneGroup* next_runnable();
  [[nodiscard]] bool leave_barriers();
  bool arrive_at_barriers();
  void wait();
  void rejoin(LaneGroup& group);
  [[nodiscard]] const OneLaneCode& code_of(std::uint32_t function);
  [[nodiscard]] LaneFrame& new_frame(const OneLaneCode& code, LaneFrame* parent, LaneMask lanes,
                                     std::uint32_t call, Site site);
  void release(LaneFrame* frame);

  Warp* warp_ = nullptr;
  bool checks_memory_ = true;
  bool attention_ = false;
  std::uint32_t steps_ = 0; ///< since the other warps had a turn
  std::array<LaneGroup, kLanes> groups_;
  std::uint64_t occasions_ = 0; ///< on which a group gave way
  std::vector<std::unique_ptr<LaneFrame>> frames_;
  std::vector<LaneFrame*> free_frames_;
};

/// Calls `visit` for each lane of a mask, in order.
template <typename Visit>
void for_lanes(LaneMask active, Visit visit) {
  if (active == kAllLanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      visit(lane);
    }
    return;
  }
  for (; active != 0; active &= active - 1) {
    visit(static_cast<unsigned>(std::countr_zero(active)));
  }
}

/// The step's result in each lane of `active`: value(lane).
template <typename Value>
void give(LaneGroup& group, const LaneStep& step, LaneMask active, Value value) {
  std::uint64_t* result = group.frame->column(step.result);
  for_lanes(active, [&](unsigned lane) { result[lane] = value(lane); });
}

/// Those of `active` that have the first one's value.
[[nodiscard]] LaneMask lanes_like_first(LaneMask active, const std::uint64_t* values);

/// The functions of steps, by family.
[[nodiscard]] StepFunction value_function(const LaneStep& step);   ///< values.cpp
[[nodiscard]] StepFunction memory_function(const LaneStep& step);  ///< memory.cpp
[[nodiscard]] StepFunction control_function(const LaneStep& step); ///< control.cpp
[[nodiscard]] StepFunction operation_function(LaneOperation operation);
/// async.cpp; of LaneOperation::kAsync and kAsyncWait.
void start_async(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active);
void await_async(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active);
/// exchange.cpp; of LaneOperation::kShuffleValid.
void shuffle_valid(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active);

} // namespace gantry::simt::exec
