// Device information routines (OpenMP 5.2, section 18.7) and what libomp asks for them.
#include "runtime/abi/export.h"
#include "runtime/core/reports/diagnostics.h"
#include "runtime/core/reports/info.h"
#include "runtime/core/runtime/runtime.h"

#include <cstdio>
#include <string_view>

using gantry::core::Runtime;

namespace {
constexpr const char* kUidOfHost = "host";
}

/// libomp's omp_get_num_devices, omp_get_initial_device and omp_get_device_num look for this.
GANTRY_EXPORT int __tgt_get_num_devices() {
  return Runtime::instance().device_count({"omp_get_num_devices"});
}

GANTRY_EXPORT int omp_get_num_devices() {
  return __tgt_get_num_devices();
}

/// Section 18.7.6: the host's number is the number of devices.
GANTRY_EXPORT int omp_get_initial_device() {
  return Runtime::instance().device_count({"omp_get_initial_device"});
}

/// Called on the host; images bring their own.
GANTRY_EXPORT int omp_get_device_num() {
  return Runtime::instance().device_count({"omp_get_device_num"});
}

GANTRY_EXPORT int omp_is_initial_device() {
  return 1;
}

/// OpenMP 6.0: a name that tells a device from every other; null for omp_invalid_device.
GANTRY_EXPORT const char* omp_get_uid_from_device(int number) {
  const gantry::core::Construct routine{"omp_get_uid_from_device"};
  const int count = Runtime::instance().device_count(routine);
  if (number == count || number == Runtime::kInitialDevice) {
    return kUidOfHost;
  }
  if (number >= 0 && number < count) {
    return Runtime::instance().device(number)->uid().c_str();
  }
  if (number != Runtime::kInvalidDevice) {
    gantry::core::write_error(Runtime::no_such_device(number, count), routine);
  }
  return nullptr;
}

/// OpenMP 6.0: omp_invalid_device if no device has that name.
GANTRY_EXPORT int omp_get_device_from_uid(const char* uid) {
  const int count = Runtime::instance().device_count({"omp_get_device_from_uid"});
  if (uid == nullptr) {
    return Runtime::kInvalidDevice;
  }
  for (int i = 0; i < count; ++i) {
    if (uid == Runtime::instance().device(i)->uid()) {
      return i;
    }
  }
  return uid == std::string_view(kUidOfHost) ? count : Runtime::kInvalidDevice;
}

GANTRY_EXPORT void __tgt_set_info_flag(std::uint32_t bits) {
  gantry::core::print_info(gantry::core::info_from_libomptarget(bits));
}

GANTRY_EXPORT int __tgt_print_device_info(std::int64_t number) {
  gantry::core::Device* device = Runtime::instance().select(number, {"__tgt_print_device_info"});
  if (device == nullptr) {
    return 0;
  }
  std::puts(fmt::format("{}: {}", device->label(), device->plugin_device().description()).c_str());
  return 1;
}

GANTRY_EXPORT void ompx_dump_mapping_tables() {
  const int count = Runtime::instance().device_count({"ompx_dump_mapping_tables"});
  for (int i = 0; i < count; ++i) {
    gantry::core::Device& device = *Runtime::instance().device(i);
    std::puts(fmt::format("{}\n{}", device.label(), device.data_environment().describe()).c_str());
  }
}
