// Operations that the lanes of a warp do together: shfl, vote, match, redux, elect, bar.warp.sync.
//
// Those with .sync wait until every lane of their mask that has not exited has come to an operation
// of the same kind. What each lane gives is kept in Machine::exchanged when it comes; results are
// computed once all are there, each lane's by its own instruction.
#include "simt/exec/interpreter_machine.h"

#include <algorithm>

namespace gantry::simt::exec::interpreter {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using Word = std::uint64_t;

Exchange kind_of(const Operation& operation) {
  switch (operation.instruction->opcode) {
  case Opcode::k_shfl:
    return Exchange::kShuffle;
  case Opcode::k_vote:
    return Exchange::kVote;
  case Opcode::k_match:
    return Exchange::kMatch;
  case Opcode::k_redux:
    return Exchange::kRedux;
  default:
    return Exchange::kBarrier;
  }
}

struct Shuffled {
  unsigned lane = 0;
  bool valid = false;
};

Shuffled shuffle_source(const Operation& operation, unsigned lane, Word b, Word c) {
  const auto offset = static_cast<unsigned>(b & 31);
  const auto clamp = static_cast<unsigned>(c & 31);
  const auto segment = static_cast<unsigned>(c >> 8 & 31);
  const unsigned greatest = (lane & segment) | (clamp & ~segment);
  const unsigned least = lane & segment;
  if (operation.has(Modifier::kUp)) {
    const int from = static_cast<int>(lane) - static_cast<int>(offset);
    const bool valid = from >= static_cast<int>(greatest);
    return {valid ? static_cast<unsigned>(from) : lane, valid};
  }
  const unsigned from = operation.has(Modifier::kDown)   ? lane + offset
                        : operation.has(Modifier::kBfly) ? lane ^ offset
                                                         : least | (offset & ~segment);
  const bool valid = from <= greatest;
  return {valid ? from : lane, valid};
}

Word reduced(const Operation& operation, LaneMask lanes, const Column& values) {
  Word result = values[static_cast<unsigned>(std::countr_zero(lanes))];
  for (lanes &= lanes - 1; lanes != 0; lanes &= lanes - 1) {
    const Word value = values[static_cast<unsigned>(std::countr_zero(lanes))];
    const auto a = static_cast<std::int64_t>(extended(result, operation.type));
    const auto b = static_cast<std::int64_t>(extended(value, operation.type));
    if (operation.has(Modifier::kAdd)) {
      result += value;
    } else if (operation.has(Modifier::kMin)) {
      result = a < b ? result : value;
    } else if (operation.has(Modifier::kMax)) {
      result = a > b ? result : value;
    } else if (operation.has(Modifier::kAnd)) {
      result &= value;
    } else if (operation.has(Modifier::kOr)) {
      result |= value;
    } else {
      result ^= value;
    }
  }
  return result & 0xFFFF'FFFF;
}

LaneMask lanes_with(Word value, LaneMask lanes, const Column& values) {
  LaneMask equal = 0;
  for_lanes(lanes, [&](unsigned lane) { equal |= values[lane] == value ? 1U << lane : 0; });
  return equal;
}

/// The results of `lanes`, of which each exchanges with those of its mask that are in `present`.
void finish(Machine& machine, Group& group, const Operation& operation, LaneMask lanes,
            LaneMask present) {
  const Machine::Exchanged& exchanged = machine.exchanged;
  if (operation.destinations.empty()) {
    return;
  }
  std::uint64_t* result = machine.result(group, operation.destinations[0]);
  const bool has_second = operation.destinations.size() > 1;
  std::uint64_t* second = has_second ? machine.result(group, operation.destinations[1]) : nullptr;
  const Opcode opcode = operation.instruction->opcode;
  Column scratch[2];
  const std::uint64_t* b = nullptr;
  const std::uint64_t* c = nullptr;
  Column b_values, c_values;
  if (opcode == Opcode::k_shfl) {
    // Copies, for a result may replace an operand.
    b = machine.read(group, operation.sources[1], scratch[0]);
    c = machine.read(group, operation.sources[2], scratch[1]);
    std::copy(b, b + kLanes, b_values.begin());
    std::copy(c, c + kLanes, c_values.begin());
  }
  for_lanes(lanes, [&](unsigned lane) {
    const LaneMask with = (exchanged.masks[lane] | 1U << lane) & present;
    const Word own = exchanged.values[lane];
    switch (opcode) {
    case Opcode::k_shfl: {
      Shuffled from = shuffle_source(operation, lane, b_values[lane], c_values[lane]);
      from.lane = (with >> from.lane & 1) != 0 ? from.lane : lane;
      result[lane] = exchanged.values[from.lane];
      if (has_second) {
        second[lane] = from.valid ? 1 : 0;
      }
      break;
    }
    case Opcode::k_vote: {
      const LaneMask votes = lanes_with(1, with, exchanged.values);
      result[lane] = operation.has(Modifier::kBallot) ? votes
                     : operation.has(Modifier::kAll)  ? votes == with
                     : operation.has(Modifier::kAny)  ? votes != 0
                                                      : votes == with || votes == 0;
      break;
    }
    case Opcode::k_match: {
      const LaneMask equal = lanes_with(own, with, exchanged.values);
      const bool any = operation.has(Modifier::kAny);
      result[lane] = any || equal == with ? equal : 0;
      if (has_second) {
        second[lane] = equal == with ? 1 : 0;
      }
      break;
    }
    case Opcode::k_redux:
      result[lane] = reduced(operation, with, exchanged.values);
      break;
    default: {
      const auto leader = static_cast<unsigned>(std::countr_zero(with));
      result[lane] = leader;
      if (has_second) {
        second[lane] = leader == lane ? 1 : 0;
      }
      break;
    }
    }
  });
}

/// Puts what the lanes give into Machine::exchanged.
void give(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  const Opcode opcode = operation.instruction->opcode;
  const bool synchronises = operation.has(Modifier::kSync);
  Column scratch;
  const bool gives_value = opcode != Opcode::k_elect && opcode != Opcode::k_bar;
  if (gives_value) {
    const std::uint64_t* values = machine.read(group, operation.sources[0], scratch);
    const ptx::Type type = opcode == Opcode::k_vote ? ptx::Type::kB8 : operation.type;
    for_lanes(active, [&](unsigned lane) {
      machine.exchanged.values[lane] = values[lane] & (~Word{0} >> (64 - 8 * ptx::size_of(type)));
    });
  }
  const std::uint64_t* masks =
      synchronises ? machine.read(group, operation.sources.back(), scratch) : nullptr;
  for_lanes(active, [&](unsigned lane) {
    machine.exchanged.masks[lane] = synchronises ? static_cast<LaneMask>(masks[lane]) : active;
  });
}

void exchange_handler(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  machine.exchange(group, operation, active);
}

void active_lanes(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  std::uint64_t* result = machine.result(group, operation.destinations[0]);
  for_lanes(active, [&](unsigned lane) { result[lane] = active; });
}

} // namespace

void Machine::exchange(Group& group, const Operation& operation, LaneMask active) {
  give(*this, group, operation, active);
  LaneMask wanted = 0;
  for_lanes(active, [&](unsigned lane) { wanted |= exchanged.masks[lane]; });
  const bool synchronises = operation.has(Modifier::kSync);
  if (block().checks && synchronises) {
    block().checks->come_together(*warp_, active, exchanged.masks.data(), operation.site);
  }
  if ((wanted & warp_->live & ~active) == 0) {
    if (block().checks && synchronises) {
      block().checks->meet(*warp_, active, kind_of(operation));
    }
    finish(*this, group, operation, active, active);
    return;
  }
  if (group.mask != active) {
    split(group, group.mask & ~active, group.pc);
  }
  group.pc = operation.index;
  group.state = Group::State::kExchanging;
  reschedule();
}

bool Machine::complete_exchanges() {
  const auto operation_of = [](const Group& group) -> const Operation& {
    return group.frame->function->operations[group.pc];
  };
  bool completed = false;
  for (unsigned kind = 0; kind <= static_cast<unsigned>(Exchange::kRedux); ++kind) {
    const auto waits = [&](const Group& group) {
      return group.mask != 0 && group.state == Group::State::kExchanging &&
             static_cast<unsigned>(kind_of(operation_of(group))) == kind;
    };
    LaneMask come = 0;
    for (const Group& group : groups_) {
      come |= waits(group) ? group.mask : 0;
    }
    LaneMask ready = 0;
    for_lanes(come, [&](unsigned lane) {
      const LaneMask named = exchanged.masks[lane] & warp_->live;
      // One that waits for others, in another operation, is not meant.
      LaneMask meant = 0;
      for_lanes(named & come,
                [&](unsigned other) { meant |= (exchanged.masks[other] >> lane & 1) << other; });
      ready |= named == meant ? 1U << lane : 0;
    });
    if (ready == 0) {
      continue;
    }
    if (block().checks) {
      block().checks->meet(*warp_, ready, static_cast<Exchange>(kind));
    }
    // A lane that is ready may exchange with one whose own mask has more lanes, still to come; that
    // one's value is here.
    for (Group& group : groups_) {
      if (!waits(group) || (group.mask & ready) == 0) {
        continue;
      }
      if ((group.mask & ~ready) != 0) {
        split(group, group.mask & ~ready, group.pc).state = Group::State::kExchanging;
      }
      finish(*this, group, operation_of(group), group.mask, come);
      group.state = Group::State::kRunnable;
      ++group.pc;
      completed = true;
    }
  }
  return completed;
}

Handler warp_handler(Operation& operation) {
  switch (operation.instruction->opcode) {
  case Opcode::k_shfl:
  case Opcode::k_vote:
  case Opcode::k_match:
  case Opcode::k_redux:
  case Opcode::k_elect:
    return exchange_handler;
  case Opcode::k_bar:
    return operation.has(Modifier::kWarp) ? exchange_handler : nullptr;
  case Opcode::k_activemask:
    return active_lanes;
  default:
    return nullptr;
  }
}

} // namespace gantry::simt::exec::interpreter
