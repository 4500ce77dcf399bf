#include "runtime/core/runtime/device.h"

#include "runtime/core/faults/fault.h"
#include "runtime/core/host/module_path.h"
#include "runtime/core/reports/diagnostics.h"
#include "runtime/core/reports/text.h"
#include "runtime/core/runtime/early_plugins.h"
#include "runtime/core/runtime/spreading.h"

#include <algorithm>
#include <functional>
#include <thread>

#include <unistd.h>

namespace gantry::core {

namespace {
/// How long threads that meet a lost device wait for the one to speak whose region it was.
constexpr std::chrono::milliseconds kPatience(200);

bool is_of(const gantry_fault& fault, const Kernel& kernel) {
  return fault.kernel != nullptr
             ? fault.kernel == kernel.handle
             : fault.kernel_name != nullptr && kernel.name == std::string_view(fault.kernel_name);
}
} // namespace

Error Device::explain(const Error& error, const Kernel* kernel, std::span<const MapItem> items) {
  if (!error.device_lost) {
    return error;
  }
  is_lost_.store(true, std::memory_order_relaxed);
  const auto fault = device_.fault();
  const bool is_ours = kernel != nullptr && fault && is_of(*fault, *kernel);
  std::chrono::steady_clock::time_point until;
  bool is_first = false;
  {
    const std::lock_guard lock(explanation_mutex_);
    is_first = !lost_since_;
    if (is_first) {
      lost_since_ = std::chrono::steady_clock::now();
    }
    until = *lost_since_ + kPatience;
  }
  if (is_first && is_wanted(Event::kDevice)) {
    tell(DeviceLost{device_.name(), error.message, event_time()});
  }
  if (!is_ours && fault && fault->kernel != nullptr) {
    // The thread that runs the region in question knows more about it.
    std::this_thread::sleep_until(until);
  }
  if (!is_ours) {
    const std::lock_guard lock(explanation_mutex_);
    if (!explanation_.empty()) {
      return {explanation_, error.of_device};
    }
  }
  // Without the lock: symbols are looked up, which waits for a thread that is inside dlopen, and
  // that one may have come here too.
  std::string cause;
  if (fault) {
    cause = is_ours ? describe_fault(*fault, data_environment_, items, kernel->host_address)
                    : describe_fault(*fault, data_environment_);
  }
  const std::lock_guard lock(explanation_mutex_);
  if (explanation_.empty() || is_ours) {
    explanation_ = cause.empty() ? error.message : "the device is lost: " + cause;
  }
  return {explanation_, error.of_device};
}

void Device::fail_construct(const Error& refusal, const Construct& construct) {
  wait_for_the_end(construct);
  const Error error = explain(refusal);
  if (is_wanted(Event::kFailure)) {
    tell(ConstructFailed{{construct, device_.name()}, error.message, data_environment_.describe()});
  }
  fatal(with_context(error, label()).value(), construct);
}

std::string Device::image_file(const RegisteredProgram& program) const {
  if (image_folder_.empty()) {
    return {};
  }
  const std::string module = module_of(program.location).path;
  return fmt::format("{}/{}.{}.{}.device{}.so", image_folder_,
                     module.substr(module.find_last_of('/') + 1), getpid(), program.id, number());
}

std::shared_ptr<LoadedProgram::Image> Device::find_image(const std::byte* source) const {
  for (const auto& [id, program] : staged_) {
    if (program != nullptr && program->image()->source == source) {
      return program->image();
    }
  }
  return nullptr;
}

Device::Turn::Turn(Device& device) : device_(device) {
  Lock lock(device.turn_mutex_);
  device.turn_ended_.wait(lock, [&] { return !device.has_turn_; });
  device.has_turn_ = true;
}

Device::Turn::~Turn() {
  {
    const std::lock_guard lock(device_.turn_mutex_);
    device_.has_turn_ = false;
  }
  device_.turn_ended_.notify_one();
}

Result<std::shared_ptr<LoadedProgram>> Device::stage(const RegisteredProgram& program) {
  const Turn turn(*this);
  if (const auto known = staged_.find(program.id); known != staged_.end()) {
    return known->second;
  }
  auto staged = LoadedProgram::stage(program, device_, image_file(program),
                                     [&](const std::byte* source) { return find_image(source); });
  if (staged) {
    staged_.emplace(program.id, *staged);
  }
  return staged;
}

bool Device::try_load(Registry& registry) {
  const std::uint64_t generation = registry.generation();
  if (refused_generation_.load(std::memory_order_relaxed) == generation) {
    return false;
  }
  const bool loaded = ensure_loaded(registry).has_value();
  if (!loaded) {
    refused_generation_.store(generation, std::memory_order_relaxed);
  }
  return loaded;
}

Status Device::load_programs(Registry& registry) {
  const std::uint64_t generation = registry.generation();
  std::vector<std::shared_ptr<LoadedProgram>> staged;
  {
    const Registry::Held held(registry);
    for (const RegisteredProgram& program : held.programs()) {
      auto result = GANTRY_TRY(stage(program));
      if (result != nullptr) {
        staged.push_back(std::move(result));
      }
    }
  }
  for (const auto& program : staged) {
    if (program->is_published()) {
      continue;
    }
    const std::int64_t began = is_wanted(Event::kDevice) ? event_time() : 0;
    auto joined = program->load();
    data_environment_.note_modules(); // before others have to wait
    const Registry::Held held(registry, program->id());
    if (held.empty()) {
      continue; // unregistered meanwhile
    }
    {
      const Turn turn(*this);
      if (program->is_published()) {
        continue; // by another thread, which loaded it too
      }
      if (!joined) {
        return tl::unexpected(joined.error());
      }
      GANTRY_TRY(publish(program, std::move(*joined)));
    }
    if (is_wanted(Event::kDevice)) [[unlikely]] {
      const LoadedProgram::Joined& loaded = program->joined();
      tell(ImageLoaded{device_.name(), loaded.kernels.size(), loaded.variables.size(),
                       loaded.functions.size(), began, event_time(),
                       std::span(program->image()->source, program->image()->size)});
    }
  }
  loaded_generation_.store(generation, std::memory_order_release);
  return {};
}

Status Device::publish(const std::shared_ptr<LoadedProgram>& program,
                       LoadedProgram::Joined joined) {
  program->adopt(std::move(joined));
  if (!program->joined().functions.empty()) {
    GANTRY_TRY(publish_functions(program.get()));
  }
  if (program->requires_unified_shared_memory()) {
    data_environment_.unify();
  }
  for (const auto& variable : program->joined().variables) {
    using Declared = DataEnvironment::Declared;
    if (Status status = data_environment_.declare(
            variable.host_address, variable.size, variable.device_address, variable.name,
            variable.link_pointer ? Declared::kLinkPointer : Declared::kVariable);
        !status) {
      for (const auto& declared : program->joined().variables) {
        data_environment_.undeclare(declared.host_address, declared.device_address);
      }
      forget_functions(*program);
      return with_context(status.error(), "the variable " + quoted_name(variable.name));
    }
  }
  for (const auto& link : program->joined().link_pointers) {
    data_environment_.declare_link(link.host_address, link.size, {.pointer = link.device_address});
  }
  for (const auto& link : program->joined().link_storage) {
    data_environment_.declare_link(link.host_address, link.size, {.storage = link.device_address});
  }
  for (const Kernel& kernel : program->joined().kernels) {
    // An inline function's target region has one identity in all programs of a process; the first
    // one that brought it serves.
    if (kernels_.find(kernel.host_address) == nullptr) {
      kernels_.set(kernel);
    }
  }
  if (program->keeps_state() && !program->joined().functions.empty()) {
    Spreading::instance().stop();
  }
  loaded_.push_back(program);
  program->set_published();
  return {};
}

Status Device::publish_functions(const LoadedProgram* added) const {
  std::vector<const std::vector<FunctionPair>*> lists;
  for (const auto& loaded : loaded_) {
    lists.push_back(&loaded->joined().functions);
  }
  if (added != nullptr) {
    lists.push_back(&added->joined().functions);
  }
  std::vector<FunctionPair> table = merge_functions(lists);
  return device_.set_function_map(table);
}

void Device::forget_functions(const LoadedProgram& gone) const {
  if (!gone.joined().functions.empty()) {
    (void)publish_functions(); // a device that cannot take a table refuses the next launch
  }
}

void Device::hand_over_kernels(const LoadedProgram& gone) {
  const std::vector<Kernel>& kernels = gone.joined().kernels;
  const auto serves = [&](const void* host_address) {
    const Kernel* kernel = kernels_.find(host_address);
    return std::greater_equal<>()(kernel, kernels.data()) &&
           std::less<>()(kernel, kernels.data() + kernels.size());
  };
  // One replaces the other in a single step, so that a launch always finds one of them.
  for (const auto& other : loaded_) {
    for (const Kernel& kernel : other->joined().kernels) {
      if (serves(kernel.host_address)) {
        kernels_.set(kernel);
      }
    }
  }
  for (const Kernel& kernel : kernels) {
    if (serves(kernel.host_address)) {
      kernels_.erase(kernel.host_address);
    }
  }
}

void Device::hand_over_variables(const LoadedProgram& gone) {
  std::vector<const void*> orphans;
  for (const auto& variable : gone.joined().variables) {
    data_environment_.undeclare(variable.host_address, variable.device_address);
    orphans.push_back(variable.host_address);
  }
  std::ranges::sort(orphans);
  for (const auto& other : loaded_) {
    for (const auto& variable : other->joined().variables) {
      if (std::ranges::binary_search(orphans, variable.host_address)) {
        // Of another size it would have been refused when its program was published.
        (void)data_environment_.declare(variable.host_address, variable.size,
                                        variable.device_address, variable.name);
      }
    }
  }
}

std::shared_ptr<LoadedProgram> Device::program_of(const Kernel& kernel) {
  const Turn turn(*this);
  const auto found = std::ranges::find_if(loaded_, [&](const auto& program) {
    const std::vector<Kernel>& kernels = program->joined().kernels;
    return std::greater_equal<>()(&kernel, kernels.data()) &&
           std::less<>()(&kernel, kernels.data() + kernels.size());
  });
  return found == loaded_.end() ? nullptr : *found;
}

std::shared_ptr<LoadedProgram> Device::withdraw(ProgramId id) {
  const Turn turn(*this);
  const auto staged = staged_.extract(id);
  if (staged.empty()) {
    return nullptr;
  }
  std::shared_ptr<LoadedProgram> program = std::move(staged.mapped());
  if (std::erase(loaded_, program) == 0) {
    return program;
  }
  forget_functions(*program);
  hand_over_kernels(*program);
  hand_over_variables(*program);
  for (const auto& link : program->joined().link_pointers) {
    data_environment_.undeclare_link(link.host_address, {.pointer = link.device_address});
  }
  for (const auto& link : program->joined().link_storage) {
    data_environment_.undeclare_link(link.host_address, {.storage = link.device_address});
  }
  return program;
}

} // namespace gantry::core
