// Operations that the lanes of a warp do together: shuffles, votes, matches, reductions,
// bar.warp.sync, and those on matrices.
//
// Each waits until every lane of its mask that has not exited has arrived at an operation of the
// same kind. Evaluator::exchanged keeps the values of lanes that have arrived. Once all have, each
// lane's own step computes its result.
#include "simt/exec/arithmetic/matrix.h"
#include "simt/exec/evaluator/evaluator.h"

#include <algorithm>
#include <array>

namespace gantry::simt::exec {

namespace {

using Word = std::uint64_t;
using Column = Evaluator::Column;

Exchange kind_of(LaneOperation operation) {
  switch (operation) {
  case LaneOperation::kShuffle:
    return Exchange::kShuffle;
  case LaneOperation::kVoteBallot:
    return Exchange::kVote;
  case LaneOperation::kMatchAny:
  case LaneOperation::kMatchAll:
    return Exchange::kMatch;
  case LaneOperation::kRedux:
    return Exchange::kRedux;
  case LaneOperation::kMatrix:
    return Exchange::kMatrix;
  default:
    return Exchange::kBarrier;
  }
}

/// The mask of the lanes that are to take part, of operations that have one.
const LaneOperand& mask_of(const LaneStep& step) {
  switch (step.operation) {
  case LaneOperation::kShuffle:
    return step.operands[3];
  case LaneOperation::kWarpBarrier:
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
    case LaneOperation::kShuffle: {
      const auto mode = static_cast<ShuffleMode>(step.detail);
      const unsigned from = shuffle_source(mode, lane, b[lane], c[lane]).lane;
      result[lane] = exchanged.values[(present >> from & 1) != 0 ? from : lane];
      return;
    }
    case LaneOperation::kVoteBallot:
      result[lane] = lanes_with(1, asked, exchanged.values);
      return;
    case LaneOperation::kMatchAny:
      result[lane] = lanes_with(own, asked, exchanged.values);
      return;
    case LaneOperation::kMatchAll:
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
  LaneMask wanted = 0;
  if (step.operation == LaneOperation::kMatrix) {
    wanted = kAllLanes;
    for_lanes(active, [&](unsigned lane) { exchanged.masks[lane] = kAllLanes; });
    if (warp_->live != kAllLanes) {
      trap(active, Trap::kLanesMissing, step.site);
    }
  } else {
    const Word* values = group.read(step.operands[0]);
    const Word* masks = group.read(mask_of(step));
    for_lanes(active, [&](unsigned lane) {
      exchanged.values[lane] = values[lane];
      exchanged.masks[lane] = static_cast<LaneMask>(masks[lane]);
      wanted |= exchanged.masks[lane];
    });
  }
  if (block().watch) {
    fail_if(*warp_,
            block().watch->arrive_in_warp(*warp_, active, exchanged.masks.data(), step.site));
  }
  if ((wanted & warp_->live & ~active) == 0) {
    if (block().watch) {
      block().watch->complete_in_warp(*warp_, active, kind_of(step.operation));
    }
    if (step.operation == LaneOperation::kMatrix) {
      LaneGroup* all = &group;
      finish_matrix({&all, 1}, step);
    } else {
      finish(exchanged, group, step, active, active);
    }
    return;
  }
  group.at = group.index_of(step);
  group.state = LaneGroup::State::kExchanging;
  reschedule();
}

// Groups of one step may be in several calls of a function, each with its columns. All operands are
// read before any result is written, because a result may be in the column of an operand.
void Evaluator::finish_matrix(std::span<LaneGroup* const> groups, const LaneStep& step) {
  const MatrixOperation operation = MatrixOperation::unpacked(step.detail);
  std::array<Column, kMostMatrixWords> words = {};
  std::array<Column, kMostMatrixWords> results = {};
  std::array<MatrixColumn, kMostMatrixWords> in = {};
  std::array<Word*, kMostMatrixWords> out = {};
  for (std::size_t i = 0; i < kMostMatrixWords; ++i) {
    in[i] = words[i].data();
    out[i] = results[i].data();
  }
  for (const LaneGroup* group : groups) {
    for (std::size_t i = 0; i < step.words.size(); ++i) {
      const Word* word = group->read(step.words[i]);
      for_lanes(group->mask, [&](unsigned lane) { words[i][lane] = word[lane]; });
    }
  }
  compute_matrix(operation, in.data(), out.data());
  for (const LaneGroup* group : groups) {
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      Word* result = group->frame->column(step.results[i]);
      for_lanes(group->mask, [&](unsigned lane) { result[lane] = results[i][lane]; });
    }
  }
}

bool Evaluator::complete_matrix() {
  std::array<LaneGroup*, kLanes> waiting = {};
  std::size_t count = 0;
  LaneMask arrived = 0;
  for (LaneGroup& group : groups_) {
    if (group.mask != 0 && group.state == LaneGroup::State::kExchanging &&
        group.step().operation == LaneOperation::kMatrix) {
      waiting[count++] = &group;
      arrived |= group.mask;
    }
  }
  if (count == 0 || arrived != warp_->live) {
    return false;
  }
  const LaneStep& step = waiting[0]->step();
  const std::span<LaneGroup* const> groups(waiting.data(), count);
  if (arrived != kAllLanes) {
    trap(arrived, Trap::kLanesMissing, step.site);
  }
  if (std::ranges::any_of(groups, [&](LaneGroup* group) { return &group->step() != &step; })) {
    trap(waiting[0]->mask, Trap::kLanesApart, step.site);
  }
  if (block().watch) {
    block().watch->complete_in_warp(*warp_, arrived, Exchange::kMatrix);
  }
  finish_matrix(groups, step);
  for (LaneGroup* group : groups) {
    group->state = LaneGroup::State::kRunnable;
    ++group->at;
  }
  return true;
}

bool Evaluator::complete_exchanges() {
  bool completed = complete_matrix();
  for (unsigned kind = 0; kind <= static_cast<unsigned>(Exchange::kRedux); ++kind) {
    const auto waits = [&](const LaneGroup& group) {
      return group.mask != 0 && group.state == LaneGroup::State::kExchanging &&
             static_cast<unsigned>(kind_of(group.step().operation)) == kind;
    };
    LaneMask arrived = 0;
    for (const LaneGroup& group : groups_) {
      arrived |= waits(group) ? group.mask : 0;
    }
    LaneMask ready = 0;
    for_lanes(arrived, [&](unsigned lane) {
      const LaneMask named = exchanged.masks[lane] & warp_->live;
      // A lane whose mask does not name this one waits in another operation.
      LaneMask meant = 0;
      for_lanes(named & arrived,
                [&](unsigned other) { meant |= (exchanged.masks[other] >> lane & 1) << other; });
      ready |= named == meant ? 1U << lane : 0;
    });
    if (ready == 0) {
      continue;
    }
    if (block().watch) {
      block().watch->complete_in_warp(*warp_, ready, static_cast<Exchange>(kind));
    }
    // A lane that is ready may exchange with one whose own mask has more lanes, which have not
    // arrived: that one's value is here.
    for (LaneGroup& group : groups_) {
      if (!waits(group) || (group.mask & ready) == 0) {
        continue;
      }
      if ((group.mask & ~ready) != 0) {
        split(group, group.mask & ~ready, group.at).state = LaneGroup::State::kExchanging;
      }
      finish(exchanged, group, group.step(), group.mask, arrived);
      group.state = LaneGroup::State::kRunnable;
      ++group.at;
      completed = true;
    }
  }
  return completed;
}

} // namespace gantry::simt::exec
