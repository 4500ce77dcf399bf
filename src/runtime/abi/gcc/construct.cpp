#include "runtime/abi/gcc/construct.h"

#include "runtime/abi/gcc/libgomp.h"
#include "runtime/core/reports/diagnostics.h"

#include <cstring>

namespace gantry::abi::gcc {

core::Device* select_device(int number, const core::Construct& construct) {
  core::Runtime& runtime = core::Runtime::instance();
  if (number == kHostFallback) {
    return nullptr;
  }
  if (number == kInvalidDevice) {
    core::fatal(Error{"the device number is omp_invalid_device"}, construct);
  }
  if (number == kDefaultDevice) {
    if (libgomp().default_device == nullptr) {
      return runtime.select(core::Runtime::kDefaultDevice, construct);
    }
    number = libgomp().default_device();
  }
  if (core::Device* const device = runtime.ready(number); device != nullptr) [[likely]] {
    return device;
  }
  if (number == core::Runtime::kInitialDevice) {
    return nullptr;
  }
  const int count = runtime.device_count(construct);
  if (number >= 0 && number <= count) {
    return runtime.select(number, construct);
  }
  // For libgomp a number that is no device's is the host's.
  if (runtime.mandatory()) {
    core::fatal(core::Runtime::no_such_device(number, count), construct);
  }
  return nullptr;
}

WideKinds::WideKinds(const std::uint8_t* kinds, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    kinds_.push_back(static_cast<std::uint16_t>((kinds[i] & ((1U << kShortKindBits) - 1)) |
                                                kinds[i] >> kShortKindBits << 8U));
  }
}

KeptArrays::KeptArrays(const MapArrays& arrays)
    : addresses_(arrays.addresses, arrays.addresses + arrays.count),
      sizes_(arrays.sizes, arrays.sizes + arrays.count),
      kinds_(arrays.kinds, arrays.kinds + arrays.count) {
  for (std::size_t i = 0; i < arrays.count; ++i) {
    if ((kinds_[i] & 0xff) != kFirstPrivate || addresses_[i] == nullptr) {
      continue;
    }
    const std::size_t alignment = std::size_t{1} << (kinds_[i] >> 8);
    auto value = std::make_unique<std::byte[]>(sizes_[i] + alignment - 1);
    const auto begin = reinterpret_cast<std::uintptr_t>(value.get());
    std::byte* const aligned = value.get() + (alignment - begin % alignment) % alignment;
    std::memcpy(aligned, addresses_[i], sizes_[i]);
    addresses_[i] = aligned;
    values_.push_back(std::move(value));
  }
}

MapArrays KeptArrays::arrays() {
  return {addresses_.size(), addresses_.data(), sizes_.data(), kinds_.data()};
}

void defer(std::function<void()> construct, void** dependences) {
  constexpr unsigned kHasDependences = 8;
  if (libgomp().task == nullptr) {
    construct();
    return;
  }
  // What libgomp copies into the task.
  struct Data {
    std::function<void()>* construct;
  } data{new std::function<void()>(std::move(construct))};
  libgomp().task(
      [](void* task) {
        const std::unique_ptr<std::function<void()>> running(static_cast<Data*>(task)->construct);
        (*running)();
      },
      &data, nullptr, sizeof data, alignof(Data), true,
      dependences == nullptr ? 0 : kHasDependences, dependences, 0, nullptr);
}

void wait_for(void** dependences) {
  if (dependences != nullptr && libgomp().wait_for_dependences != nullptr) {
    libgomp().wait_for_dependences(dependences);
  }
}

} // namespace gantry::abi::gcc
