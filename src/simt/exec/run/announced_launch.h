// A launch that has been put into a queue and has not begun, for the race check: which launches
// happen before it is known only then (checks/grid_history.h).
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace gantry::simt::exec {

/// Owned by the work that will run the launch.
class AnnouncedLaunch {
public:
  /// Nothing is known of the launch.
  AnnouncedLaunch() = default;
  /// It goes to the place `sequence` of a queue. `is_after` says whether what is put there now
  /// happens after a place of another queue. Nothing happens unless GANTRY_SIMT_CHECK has race.
  AnnouncedLaunch(std::uint64_t queue, std::uint64_t sequence,
                  const std::function<bool(std::uint64_t queue, std::uint64_t sequence)>& is_after);
  ~AnnouncedLaunch();
  AnnouncedLaunch(AnnouncedLaunch&& other) noexcept : number_(std::exchange(other.number_, 0)) {}
  AnnouncedLaunch& operator=(AnnouncedLaunch&&) = delete;

  /// 0: nothing is known of it.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// Whether another one has been announced since.
  [[nodiscard]] bool is_followed() const;

private:
  std::uint64_t number_ = 0;
};

} // namespace gantry::simt::exec
