#include "simt/exec/checks/ordering.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace gantry::simt::exec {

void Ordering::begin(std::uint32_t warps, bool lockstep) {
  lockstep_ = lockstep;
  threads_.assign(std::size_t{warps} * (lockstep ? 1 : kLanes), Thread());
  barriers_ = {};
  released_at_.clear();
}

template <typename Body>
void Ordering::for_threads(std::uint32_t warp, LaneMask lanes, const Body& body) {
  for (LaneMask left = lockstep_ && lanes != 0 ? 1 : lanes; left != 0; left &= left - 1) {
    const std::uint32_t number = thread(warp, static_cast<unsigned>(std::countr_zero(left)));
    body(threads_[number], number);
  }
}

Ordering::View Ordering::merged(const View& a, const View& b) {
  if (a == b || !b) {
    return a;
  }
  if (!a) {
    return b;
  }
  if (std::ranges::equal(*a, *b, std::ranges::greater_equal())) {
    return a;
  }
  auto both = std::make_shared<Times>(*a);
  merge_into(*both, b);
  return both;
}

void Ordering::merge_into(Times& times, const View& view) {
  for (std::size_t i = 0; view && i < times.size(); ++i) {
    times[i] = std::max(times[i], (*view)[i]);
  }
}

Ordering::View Ordering::with_own(const Thread& of, std::uint32_t thread) const {
  auto times =
      of.known ? std::make_shared<Times>(*of.known) : std::make_shared<Times>(threads_.size(), 0);
  (*times)[thread] = of.time;
  return times;
}

void Ordering::arrive(std::uint32_t warp, LaneMask lanes, std::uint32_t barrier, bool waits) {
  Barrier& at = barriers_[barrier];
  at.arrived.resize(threads_.size());
  View last;
  for_threads(warp, lanes, [&](Thread& of, std::uint32_t thread) {
    of.known = merged(of.known, std::exchange(of.acquired, nullptr));
    if (of.known != last) {
      merge_into(at.arrived, of.known);
      last = of.known;
    }
    at.arrived[thread] = of.time++;
    if (waits) {
      at.waiting.push_back(thread);
    }
  });
}

void Ordering::complete(std::uint32_t barrier) {
  Barrier& at = barriers_[barrier];
  const auto all = std::make_shared<const Times>(std::move(at.arrived));
  for (const std::uint32_t thread : at.waiting) {
    threads_[thread].known = all;
  }
  at = {};
}

void Ordering::synchronise(std::uint32_t warp, LaneMask lanes) {
  Times all(threads_.size(), 0);
  View last;
  for_threads(warp, lanes, [&](Thread& of, std::uint32_t thread) {
    of.known = merged(of.known, std::exchange(of.acquired, nullptr));
    if (of.known != last) {
      merge_into(all, of.known);
      last = of.known;
    }
    all[thread] = of.time++;
  });
  const auto view = std::make_shared<const Times>(std::move(all));
  for_threads(warp, lanes, [&](Thread& of, std::uint32_t) { of.known = view; });
}

void Ordering::release(Thread& of, std::uint32_t thread) {
  of.released = with_own(of, thread);
  ++of.time;
}

void Ordering::fence(std::uint32_t warp, LaneMask lanes) {
  for_threads(warp, lanes, [&](Thread& of, std::uint32_t thread) {
    of.known = merged(of.known, std::exchange(of.acquired, nullptr));
    release(of, thread);
  });
}

void Ordering::read_strongly(std::uint32_t thread, std::uint64_t address, bool acquires) {
  const auto released = released_at_.find(address);
  if (released == released_at_.end()) {
    return;
  }
  Thread& of = threads_[thread];
  View& gains = acquires ? of.known : of.acquired;
  gains = merged(gains, released->second);
}

void Ordering::write_strongly(std::uint32_t thread, std::uint64_t address, bool releases) {
  Thread& of = threads_[thread];
  if (releases) {
    release(of, thread);
  }
  if (of.released) {
    View& released = released_at_[address];
    released = merged(released, of.released);
  }
}

} // namespace gantry::simt::exec
