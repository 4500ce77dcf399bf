#include "simt/races/ordering.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace gantry::simt {

namespace {

/// Stamps of a block's second range; each further one has twice as many.
constexpr std::uint32_t kSecondRange = 64;
constexpr std::uint32_t kLargestRange = 1 << 16;
/// Times of single threads in a release to other blocks; where more threads release through one
/// barrier, that of the last one counts for all.
constexpr std::size_t kTimesReleased = 64;

} // namespace

void Ordering::begin(StampRange first, std::uint32_t warps, std::uint32_t in_step, SyncLogs& logs,
                     Stamps more) {
  step_ = static_cast<unsigned>(std::countr_zero(in_step));
  block_ = first.begin;
  ranges_.assign(1, {first.begin + 1, first.end});
  now_ = first.begin + 1;
  floor_ = 0;
  more_ = std::move(more);
  logs_ = &logs;
  const std::size_t threads = (std::size_t{warps} * kLanes + in_step - 1) / in_step;
  if (std::exchange(has_views_, false) || threads_.size() != threads) {
    threads_.assign(threads, Thread());
  }
  all_acquired_ = {};
  released_for_all_ = {};
  barriers_ = {};
  released_at_.clear();
  reading_.clear();
  observed_.clear();
}

bool Ordering::owned_before(Stamp stamp) const {
  return std::ranges::any_of(ranges_,
                             [&](const StampRange& range) { return range.contains(stamp); });
}

void Ordering::tick() {
  if (++now_ == ranges_.back().end) {
    const auto least = std::min<std::uint32_t>(
        kLargestRange, std::max(kSecondRange, 2 * (ranges_.back().end - ranges_.back().begin)));
    ranges_.push_back(more_(least));
    now_ = ranges_.back().begin;
  }
}

bool Ordering::is_before(std::uint32_t thread, Stamp time, std::uint32_t of) const {
  if (time <= floor_ || same(thread, of)) {
    return true;
  }
  const SharedView& known = threads_[index(of)].known;
  return known && known->own.of(index(thread)) >= time;
}

bool Ordering::is_before(Stamp block, std::uint32_t thread, Stamp time, std::uint32_t of) const {
  const std::uint32_t number = thread == Acquisitions::kAllThreads ? thread : index(thread);
  if (all_acquired_.cover(block, number, time)) {
    return true;
  }
  const SharedView& known = threads_[index(of)].known;
  return known && known->others.cover(block, number, time);
}

bool Ordering::has_observed(std::uint64_t address, std::uint32_t thread) const {
  if (!observed_.empty() && observed_[index(thread)] == address) {
    return true;
  }
  const SyncLog* const log = logs_->find(address);
  if (log == nullptr) {
    return false;
  }
  const SharedView& known = threads_[index(thread)].known;
  return all_acquired_.length_of(log) != 0 || (known && known->others.length_of(log) != 0);
}

template <typename Body>
void Ordering::for_threads(std::uint32_t warp, LaneMask lanes, const Body& body) {
  for (LaneMask left = step_ != 0 && lanes != 0 ? 1 : lanes; left != 0; left &= left - 1) {
    const std::uint32_t number =
        index(warp * kLanes + static_cast<unsigned>(std::countr_zero(left)));
    body(threads_[number], number);
  }
}

Ordering::SharedView Ordering::merged(const SharedView& a, const SharedView& b) {
  if (a == b || !b) {
    return a;
  }
  if (!a) {
    return b;
  }
  auto both = std::make_shared<View>(*a);
  both->merge(*b);
  return both;
}

/// Merges the views of several threads into one. Threads side by side mostly share theirs.
class Ordering::Gathering {
public:
  explicit Gathering(View& into) : into_(into) {}
  void add(const SharedView& view) {
    if (view && view != last_) {
      into_.merge(*view);
      last_ = view;
    }
  }

private:
  View& into_;
  SharedView last_;
};

void Ordering::take_acquired(Thread& thread) {
  if (thread.acquired) {
    thread.known = merged(thread.known, std::exchange(thread.acquired, nullptr));
  }
}

void Ordering::release(Thread& thread, Scope scope) const {
  for (std::size_t to = 0; to <= static_cast<std::size_t>(scope); ++to) {
    thread.released[to] = {thread.known, now_};
  }
}

void Ordering::arrive(std::uint32_t warp, LaneMask lanes, std::uint32_t barrier, bool waits) {
  finish_reads();
  Barrier& at = barriers_[barrier];
  if (waits) {
    at.waiting[warp] |= lanes;
  }
  Gathering arrived(at.arrived);
  for_threads(warp, lanes, [&](Thread& of, std::uint32_t thread) {
    if (has_views_) {
      take_acquired(of);
      arrived.add(of.known);
    }
    if (!waits) {
      at.passed.raise(thread, now_);
    }
  });
  if (!waits) {
    tick(); // what they do now is behind it
  }
}

void Ordering::complete(std::uint32_t barrier, const std::array<LaneMask, kMostWarps>& alive) {
  Barrier& at = barriers_[barrier];
  bool is_full = true;
  for (std::uint32_t warp = 0; warp < kMostWarps; ++warp) {
    is_full = is_full && (alive[warp] & ~at.waiting[warp]) == 0;
  }
  if (is_full) {
    all_acquired_.merge(at.arrived.others);
    complete_for_all();
  } else {
    has_views_ = true;
    View view = std::move(at.arrived);
    view.own.merge(at.passed);
    for (std::uint32_t warp = 0; warp < kMostWarps; ++warp) {
      for_threads(warp, at.waiting[warp],
                  [&](Thread&, std::uint32_t thread) { view.own.raise(thread, now_); });
    }
    const auto shared = std::make_shared<const View>(std::move(view));
    for (std::uint32_t warp = 0; warp < kMostWarps; ++warp) {
      for_threads(warp, at.waiting[warp], [&](Thread& of, std::uint32_t) { of.known = shared; });
    }
    tick();
  }
  at = {};
}

void Ordering::complete_for_all() {
  if (std::exchange(has_views_, false)) {
    released_for_all_ = all_released();
    for (Thread& thread : threads_) {
      if (thread.known) {
        all_acquired_.merge(thread.known->others); // of those that have ended
      }
      thread = {};
    }
  }
  floor_ = now_;
  tick();
}

/// What any thread has released to other blocks.
Ordering::View Ordering::all_released() const {
  View all = released_for_all_;
  constexpr auto kDevice = static_cast<std::size_t>(Scope::kDevice);
  Gathering views(all);
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) {
    const Released& released = threads_[thread].released[kDevice];
    if (released.own == 0) {
      continue;
    }
    views.add(released.view);
    all.own.raise(thread, released.own);
  }
  if (!all.is_empty()) {
    all.own.raise_all(floor_);
    all.others.merge(all_acquired_);
    all.own.shorten(kTimesReleased);
  }
  return all;
}

void Ordering::synchronise(std::uint32_t warp, LaneMask lanes) {
  finish_reads();
  has_views_ = true;
  View all;
  Gathering known(all);
  for_threads(warp, lanes, [&](Thread& of, std::uint32_t thread) {
    take_acquired(of);
    known.add(of.known);
    all.own.raise(thread, now_);
  });
  const auto view = std::make_shared<const View>(std::move(all));
  for_threads(warp, lanes, [&](Thread& of, std::uint32_t) { of.known = view; });
  tick();
}

void Ordering::fence(std::uint32_t warp, LaneMask lanes, Scope scope) {
  finish_reads();
  has_views_ = true;
  for_threads(warp, lanes, [&](Thread& of, std::uint32_t) {
    take_acquired(of);
    release(of, scope);
  });
  tick();
}

Ordering::View Ordering::released_by(const Thread& thread, std::uint32_t number,
                                     Scope scope) const {
  const Released& released = thread.released[static_cast<std::size_t>(scope)];
  View view;
  if (released.own != 0) {
    if (released.view) {
      view = *released.view;
    }
    view.own.raise_all(floor_);
    view.own.raise(number, released.own);
    view.others.merge(all_acquired_);
  }
  return view;
}

void Ordering::read_strongly(std::uint32_t thread, std::uint64_t address, bool acquires,
                             Scope scope) {
  Thread& of = threads_[index(thread)];
  if (const auto released = released_at_.find(address); released != released_at_.end()) {
    has_views_ = true;
    SharedView& gains = acquires ? of.known : of.acquired;
    gains = merged(gains, std::make_shared<const View>(released->second));
  }
  if (scope == Scope::kDevice) {
    observed_.resize(threads_.size());
    observed_[index(thread)] = address;
    reading_.push_back({index(thread), address, acquires});
  }
}

// What the logs are now, when the values have been read: a release whose value was read is in its
// log, because it is appended before the value is written.
void Ordering::acquire_read() {
  for (const StrongRead& read : reading_) {
    SyncLog* const log = logs_->find(read.address);
    if (log == nullptr) {
      continue;
    }
    has_views_ = true;
    Thread& of = threads_[read.thread];
    SharedView& gains = read.acquires ? of.known : of.acquired;
    const std::uint32_t length = log->length();
    if (gains && gains->others.length_of(log) >= length) {
      continue;
    }
    auto view = gains ? std::make_shared<View>(*gains) : std::make_shared<View>();
    view->others.add(log, length);
    gains = std::move(view);
  }
  reading_.clear();
}

void Ordering::write_strongly(std::uint32_t thread, std::uint64_t address, bool releases,
                              Scope scope) {
  const std::uint32_t number = index(thread);
  Thread& of = threads_[number];
  if (releases) {
    has_views_ = true;
    release(of, scope);
    tick();
  }
  if (View view = released_by(of, number, Scope::kBlock); !view.is_empty()) {
    released_at_[address].merge(view);
  }
  if (scope != Scope::kDevice) {
    return;
  }
  View view = released_by(of, number, Scope::kDevice);
  view.merge(released_for_all_);
  if (!view.is_empty()) {
    logs_->at(address).append(block_, view.own, &view.others);
  }
}

} // namespace gantry::simt
