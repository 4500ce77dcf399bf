#include "plugins/cpu/elf_image.h"
#include "plugins/cpu/error.h"

#include <string>

#include <gantry/plugin.h>

namespace gantry::cpu {

namespace {
thread_local std::string last_error;
}

std::int32_t set_error(std::int32_t code, std::string message) {
  last_error = std::move(message);
  return code;
}

} // namespace gantry::cpu

extern "C" {

int32_t __tgt_rtl_api_version(void) {
  return GANTRY_PLUGIN_API_VERSION;
}

const char* __tgt_rtl_error_message(void) {
  return gantry::cpu::last_error.c_str();
}

int32_t __tgt_rtl_number_of_devices(void) {
  return 1;
}

int32_t __tgt_rtl_is_valid_binary(const void* bytes, size_t size) {
  return gantry::cpu::is_host_shared_object({static_cast<const std::byte*>(bytes), size}) ? 1 : 0;
}

} // extern "C"
