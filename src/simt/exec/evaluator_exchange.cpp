// Operations that the lanes of a warp do together: shuffles, votes, matches, reductions and
// bar.warp.sync.
//
// Each waits until every lane of its mask that has not exited has come to an operation of the same
// kind. What a lane gives is kept in Evaluator::exchanged when it comes; results are computed once
// all are there, each lane's by its own step.
#include "simt/exec/evaluator.h"

#include <algorithm>

namespace gantry::simt::exec {

namespace {

using Word = std::uint64_t;
using Column = Evaluator::Column;

Exchange kind_of(Operation operation) {
  switch (operation) {
  case Operation::kShuffle:
    return Exchange::kShuffle;
  case Operation::kVoteBallot:
    return Exchange::kVote;
  case Operation::kMatchAny:
  case Operation::kMatchAll:
    return Exchange::kMatch;
  case Operation::kRedux:
    return Exchange::kRedux;
  default:
    return Exchange::kBarrier;
  }
}

/// The mask of the lanes that are to take part.
const LaneOperand& mask_of(const LaneStep& step) {
  switch (step.operation) {
  case Operation::kShuffle:
    return step.operands[3];
  case Operation::kWarpBarrier:
    return step.operands[0];
  default:
    return step.operands[1];
  }
}

struct ShuffleSource {
  unsigned lane = 0;
  bool valid = false;
};

/// The lane that a lane of shfl reads from, and whether that is in its segment (PTX ISA 9.0,
/// 9.7.9.6).
ShuffleSource shuffle_source(ShuffleMode mode, unsigned lane, Word b, Word c) {
  const auto offset = static_cast<int>(b & 31);
  const auto clamp = static_cast<unsigned>(c & 31);
  const auto segment = static_cast<unsigned>(c >> 8 & 31);
  const unsigned least = lane & segment;
  const auto last = static_cast<int>(least | (clamp & ~segment));
  const auto own = static_cast<int>(lane);
  const int from = mode == ShuffleMode::kUp     ? own - offset
                   : mode == ShuffleMode::kDown ? own + offset
                   : mode == ShuffleMode::kButterfly
                       ? own ^ offset
                       : static_cast<int>(least) | (offset & ~static_cast<int>(segment));
  const bool valid = mode == ShuffleMode::kUp ? from >= last : from <= last;
  return {valid ? static_cast<unsigned>(from) : lane, valid};
}

Word reduced(ReduxKind kind, LaneMask lanes, const Column& values) {
  auto result = static_cast<std::uint32_t>(values[static_cast<unsigned>(std::countr_zero(lanes))]);
  for_lanes(lanes & (lanes - 1), [&](unsigned lane) {
    const auto value = static_cast<std::uint32_t>(values[lane]);
    const bool less = static_cast<std::int32_t>(value) < static_cast<std::int32_t>(result);
    switch (kind) {
    case ReduxKind::kAdd:
      result += value;
      break;
    case ReduxKind::kMinU:
      result = std::min(result, value);
      break;
    case ReduxKind::kMaxU:
      result = std::max(result, value);
      break;
    case ReduxKind::kMinS:
      result = less ? value : result;
      break;
    case ReduxKind::kMaxS:
      result = less ? result : value;
      break;
    case ReduxKind::kAnd:
      result &= value;
      break;
    case ReduxKind::kOr:
      result |= value;
      break;
    case ReduxKind::kXor:
      result ^= value;
      break;
    }
  });
  return result;
}

LaneMask lanes_with(Word value, LaneMask lanes, const Column& values) {
  LaneMask equal = 0;
  for_lanes(lanes, [&](unsigned lane) { equal |= values[lane] == value ? 1U << lane : 0; });
  return equal;
}

/// The results of `lanes`, of which each exchanges with those of its mask that are in `present`.
void finish(const Evaluator::Exchanged& exchanged, LaneGroup& group, const LaneStep& step,
            LaneMask lanes, LaneMask present) {
  if (step.result == LaneStep::kNoResult) {
    return;
  }
  Word* result = group.frame->column(step.result);
  const Word* b = group.read(step.operands[1]);
  const Word* c = group.read(step.operands[2]);
  for_lanes(lanes, [&](unsigned lane) {
    const LaneMask asked = exchanged.masks[lane] & present;
    const Word own = exchanged.values[lane];
    switch (step.operation) {
    case Operation::kShuffle: {
      const auto mode = static_cast<ShuffleMode>(step.detail);
      const unsigned from = shuffle_source(mode, lane, b[lane], c[lane]).lane;
      result[lane] = exchanged.values[(present >> from & 1) != 0 ? from : lane];
      return;
    }
    case Operation::kVoteBallot:
      result[lane] = lanes_with(1, asked, exchanged.values);
      return;
    case Operation::kMatchAny:
      result[lane] = lanes_with(own, asked, exchanged.values);
      return;
    case Operation::kMatchAll:
      result[lane] = lanes_with(own, asked, exchanged.values) == asked ? asked : 0;
      return;
    default:
      result[lane] =
          reduced(static_cast<ReduxKind>(step.detail), asked | 1U << lane, exchanged.values);
      return;
    }
  });
}

} // namespace

void shuffle_valid(Evaluator&, LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Word* b = group.read(step.operands[0]);
  const Word* c = group.read(step.operands[1]);
  const auto mode = static_cast<ShuffleMode>(step.detail);
  give(group, step, active, [&](unsigned lane) -> Word {
    return shuffle_source(mode, lane, b[lane], c[lane]).valid ? 1 : 0;
  });
}

void Evaluator::exchange(LaneGroup& group, const LaneStep& step, LaneMask active) {
  const Word* values = group.read(step.operands[0]);
  const Word* masks = group.read(mask_of(step));
  LaneMask wanted = 0;
  for_lanes(active, [&](unsigned lane) {
    exchanged.values[lane] = values[lane];
    exchanged.masks[lane] = static_cast<LaneMask>(masks[lane]);
    wanted |= exchanged.masks[lane];
  });
  if (block().checks) {
    block().checks->come_together(*warp_, active, exchanged.masks.data(), step.site);
  }
  if ((wanted & warp_->live & ~active) == 0) {
    if (block().checks) {
      block().checks->meet(*warp_, active, kind_of(step.operation));
    }
    finish(exchanged, group, step, active, active);
    return;
  }
  group.at = group.index_of(step);
  group.state = LaneGroup::State::kExchanging;
  reschedule();
}

bool Evaluator::complete_exchanges() {
  bool completed = false;
  for (unsigned kind = 0; kind <= static_cast<unsigned>(Exchange::kRedux); ++kind) {
    const auto waits = [&](const LaneGroup& group) {
      return group.mask != 0 && group.state == LaneGroup::State::kExchanging &&
             static_cast<unsigned>(kind_of(group.step().operation)) == kind;
    };
    LaneMask come = 0;
    for (const LaneGroup& group : groups_) {
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
    for (LaneGroup& group : groups_) {
      if (!waits(group) || (group.mask & ready) == 0) {
        continue;
      }
      if ((group.mask & ~ready) != 0) {
        split(group, group.mask & ~ready, group.at).state = LaneGroup::State::kExchanging;
      }
      finish(exchanged, group, group.step(), group.mask, come);
      group.state = LaneGroup::State::kRunnable;
      ++group.at;
      completed = true;
    }
  }
  return completed;
}

} // namespace gantry::simt::exec
