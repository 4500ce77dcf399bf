#include "runtime/abi/ompt/devices.h"

#include "runtime/abi/ompt/device_lookup.h"
#include "runtime/abi/ompt/tool.h"
#include "runtime/core/host/module_path.h"
#include "runtime/core/runtime/runtime.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gantry::abi::ompt {

namespace {

constexpr std::size_t kMostDevices = 1024; // as many as the runtime has
constinit std::array<std::atomic<KnownDevice*>, kMostDevices> devices;

constexpr const char* kDocumentation =
    "Gantry. Records: target, target_data_op and target_submit, of host time for constructs and "
    "memory, of device time for copies and kernels where the device has a clock, all in "
    "nanoseconds "
    "of CLOCK_MONOTONIC.";

} // namespace

KnownDevice* KnownDevice::find(int number) {
  if (number < 0 || static_cast<std::size_t>(number) >= kMostDevices) {
    return nullptr;
  }
  std::atomic<KnownDevice*>& place = devices[static_cast<std::size_t>(number)];
  KnownDevice* known = place.load(std::memory_order_acquire);
  if (known == nullptr) {
    auto* const added = new KnownDevice(number);
    if (place.compare_exchange_strong(known, added)) {
      known = added;
    } else {
      delete added;
    }
  }
  State state = known->state_.load(std::memory_order_acquire);
  if (state == State::kKnown) [[likely]] {
    return known;
  }
  if (state == State::kUnknown && known->state_.compare_exchange_strong(state, State::kBeingTold)) {
    known->telling_.store(std::this_thread::get_id());
    known->tell();
    known->state_.store(State::kKnown, std::memory_order_release);
    return known;
  }
  // The tool may use the device while it is told of it.
  while (state == State::kBeingTold && known->telling_.load() != std::this_thread::get_id()) {
    std::this_thread::yield();
    state = known->state_.load(std::memory_order_acquire);
  }
  return state == State::kFinished ? nullptr : known;
}

KnownDevice* KnownDevice::of(ompt_device_t* device) {
  for (const auto& place : devices) {
    KnownDevice* const known = place.load(std::memory_order_acquire);
    if (known != nullptr && (device == nullptr || device == known)) {
      return known;
    }
  }
  return nullptr;
}

void KnownDevice::finish_all() {
  for (const auto& place : devices) {
    if (KnownDevice* const known = place.load(std::memory_order_acquire); known != nullptr) {
      known->finish();
    }
  }
}

void KnownDevice::tell() {
  const auto initialize = Tool::instance().callbacks().device_initialize.load();
  const Tool::Call call;
  if (initialize == nullptr || !call) {
    Tool::instance().told_of_device();
    return;
  }
  // Section 19.5.2.19: vendor and model, with semicolons, and what else there is to say.
  const core::PluginDevice& device = core::Runtime::instance().device(number_)->plugin_device();
  const std::string type =
      fmt::format("Gantry;{};{}", device.plugin().name(), device.description());
  initialize(number_, type.c_str(), this, look_up_for_device, kDocumentation);
  Tool::instance().told_of_device();
}

void KnownDevice::finish() {
  State known = State::kKnown;
  if (!state_.compare_exchange_strong(known, State::kFinished)) {
    return;
  }
  trace_.finish();
  std::vector<Image> left;
  {
    const std::lock_guard lock(mutex_);
    left = std::exchange(images_, {});
  }
  const Tool::Call call;
  const auto unload = Tool::instance().callbacks().device_unload.load();
  const auto finalize = Tool::instance().callbacks().device_finalize.load();
  if (!call) {
    return;
  }
  for (const Image& image : left) {
    if (unload != nullptr) {
      unload(number_, image.module);
    }
  }
  if (finalize != nullptr) {
    finalize(number_);
  }
}

void KnownDevice::tell_loaded(const std::byte* image, std::size_t size) {
  const Image added{image, Tool::unique_id()};
  {
    const std::lock_guard lock(mutex_);
    images_.push_back(added);
  }
  const auto load = Tool::instance().callbacks().device_load.load();
  if (load == nullptr) {
    return;
  }
  // Where the image is in no file, as it was put together at run time, there is neither name nor
  // offset.
  const core::Module module = core::module_of(image);
  const bool in_file = module.offset != 0;
  if (const Tool::Call call; call) {
    load(number_, in_file ? module.path.c_str() : nullptr,
         in_file ? static_cast<std::int64_t>(module.offset) : -1,
         reinterpret_cast<void*>(module.address_in_file), size, const_cast<std::byte*>(image),
         nullptr, added.module);
  }
}

void KnownDevice::tell_unloaded(const std::byte* image) {
  Image gone{nullptr, 0};
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(images_, image, &Image::begin);
    if (found == images_.end()) {
      return;
    }
    gone = *found;
    images_.erase(found);
  }
  const auto unload = Tool::instance().callbacks().device_unload.load();
  if (const Tool::Call call; call && unload != nullptr) {
    unload(number_, gone.module);
  }
}

} // namespace gantry::abi::ompt
