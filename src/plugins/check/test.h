// What the cases of plugin-check are written with. A case runs in a process of its own, which ends
// when the case fails.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gantry/plugin.h>

namespace gantry::plugin_check {

/// What is tested.
struct Subject {
  const gantry_plugin* plugin = nullptr;
  std::int32_t index = 0; ///< of the plugin's device
  std::string options;    ///< of the device
  std::vector<std::byte> image;
};

/// A rule of gantry/plugin.h, and the code that tries it.
struct Case {
  const char* subject; ///< the part of the contract: "memory", "queues", …
  const char* rule;    ///< what holds, for people
  void (*run)(const Subject&);
  /// A driver below the plugin may report a fault on its own.
  bool may_print = false;
};

[[nodiscard]] std::span<const Case> lifecycle_cases();
[[nodiscard]] std::span<const Case> memory_cases();
[[nodiscard]] std::span<const Case> image_cases();
[[nodiscard]] std::span<const Case> launch_cases();
[[nodiscard]] std::span<const Case> queue_cases();
[[nodiscard]] std::span<const Case> fault_cases();

/// End the case, and its process.
[[noreturn]] void fail(std::string_view text);
[[noreturn]] void skip(std::string_view reason);

template <typename... Arguments>
void require(bool holds, fmt::format_string<Arguments...> otherwise, Arguments&&... arguments) {
  if (!holds) {
    fail(fmt::format(otherwise, std::forward<Arguments>(arguments)...));
  }
}

/// "GANTRY_OUT_OF_MEMORY", or the number.
[[nodiscard]] std::string name_of(gantry_status status);

/// Fails the case unless a call succeeded.
void done(const Subject& subject, gantry_status status, std::string_view call);

/// Fails the case unless a call failed, with one of `expected` and a message as the contract wants
/// them.
void refused(const Subject& subject, gantry_status status,
             std::initializer_list<gantry_status> expected, std::string_view call);

/// A handle of a device, with what cases do most. Not closed by itself.
class Device {
public:
  explicit Device(const Subject& subject);
  /// One that is open.
  Device(const Subject& subject, gantry_device* handle) : subject_(&subject), handle_(handle) {}

  [[nodiscard]] gantry_device* handle() const { return handle_; }
  [[nodiscard]] const gantry_plugin& plugin() const { return *subject_->plugin; }
  [[nodiscard]] std::uint32_t capabilities() const;
  [[nodiscard]] bool can(std::uint32_t capability) const {
    return (capabilities() & capability) != 0;
  }
  void close() const;

  [[nodiscard]] std::int64_t* allocate(std::uint64_t bytes) const;
  void release(void* address) const;
  void write(void* address, const void* host, std::uint64_t bytes) const;
  void read(void* host, const void* address, std::uint64_t bytes) const;
  void set(std::int64_t* address, std::int64_t value) const {
    write(address, &value, sizeof value);
  }
  [[nodiscard]] std::int64_t get(const std::int64_t* address) const;

  /// The image of plugin-check, loaded.
  [[nodiscard]] gantry_image* load() const;
  void destroy(gantry_image* image) const;
  [[nodiscard]] gantry_kernel* kernel(gantry_image* image, const char* name) const;
  /// The device address of a variable that is a word.
  [[nodiscard]] std::int64_t* variable(gantry_image* image, const char* name) const;
  void launch(gantry_kernel* kernel, std::span<const std::uint64_t> arguments) const;

  [[nodiscard]] gantry_queue* create_queue() const;
  void destroy_queue(gantry_queue* queue) const;
  void put_launch(gantry_queue* queue, gantry_kernel* kernel,
                  std::span<const std::uint64_t> arguments) const;
  void synchronize(gantry_queue* queue) const;

private:
  const Subject* subject_;
  gantry_device* handle_ = nullptr;
};

/// A launch of one thread.
[[nodiscard]] gantry_launch one_thread(std::span<const std::uint64_t> arguments);

/// Words of a launch: addresses and numbers.
template <typename... Values>
std::vector<std::uint64_t> words(Values... values) {
  const auto word = [](auto value) {
    if constexpr (std::is_pointer_v<decltype(value)>) {
      return reinterpret_cast<std::uint64_t>(value);
    } else {
      return static_cast<std::uint64_t>(value);
    }
  };
  return {word(values)...};
}

inline constexpr int kThreads = 8;

/// Runs `work(number)` on eight threads at once.
template <typename Work>
void on_threads(Work work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([=] { work(i); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

/// What a process holds on to, to find what is not given back.
struct Holdings {
  std::size_t descriptors = 0;
  std::size_t threads = 0;
  std::size_t resident_bytes = 0;
};
/// Of a process that does nothing more: threads that were told to end have done so, if they do.
[[nodiscard]] Holdings holdings();

/// Repeats `round` and fails the case if the process holds on to more and more.
template <typename Round>
void without_leaks(int rounds, Round round) {
  constexpr std::size_t kSlack = std::size_t{64} << 20;
  // Half of the rounds for what is made once, or kept up to some number.
  for (int i = 0; i < rounds / 2; ++i) {
    round();
  }
  const Holdings before = holdings();
  for (int i = rounds / 2; i < rounds; ++i) {
    round();
  }
  const Holdings after = holdings();
  require(after.descriptors <= before.descriptors,
          "file descriptors are not given back: {} after {} rounds, {} after {}",
          before.descriptors, rounds / 2, after.descriptors, rounds);
  // A pool may still grow; what is lost grows by one a round.
  const auto pool = static_cast<std::size_t>(std::max(kThreads, rounds / 4));
  require(after.threads <= before.threads + pool,
          "threads are not ended: {} after {} rounds, {} after {}", before.threads, rounds / 2,
          after.threads, rounds);
  require(after.resident_bytes <= before.resident_bytes + kSlack,
          "memory is not given back: {} MiB after {} rounds, {} MiB after {}",
          before.resident_bytes >> 20, rounds / 2, after.resident_bytes >> 20, rounds);
}

} // namespace gantry::plugin_check
