#include "plugins/cpu/device.h"

#include "plugins/cpu/entries.h"
#include "plugins/device_options.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace gantry::cpu {

namespace {

/// The open devices whose calls by pointer are checked: what checks a call knows its address only.
struct Checked {
  std::mutex mutex;
  std::vector<gantry_device*> devices;
};

Checked& checked() {
  static auto* const all = new Checked; // kernels may run while the process ends
  return *all;
}

/// Called by device code, before a call through a pointer that the function table does not have.
void check_call(const void* pointer, const void* call) {
  gantry_unknown_function unknown{
      .size = sizeof unknown, .pointer = pointer, .image = nullptr, .image_size = 0, .call = 0};
  // locate() waits for the dynamic loader, so it is not called with the lock. The device that the
  // calling code belongs to stays open meanwhile.
  std::vector<gantry_device*> devices;
  {
    Checked& all = checked();
    const std::lock_guard lock(all.mutex);
    devices = all.devices;
  }
  const auto device = std::ranges::find_if(devices, [&](gantry_device* candidate) {
    return candidate->functions.locate(call, unknown);
  });
  if (device != devices.end()) {
    (*device)->function_check((*device)->openmp_number, &unknown);
  } else if (!devices.empty()) {
    devices.front()->function_check(-1, &unknown);
  }
}

} // namespace

namespace entries {

gantry_status open_device(std::int32_t /*index*/, const gantry_device_settings* settings,
                          gantry_device** device) noexcept {
  auto opened = std::make_unique<gantry_device>();
  for (const std::string_view option : plugins::split_options(settings->options)) {
    const bool known = (option == "separate" && !std::exchange(opened->separate, true)) ||
                       (option == "threads=limit" && !std::exchange(opened->full_teams, true));
    if (!known) {
      return plugins::report(
          GANTRY_INVALID_OPTION,
          "'{}' is not an option of cpu devices; they have 'separate' and 'threads=limit', "
          "each once, and a number stands in front of them, as in cpu:2+separate",
          settings->options);
    }
  }
  opened->openmp_number = settings->openmp_number;
  if (settings->function_check != nullptr) {
    opened->function_check = settings->function_check;
    opened->functions.set_check(check_call);
    Checked& all = checked();
    const std::lock_guard lock(all.mutex);
    all.devices.push_back(opened.get());
  }
  *device = opened.release();
  return GANTRY_SUCCESS;
}

gantry_status close_device(gantry_device* device) noexcept {
  {
    Checked& all = checked();
    const std::lock_guard lock(all.mutex);
    std::erase(all.devices, device);
  }
  delete device;
  return GANTRY_SUCCESS;
}

gantry_status get_properties(gantry_device* device, gantry_device_properties* properties) noexcept {
  static const std::string description =
      fmt::format("this process, x86-64, {} cores", std::thread::hardware_concurrency());
  plugins::fill_in(properties,
                   {.size = 0,
                    .capabilities = GANTRY_CAPABILITY_HOST_ACCESSIBLE |
                                    (device->separate ? 0U : GANTRY_CAPABILITY_SHARES_MEMORY),
                    .description = description.c_str(),
                    .clock = nullptr});
  return GANTRY_SUCCESS;
}

} // namespace entries
} // namespace gantry::cpu
