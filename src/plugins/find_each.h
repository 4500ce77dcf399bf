// find_symbols of gantry/plugin.h, for images that look symbols up one by one.
#pragma once

#include "plugins/last_error.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <gantry/plugin.h>

namespace gantry::plugins {

/// Fills in each symbol by the image's find_kernel() or find_variable(). Returns the status of the
/// first one that was not found, with its message kept.
template <typename Image>
gantry_status find_each(Image& image, gantry_symbol* symbols, std::size_t count) {
  gantry_status result = GANTRY_SUCCESS;
  std::string message;
  for (gantry_symbol& symbol : std::span(symbols, count)) {
    symbol.status = symbol.kind == GANTRY_SYMBOL_KERNEL
                        ? image.find_kernel(symbol.name, symbol.kernel)
                        : image.find_variable(symbol.name, symbol.address, symbol.bytes);
    if (symbol.status != GANTRY_SUCCESS && result == GANTRY_SUCCESS) {
      result = symbol.status;
      message = last_error();
    }
  }
  return result == GANTRY_SUCCESS ? result : set_error(result, message);
}

} // namespace gantry::plugins
