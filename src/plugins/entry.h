// What plugins implement the table of gantry/plugin.h with: lists of its functions. A plugin names
// its own as one list, from which the declarations in its entries.h and its table are made.
#pragma once

#include "plugins/last_error.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <gantry/plugin.h>

/// The functions that every plugin here has, as X(name).
#define GANTRY_ENTRIES(X)                                                                          \
  X(count_devices)                                                                                 \
  X(accepts_image)                                                                                 \
  X(open_device)                                                                                   \
  X(close_device)                                                                                  \
  X(get_properties)                                                                                \
  X(set_function_map)                                                                              \
  X(create_image)                                                                                  \
  X(load_image)                                                                                    \
  X(destroy_image)                                                                                 \
  X(find_symbols)                                                                                  \
  X(allocate)                                                                                      \
  X(release)                                                                                       \
  X(copy_to_device)                                                                                \
  X(copy_to_host)                                                                                  \
  X(launch)

/// Those of plugins whose devices have queues with times.
#define GANTRY_QUEUE_ENTRIES(X)                                                                    \
  X(create_queue)                                                                                  \
  X(destroy_queue)                                                                                 \
  X(queue_copy_to_device)                                                                          \
  X(queue_copy_to_host)                                                                            \
  X(queue_launch)                                                                                  \
  X(synchronize_queue)                                                                             \
  X(query_queue)                                                                                   \
  X(record_times)                                                                                  \
  X(read_times)

/// Declares a plugin's implementation of a function, with the type that the table gives it.
#define GANTRY_DECLARE_ENTRY(name) std::remove_pointer_t<decltype(gantry_plugin::name)> name;

#define GANTRY_SET_ENTRY(name) table.name = entries::name;

/// The table of the functions in the list `entries_of_plugin`; the others are null.
#define GANTRY_TABLE(entries_of_plugin)                                                            \
  [] {                                                                                             \
    gantry_plugin table = {};                                                                      \
    table.size = sizeof table;                                                                     \
    table.version = GANTRY_PLUGIN_VERSION;                                                         \
    table.error_message = []() noexcept { return gantry::plugins::last_error(); };                 \
    entries_of_plugin(GANTRY_SET_ENTRY) return table;                                              \
  }()

/// Defines the function that a plugin's library exports.
#define GANTRY_EXPORT_TABLE(entries_of_plugin)                                                     \
  extern "C" [[gnu::visibility("default")]] const gantry_plugin* gantry_get_plugin(                \
      std::uint32_t /*version*/) noexcept {                                                        \
    static constexpr gantry_plugin kPlugin = GANTRY_TABLE(entries_of_plugin);                      \
    return &kPlugin;                                                                               \
  }

namespace gantry::plugins {

/// Fills in a structure of the caller's, which may be shorter than the plugin knows it.
template <typename Structure>
void fill_in(Structure* theirs, Structure known) {
  known.size = theirs->size;
  std::memcpy(theirs, &known, std::min(theirs->size, sizeof known));
}

} // namespace gantry::plugins
