// The runtime of a process: its settings, the devices it offers and the programs registered.
//
// Nothing happens before the first construct or device routine: then the settings are read and the
// devices opened that some registered image fits. A device keeps its number; when a library brings
// images for devices that were of no use before, these are added behind.
#pragma once

#include "runtime/core/host/lock.h"
#include "runtime/core/host/module_path.h"
#include "runtime/core/host/settings.h"
#include "runtime/core/programs/program.h"
#include "runtime/core/programs/registry.h"
#include "runtime/core/runtime/automatic_devices.h"
#include "runtime/core/runtime/device.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gantry::core {

/// What GANTRY_RECORD asks for, once the settings are read; null: nothing.
extern std::atomic<const RecordRequest*> record_request;

class Runtime {
public:
  /// The process's runtime. Never destroyed: kernels may run while the process ends.
  static Runtime& instance() {
    Runtime* const runtime = existing.load(std::memory_order_acquire);
    return runtime != nullptr ? *runtime : make_instance();
  }

  /// Registers a program that `location` is an address of; cheap, and fit for constructors of
  /// libraries.
  void register_program(const void* descriptor, const void* location, DecodeProgram decoder);

  /// Some program has `requires unified_shared_memory`; before it is registered.
  void require_unified_shared_memory() { registry_.require_unified_shared_memory(); }

  /// Unregisters a program and unloads its images everywhere; in destructors of libraries.
  /// [begin, end) is the memory of the module that goes away.
  void unregister_program(const void* descriptor, std::uintptr_t begin, std::uintptr_t end);

  /// Under GANTRY_CHECK=leaks: says what the programs left on the devices, and ends the process if
  /// that is anything. Done when the last program is unregistered.
  void report_leaks();

  /// The number of devices; also the device number of the host.
  [[nodiscard]] int device_count(const Construct& construct);

  /// The device of a construct or routine, ready for use: every registered program that fits it is
  /// loaded. Null for the host. `number` is a device number of the standard; kDefaultDevice stands
  /// for the device of OMP_DEFAULT_DEVICE. What cannot be satisfied ends the process with a
  /// message.
  [[nodiscard]] Device* select(std::int64_t number, const Construct& construct) {
    Device* const device = ready(number);
    return device != nullptr ? device : make_ready(number, construct);
  }

  /// Device `number`, if nothing has to be done before it can be used; else null, also for the
  /// host.
  [[nodiscard]] Device* ready(std::int64_t number) {
    if (number == kDefaultDevice) {
      number = initial_default_device_.load(std::memory_order_relaxed);
    }
    return number >= 0 && number < count_.load(std::memory_order_acquire) &&
                   opened_generation_.load(std::memory_order_acquire) == registry_.generation() &&
                   devices_[number]->is_loaded(registry_)
               ? devices_[number].get()
               : nullptr;
  }

  /// The devices on which every registered program is loaded, which is done if it is not. What
  /// others refuse is not told.
  [[nodiscard]] std::vector<Device*> loaded_devices();

  /// The initial value of default-device-var; once the settings are read.
  [[nodiscard]] int initial_default_device() const {
    return initial_default_device_.load(std::memory_order_relaxed);
  }

  static constexpr std::int64_t kDefaultDevice = -3; ///< no number of the standard's

  /// Called after each device has been opened, by whichever thread: drivers have exit handlers of
  /// their own, behind which they do nothing more, and register them when a device is opened. Who
  /// has one that has to find devices in order registers it after that, as handlers run in the
  /// reverse order. Set before the first device is opened.
  void set_device_opened(void (*opened)()) {
    device_opened_.store(opened, std::memory_order_relaxed);
  }

  /// Called before the first device is opened, without a lock, by each thread that comes there; it
  /// may come back here. Set before the first construct.
  void set_before_use(void (*prepare)()) { before_use_.store(prepare, std::memory_order_relaxed); }

  /// Something has been done that needs to know the devices.
  [[nodiscard]] bool in_use() const { return has_setup_.load(std::memory_order_acquire); }

  /// OMP_TARGET_OFFLOAD=MANDATORY; once the settings are read.
  [[nodiscard]] bool mandatory() const {
    return policy_.load(std::memory_order_relaxed) == OffloadPolicy::kMandatory;
  }

  /// The device of a routine's device argument, ready for use; null for the host, which is the
  /// number of devices or omp_initial_device. Another number is an error that the routine reports,
  /// but omp_invalid_device ends the process (OpenMP 5.2, section 18.8), as does a device that is
  /// missing or refuses its image under MANDATORY.
  [[nodiscard]] Result<Device*> find(int number, const Construct& routine);

  static constexpr int kInitialDevice = -1; ///< omp_initial_device
  static constexpr int kInvalidDevice = -2; ///< omp_invalid_device

  /// Says that `number` is none of `count` devices, nor the host.
  [[nodiscard]] static Error no_such_device(std::int64_t number, int count);

  /// What becomes of a target region that failed on `device` before it ran: returns if the host is
  /// to run it, after a warning, once for a device; else ends the process with a message. The host
  /// takes over under OMP_TARGET_OFFLOAD=DEFAULT what a device refuses, as long as no data of the
  /// program is on that device, of which the host would not see the newest values, and as long as
  /// the region has changed nothing that the host sees.
  enum class Begun : std::uint8_t { kNo, kPerhaps };
  void leave_to_host(Device& device, const Error& error, const Construct& construct,
                     Begun begun = Begun::kNo);

  /// The same of a region that GANTRY_SPREAD had put on `device`: returns if the default device is
  /// to run it, under any policy, and whatever data is on `device`, as the region uses none of it.
  static void leave_to_default_device(Device& device, const Error& error,
                                      const Construct& construct, Begun begun = Begun::kNo);

  /// The number of devices that are open; also the device number of the host.
  [[nodiscard]] int open_devices() const { return count_.load(std::memory_order_acquire); }

  /// A device that exists, or null; loads nothing.
  [[nodiscard]] Device* device(int number);

  /// True if a registered program lies in `module`. Any thread.
  [[nodiscard]] bool has_program_in(const Module& module);

  /// Opens every device of the settings, whether or not an image fits.
  void open_all_devices(const Construct& construct);

  /// One thing GANTRY_DEVICES could name, for `gantry devices`.
  struct Offer {
    std::string plugin;
    std::int32_t devices = 0;
    std::string description; ///< of the first device
    std::string reason;      ///< why it is not usable; empty if it is
  };
  [[nodiscard]] std::vector<Offer> offers();

private:
  Runtime() = default;
  static Runtime& make_instance();
  static std::atomic<Runtime*> existing;

  struct Candidate {
    const Plugin* plugin;
    std::int32_t plugin_device;
    std::string options;
    bool opened = false;
    bool refused = false; ///< it could not be opened
  };

  /// What the environment asks for.
  struct Setup {
    Settings settings;
    std::vector<std::unique_ptr<Plugin>> plugins;
    std::vector<Candidate> candidates;
    std::vector<std::string> reasons; ///< why candidates are of no use
  };

  [[nodiscard]] Device* make_ready(std::int64_t number, const Construct& construct);
  /// device_count(), for a construct or routine that needs a device if the policy says so.
  [[nodiscard]] int count_for_use(const Construct& construct);
  void refresh(const Construct& construct);
  void open_devices_or_fail(bool all, const Construct& construct);
  /// No lock is held; several threads may come here at once and one result is kept.
  [[nodiscard]] static Result<Setup> read_setup();
  /// With the lock held: takes over what this or another thread was first to read.
  void adopt_setup(Setup setup);
  [[nodiscard]] std::vector<const Plugin*> bound_plugins();
  /// With the lock held.
  void adopt_choice(AutomaticDevices choice);
  /// Opens the devices of the settings that some image fits. No lock is held while one is opened:
  /// its plugin may wait for a thread that is inside dlopen, and that one may come here too. So
  /// every thread that comes here opens the device that is next, and the first to be done counts.
  Status open_devices(bool all);
  /// The plugins that some registered image fits.
  [[nodiscard]] std::vector<const Plugin*> plugins_that_fit();
  /// With the lock held: the first candidate that is neither opened nor refused and whose plugin is
  /// one of `plugins`; kNoCandidate if there is none.
  [[nodiscard]] std::size_t next_candidate(std::span<const Plugin* const> plugins) const;
  /// With the lock held: adds an open device, or notes why there is none.
  Status adopt_device(Candidate& candidate, Result<PluginDevice> device);
  /// Device 0 of a plugin if a program has opened it, or null: a device is opened once.
  [[nodiscard]] const PluginDevice* first_open_device(std::string_view plugin) const;
  [[noreturn]] void no_device(const Construct& construct);

  Registry registry_;

  /// Everything about devices is changed with this lock held; what readers need is atomic. No
  /// plugin is called meanwhile.
  Mutex mutex_{LockRank::kRuntime};
  Setup setup_;
  static constexpr std::size_t kNoCandidate = ~std::size_t{0};
  /// The candidate that is being opened.
  std::size_t opening_ = kNoCandidate;
  std::atomic<bool> has_setup_{false}; ///< changed once
  std::atomic<void (*)()> device_opened_ = nullptr;
  std::atomic<void (*)()> before_use_ = nullptr;

  // A Device never moves or goes away, so a count says which slots may be read.
  static constexpr int kMaximumDevices = 1024;
  std::unique_ptr<Device> devices_[kMaximumDevices];
  std::atomic<int> count_{0};
  std::atomic<OffloadPolicy> policy_{OffloadPolicy::kDefault};
  std::atomic<int> initial_default_device_{0};
  /// The registry's generation for which devices were opened; kNever before the first use.
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  std::atomic<std::uint64_t> opened_generation_{kNever};
};

} // namespace gantry::core
