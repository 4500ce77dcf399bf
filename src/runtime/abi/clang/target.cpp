// The target construct as Clang 15 to 22 call it.
#include "runtime/abi/clang/target.h"

#include "runtime/abi/clang/decode.h"
#include "runtime/abi/export.h"
#include "runtime/abi/openmp/process_end.h"
#include "runtime/abi/openmp/select.h"
#include "runtime/abi/openmp/spread.h"
#include "runtime/abi/openmp/target_task.h"
#include "runtime/core/constructs/target_region.h"
#include "runtime/core/runtime/early_plugins.h"
#include "runtime/core/runtime/runtime.h"

#include <memory>
#include <mutex>
#include <utility>

using namespace gantry;
using namespace gantry::abi::clang;
using abi::openmp::RegionUse;
using core::Runtime;

namespace {

constexpr std::uint32_t kNewestVersion = 3;
/// Version 3 kernels have a first parameter of their own, the launch environment of GPUs.
constexpr std::uint32_t kVersionWithLaunchEnvironment = 3;

/// A bit of the launch's flags.
constexpr std::uint64_t kNoWait = 1;

/// Compiled code runs the host's version of the region when a launch answers this.
constexpr int kRunOnHost = 1;

/// What a construct without teams has for their number.
constexpr std::int32_t kNoTeams = -1;

/// A pointer and not a reference, which would promise the compiler an object of full size: what
/// version 1 hands over ends before its `flags`.
gantry_launch shape_of(const KernelArguments* arguments, std::int32_t num_teams,
                       std::int32_t thread_limit) {
  gantry_launch launch{};
  launch.size = sizeof launch;
  launch.trip_count = arguments->trip_count;
  launch.kind = num_teams == kNoTeams ? GANTRY_LAUNCH_TARGET : GANTRY_LAUNCH_TEAMS;
  launch.num_teams[0] = num_teams == kNoTeams ? 1U : static_cast<std::uint32_t>(num_teams);
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

/// A call of an entry point.
struct Call {
  std::int64_t device_number;
  std::int32_t num_teams;
  std::int32_t thread_limit;
  const void* host_address;
  const KernelArguments* arguments;
};

Status decode_maps_of(const KernelArguments* arguments, MapItems& items) {
  return decode_maps({arguments->item_count, arguments->bases, arguments->begins, arguments->sizes,
                      arguments->types, arguments->names, arguments->mappers},
                     items);
}

Status start(core::TargetRegion& region, const Call& call) {
  if (call.arguments->version >= kVersionWithLaunchEnvironment) {
    region.parameters.push_back(nullptr);
  }
  GANTRY_TRY(decode_maps_of(call.arguments, region.items));
  return region.start(shape_of(call.arguments, call.num_teams, call.thread_limit));
}

/// Ends a region whose kernel has run.
void finish(core::TargetRegion& region) {
  if (Status status = region.finish(); !status && !core::is_of_the_end(region.construct())) {
    region.device().fail_construct(status.error(), region.construct());
  }
}

/// A region with nowait whose kernel is under way. Where regions are spread, others that wait for
/// it may end it too.
struct DeferredRegion final : abi::openmp::UnderWay {
  DeferredRegion(core::Device& device, const core::Kernel& kernel, const core::Construct& at)
      : construct(at), region(device, kernel, construct) {}

  bool try_end() override {
    std::unique_lock lock(ending, std::defer_lock);
    if (is_spread && !lock.try_lock()) {
      return false;
    }
    if (has_ended) {
      return true;
    }
    if (!region.done()) {
      return false;
    }
    if (Status status = region.wait(); status) {
      finish(region);
    } else if (!core::is_of_the_end(construct)) {
      // The task has answered already that the device runs the region.
      region.device().fail_construct(status.error(), region.construct());
    }
    placement.reset();
    has_ended = true;
    return true;
  }

  std::unique_ptr<core::Placement> placement; ///< null: regions are not spread
  bool is_spread = false;
  core::Construct construct;
  core::TargetRegion region;
  std::mutex ending; ///< held by the thread that tries to end it, if regions are spread
  bool has_ended = false;
};

enum class Outcome : std::uint8_t {
  kDone,    ///< or under way
  kFailed,  ///< the host is to run it
  kRefused, ///< the same, or the default device: this one was another
};

/// Runs a region on a device, or begins to. `placement` is null unless regions are spread.
Outcome run_on(core::Device& device, std::unique_ptr<core::Placement> placement, const Call& call,
               core::Construct& at) {
  const core::Kernel* kernel = device.find_kernel(call.host_address);
  if (kernel == nullptr) {
    device.fail_construct(
        Error{"no device image of the program fits this device and holds the kernel; compile "
              "and link with this device among the offload targets"},
        at);
  }
  const bool is_moved = placement != nullptr && placement->is_moved();
  const auto failed = [&](const Error& error, Runtime::Begun begun = Runtime::Begun::kNo) {
    if (core::is_of_the_end(at)) {
      return Outcome::kDone;
    }
    if (is_moved) {
      Runtime::leave_to_default_device(device, error, at, begun);
      return Outcome::kRefused;
    }
    Runtime::instance().leave_to_host(device, error, at, begun);
    return Outcome::kFailed;
  };
  if (at.nowait && device.plugin_device().has_queues()) {
    if (void** handle = abi::openmp::handle_of_current_target_task(); handle != nullptr) {
      auto deferred = std::make_shared<DeferredRegion>(device, *kernel, at);
      if (Status status = start(deferred->region, call); !status) {
        return failed(status.error());
      }
      if (placement != nullptr) {
        deferred->is_spread = true;
        deferred->placement = std::move(placement);
        deferred->placement->leave_to_itself(deferred);
      }
      abi::openmp::leave(handle, std::move(deferred));
      return Outcome::kDone;
    }
  }
  core::TargetRegion region(device, *kernel, at);
  if (Status status = start(region, call); !status) {
    return failed(status.error());
  }
  if (Status status = region.wait(); !status) {
    return failed(status.error(), Runtime::Begun::kPerhaps);
  }
  finish(region);
  return Outcome::kDone;
}

/// The same on a device that GANTRY_SPREAD chooses.
[[gnu::cold]] Outcome run_spread(core::Device& device, const Call& call, core::Construct& at) {
  MapItems items;
  (void)decode_maps_of(call.arguments, items); // what is wrong with them is said when it starts
  const auto run_at = [&](bool names_no_device) {
    auto placement = std::make_unique<core::Placement>();
    core::Device& chosen = abi::openmp::place(
        *placement,
        {device, names_no_device, abi::openmp::default_device_number(), call.host_address}, items);
    return run_on(chosen, std::move(placement), call, at);
  };
  const Outcome outcome = run_at(call.device_number == abi::openmp::kNoDeviceClause);
  return outcome == Outcome::kRefused ? run_at(false) : outcome;
}

} // namespace

int gantry::abi::clang::run_target(const Ident* location, std::int64_t device_number,
                                   std::int32_t num_teams, std::int32_t thread_limit,
                                   const void* host_address, const KernelArguments* arguments,
                                   const void* caller) {
  const bool nowait = arguments->version >= 2 && (arguments->flags & kNoWait) != 0;
  const RegionUse use(nowait ? RegionUse::Task::kTarget : RegionUse::Task::kOther);
  if (!use.permitted()) [[unlikely]] {
    return 0;
  }
  core::Construct at = construct("target", location, caller);
  at.kind = core::ConstructKind::kTarget;
  at.nowait = nowait;
  core::Device* device = abi::openmp::select_device(device_number, at);
  if (device == nullptr) {
    return core::is_of_the_end(at) ? 0 : kRunOnHost;
  }
  if (arguments->version == 0 || arguments->version > kNewestVersion) {
    device->fail_construct(
        Error{fmt::format("the launch has arguments of version {}, and this runtime knows 1 to "
                          "{}; it was built by a newer Clang than Gantry supports",
                          arguments->version, kNewestVersion)},
        at);
  }
  const Call call{device_number, num_teams, thread_limit, host_address, arguments};
  const Outcome outcome =
      core::is_spreading() ? run_spread(*device, call, at) : run_on(*device, nullptr, call, at);
  return outcome == Outcome::kDone ? 0 : kRunOnHost;
}

GANTRY_EXPORT int __tgt_target_kernel(const Ident* location, std::int64_t device,
                                      std::int32_t num_teams, std::int32_t thread_limit,
                                      const void* host_address, const KernelArguments* arguments) {
  return run_target(location, device, num_teams, thread_limit, host_address, arguments,
                    __builtin_return_address(0));
}

/// See abi/openmp/target_task.h.
GANTRY_EXPORT void __tgt_target_nowait_query(void** handle) {
  abi::openmp::ask(handle);
}

/// Clang 15's form of nowait; the task around it carries the dependences.
GANTRY_EXPORT int __tgt_target_kernel_nowait(const Ident* location, std::int64_t device,
                                             std::int32_t num_teams, std::int32_t thread_limit,
                                             const void* host_address,
                                             const KernelArguments* arguments, std::int32_t, void*,
                                             std::int32_t, void*) {
  return run_target(location, device, num_teams, thread_limit, host_address, arguments,
                    __builtin_return_address(0));
}
