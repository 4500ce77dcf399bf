#include "plugins/cuda/entries.h"
#include "plugins/last_error.h"

extern "C" [[gnu::visibility("default")]] const gantry_plugin*
gantry_get_plugin(std::uint32_t /*version*/) noexcept {
  using namespace gantry::cuda;
  static constexpr gantry_plugin kPlugin = {
      .size = sizeof(gantry_plugin),
      .version = GANTRY_PLUGIN_VERSION,
      .error_message = []() noexcept { return gantry::plugins::last_error(); },
      .count_devices = entries::count_devices,
      .accepts_image = entries::accepts_image,
      .open_device = entries::open_device,
      .close_device = entries::close_device,
      .get_properties = entries::get_properties,
      .use_host_memory = entries::use_host_memory,
      .get_fault = entries::get_fault,
      .set_function_map = entries::set_function_map,
      .rank_image = entries::rank_image,
      .create_image = entries::create_image,
      .load_image = entries::load_image,
      .destroy_image = entries::destroy_image,
      .find_symbols = entries::find_symbols,
      .allocate = entries::allocate,
      .release = entries::release,
      .copy_to_device = entries::copy_to_device,
      .copy_to_host = entries::copy_to_host,
      .copy_between = entries::copy_between,
      .launch = entries::launch,
      .launch_hint = nullptr,
      .create_queue = entries::create_queue,
      .destroy_queue = entries::destroy_queue,
      .queue_copy_to_device = entries::queue_copy_to_device,
      .queue_copy_to_host = entries::queue_copy_to_host,
      .queue_launch = entries::queue_launch,
      .synchronize_queue = entries::synchronize_queue,
      .query_queue = entries::query_queue,
      .queue_launch_data = entries::queue_launch_data,
      .record_times = entries::record_times,
      .read_times = entries::read_times,
  };
  return &kPlugin;
}
