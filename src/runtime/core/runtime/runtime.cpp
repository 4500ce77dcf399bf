#include "runtime/core/runtime/runtime.h"

#include "runtime/core/devices/plugin_library.h"
#include "runtime/core/host/module_path.h"
#include "runtime/core/host/processors.h"
#include "runtime/core/profile/recorder.h"
#include "runtime/core/reports/diagnostics.h"
#include "runtime/core/reports/text.h"
#include "runtime/core/runtime/automatic_devices.h"
#include "runtime/core/runtime/early_plugins.h"
#include "runtime/core/runtime/function_check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace gantry::core {

constinit std::atomic<Runtime*> Runtime::existing{nullptr};

std::atomic<const RecordRequest*> record_request = nullptr;

Runtime& Runtime::make_instance() {
  // Reached by constructors of libraries, so it may not depend on any order of initialisation.
  static auto* const runtime = (record_if_asked(), new Runtime);
  existing.store(runtime, std::memory_order_release);
  return *runtime;
}

void Runtime::register_program(const void* descriptor, const void* location,
                               DecodeProgram decoder) {
  start_early_plugins();
  registry_.add(descriptor, location, decoder);
  if (is_wanted(Event::kProgram)) [[unlikely]] {
    tell(ProgramChange{true, module_of(location).path});
  }
}

void Runtime::unregister_program(const void* descriptor, std::uintptr_t begin, std::uintptr_t end) {
  if (is_wanted(Event::kProgram)) [[unlikely]] {
    tell(ProgramChange{false, module_of(reinterpret_cast<const void*>(begin)).path});
  }
  const ProgramId id = registry_.remove(descriptor);
  if (id == 0) {
    return;
  }
  for (int i = 0; i < count_.load(std::memory_order_acquire); ++i) {
    // The last program that shares an image destroys it here, which runs the image's destructors.
    const std::shared_ptr<LoadedProgram> withdrawn = devices_[i]->withdraw(id);
    if (is_wanted(Event::kDevice) && withdrawn != nullptr && withdrawn->is_published() &&
        withdrawn->image().use_count() == 1) [[unlikely]] {
      tell(ImageUnloaded{devices_[i]->plugin_device().name(), withdrawn->image()->source});
    }
    devices_[i]->data_environment().intern_strings(begin, end);
  }
  if (registry_.empty()) {
    report_leaks();
  }
}

void Runtime::report_leaks() {
  if (!check_enabled(Check::kLeaks)) {
    return;
  }
  bool any = false;
  for (int i = 0; i < count_.load(std::memory_order_acquire); ++i) {
    for (const auto& leaks :
         {devices_[i]->data_environment().leaks(), devices_[i]->allocations().leaks()}) {
      for (const std::string& leak : leaks) {
        write_warning(fmt::format("{}: {}", devices_[i]->label(), leak));
        any = true;
      }
    }
  }
  if (any) {
    std::fflush(stdout);
    _Exit(EXIT_FAILURE);
  }
}

int Runtime::device_count(const Construct& construct) {
  refresh(construct);
  return policy_.load(std::memory_order_relaxed) == OffloadPolicy::kDisabled
             ? 0
             : count_.load(std::memory_order_acquire);
}

Device* Runtime::device(int number) {
  return number >= 0 && number < count_.load(std::memory_order_acquire) ? devices_[number].get()
                                                                        : nullptr;
}

Error Runtime::no_such_device(std::int64_t number, int count) {
  return {
      fmt::format("device number {} does not exist; there {} {}, numbered from 0, and {} is the "
                  "host",
                  number, count == 1 ? "is" : "are",
                  counted(static_cast<std::uint64_t>(count), "device"), count)};
}

bool Runtime::has_program_in(const Module& module) {
  return registry_.has_program_in(module.begin, module.end);
}

int Runtime::count_for_use(const Construct& construct) {
  const int count = device_count(construct);
  if (count == 0 && policy_.load(std::memory_order_relaxed) == OffloadPolicy::kMandatory)
      [[unlikely]] {
    no_device(construct);
  }
  return count;
}

void Runtime::leave_to_host(Device& device, const Error& refusal, const Construct& construct,
                            Begun begun) {
  wait_for_the_end(construct);
  const Error error = device.explain(refusal);
  if (!error.of_device || policy_.load(std::memory_order_relaxed) != OffloadPolicy::kDefault) {
    device.fail_construct(error, construct);
  }
  if (device.holds_data()) {
    device.fail_construct({error.message + "; the host cannot run the region instead, because data "
                                           "of the program is on the device"},
                          construct);
  }
  if (begun == Begun::kPerhaps && device.plugin_device().host_accessible()) {
    device.fail_construct({error.message + "; the host cannot run the region again, because the "
                                           "device may have changed the host's memory"},
                          construct);
  }
  if (device.first_refusal()) {
    write_warning(fmt::format("{}: {}: {}; the host runs the region, and others that this device "
                              "refuses",
                              core::label(construct), device.label(), error.message));
  }
}

void Runtime::leave_to_default_device(Device& device, const Error& refusal,
                                      const Construct& construct, Begun begun) {
  wait_for_the_end(construct);
  const Error error = device.explain(refusal);
  if (begun == Begun::kPerhaps && !error.of_device) {
    device.fail_construct(error, construct);
  }
  if (begun == Begun::kPerhaps && device.plugin_device().host_accessible()) {
    device.fail_construct({error.message + "; the default device cannot run the region again, "
                                           "because this one may have changed the host's memory"},
                          construct);
  }
  if (device.first_refusal()) {
    write_warning(
        fmt::format("{}: {}: {}; the default device runs the region, and others that this "
                    "device refuses",
                    core::label(construct), device.label(), error.message));
  }
}

Device* Runtime::make_ready(std::int64_t number, const Construct& construct) {
  const int count = count_for_use(construct);
  if (count == 0) {
    return nullptr;
  }
  if (number == kDefaultDevice) {
    number = initial_default_device_.load(std::memory_order_relaxed);
  }
  if (number == count || number == kInitialDevice) {
    return nullptr;
  }
  if (number < 0 || number > count) [[unlikely]] {
    fatal(no_such_device(number, count), construct);
  }
  Device& device = *devices_[number];
  if (Status status = device.ensure_loaded(registry_); !status) [[unlikely]] {
    if (!is_of_the_end(construct)) {
      leave_to_host(device, status.error(), construct);
    }
    return nullptr;
  }
  return &device;
}

std::vector<Device*> Runtime::loaded_devices() {
  std::vector<Device*> loaded;
  const int count = count_.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    if (devices_[i]->try_load(registry_)) {
      loaded.push_back(devices_[i].get());
    }
  }
  return loaded;
}

Result<Device*> Runtime::find(int number, const Construct& routine) {
  if (number == kInvalidDevice) {
    fatal(Error{"the device number is omp_invalid_device"}, routine);
  }
  if (number == kInitialDevice) {
    return nullptr;
  }
  const int count = device_count(routine);
  if (number == count) {
    return nullptr;
  }
  if (number < 0 || number > count) {
    // Section 21.2.8: under MANDATORY such a number is as omp_invalid_device.
    if (policy_.load(std::memory_order_relaxed) == OffloadPolicy::kMandatory) {
      fatal(no_such_device(number, count), routine);
    }
    return tl::unexpected(no_such_device(number, count));
  }
  Device& device = *devices_[number];
  if (Status status = device.ensure_loaded(registry_); !status) {
    if (!status.error().of_device ||
        policy_.load(std::memory_order_relaxed) != OffloadPolicy::kDefault) {
      device.fail_construct(status.error(), routine);
    }
    return with_context(device.explain(status.error()), device.label());
  }
  return &device;
}

void Runtime::open_all_devices(const Construct& construct) {
  open_devices_or_fail(true, construct);
}

void Runtime::refresh(const Construct& construct) {
  if (opened_generation_.load(std::memory_order_acquire) != registry_.generation()) [[unlikely]] {
    open_devices_or_fail(false, construct);
  }
}

void Runtime::open_devices_or_fail(bool all, const Construct& construct) {
  const EarlyPluginsInUse in_use;
  if (auto* const prepare = before_use_.load(std::memory_order_relaxed)) {
    prepare();
  }
  // Before the lock is taken: binding plugins needs the dynamic loader, and a thread that is inside
  // dlopen may wait here, with a target region in a constructor.
  Result<Setup> setup;
  if (!has_setup_.load(std::memory_order_acquire)) {
    setup = read_setup();
    if (!setup) {
      fatal(setup.error(), construct);
    }
  }
  if (!has_setup_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mutex_);
    adopt_setup(std::move(*setup));
  }
  const std::uint64_t generation = registry_.generation();
  AutomaticDevices automatic;
  if (setup_.settings.automatic_devices && setup_.settings.policy != OffloadPolicy::kDisabled) {
    automatic = choose_devices(registry_, bound_plugins());
  }
  {
    const std::lock_guard lock(mutex_);
    adopt_choice(std::move(automatic));
  }
  if (setup_.settings.policy != OffloadPolicy::kDisabled) {
    if (Status status = open_devices(all); !status) {
      fatal(status.error(), construct);
    }
  }
  opened_generation_.store(generation, std::memory_order_release);
}

void Runtime::adopt_setup(Setup setup) {
  if (!has_setup_.load(std::memory_order_relaxed)) {
    setup_ = std::move(setup);
    policy_.store(setup_.settings.policy, std::memory_order_relaxed);
    spread_mode.store(setup_.settings.spread, std::memory_order_relaxed);
    check_bits.store(setup_.settings.check, std::memory_order_relaxed);
    if (setup_.settings.record.what != RecordRequest::What::kNothing) {
      record_request.store(&setup_.settings.record, std::memory_order_release);
      (void)std::atexit([] {
        if (const RecordRequest* const request = record_request.load(); request != nullptr) {
          write_warning(request->what == RecordRequest::What::kFault
                            ? "GANTRY_RECORD: nothing is recorded: no kernel failed"
                            : "GANTRY_RECORD: nothing is recorded: there was no such launch; "
                              "GANTRY_INFO=launch lists those that there are");
        }
      });
    }
    initial_default_device_.store(setup_.settings.default_device, std::memory_order_relaxed);
    has_setup_.store(true, std::memory_order_release);
  }
}

std::vector<const Plugin*> Runtime::bound_plugins() {
  const std::lock_guard lock(mutex_);
  std::vector<const Plugin*> plugins;
  for (const auto& plugin : setup_.plugins) {
    plugins.push_back(plugin.get());
  }
  return plugins;
}

void Runtime::adopt_choice(AutomaticDevices choice) {
  // Another thread may have bound a plugin too: its devices are there then, and this one's are
  // passed over. A kind whose devices are there already has no more.
  for (const AutomaticDevices::Kind& kind : choice.kinds) {
    const bool is_there = std::ranges::any_of(setup_.candidates, [&](const Candidate& candidate) {
      return candidate.plugin->name() == kind.plugin->name();
    });
    for (std::int32_t i = 0; !is_there && i < kind.devices; ++i) {
      setup_.candidates.push_back({kind.plugin, i, ""});
    }
  }
  std::ranges::move(choice.bound, std::back_inserter(setup_.plugins));
  if (setup_.reasons.empty()) {
    setup_.reasons = std::move(choice.reasons);
  }
}

Result<Runtime::Setup> Runtime::read_setup() {
  auto settings = read_settings([](const char* name) { return secure_getenv(name); });
  if (!settings) {
    return tl::unexpected(settings.error());
  }
  start_early_plugins(); // in a tool no program is registered
  Setup setup;
  setup.settings = std::move(*settings);
  for (const DeviceRequest& request : setup.settings.devices) {
    if (!is_known_plugin(request.plugin)) {
      return fail("GANTRY_DEVICES: {}", why_unknown(request.plugin));
    }
    if (setup.settings.policy == OffloadPolicy::kDisabled) {
      continue;
    }
    auto known = std::ranges::find(setup.plugins, request.plugin, &Plugin::name);
    if (known == setup.plugins.end()) {
      auto plugin = GANTRY_TRY_CONTEXT(bind_plugin(request.plugin), "GANTRY_DEVICES");
      setup.plugins.push_back(std::move(plugin));
      known = std::prev(setup.plugins.end());
    }
    const Plugin& plugin = **known;
    const auto first = static_cast<std::int32_t>(
        std::ranges::count(setup.candidates, &plugin, &Candidate::plugin));
    if (!request.kind.empty() && !plugin.has_kinds()) {
      return fail("GANTRY_DEVICES: '{}:{}' has no number from 1 on after ':', and '{}' has devices "
                  "of one kind",
                  request.plugin, request.kind, request.plugin);
    }
    const Result<int> offered = plugin.has_kinds() ? plugin.add_devices(request.kind, request.count)
                                : request.count == DeviceRequest::kAll ? plugin.count_devices()
                                                                       : Result<int>(request.count);
    const int count = offered.value_or(0);
    if (count > kMaximumDevices - static_cast<std::int32_t>(setup.candidates.size())) {
      return fail("GANTRY_DEVICES: more than {} devices", kMaximumDevices);
    }
    if (!offered) {
      setup.reasons.push_back(fmt::format("{}: {}", plugin.name(), offered.error().message));
      if (is_wanted(Event::kDevice)) {
        tell(DeviceMissing{setup.reasons.back()});
      }
    }
    for (std::int32_t i = 0; i < count; ++i) {
      setup.candidates.push_back({&plugin, first + i, request.options});
    }
  }
  return setup;
}

std::vector<const Plugin*> Runtime::plugins_that_fit() {
  std::vector<const Plugin*> plugins = bound_plugins();
  const Registry::Held held(registry_);
  std::erase_if(plugins, [&](const Plugin* plugin) {
    return std::ranges::none_of(held.programs(), [&](const RegisteredProgram& program) {
      const auto contents = program.decode();
      // What is wrong with a program is said when it is loaded.
      return !contents ||
             std::ranges::any_of(contents->images, [&](std::span<const std::byte> image) {
               return plugin->accepts(image);
             });
    });
  });
  return plugins;
}

std::size_t Runtime::next_candidate(std::span<const Plugin* const> plugins) const {
  const auto next = std::ranges::find_if(setup_.candidates, [&](const Candidate& candidate) {
    return !candidate.opened && !candidate.refused &&
           std::ranges::find(plugins, candidate.plugin) != plugins.end();
  });
  return next == setup_.candidates.end()
             ? kNoCandidate
             : static_cast<std::size_t>(next - setup_.candidates.begin());
}

Status Runtime::open_devices(bool all) {
  const std::vector<const Plugin*> plugins = all ? bound_plugins() : plugins_that_fit();
  Lock lock(mutex_);
  for (;;) {
    if (opening_ == kNoCandidate) {
      opening_ = next_candidate(plugins);
    }
    if (opening_ == kNoCandidate) {
      return {};
    }
    const std::size_t index = opening_;
    const Candidate candidate = setup_.candidates[index];
    const int number = count_.load(std::memory_order_relaxed);
    lock.unlock();
    const std::int64_t began = is_wanted(Event::kDevice) ? event_time() : 0;
    auto device = PluginDevice::open(
        *candidate.plugin, candidate.plugin_device,
        {.openmp_number = number,
         .options = candidate.options,
         .time_limit = setup_.settings.time_limit,
         .check_memory = check_enabled(Check::kMap),
         .processors = processors_at_start(),
         .function_check = check_enabled(Check::kFunctions) ? check_function : nullptr});
    lock.lock();
    if (opening_ == index) {
      opening_ = kNoCandidate;
      GANTRY_TRY(adopt_device(setup_.candidates[index], std::move(device)));
      if (number < count_.load(std::memory_order_relaxed) && is_wanted(Event::kDevice)) {
        lock.unlock();
        const PluginDevice& opened = devices_[number]->plugin_device();
        tell(
            DeviceOpened{opened.name(), opened.description(), opened.clock(), began, event_time()});
        lock.lock();
      }
    } else {
      // Another thread has opened it meanwhile. This one's is closed, without the lock.
      lock.unlock();
      {
        const auto not_needed = std::move(device);
      }
      lock.lock();
    }
  }
}

Status Runtime::adopt_device(Candidate& candidate, Result<PluginDevice> device) {
  const int number = count_.load(std::memory_order_relaxed);
  if (!device) {
    const auto error = with_context(
        device.error(), fmt::format("device {} ({})", number, candidate.plugin->name()));
    if (!device.error().of_device || setup_.settings.policy == OffloadPolicy::kMandatory) {
      return error;
    }
    write_warning(fmt::format("{}; the program goes on without it", error.value().message));
    setup_.reasons.push_back(error.value().message);
    candidate.refused = true;
    return {};
  }
  candidate.opened = true;
  devices_[number] = std::make_unique<Device>(std::move(*device), setup_.settings.save_images);
  count_.store(number + 1, std::memory_order_release);
  if (auto* const opened = device_opened_.load(std::memory_order_relaxed)) {
    opened();
  }
  return {};
}

void Runtime::no_device(const Construct& construct) {
  std::string tried;
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& reason : setup_.reasons) {
      tried += fmt::format("; {}", reason);
    }
    for (const Candidate& candidate : setup_.candidates) {
      if (!candidate.opened && !candidate.refused && candidate.plugin_device == 0) {
        tried += fmt::format("; {}: no image of the program fits it", candidate.plugin->name());
      }
    }
  }
  fatal(Error{fmt::format("no device can be used and OMP_TARGET_OFFLOAD is MANDATORY{}", tried)},
        construct);
}

const PluginDevice* Runtime::first_open_device(std::string_view plugin) const {
  for (int i = 0; i < count_.load(std::memory_order_acquire); ++i) {
    const PluginDevice& device = devices_[i]->plugin_device();
    if (device.plugin().name() == plugin && device.index() == 0) {
      return &device;
    }
  }
  return nullptr;
}

std::vector<Runtime::Offer> Runtime::offers() {
  start_early_plugins();
  std::vector<Offer> offers;
  for (const std::string& name : known_plugins()) {
    Offer offer;
    offer.plugin = name;
    if (auto plugin = bind_plugin(name); !plugin) {
      offer.reason = plugin.error().message;
    } else {
      const Result<int> devices = (*plugin)->count_devices();
      offer.devices = devices.value_or(0);
      if (!devices) {
        offer.reason = devices.error().message;
      } else if (const PluginDevice* open = first_open_device(name); open != nullptr) {
        offer.description = open->description();
      } else if (auto device = PluginDevice::open(**plugin, 0, {}); !device) {
        offer.reason = device.error().message;
      } else {
        offer.description = device->description();
      }
    }
    offers.push_back(std::move(offer));
  }
  return offers;
}

} // namespace gantry::core
