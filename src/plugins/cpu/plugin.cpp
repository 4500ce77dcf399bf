#include "plugins/cpu/elf_image.h"
#include "plugins/cpu/entries.h"
#include "plugins/last_error.h"

namespace gantry::cpu {

namespace entries {

std::int32_t accepts_image(const void* bytes, std::size_t size) noexcept {
  return is_host_shared_object({static_cast<const std::byte*>(bytes), size}) ? 1 : 0;
}

} // namespace entries

const gantry_plugin& plugin() {
  static constexpr gantry_plugin kPlugin = {
      .size = sizeof(gantry_plugin),
      .version = GANTRY_PLUGIN_VERSION,
      .error_message = []() noexcept { return plugins::last_error(); },
      .count_devices =
          [](std::int32_t* count) noexcept {
            *count = 1;
            return gantry_status{GANTRY_SUCCESS};
          },
      .accepts_image = entries::accepts_image,
      .open_device = entries::open_device,
      .close_device = entries::close_device,
      .get_properties = entries::get_properties,
      .use_host_memory = nullptr,
      .get_fault = nullptr,
      .set_function_map = entries::set_function_map,
      .rank_image = nullptr,
      .create_image = entries::create_image,
      .load_image = entries::load_image,
      .destroy_image = entries::destroy_image,
      .find_symbols = entries::find_symbols,
      .allocate = entries::allocate,
      .release = entries::release,
      .copy_to_device = entries::copy_to_device,
      .copy_to_host = entries::copy_to_host,
      .copy_between = nullptr,
      .launch = entries::launch,
      .launch_hint = entries::launch_hint,
      .create_queue = nullptr,
      .destroy_queue = nullptr,
      .queue_copy_to_device = nullptr,
      .queue_copy_to_host = nullptr,
      .queue_launch = nullptr,
      .synchronize_queue = nullptr,
      .query_queue = nullptr,
      .queue_launch_data = nullptr,
      .record_times = nullptr,
      .read_times = nullptr,
  };
  return kPlugin;
}

} // namespace gantry::cpu
