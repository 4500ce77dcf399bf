// The state of a warp that is interpreted.
//
// A group is a set of lanes at one position: a frame and an instruction in it. Lanes of one call
// share a frame, whichever groups they are in, each with its own column element of every register;
// so two groups of one frame that meet at an instruction become one by joining their masks.
//
// The machine runs on the warp's stack, which is abandoned without unwinding when a launch fails
// (fiber.h). Everything that owns memory is therefore in the Machine, which outlives the warp, and
// nothing on the stack owns any where the warp may suspend or fail.
#pragma once

#include "simt/exec/block.h"
#include "simt/exec/interpreter_program.h"
#include "simt/exec/loaded_program.h"

#include <bit>
#include <span>

namespace gantry::simt::exec::interpreter {

/// One call of a function, shared by the groups that are in it.
struct Frame {
  Frame* parent = nullptr;
  const DecodedFunction* function = nullptr;
  std::uint32_t depth = 0;
  std::uint32_t call_site = 0;  ///< the call's index in the parent's instructions
  std::uint32_t references = 0; ///< groups and frames below
  LaneMask carry = 0;           ///< CC.CF of each lane
  std::uint32_t local_base = 0; ///< of the .local variables in each lane's window
  std::array<std::uint32_t, kLanes> local_top = {}; ///< end of what is in use
  std::vector<std::uint64_t> registers;
  std::vector<std::byte> bytes; ///< of .param variables, lane after lane

  [[nodiscard]] std::uint64_t* column(std::uint32_t index) {
    return registers.data() + std::size_t{index} * kLanes;
  }
  [[nodiscard]] std::byte* parameter(unsigned lane, std::uint32_t offset) {
    return bytes.data() + std::size_t{lane} * function->frame_bytes + offset;
  }
};

struct Group {
  enum class State : std::uint8_t {
    kRunnable,
    kAtBarrier,  ///< come to a block's barrier, not yet counted there
    kInBarrier,  ///< counted; waits for the ticket to pass
    kExchanging, ///< waits for other lanes of the warp
  };
  LaneMask mask = 0; ///< zero: the place is free
  State state = State::kRunnable;
  bool owed = false; ///< another group has looped for long; this one goes first for a while
  std::uint64_t owed_since = 0; ///< a count of such occasions
  Frame* frame = nullptr;
  std::uint32_t pc = 0;
  std::uint32_t loops = 0; ///< backward branches since others last went first
  std::uint32_t steps = 0; ///< instructions since it is owed its turn
  BarrierTicket ticket;
  std::uint32_t barrier = 0, threads = 0;
  BarrierReduction reduction = BarrierReduction::kNone;
  LaneMask predicates = 0;
};

class Machine {
public:
  /// Executes the kernel of the warp's launch.
  void run(Warp& warp);

  [[nodiscard]] Warp& warp() { return *warp_; }
  [[nodiscard]] Block& block() { return *warp_->block; }
  [[nodiscard]] const PreparedKernel& kernel() const { return *kernel_; }
  [[nodiscard]] const ptx::Program& program() const { return *program_; }
  [[nodiscard]] LoadedProgram::State& loaded() { return *warp_->block->launch->program; }
  [[nodiscard]] bool checks_memory() const { return checks_memory_; }

  // Operands. `scratch` is used if the value is in no column of its own.
  [[nodiscard]] const std::uint64_t* read(const Group& group, const Source& source,
                                          Column& scratch);
  [[nodiscard]] LaneMask read_predicate(const Group& group, const Source& source);
  /// A place for results that is not read again if nobody wants them.
  [[nodiscard]] std::uint64_t* result(const Group& group, const Destination& destination) {
    return destination.column == kNone ? unwanted_.data() : group.frame->column(destination.column);
  }

  // Groups.
  /// Takes lanes out of a group to go on by themselves at `pc` in the same frame.
  Group& split(Group& group, LaneMask lanes, std::uint32_t pc);
  /// The group is to go on at `pc`; counts passes of loops and lets others go first after many.
  void jump(Group& group, const Operation& from, std::uint32_t pc);
  /// Another group may have to run now: somebody waits, ended, or came.
  void reschedule() { attention_ = true; }
  /// Groups that are not this one get their turn soon.
  void give_way(Group& group);

  // Calls (interpreter_control.cpp).
  void call(Group& group, const Operation& operation, LaneMask active);
  void call_function(Group& group, const Operation& operation, std::uint32_t function);
  void return_from(Group& group, LaneMask active, Site site);
  void exit(Group& group, LaneMask active);
  void set_local_top(Frame& frame, unsigned lane, std::uint32_t top);

  // Operations of several lanes (interpreter_warp.cpp).
  void exchange(Group& group, const Operation& operation, LaneMask active);
  [[nodiscard]] bool complete_exchanges();

  // Faults.
  [[noreturn]] void trap(LaneMask lanes, Trap reason, Site site);

  struct Exchanged {
    std::array<LaneMask, kLanes> masks = {};
    Column values = {};
  };
  Exchanged exchanged; ///< what the lanes gave that wait in warp-level operations

private:
  [[nodiscard]] Group* schedule();
  void run_group(Group& group);
  void join_groups();
  [[nodiscard]] Group* next_runnable();
  [[nodiscard]] bool pass_barriers();
  bool arrive_at_barriers();
  void wait();
  void meet(Group& group);
  [[nodiscard]] Frame& new_frame(const DecodedFunction& function, Frame* parent, LaneMask lanes,
                                 std::uint32_t call_site, Site site);
  void release(Frame* frame);
  void fall_off(Group& group);
  void read_special(const Source& source, Column& column);
  void reset(Warp& warp);

  Warp* warp_ = nullptr;
  const PreparedKernel* kernel_ = nullptr;
  const ptx::Program* program_ = nullptr;
  std::shared_ptr<DecodedProgram> decoded_;
  bool checks_memory_ = true;
  bool attention_ = false;
  std::uint32_t steps_ = 0; ///< instructions since the other warps had a turn
  std::array<Group, kLanes> groups_;
  std::uint64_t occasions_ = 0; ///< on which groups had to give way
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<Frame*> free_frames_;
  Column unwanted_ = {};
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

using LaneFunction = std::uint64_t (*)(const Operation&, std::uint64_t, std::uint64_t,
                                       std::uint64_t, std::uint64_t);

/// The handler of an instruction whose one result is a function of its lane's operands alone. The
/// operands may have anything above the width of the instruction's type; the result may not.
template <LaneFunction function>
void each_lane(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  static constexpr Column kZeros = {};
  const std::uint64_t* operands[4] = {kZeros.data(), kZeros.data(), kZeros.data(), kZeros.data()};
  Column scratch[4];
  for (std::size_t i = 0; i < operation.sources.size() && i < 4; ++i) {
    operands[i] = machine.read(group, operation.sources[i], scratch[i]);
  }
  std::uint64_t* result = machine.result(group, operation.destinations[0]);
  for_lanes(active, [&](unsigned lane) {
    result[lane] = function(operation, operands[0][lane], operands[1][lane], operands[2][lane],
                            operands[3][lane]);
  });
}

/// A value of the type as a register has it: zeros above.
template <typename T>
[[nodiscard]] constexpr std::uint64_t as_bits(T value) {
  return static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(value));
}

/// each_lane with the instance of Function for the host's type of an integer type; null for others.
template <template <typename> class Function>
[[nodiscard]] Handler for_integer(ptx::Type type) {
  switch (type) {
  case ptx::Type::kB16:
  case ptx::Type::kU16:
    return each_lane<Function<std::uint16_t>::apply>;
  case ptx::Type::kB32:
  case ptx::Type::kU32:
    return each_lane<Function<std::uint32_t>::apply>;
  case ptx::Type::kB64:
  case ptx::Type::kU64:
    return each_lane<Function<std::uint64_t>::apply>;
  case ptx::Type::kS16:
    return each_lane<Function<std::int16_t>::apply>;
  case ptx::Type::kS32:
    return each_lane<Function<std::int32_t>::apply>;
  case ptx::Type::kS64:
    return each_lane<Function<std::int64_t>::apply>;
  default:
    return nullptr;
  }
}

/// A value's low bits, those of `type`, extended by its sign to 64 bits.
[[nodiscard]] constexpr std::uint64_t extended(std::uint64_t value, ptx::Type type) {
  const unsigned unused = 64 - 8 * ptx::size_of(type);
  return ptx::is_signed(type)
             ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused)
             : value << unused >> unused;
}

/// What a register holds once a result of `type` is in it: cvt and ld extend to its width.
[[nodiscard]] constexpr std::uint64_t fitted(std::uint64_t value, ptx::Type type,
                                             const Destination& destination) {
  const std::uint64_t wide = extended(value, type);
  const unsigned size = ptx::size_of(destination.type);
  return size == 0 || size >= 8 ? wide : wide & ((1ULL << (8 * size)) - 1);
}

} // namespace gantry::simt::exec::interpreter
