#include "simt/amdgcn/hsa/signals.h"

#include "base/monotonic.h"
#include "simt/amdgcn/hsa/futex.h"
#include "simt/memory/device_memory.h"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <thread>

namespace gantry::simt::hsa {

namespace {

// Which member of amd_signal_t, that AMD's runtime has for itself, is what here.
std::atomic_ref<std::int64_t> value_of(const Signal& signal) {
  return std::atomic_ref(const_cast<std::int64_t&>(signal.value));
}
std::atomic_ref<std::int64_t> kind_of(const Signal& signal) {
  return std::atomic_ref(const_cast<std::int64_t&>(signal.kind));
}
std::atomic_ref<std::uint32_t> failed_of(const Signal& signal) {
  return std::atomic_ref(const_cast<std::uint32_t&>(signal.reserved1));
}
/// Threads that sleep on the value.
std::atomic_ref<std::uint32_t> sleepers_of(const Signal& signal) {
  return std::atomic_ref(const_cast<std::uint32_t&>(signal.reserved3[0]));
}
/// Calls of wait_until() that have the signal.
std::atomic_ref<std::uint32_t> watchers_of(const Signal& signal) {
  return std::atomic_ref(const_cast<std::uint32_t&>(signal.reserved3[1]));
}

/// The value's lower half, which nearly every change changes; the others are seen when looking
/// again.
const std::uint32_t* word_of(const Signal& signal) {
  return const_cast<const std::uint32_t*>(
      reinterpret_cast<const volatile std::uint32_t*>(&signal.value));
}

/// Counts what may concern calls of wait_until().
alignas(64) std::atomic<std::uint32_t> changes = 0;

void wake(const Signal& signal) {
  if (sleepers_of(signal).load() != 0) {
    futex_wake_all(word_of(signal));
  }
  if (watchers_of(signal).load() != 0) {
    ring();
  }
}

/// So long a waiter looks without giving up the processor.
constexpr std::uint64_t kShortSpin = 5'000;
constexpr std::uint64_t kActiveSpin = 50'000;

std::uint64_t end_of(std::uint64_t nanoseconds) {
  const std::uint64_t now = monotonic_now();
  return nanoseconds > kForEver - now ? kForEver : now + nanoseconds;
}

} // namespace

std::int64_t load(const Signal& signal) {
  return value_of(signal).load();
}

void store(Signal& signal, std::int64_t value) {
  failed_of(signal).store(0);
  value_of(signal).store(value);
  wake(signal);
}

void add(Signal& signal, std::int64_t value) {
  value_of(signal).fetch_add(value);
  wake(signal);
}

void complete(Signal& signal, std::uint64_t began, std::uint64_t ended) {
  std::atomic_ref(signal.start_ts).store(began, std::memory_order_relaxed);
  std::atomic_ref(signal.end_ts).store(ended, std::memory_order_relaxed);
  add(signal, -1);
}

void fail(Signal& signal) {
  failed_of(signal).store(1);
  value_of(signal).store(-1);
  wake(signal);
}

bool has_failed(const Signal& signal) {
  return failed_of(signal).load() != 0 && load(signal) < 0;
}

bool is_satisfied(std::int64_t value, hsa_signal_condition_t condition, std::int64_t compared) {
  switch (condition) {
  case HSA_SIGNAL_CONDITION_EQ:
    return value == compared;
  case HSA_SIGNAL_CONDITION_NE:
    return value != compared;
  case HSA_SIGNAL_CONDITION_LT:
    return value < compared;
  case HSA_SIGNAL_CONDITION_GTE:
    return value >= compared;
  }
  return true;
}

std::int64_t wait(Signal& signal, hsa_signal_condition_t condition, std::int64_t compared,
                  std::uint64_t nanoseconds, hsa_wait_state_t state) {
  std::int64_t value = load(signal);
  if (is_satisfied(value, condition, compared)) {
    return value;
  }
  const std::uint64_t end = end_of(nanoseconds);
  // Who waits for a thread of this processor would keep it from running.
  static const bool alone = std::thread::hardware_concurrency() <= 1;
  const std::uint64_t spin =
      alone ? 0 : end_of(state == HSA_WAIT_STATE_ACTIVE ? kActiveSpin : kShortSpin);
  for (std::uint64_t now = monotonic_now(); now < std::min(spin, end); now = monotonic_now()) {
    for (int i = 0; i < 32; ++i) {
      value = load(signal);
      if (is_satisfied(value, condition, compared)) {
        return value;
      }
      __builtin_ia32_pause();
    }
  }
  sleepers_of(signal).fetch_add(1);
  for (;;) {
    value = load(signal);
    const std::uint64_t now = monotonic_now();
    if (is_satisfied(value, condition, compared) || now >= end ||
        kind_of(signal).load() == AMD_SIGNAL_KIND_INVALID) {
      break;
    }
    futex_wait(word_of(signal), static_cast<std::uint32_t>(value), std::min(end - now, kLookAgain));
  }
  sleepers_of(signal).fetch_sub(1);
  return value;
}

bool wait_until(std::span<Signal* const> signals, std::uint64_t nanoseconds,
                const std::function<bool()>& done) {
  if (done()) {
    return true;
  }
  for (Signal* const signal : signals) {
    watchers_of(*signal).fetch_add(1);
  }
  const std::uint64_t end = end_of(nanoseconds);
  bool is_done = false;
  for (;;) {
    const std::uint32_t seen = changes.load();
    is_done = done();
    const std::uint64_t now = monotonic_now();
    if (is_done || now >= end) {
      break;
    }
    // Without signals only ring() is waited for.
    futex_wait(reinterpret_cast<const std::uint32_t*>(&changes), seen,
               std::min(end - now, signals.empty() ? kForEver / 2 : kLookAgain));
  }
  for (Signal* const signal : signals) {
    watchers_of(*signal).fetch_sub(1);
  }
  return is_done;
}

void ring() {
  changes.fetch_add(1);
  futex_wake_all(reinterpret_cast<const std::uint32_t*>(&changes));
}

namespace {

/// The first piece has so many signals, each further one twice as many as the one before.
constexpr std::uint64_t kFirstPiece = 1024;
constexpr std::size_t kMostPieces = 14;

constexpr std::uint64_t signals_of(std::size_t piece) {
  return kFirstPiece << piece;
}

} // namespace

struct Signals::State {
  std::array<std::atomic<std::uint64_t>, kMostPieces> pieces = {}; ///< addresses; 0: none yet
  std::mutex mutex;
  std::deque<Signal*> free; ///< the oldest is used next

  void add_piece() {
    const auto next =
        std::ranges::find_if(pieces, [](const auto& piece) { return piece.load() == 0; });
    if (next == pieces.end()) {
      return;
    }
    const std::uint64_t count = signals_of(static_cast<std::size_t>(next - pieces.begin()));
    Allocation what;
    what.size = count * sizeof(Signal);
    what.kind = MemoryKind::kPinned;
    const auto address = DeviceMemory::instance()->allocate(what);
    if (!address) {
      return;
    }
    std::memset(reinterpret_cast<void*>(*address), 0, what.size);
    for (std::uint64_t i = 0; i < count; ++i) {
      free.push_back(reinterpret_cast<Signal*>(*address) + i);
    }
    next->store(*address);
  }
};

Signals::Signals() : state_(new State) {}

Signals& Signals::instance() {
  static auto* const signals = new Signals;
  return *signals;
}

Signal* Signals::create(std::int64_t value) {
  const std::lock_guard lock(state_->mutex);
  if (state_->free.empty()) {
    state_->add_piece();
  }
  if (state_->free.empty()) {
    return nullptr;
  }
  Signal* const signal = state_->free.front();
  state_->free.pop_front();
  failed_of(*signal).store(0);
  signal->start_ts = 0;
  signal->end_ts = 0;
  signal->queue_ptr = nullptr;
  value_of(*signal).store(value);
  kind_of(*signal).store(AMD_SIGNAL_KIND_USER);
  return signal;
}

bool Signals::destroy(Signal* signal) {
  std::int64_t live = AMD_SIGNAL_KIND_USER;
  if (!kind_of(*signal).compare_exchange_strong(live, AMD_SIGNAL_KIND_INVALID)) {
    return false;
  }
  futex_wake_all(word_of(*signal));
  ring();
  const std::lock_guard lock(state_->mutex);
  state_->free.push_back(signal);
  return true;
}

Signal* Signals::find(hsa_signal_t handle) const {
  for (std::size_t i = 0; i < kMostPieces; ++i) {
    const std::uint64_t begin = state_->pieces[i].load(std::memory_order_acquire);
    if (begin == 0) {
      return nullptr;
    }
    const std::uint64_t offset = handle.handle - begin;
    if (offset < signals_of(i) * sizeof(Signal)) {
      auto* const signal = reinterpret_cast<Signal*>(handle.handle);
      return offset % sizeof(Signal) == 0 && kind_of(*signal).load() == AMD_SIGNAL_KIND_USER
                 ? signal
                 : nullptr;
    }
  }
  return nullptr;
}

void Signals::clear() {
  for (std::size_t i = 0; i < kMostPieces; ++i) {
    const std::uint64_t begin = state_->pieces[i].load();
    for (std::uint64_t k = 0; begin != 0 && k < signals_of(i); ++k) {
      destroy(reinterpret_cast<Signal*>(begin) + k);
    }
  }
}

} // namespace gantry::simt::hsa
