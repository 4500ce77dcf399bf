#include "simt/amdgcn/hsa/copies.h"

#include "base/monotonic.h"
#include "simt/amdgcn/hsa/memory.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace gantry::simt::hsa {

namespace {

/// A copy of at most so many bytes takes less time than to hand it to a thread.
constexpr std::uint64_t kSmall = 64 << 10;

bool is_ready(const Copy& copy) {
  return std::ranges::all_of(
      copy.after, [](const Signal* signal) { return load(*signal) == 0 || has_failed(*signal); });
}

/// A signal that ended while the copy was under way has no one who waits for it.
Signal* live(Signal* signal) {
  return Signals::instance().find({handle_of(*signal)});
}

void perform(const Copy& work) {
  const std::uint64_t began = monotonic_now();
  bool is_done =
      std::ranges::none_of(work.after, [](const Signal* signal) { return has_failed(*signal); });
  if (is_done && !copy(work.to, work.from, work.bytes)) {
    is_done = false;
    std::fputs(
        fmt::format("gantry: error: a copy of {} bytes from {} to {} is not possible: a part "
                    "is no memory\n",
                    work.bytes, work.from, work.to)
            .c_str(),
        stderr);
  }
  if (Signal* const signal = live(work.done)) {
    if (is_done) {
      complete(*signal, began, monotonic_now());
    } else {
      fail(*signal);
    }
  }
}

} // namespace

struct Copies::State {
  std::mutex mutex;
  std::condition_variable idle;
  std::vector<Copy> waiting; ///< the oldest first
  bool has_thread = false;
  bool is_busy = false;

  void serve();
  bool perform_ready();
};

Copies::Copies() : state_(new State) {}

Copies& Copies::instance() {
  static auto* const copies = new Copies;
  return *copies;
}

/// Performs the oldest copy that may begin; false if there is none.
bool Copies::State::perform_ready() {
  std::unique_lock lock(mutex);
  const auto ready = std::ranges::find_if(waiting, is_ready);
  if (ready == waiting.end()) {
    return false;
  }
  const Copy work = std::move(*ready);
  waiting.erase(ready);
  is_busy = true;
  lock.unlock();
  perform(work);
  lock.lock();
  is_busy = false;
  idle.notify_all();
  return true;
}

void Copies::State::serve() {
  for (;;) {
    std::vector<Signal*> signals;
    std::unique_lock lock(mutex);
    for (const Copy& copy : waiting) {
      signals.insert(signals.end(), copy.after.begin(), copy.after.end());
    }
    const std::size_t count = waiting.size();
    lock.unlock();
    wait_until(signals, kForEver, [&] {
      if (perform_ready()) {
        return true;
      }
      const std::lock_guard again(mutex);
      return waiting.size() != count;
    });
  }
}

void Copies::add(Copy copy) {
  if (copy.bytes <= kSmall && is_ready(copy)) {
    perform(copy);
    return;
  }
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->has_thread) {
      std::thread([state = state_] { state->serve(); }).detach();
      state_->has_thread = true;
    }
    state_->waiting.push_back(std::move(copy));
  }
  ring();
}

void Copies::clear() {
  std::unique_lock lock(state_->mutex);
  state_->waiting.clear();
  state_->idle.wait(lock, [&] { return !state_->is_busy; });
}

} // namespace gantry::simt::hsa
