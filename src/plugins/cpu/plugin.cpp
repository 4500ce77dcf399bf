// The table of the plugin that is linked into libgantry.
#include "plugins/cpu/elf_image.h"
#include "plugins/cpu/entries.h"

namespace gantry::cpu {

namespace entries {

gantry_status count_devices(std::int32_t* count) noexcept {
  *count = 1;
  return GANTRY_SUCCESS;
}

std::int32_t accepts_image(const void* bytes, std::size_t size) noexcept {
  return is_host_shared_object({static_cast<const std::byte*>(bytes), size}) ? 1 : 0;
}

} // namespace entries

const gantry_plugin& plugin() {
  static constexpr gantry_plugin kPlugin = GANTRY_TABLE(GANTRY_CPU_PLUGIN);
  return kPlugin;
}

} // namespace gantry::cpu
