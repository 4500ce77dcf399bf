#include "plugins/mpi/node/loop.h"

#include "base/monotonic.h"
#include "plugins/mpi/node/guardian.h"
#include "plugins/mpi/silence.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <sys/prctl.h>

namespace gantry::mpi {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// How often a follower looks whether the leader runs something, and for how long it does so when
/// there was nothing.
constexpr microseconds kLook{100};
constexpr int kLooks = 50;

/// What takes longer, in nanoseconds, is worth that another thread is woken up.
constexpr std::uint64_t kLong = 50'000;

constexpr milliseconds kLongestPause{1};

/// This thread has run something, was no leader then, and is it again.
thread_local bool leads_again = false;

} // namespace

bool Loop::run(std::function<void()> work) {
  if (followers_.load() == 0) {
    start_follower();
  }
  Lead own = lead_.load();
  own.is = Lead::kRunning;
  lead_.store(own);
  const std::uint64_t usual = usual_.load(std::memory_order_relaxed);
  if (is_asleep_.load() || usual > kLong) {
    const std::lock_guard lock(mutex_);
    changed_.notify_one();
  }
  const std::uint64_t began = monotonic_now();
  work();
  const std::uint64_t took = monotonic_now() - began;
  usual_.store(std::max(took, usual - (usual - std::min(took, usual)) / 8),
               std::memory_order_relaxed);
  if (const Lead goes_on = {own.term, Lead::kAtWork}; lead_.compare_exchange_strong(own, goes_on)) {
    return true;
  }
  is_something_done_.store(true);
  // A leader that sleeps would take long to wake up, and this thread is awake.
  leads_again = takes_over();
  return false;
}

bool Loop::takes_over() {
  Lead other = lead_.load();
  const Lead own = {other.term + 1, Lead::kAtWork};
  return other.is != Lead::kAtWork && lead_.compare_exchange_strong(other, own);
}

bool Loop::wait_a_little(Pause& pause) {
  const auto sleep = pause.next();
  if (sleep.count() == 0) {
    return true;
  }
  const Lead at_work = lead_.load();
  Lead asleep = {at_work.term, Lead::kAsleep};
  lead_.store(asleep);
  if (!is_something_done_.exchange(false)) {
    std::this_thread::sleep_for(sleep);
  }
  return lead_.compare_exchange_strong(asleep, at_work);
}

void Loop::start_follower() {
  followers_.fetch_add(1);
  threads_.emplace_back([this] {
    while (follow()) {
      lead();
      followers_.fetch_add(1);
    }
  });
}

bool Loop::follow() {
  int looks = 0;
  bool is_leader = std::exchange(leads_again, false);
  while (!is_over_.load()) {
    is_leader = is_leader || (lead_.load().is == Lead::kRunning && takes_over());
    if (is_leader) {
      followers_.fetch_sub(1);
      return true;
    }
    std::unique_lock lock(mutex_);
    if (++looks < kLooks) {
      changed_.wait_for(lock, kLook);
      continue;
    }
    is_asleep_.store(true);
    if (lead_.load().is != Lead::kRunning) {
      changed_.wait_for(lock, seconds(1));
    }
    is_asleep_.store(false);
    looks = 0;
  }
  return false;
}

Status Loop::look_for_silence(std::uint64_t& before) const {
  const std::uint64_t patience = node_->patience();
  const std::uint64_t now = monotonic_now();
  const std::uint64_t gap = now - std::exchange(before, now);
  show_life(now, patience_of_node(patience));
  if (patience == 0) {
    return {};
  }
  if (gap > patience) {
    return fail("this process was stopped for {} ms, and the program waits for {} ms: it goes on "
                "without this node",
                gap / kMillisecond, patience / kMillisecond);
  }
  if (now - node_->heard() > patience_of_node(patience)) {
    return fail("nothing was heard of the program for {} ms: it was ended or stopped, or its "
                "machine cannot be reached",
                patience_of_node(patience) / kMillisecond);
  }
  return {};
}

void Loop::lead() {
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); // else it sleeps 50 us longer than it says
  std::uint64_t before = monotonic_now();
  for (Pause pause(kLongestPause);;) {
    if (Status silence = look_for_silence(before); !silence) {
      return end(std::move(silence));
    }
    const auto step = node_->step();
    if (!step) {
      return end(tl::unexpected(step.error()));
    }
    if (*step == Node::Step::kLeft) {
      return;
    }
    if (*step == Node::Step::kFinished) {
      return end({});
    }
    const std::uint64_t now = monotonic_now();
    if (now - told_.load() > saying_of(node_->patience())) {
      told_.store(now);
      if (const Status alive = node_->tell_alive(); !alive) {
        return end(alive);
      }
    }
    if (*step == Node::Step::kBusy || node_->has_transfers()) {
      pause.begin_again();
    }
    if (*step != Node::Step::kBusy && !wait_a_little(pause)) {
      return;
    }
  }
}

void Loop::end(Status outcome) {
  const std::lock_guard lock(mutex_);
  outcome_ = std::move(outcome);
  is_over_.store(true);
  changed_.notify_all();
}

Status Loop::work(Node& node) {
  node_ = &node;
  lead();
  followers_.fetch_add(1);
  while (follow()) {
    lead();
    followers_.fetch_add(1);
  }
  for (std::thread& thread : threads_) {
    if (outcome_ && node.finalises()) {
      thread.join();
    } else {
      thread.detach();
    }
  }
  return outcome_;
}

} // namespace gantry::mpi
