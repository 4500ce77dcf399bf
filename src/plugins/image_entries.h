// Functions of gantry/plugin.h's table that are the same for every plugin's images: an image has
// load(), unload(), find_kernel() and find_variable().
#pragma once

#include "plugins/last_error.h"

#include <memory>
#include <span>
#include <string>

#include <gantry/plugin.h>

namespace gantry::plugins {

/// See destroy_image of gantry/plugin.h.
template <typename Image>
gantry_status destroy(Image* image) {
  const std::unique_ptr<Image> destroyed(image);
  return image->unload();
}

/// See find_symbols of gantry/plugin.h: looks symbols up one by one.
template <typename Image>
gantry_status find_each(Image& image, std::span<gantry_symbol> symbols) {
  gantry_status result = GANTRY_SUCCESS;
  std::string message;
  for (gantry_symbol& symbol : symbols) {
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

/// Defines the functions of the table, in a plugin's namespace `entries`.
#define GANTRY_IMAGE_ENTRIES                                                                       \
  gantry_status load_image(gantry_image* image) noexcept {                                         \
    return image->load();                                                                          \
  }                                                                                                \
  gantry_status destroy_image(gantry_image* image) noexcept {                                      \
    return plugins::destroy(image);                                                                \
  }                                                                                                \
  gantry_status find_symbols(gantry_image* image, gantry_symbol* symbols,                          \
                             std::size_t count) noexcept {                                         \
    return plugins::find_each(*image, {symbols, count});                                           \
  }
