#include "plugins/cpu/device.h"

#include "plugins/last_error.h"

#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gantry/plugin.h>

namespace gantry::cpu {

namespace {

struct Device {
  std::int32_t openmp_number = -1;
  bool separate = false;
  bool full_teams = false;
  Functions functions;
};

struct Devices {
  std::mutex mutex;
  std::vector<std::unique_ptr<Device>> open; ///< indexed by the plugin's device number
};

Devices& devices() {
  static auto* const all = new Devices; // kernels may run while the process ends
  return *all;
}

Device& device_of(std::int32_t device) {
  Devices& all = devices();
  const std::lock_guard lock(all.mutex);
  return *all.open[static_cast<std::size_t>(device)];
}

} // namespace

std::int32_t openmp_number(std::int32_t device) {
  return device_of(device).openmp_number;
}

bool full_teams(std::int32_t device) {
  return device_of(device).full_teams;
}

Functions& functions_of(std::int32_t device) {
  return device_of(device).functions;
}

std::int32_t device_of_call(const void* call, gantry_unknown_function& unknown) {
  // Devices stay; to locate a call waits for the dynamic loader, so not with the lock.
  std::vector<Device*> open;
  {
    Devices& all = devices();
    const std::lock_guard lock(all.mutex);
    for (const auto& device : all.open) {
      open.push_back(device.get());
    }
  }
  for (Device* const device : open) {
    if (device != nullptr && device->functions.locate(call, unknown)) {
      return device->openmp_number;
    }
  }
  return -1;
}

} // namespace gantry::cpu

using namespace gantry::cpu;
using gantry::plugins::report;

extern "C" {

int32_t __tgt_rtl_init_device(int32_t device, int32_t openmp_number, const char* options) noexcept {
  bool separate = false;
  bool full_teams = false;
  std::string_view rest(options);
  for (bool more = !rest.empty(); more;) {
    const std::size_t plus = rest.find('+');
    more = plus != std::string_view::npos;
    const std::string_view option = rest.substr(0, plus);
    rest.remove_prefix(more ? plus + 1 : rest.size());
    const bool known = (option == "separate" && !std::exchange(separate, true)) ||
                       (option == "threads=limit" && !std::exchange(full_teams, true));
    if (!known) {
      return report(
          GANTRY_INVALID_OPTION,
          "'{}' is not an option of cpu devices; they have 'separate' and 'threads=limit', "
          "each once, and a number stands in front of them, as in cpu:2+separate",
          options);
    }
  }
  Devices& all = devices();
  const std::lock_guard lock(all.mutex);
  if (all.open.size() <= static_cast<std::size_t>(device)) {
    all.open.resize(static_cast<std::size_t>(device) + 1);
  }
  if (auto& opened = all.open[static_cast<std::size_t>(device)]; opened == nullptr) {
    opened = std::make_unique<Device>();
    opened->openmp_number = openmp_number;
    opened->separate = separate;
    opened->full_teams = full_teams;
  }
  return GANTRY_SUCCESS;
}

uint32_t __tgt_rtl_capabilities(int32_t device) noexcept {
  return GANTRY_CAPABILITY_HOST_ACCESSIBLE |
         (device_of(device).separate ? 0u : GANTRY_CAPABILITY_SHARES_MEMORY);
}

const char* __tgt_rtl_device_description(int32_t /*device*/) noexcept {
  static const std::string description =
      fmt::format("this process, x86-64, {} cores", std::thread::hardware_concurrency());
  return description.c_str();
}

} // extern "C"
