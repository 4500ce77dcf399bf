// One OpenMP device: what it runs on, what is loaded on it and its data environment.
#pragma once

#include "runtime/core/data/data_environment.h"
#include "runtime/core/devices/allocation_table.h"
#include "runtime/core/devices/plugin_device.h"
#include "runtime/core/host/lock.h"
#include "runtime/core/programs/kernel_table.h"
#include "runtime/core/programs/loaded_program.h"
#include "runtime/core/programs/registry.h"

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gantry::core {

class Device {
public:
  /// `image_folder` is where copies of the images loaded are left for debuggers, empty for nowhere.
  Device(PluginDevice device, std::string image_folder)
      : device_(std::move(device)), image_folder_(std::move(image_folder)), uid_(device_.uid()),
        queues_(device_), data_environment_(device_, allocations_) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// The device number of the standard.
  [[nodiscard]] int number() const { return device_.name().number; }
  [[nodiscard]] const PluginDevice& plugin_device() const { return device_; }
  [[nodiscard]] QueuePool& queues() { return queues_; }
  [[nodiscard]] DataEnvironment& data_environment() { return data_environment_; }
  /// What the program allocated itself.
  [[nodiscard]] AllocationTable& allocations() { return allocations_; }

  /// "device 0 (cpu)", for messages.
  [[nodiscard]] const std::string& label() const { return device_.name().label; }

  /// The unique identifier of OpenMP 6.0, "cpu-0": the plugin and its own number of the device, so
  /// that it stays the same when GANTRY_DEVICES lists other devices before this one.
  [[nodiscard]] const std::string& uid() const { return uid_; }

  /// Loads the programs that were registered since the last call; any thread. One atomic load when
  /// there are none.
  [[nodiscard]] Status ensure_loaded(Registry& registry) {
    return is_loaded(registry) ? Status() : load_programs(registry);
  }
  [[nodiscard]] bool is_loaded(const Registry& registry) const {
    return loaded_generation_.load(std::memory_order_acquire) == registry.generation();
  }

  /// ensure_loaded() for who can do without the device: false if it refuses a program, which it is
  /// asked once.
  [[nodiscard]] bool try_load(Registry& registry);

  /// The device has said that it is lost.
  [[nodiscard]] bool is_lost() const { return is_lost_.load(std::memory_order_relaxed); }

  /// The kernel of a launch, or null if no program loaded here has it.
  [[nodiscard]] const Kernel* find_kernel(const void* host_address) const {
    return kernels_.find(host_address);
  }

  /// The program of a kernel that find_kernel() gave and that is still in use.
  [[nodiscard]] std::shared_ptr<LoadedProgram> program_of(const Kernel& kernel);

  /// Takes a program that is registered no more off the device and returns it; its image is
  /// unloaded with it. Null if it was not looked at here. Waits for other changes of what is
  /// loaded.
  [[nodiscard]] std::shared_ptr<LoadedProgram> withdraw(ProgramId id);

  /// True if the device may have newer values of the program's data than the host: something is
  /// mapped beyond the target regions at work, with storage of its own, or the program allocated
  /// memory.
  [[nodiscard]] bool holds_data() {
    return data_environment_.holds_data() || !allocations_.empty();
  }

  /// True once: whether to tell that this device refuses something.
  [[nodiscard]] bool first_refusal() { return !refused_.exchange(true); }

  /// `error`; if it says that the device is lost, then with what is known of the cause. `items` are
  /// those of a region that ran `kernel` when the device failed. No lock is held.
  [[nodiscard]] Error explain(const Error& error, const Kernel* kernel = nullptr,
                              std::span<const MapItem> items = {});

  /// Ends the process: a construct failed on this device.
  [[noreturn]] void fail_construct(const Error& error, const Construct& construct);

private:
  /// One thread's turn to change what is loaded. Others wait for it, without a lock: a plugin may
  /// be at work meanwhile, though on nothing that waits for the dynamic loader.
  class Turn {
  public:
    explicit Turn(Device& device);
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn();

  private:
    Device& device_;
  };

  Status load_programs(Registry& registry);
  /// The first half of loading a program, unless it is done: null if no image of it fits.
  Result<std::shared_ptr<LoadedProgram>> stage(const RegisteredProgram& program);
  Status publish(const std::shared_ptr<LoadedProgram>& program, LoadedProgram::Joined joined);

  // In a turn.

  /// What a program leaves behind that another one loaded here has too (of an inline function or
  /// variable) is that one's from now on; the rest is forgotten.
  void hand_over_kernels(const LoadedProgram& gone);
  void hand_over_variables(const LoadedProgram& gone);

  /// Gives the plugin the table of functions called by pointer: those of the published programs
  /// and, if it is not null, of `added`.
  Status publish_functions(const LoadedProgram* added = nullptr) const;
  /// The same without the functions of a program that is not published.
  void forget_functions(const LoadedProgram& gone) const;

  [[nodiscard]] std::shared_ptr<LoadedProgram::Image> find_image(const std::byte* source) const;
  [[nodiscard]] std::string image_file(const RegisteredProgram& program) const;

  PluginDevice device_;
  std::string image_folder_;
  std::string uid_;
  QueuePool queues_;
  AllocationTable allocations_;
  DataEnvironment data_environment_;
  KernelTable kernels_;
  std::atomic<bool> refused_{false};
  std::atomic<bool> is_lost_{false};
  Mutex explanation_mutex_{LockRank::kDevice};
  std::optional<std::chrono::steady_clock::time_point> lost_since_;
  std::string explanation_; ///< why the device is lost, once that is known
  std::atomic<std::uint64_t> loaded_generation_{0};
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  std::atomic<std::uint64_t> refused_generation_{kNever}; ///< for try_load()

  Mutex turn_mutex_{LockRank::kDevice};
  Condition turn_ended_;
  bool has_turn_ = false; ///< some thread has
  // In a turn:
  /// Every program that was looked at here; null if none of its images fits this device.
  std::map<ProgramId, std::shared_ptr<LoadedProgram>> staged_;
  /// Those that are published: their kernels and variables are found.
  std::vector<std::shared_ptr<LoadedProgram>> loaded_;
};

} // namespace gantry::core
