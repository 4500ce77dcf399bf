// Steps of the evaluator: barriers in shared memory, and what arrives there.
#include "simt/exec/engine/async.h"
#include "simt/exec/evaluator/evaluator.h"

#include <algorithm>

namespace gantry::simt::exec {

namespace {

using Word = std::uint64_t;

constexpr std::size_t kMostWords = 8;
using Words = std::array<Evaluator::Column, kMostWords>;

void read_words(const LaneGroup& group, const LaneStep& step, Words& words) {
  for (std::size_t i = 0; i < std::min(kMostWords, step.words.size()); ++i) {
    std::copy_n(group.read(step.words[i]), kLanes, words[i].begin());
  }
}

} // namespace

void start_async(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  Words words = {};
  Evaluator::Column results = {};
  read_words(group, step, words);
  start_async(evaluator.warp(), active, AsyncOperation::unpacked(step.detail), words[0].data(),
              results.data(), step.site);
  give(group, step, active, [&](unsigned lane) -> Word { return results[lane]; });
}

void await_async(Evaluator& evaluator, LaneGroup& group, const LaneStep& step, LaneMask active) {
  Words words = {};
  Evaluator::Column results = {};
  read_words(group, step, words);
  Warp& warp = evaluator.warp();
  const AsyncOperation operation = AsyncOperation::unpacked(step.detail);
  const auto others_go_on = [&](Waiting why) {
    evaluator.give_way(group);
    // Other lanes of the warp may do more than wait.
    why.what = group.mask == warp.live ? why.what : Waiting::For::kSleep;
    suspend(warp, why);
    evaluator.has_suspended();
  };
  if (operation.action == AsyncAction::kClusterWait) {
    if (!wait_in_cluster(warp, active, step.site)) {
      group.at = group.index_of(step); // again
      others_go_on(waiting_for_cluster(warp, active, step.site));
    }
    return;
  }
  if (test_async(warp, active, operation, words[0].data(), results.data(), step.site) == 0) {
    others_go_on(waiting_for_async(active, operation, words[0].data(), step.site));
    (void)test_async(warp, active, operation, words[0].data(), results.data(), step.site);
  }
  give(group, step, active, [&](unsigned lane) -> Word { return results[lane]; });
}

} // namespace gantry::simt::exec
