// The target construct as GCC calls it.
#include "runtime/abi/export.h"
#include "runtime/abi/gcc/construct.h"
#include "runtime/abi/gcc/decode.h"
#include "runtime/abi/gcc/libgomp.h"
#include "runtime/abi/gcc/openmp_target.h"
#include "runtime/abi/openmp/process_end.h"
#include "runtime/abi/openmp/spread.h"
#include "runtime/core/constructs/target_region.h"

using namespace gantry;
using namespace gantry::abi::gcc;
using core::Runtime;

namespace {

using Region = void (*)(void*);

/// One target construct, from the arguments that all forms of its call have.
struct Target {
  int device = kDefaultDevice;
  Region region = nullptr;
  MapArrays arrays;
  void** arguments = nullptr;
  const void* caller = nullptr; ///< where the entry point returns to
  bool nowait = false;
};

/// Lets the host run the region: libgomp, if it is there, as an initial thread of its own.
void run_on_host(const Target& target) {
  if (libgomp().target != nullptr) {
    libgomp().target(kHostFallback, target.region, target.arrays.count, target.arrays.addresses,
                     const_cast<std::size_t*>(target.arrays.sizes),
                     const_cast<std::uint16_t*>(target.arrays.kinds), 0, nullptr, target.arguments);
    return;
  }
  if (target.arrays.count == 0) {
    target.region(target.arrays.addresses); // which may be a block that somebody else has made
    return;
  }
  // The region may change its firstprivate variables.
  KeptArrays kept(target.arrays);
  target.region(kept.arrays().addresses);
}

Status start(core::TargetRegion& region, const Target& target) {
  Status status = decode_maps(target.arrays, Purpose::kTarget, region.items);
  return status ? region.start(decode_launch(target.arguments)) : status;
}

enum class Outcome : std::uint8_t {
  kDone,
  kFailed,  ///< the host is to run it
  kRefused, ///< the same, or the default device: this one was another
};

/// Runs a region on a device, which is not the construct's if `is_moved`.
Outcome run_on(core::Device& device, const Target& target, core::Construct& at,
               bool is_moved = false) {
  const auto failed = [&](const Error& error, Runtime::Begun begun = Runtime::Begun::kNo) {
    if (is_moved) {
      Runtime::leave_to_default_device(device, error, at, begun);
      return Outcome::kRefused;
    }
    Runtime::instance().leave_to_host(device, error, at, begun);
    return Outcome::kFailed;
  };
  const core::Kernel* const kernel =
      device.find_kernel(reinterpret_cast<const void*>(target.region));
  if (kernel == nullptr) [[unlikely]] {
    return failed(
        Error{"no device image of the program fits this device and holds the region; compile and "
              "link with this device among the offload targets (-foffload)",
              true});
  }
  if (target.arrays.count == 0 && device.plugin_device().works_directly()) {
    const Status status =
        core::run_without_data(device, *kernel, at, decode_launch(target.arguments));
    return status ? Outcome::kDone : failed(status.error());
  }
  core::TargetRegion region(device, *kernel, at);
  region.form = core::ParameterForm::kBlock;
  if (Status status = start(region, target); !status) [[unlikely]] {
    return failed(status.error());
  }
  if (Status status = region.wait(); !status) [[unlikely]] {
    return failed(status.error(), Runtime::Begun::kPerhaps);
  }
  if (Status finished = region.finish(); !finished) [[unlikely]] {
    device.fail_construct(finished.error(), at);
  }
  return Outcome::kDone;
}

/// The same on a device that GANTRY_SPREAD chooses.
[[gnu::cold]] Outcome run_spread(core::Device& device, const Target& target, core::Construct& at) {
  core::MapItems items;
  // What is wrong with them is said when the region starts.
  (void)decode_maps(target.arrays, Purpose::kTarget, items);
  const auto run_at = [&](bool names_no_device) {
    core::Placement placement;
    core::Device& chosen = abi::openmp::place(
        placement,
        {device, names_no_device,
         libgomp().default_device == nullptr ? Runtime::kDefaultDevice : libgomp().default_device(),
         reinterpret_cast<const void*>(target.region)},
        items);
    return run_on(chosen, target, at, placement.is_moved());
  };
  const Outcome outcome = run_at(target.device == kDefaultDevice);
  return outcome == Outcome::kRefused ? run_at(false) : outcome;
}

void run(const Target& target) {
  const abi::openmp::RegionUse use;
  core::Construct at("target", nullptr, target.caller);
  at.kind = core::ConstructKind::kTarget;
  at.nowait = target.nowait;
  core::Device* const device = select_device(target.device, at);
  if (device == nullptr) {
    run_on_host(target);
    return;
  }
  const Outcome outcome =
      core::is_spreading() ? run_spread(*device, target, at) : run_on(*device, target, at);
  if (outcome != Outcome::kDone) {
    run_on_host(target);
  }
}

/// A copy of a launch's words, which end with null.
std::vector<void*> kept_words(void** words) {
  std::vector<void*> kept;
  for (; words != nullptr && *words != nullptr; ++words) {
    kept.push_back(*words);
    if ((reinterpret_cast<std::uintptr_t>(*words) & kLaunchValueFollows) != 0) {
      kept.push_back(*++words);
    }
  }
  kept.push_back(nullptr);
  return kept;
}

} // namespace

GANTRY_EXPORT void GOMP_target_ext(int device, Region region, std::size_t count, void** addresses,
                                   std::size_t* sizes, std::uint16_t* kinds, unsigned flags,
                                   void** dependences, void** arguments) {
  Target target{
      device, region, {count, addresses, sizes, kinds}, arguments, __builtin_return_address(0)};
  if ((flags & kNoWait) != 0) {
    defer(
        [target, kept = std::make_shared<KeptArrays>(target.arrays),
         words = kept_words(arguments)]() mutable {
          target.arrays = kept->arrays();
          target.arguments = words.data();
          target.nowait = true;
          run(target);
        },
        dependences);
    return;
  }
  if (dependences != nullptr) {
    // What is firstprivate has the value that it has here, not that of when the wait is over.
    KeptArrays kept(target.arrays);
    wait_for(dependences);
    run({device, region, kept.arrays(), arguments, target.caller});
    return;
  }
  run(target);
}

/// The form of GCC 4.9 and 5. `table` is the program's device code: __OPENMP_TARGET__ of the design
/// of 2013, or __OFFLOAD_TABLE__, which is registered; null if there is none.
GANTRY_EXPORT void GOMP_target(int device, Region region, const void* table, std::size_t count,
                               void** addresses, std::size_t* sizes, std::uint8_t* kinds) {
  const WideKinds wide(kinds, count);
  run({use_openmp_target(table) ? device : kHostFallback,
       region,
       {count, addresses, sizes, wide.data()},
       nullptr,
       __builtin_return_address(0)});
}
