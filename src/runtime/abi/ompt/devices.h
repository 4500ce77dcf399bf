// The devices that a tool knows: from device_initialize, before anything else that it is told of
// one, to device_finalize, after everything.
#pragma once

#include "runtime/abi/ompt/trace.h"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace gantry::abi::ompt {

/// One of them; for a tool its address is the ompt_device_t. Never destroyed. Any thread.
class KnownDevice {
public:
  explicit KnownDevice(int number) : number_(number), trace_(number) {}

  /// OpenMP device `number`, or null: it is finished. The first caller tells the tool of it, and
  /// others wait until it has.
  [[nodiscard]] static KnownDevice* find(int number);
  /// What a tool calls it: one of all, or the first for null.
  [[nodiscard]] static KnownDevice* of(ompt_device_t* device);
  /// Tells of the end of each.
  static void finish_all();

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] DeviceTrace& trace() { return trace_; }

  /// Tells of images that have come and that go.
  void tell_loaded(const std::byte* image, std::size_t size);
  void tell_unloaded(const std::byte* image);

private:
  enum class State : std::uint8_t { kUnknown, kBeingTold, kKnown, kFinished };

  void tell();
  void finish();

  int number_;
  std::atomic<State> state_{State::kUnknown};
  std::atomic<std::thread::id> telling_{}; ///< the thread that tells of it
  DeviceTrace trace_;

  struct Image {
    const std::byte* begin;
    std::uint64_t module; ///< the tool's number of it
  };
  std::mutex mutex_;
  std::vector<Image> images_;
};

} // namespace gantry::abi::ompt
