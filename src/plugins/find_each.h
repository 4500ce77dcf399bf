// find_symbols of gantry/plugin.h, for plugins that look symbols up one by one.
#pragma once

#include "plugins/last_error.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <gantry/plugin.h>

namespace gantry::plugins {

/// Calls `find` for each symbol, which fills it in and returns its status. Returns the status of
/// the first one that was not found, with its message kept.
template <typename Find>
gantry_status find_each(gantry_symbol* symbols, std::size_t count, Find find) {
  gantry_status result = GANTRY_SUCCESS;
  std::string message;
  for (gantry_symbol& symbol : std::span(symbols, count)) {
    symbol.status = find(symbol);
    if (symbol.status != GANTRY_SUCCESS && result == GANTRY_SUCCESS) {
      result = symbol.status;
      message = last_error();
    }
  }
  return result == GANTRY_SUCCESS ? result : set_error(result, message);
}

} // namespace gantry::plugins
