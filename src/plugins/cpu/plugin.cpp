#include "plugins/cpu/elf_image.h"
#include "plugins/cpu/error.h"

#include <algorithm>
#include <cstring>

#include <gantry/plugin.h>

namespace gantry::cpu {

namespace {
/// Of no class: images are destroyed when the objects of a thread are gone.
thread_local char last_error[1024];
} // namespace

std::int32_t set_error(std::int32_t code, std::string_view message) {
  const std::size_t size = std::min(message.size(), sizeof last_error - 1);
  std::memcpy(last_error, message.data(), size);
  last_error[size] = '\0';
  return code;
}

} // namespace gantry::cpu

extern "C" {

int32_t __tgt_rtl_api_version(void) {
  return GANTRY_PLUGIN_API_VERSION;
}

const char* __tgt_rtl_error_message(void) {
  return gantry::cpu::last_error;
}

int32_t __tgt_rtl_number_of_devices(void) {
  return 1;
}

int32_t __tgt_rtl_is_valid_binary(const void* bytes, size_t size) {
  return gantry::cpu::is_host_shared_object({static_cast<const std::byte*>(bytes), size}) ? 1 : 0;
}

} // extern "C"
