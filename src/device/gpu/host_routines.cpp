// OpenMP's routines for devices, memory spaces, interoperability and affinity, whose effect in a
// target region the specification leaves open (OpenMP 5.2, chapter 18; OpenMP 6.0, part IV). They
// do what is possible without the host, and otherwise return that it is not supported.
#include "device/gpu/environment.h"

namespace gantry::device {

namespace {

constexpr int32_t kInitialDevice = -1; ///< omp_initial_device
constexpr int32_t kInvalidDevice = -2; ///< omp_invalid_device
constexpr int32_t kFailure = 22;       ///< EINVAL
constexpr int32_t kNoTool = -2;        ///< omp_control_tool_notool
constexpr int32_t kNoValue = 1;        ///< omp_irc_no_value

bool is_here(int32_t device) {
  return device == static_cast<int32_t>(__omp_rtl_device_environment.device_number);
}

} // namespace

extern "C" {

GANTRY_ANSWER(int32_t, omp_get_initial_device, (), kInitialDevice)
GANTRY_ANSWER(int32_t, omp_get_device_from_uid, (const char*), kInvalidDevice)
GANTRY_ANSWER(const char*, omp_get_uid_from_device, (int32_t), nullptr)

// Copies and fills within this device's memory.

int32_t omp_target_memcpy(void* to, const void* from, size_t size, size_t to_offset,
                          size_t from_offset, int32_t to_device, int32_t from_device) {
  if (!is_here(to_device) || !is_here(from_device) || to == nullptr || from == nullptr) {
    return kFailure;
  }
  __builtin_memmove(static_cast<char*>(to) + to_offset,
                    static_cast<const char*>(from) + from_offset, size);
  return 0;
}
void* omp_target_memset(void* place, int32_t value, size_t size, int32_t device) {
  if (is_here(device) && place != nullptr) {
    __builtin_memset(place, value, size);
  }
  return place;
}
GANTRY_ANSWER(int32_t, omp_target_memcpy_async,
              (void*, const void*, size_t, size_t, size_t, int32_t, int32_t, int32_t, void*),
              kFailure)
GANTRY_ANSWER(int32_t, omp_target_memcpy_rect,
              (void*, const void*, size_t, int32_t, const size_t*, const size_t*, const size_t*,
               const size_t*, const size_t*, int32_t, int32_t),
              kFailure)
GANTRY_ANSWER(int32_t, omp_target_memcpy_rect_async,
              (void*, const void*, size_t, int32_t, const size_t*, const size_t*, const size_t*,
               const size_t*, const size_t*, int32_t, int32_t, int32_t, void*),
              kFailure)
GANTRY_ANSWER(void*, omp_target_memset_async, (void*, int32_t, size_t, int32_t, int32_t, void*),
              nullptr)
GANTRY_ANSWER(int32_t, omp_target_associate_ptr,
              (const void*, const void*, size_t, size_t, int32_t), kFailure)
GANTRY_ANSWER(int32_t, omp_target_disassociate_ptr, (const void*, int32_t), kFailure)
GANTRY_ANSWER(int32_t, omp_target_is_accessible, (const void*, size_t, int32_t), 0)

// Interoperability objects belong to the host's runtimes.

GANTRY_ANSWER(int32_t, omp_get_num_interop_properties, (const void*), 0)
#define GANTRY_NO_VALUE(type, name)                                                                \
  type name(const void*, int32_t, int32_t* code) {                                                 \
    if (code != nullptr) {                                                                         \
      *code = kNoValue;                                                                            \
    }                                                                                              \
    return {};                                                                                     \
  }
GANTRY_NO_VALUE(int64_t, omp_get_interop_int)
GANTRY_NO_VALUE(void*, omp_get_interop_ptr)
GANTRY_NO_VALUE(const char*, omp_get_interop_str)
#undef GANTRY_NO_VALUE
GANTRY_ANSWER(const char*, omp_get_interop_name, (const void*, int32_t), nullptr)
GANTRY_ANSWER(const char*, omp_get_interop_type_desc, (const void*, int32_t), nullptr)
GANTRY_ANSWER(const char*, omp_get_interop_rc_desc, (const void*, int32_t), nullptr)

// Memory spaces of several devices: omp_null_mem_space and omp_null_allocator.

#define GANTRY_NONE_OF_DEVICES(kind)                                                               \
  GANTRY_ANSWER(uint64_t, omp_get_devices_##kind, (int32_t, const int32_t*, uint64_t), 0)          \
  GANTRY_ANSWER(uint64_t, omp_get_device_##kind, (int32_t, uint64_t), 0)                           \
  GANTRY_ANSWER(uint64_t, omp_get_devices_and_host_##kind, (int32_t, const int32_t*, uint64_t), 0) \
  GANTRY_ANSWER(uint64_t, omp_get_device_and_host_##kind, (int32_t, uint64_t), 0)                  \
  GANTRY_ANSWER(uint64_t, omp_get_devices_all_##kind, (uint64_t), 0)
GANTRY_NONE_OF_DEVICES(memspace)
GANTRY_NONE_OF_DEVICES(allocator)
#undef GANTRY_NONE_OF_DEVICES
GANTRY_ANSWER(int32_t, omp_get_memspace_num_resources, (uint64_t), 0)
GANTRY_ANSWER(uint64_t, omp_get_submemspace, (uint64_t, int32_t, int32_t*), 0)

// omp.h gives these names to omp_set_affinity_format and so on.

void ompc_set_affinity_format(const char*) {}
size_t ompc_get_affinity_format(char* buffer, size_t size) {
  if (size != 0) {
    *buffer = '\0';
  }
  return 0;
}
void ompc_display_affinity(const char*) {}
size_t ompc_capture_affinity(char* buffer, size_t size, const char*) {
  if (size != 0) {
    *buffer = '\0';
  }
  return 0;
}
GANTRY_ANSWER(int32_t, omp_control_tool, (int32_t, int32_t, void*), kNoTool)

} // extern "C"

} // namespace gantry::device
