#include "plugins/last_error.h"
#include "plugins/worker/entries.h"
#include "plugins/worker/process.h"

namespace {

gantry_status count_devices(std::int32_t* count) noexcept {
  const auto command = gantry::worker::worker_command();
  *count = command ? 1 : 0;
  return command ? gantry_status{GANTRY_SUCCESS}
                 : gantry::plugins::set_error(GANTRY_NOT_FOUND, command.error());
}

} // namespace

extern "C" [[gnu::visibility("default")]] const gantry_plugin*
gantry_get_plugin(std::uint32_t /*version*/) noexcept {
  using namespace gantry::worker;
  static constexpr gantry_plugin kPlugin = {
      .size = sizeof(gantry_plugin),
      .version = GANTRY_PLUGIN_VERSION,
      .error_message = []() noexcept { return gantry::plugins::last_error(); },
      .count_devices = count_devices,
      .accepts_image = entries::accepts_image,
      .open_device = entries::open_device,
      .close_device = entries::close_device,
      .get_properties = entries::get_properties,
      .use_host_memory = nullptr,
      .get_fault = entries::get_fault,
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
      .copy_between = entries::copy_between,
      .launch = entries::launch,
      .launch_hint = entries::launch_hint,
      .create_queue = entries::create_queue,
      .destroy_queue = entries::destroy_queue,
      .queue_copy_to_device = entries::queue_copy_to_device,
      .queue_copy_to_host = entries::queue_copy_to_host,
      .queue_launch = entries::queue_launch,
      .synchronize_queue = entries::synchronize_queue,
      .query_queue = entries::query_queue,
      .queue_launch_data = nullptr,
      .record_times = entries::record_times,
      .read_times = entries::read_times,
  };
  return &kPlugin;
}
