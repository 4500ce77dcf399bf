// The target construct as Clang 15 to 22 call it.
#include "runtime/abi/clang/decode.h"
#include "runtime/abi/export.h"
#include "runtime/core/runtime.h"

using namespace gantry;
using namespace gantry::abi::clang;
using core::Runtime;

namespace {

constexpr std::uint32_t kNewestVersion = 3;
/// Version 3 kernels have a first parameter of their own, the launch environment of GPUs.
constexpr std::uint32_t kVersionWithLaunchEnvironment = 3;

/// Compiled code runs the host's version of the region when a launch answers this.
constexpr int kRunOnHost = 1;

/// A pointer and not a reference, which would promise the compiler an object of full size: what
/// version 1 hands over ends before its `flags`.
gantry_launch shape_of(const KernelArguments* arguments, std::int32_t num_teams,
                       std::int32_t thread_limit) {
  gantry_launch launch{};
  launch.trip_count = arguments->trip_count;
  launch.num_teams[0] = static_cast<std::uint32_t>(num_teams);
  launch.thread_limit[0] = thread_limit < 0 ? 0u : static_cast<std::uint32_t>(thread_limit);
  if (arguments->version >= 2) {
    for (int i = 1; i < 3; ++i) {
      launch.num_teams[i] = arguments->num_teams[i];
      launch.thread_limit[i] = arguments->thread_limit[i];
    }
    launch.dynamic_memory = arguments->dynamic_memory;
  }
  return launch;
}

void report_launch(const core::Device& device, const core::Kernel& kernel,
                   const core::Construct& at, std::span<void* const> parameters) {
  std::string values;
  for (void* const value : parameters) {
    values += fmt::format(" {}", fmt::ptr(value));
  }
  core::info("{}: {} launched on {}, {} parameters:{}", core::label(at), kernel.name,
             device.label(), parameters.size(), values);
}

int run(const Ident* location, std::int64_t device_number, std::int32_t num_teams,
        std::int32_t thread_limit, const void* host_address, const KernelArguments* arguments) {
  const core::Construct at = construct("target", location);
  core::Device* device = Runtime::instance().select(device_number, at);
  if (device == nullptr) {
    return kRunOnHost;
  }
  if (arguments->version == 0 || arguments->version > kNewestVersion) {
    device->fail_construct(
        Error{fmt::format("the launch has arguments of version {}, and this runtime knows 1 to "
                          "{}; it was built by a newer Clang than Gantry supports",
                          arguments->version, kNewestVersion)},
        at);
  }
  const core::Kernel* kernel = device->find_kernel(host_address);
  if (kernel == nullptr) {
    device->fail_construct(
        Error{"no device image of the program fits this device and holds the kernel; compile "
              "and link with this device among the offload targets"},
        at);
  }

  MapItems items;
  core::KernelArguments parameters;
  if (arguments->version >= kVersionWithLaunchEnvironment) {
    parameters.push_back(nullptr);
  }
  core::PrivateStorage storage(device->plugin_device());
  core::DataEnvironment& environment = device->data_environment();
  Status status =
      decode_maps({arguments->item_count, arguments->bases, arguments->begins, arguments->sizes,
                   arguments->types, arguments->names, arguments->mappers},
                  items);
  if (status) {
    status = environment.enter_target(items, at, parameters, storage);
  }
  if (!status) {
    device->fail_construct(status.error(), at);
  }

  gantry_launch launch = shape_of(arguments, num_teams, thread_limit);
  launch.arguments = parameters.data();
  launch.argument_count = static_cast<std::uint32_t>(parameters.size());
  if (core::info_enabled(core::Info::kLaunch)) [[unlikely]] {
    report_launch(*device, *kernel, at, parameters);
  }
  status = device->launch(*kernel, launch);
  if (status) {
    status = environment.exit(items, at);
  }
  if (!status) {
    device->fail_construct(status.error(), at);
  }
  return 0;
}

} // namespace

GANTRY_EXPORT int __tgt_target_kernel(const Ident* location, std::int64_t device,
                                      std::int32_t num_teams, std::int32_t thread_limit,
                                      const void* host_address, const KernelArguments* arguments) {
  return run(location, device, num_teams, thread_limit, host_address, arguments);
}

/// Clang 15's form of nowait; the task around it carries the dependences.
GANTRY_EXPORT int __tgt_target_kernel_nowait(const Ident* location, std::int64_t device,
                                             std::int32_t num_teams, std::int32_t thread_limit,
                                             const void* host_address,
                                             const KernelArguments* arguments, std::int32_t, void*,
                                             std::int32_t, void*) {
  return run(location, device, num_teams, thread_limit, host_address, arguments);
}
