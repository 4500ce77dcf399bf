#include "runtime/core/devices/plugin.h"

#include <algorithm>
#include <cstring>

namespace gantry::core {

Plugin::Plugin(std::string name, const gantry_plugin& table, FoundingMap founding_map)
    : name_(std::move(name)), founding_map_(founding_map) {
  std::memcpy(&functions_, &table, std::min(table.size, sizeof functions_));
}

const char* Plugin::missing_function() const {
#define GANTRY_REQUIRE(function)                                                                   \
  if (functions_.function == nullptr) {                                                            \
    return #function;                                                                              \
  }
  GANTRY_REQUIRE(error_message)
  GANTRY_REQUIRE(count_devices)
  GANTRY_REQUIRE(accepts_image)
  GANTRY_REQUIRE(open_device)
  GANTRY_REQUIRE(close_device)
  GANTRY_REQUIRE(get_properties)
  GANTRY_REQUIRE(create_image)
  GANTRY_REQUIRE(load_image)
  GANTRY_REQUIRE(destroy_image)
  GANTRY_REQUIRE(find_symbols)
  GANTRY_REQUIRE(allocate)
  GANTRY_REQUIRE(release)
  GANTRY_REQUIRE(copy_to_device)
  GANTRY_REQUIRE(copy_to_host)
  GANTRY_REQUIRE(launch)
  return nullptr;
}

const char* Plugin::missing_queue_function() const {
  GANTRY_REQUIRE(create_queue)
  GANTRY_REQUIRE(destroy_queue)
  GANTRY_REQUIRE(queue_copy_to_device)
  GANTRY_REQUIRE(queue_copy_to_host)
  GANTRY_REQUIRE(queue_launch)
  GANTRY_REQUIRE(synchronize_queue)
  GANTRY_REQUIRE(query_queue)
#undef GANTRY_REQUIRE
  return nullptr;
}

Status Plugin::failure(gantry_status status) const {
  const bool refused = status != GANTRY_INVALID_OPTION && status != GANTRY_NOT_FOUND;
  return tl::unexpected(Error{functions_.error_message(), refused, status == GANTRY_DEVICE_LOST});
}

Result<int> Plugin::count_devices() const {
  std::int32_t count = 0;
  GANTRY_TRY(check(functions().count_devices(&count)));
  return count > 0 ? Result<int>(count) : fail("the plugin offers no device");
}

Result<int> Plugin::add_devices(const std::string& kind, int count) const {
  std::int32_t added = 0;
  GANTRY_TRY(check(functions().add_devices(kind.c_str(), std::max(count, 0), &added)));
  return added > 0 ? Result<int>(added) : fail("the plugin offers no device");
}

} // namespace gantry::core
