// Signals: numbers that the host, the queues and device code wait for and change.
//
// A signal's handle is the address of an amd_signal_t, which lies in memory that device code may
// access, so that code which knows the layout may use the value. Memory of signals is never given
// back: a handle that has ended is found out as long as its place is not used again, and never
// leads astray.
//
// Whoever waits sleeps until a change through this interface wakes it; changes by device code wake
// nobody and are seen because sleepers look again every kLookAgain nanoseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>

namespace gantry::simt::hsa {

inline constexpr std::uint64_t kLookAgain = 2'000'000;
inline constexpr std::uint64_t kForEver = UINT64_MAX;

using Signal = amd_signal_t;

[[nodiscard]] inline std::uint64_t handle_of(const Signal& signal) {
  return reinterpret_cast<std::uint64_t>(&signal);
}
[[nodiscard]] std::int64_t load(const Signal& signal);
void store(Signal& signal, std::int64_t value);
void add(Signal& signal, std::int64_t value);

/// What the signal is for is done: one less. It began and ended at these times.
void complete(Signal& signal, std::uint64_t began, std::uint64_t ended);
/// It failed: the value is negative, and who depends on the signal fails as well.
void fail(Signal& signal);
[[nodiscard]] bool has_failed(const Signal& signal);

[[nodiscard]] bool is_satisfied(std::int64_t value, hsa_signal_condition_t condition,
                                std::int64_t compared);
[[nodiscard]] inline bool is_condition(int condition) {
  return condition >= HSA_SIGNAL_CONDITION_EQ && condition <= HSA_SIGNAL_CONDITION_GTE;
}

/// The value that satisfied the condition, or what it was when the time was over or the signal
/// ended.
[[nodiscard]] std::int64_t wait(Signal& signal, hsa_signal_condition_t condition,
                                std::int64_t compared, std::uint64_t nanoseconds,
                                hsa_wait_state_t state);

/// Waits until `done()`, which is asked again whenever one of the signals has changed or ring() was
/// called, or until the time is over. What done() said last.
bool wait_until(std::span<Signal* const> signals, std::uint64_t nanoseconds,
                const std::function<bool()>& done);
/// Lets all threads that are in wait_until() ask again.
void ring();

class Signals {
public:
  [[nodiscard]] static Signals& instance();

  /// Null if there is no memory.
  [[nodiscard]] Signal* create(std::int64_t value);
  /// False if it is none.
  bool destroy(Signal* signal);
  /// The live signal, or null.
  [[nodiscard]] Signal* find(hsa_signal_t handle) const;
  /// Ends all.
  void clear();

  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

private:
  Signals();
  struct State;
  State* state_;
};

} // namespace gantry::simt::hsa
