// What the cases of plugin-check are written with. A case runs in a process of its own, which ends
// when the case fails or is skipped: destructors run only in a case that passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// That of the process; set before its case runs.
inline Subject subject;

/// A rule of gantry/plugin.h, and the code that tries it.
struct Case {
  const char* subject; ///< the part of the contract: "memory", "queues", …
  const char* rule;    ///< what holds, for people
  void (*run)();
  /// A driver below the plugin may report on its own what is wrong: a kernel's fault, an image.
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
void done(gantry_status status, std::string_view call);

/// Fails the case unless a call failed, with one of `expected` and a message as the contract wants
/// them.
void refused(gantry_status status, std::initializer_list<gantry_status> expected,
             std::string_view call);

/// Calls a function of the plugin's table, which has to succeed.
#define GANTRY_DO(function, ...)                                                                   \
  ::gantry::plugin_check::done(::gantry::plugin_check::subject.plugin->function(__VA_ARGS__),      \
                               #function)

/// Skips the case if the plugin does not have an optional function.
#define GANTRY_NEED(function)                                                                      \
  if (::gantry::plugin_check::subject.plugin->function == nullptr) {                               \
    ::gantry::plugin_check::skip("the plugin does not have " #function);                           \
  }

/// Skips the case if there is no image for the plugin.
void need_image();

/// A handle of a device, with what cases do most. Closed when it is destroyed.
class Device {
public:
  Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  [[nodiscard]] gantry_device* handle() const { return handle_; }
  [[nodiscard]] gantry_device_properties properties() const;
  [[nodiscard]] bool can(std::uint32_t capability) const {
    return (properties().capabilities & capability) != 0;
  }
  void need(std::uint32_t capability, std::string_view reason) const;

  void write(void* address, const void* host, std::uint64_t bytes) const;
  void read(void* host, const void* address, std::uint64_t bytes) const;
  void set(std::int64_t* address, std::int64_t value) const {
    write(address, &value, sizeof value);
  }
  [[nodiscard]] std::int64_t get(const std::int64_t* address) const;
  void launch(gantry_kernel* kernel, std::span<const std::uint64_t> arguments) const;

private:
  gantry_device* handle_ = nullptr;
};

/// Memory of a device, released when it is destroyed.
class Memory {
public:
  Memory(const Device& device, std::uint64_t bytes);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  [[nodiscard]] std::int64_t* words() const { return static_cast<std::int64_t*>(address_); }
  [[nodiscard]] unsigned char* bytes() const { return static_cast<unsigned char*>(address_); }

private:
  const Device& device_;
  void* address_ = nullptr;
};

/// The image of plugin-check on a device, loaded unless that is left to the case. Destroyed when
/// this is.
class Image {
public:
  enum class Load : bool { kNo, kYes };
  explicit Image(const Device& device, Load load = Load::kYes, const char* file = nullptr);
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image();

  [[nodiscard]] gantry_image* handle() const { return handle_; }
  [[nodiscard]] gantry_kernel* kernel(const char* name) const;
  /// The device address of a variable that is a word.
  [[nodiscard]] std::int64_t* variable(const char* name) const;

private:
  gantry_image* handle_ = nullptr;
};

/// A queue of a device; the case is skipped if that has none. Destroyed when this is.
class Queue {
public:
  explicit Queue(const Device& device);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue();

  [[nodiscard]] gantry_queue* handle() const { return handle_; }
  void put_launch(gantry_kernel* kernel, std::span<const std::uint64_t> arguments) const;
  void put_write(std::int64_t* address, const std::int64_t& value) const;
  void put_read(std::int64_t& value, const std::int64_t* address) const;
  void synchronize() const;

private:
  gantry_queue* handle_ = nullptr;
};

/// What a device is asked for where cases do not care about the place.
[[nodiscard]] gantry_allocation request_of(std::uint64_t bytes);

/// A symbol that is looked for.
[[nodiscard]] gantry_symbol symbol_of(const char* name, std::int32_t kind);

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

/// Repeats `round`, six times or more, and fails the case if the process holds on to more and more:
/// descriptors, threads, memory.
void without_leaks(int rounds, const std::function<void()>& round);

} // namespace gantry::plugin_check
