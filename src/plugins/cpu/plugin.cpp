#include "plugins/cpu/elf_image.h"
#include "plugins/last_error.h"

#include <gantry/plugin.h>

extern "C" {

int32_t __tgt_rtl_api_version(void) noexcept {
  return GANTRY_PLUGIN_API_VERSION;
}

const char* __tgt_rtl_error_message(void) noexcept {
  return gantry::plugins::last_error();
}

int32_t __tgt_rtl_number_of_devices(void) noexcept {
  return 1;
}

int32_t __tgt_rtl_is_valid_binary(const void* bytes, size_t size) noexcept {
  return gantry::cpu::is_host_shared_object({static_cast<const std::byte*>(bytes), size}) ? 1 : 0;
}

} // extern "C"
