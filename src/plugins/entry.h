// What plugins implement the table of gantry/plugin.h with.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <gantry/plugin.h>

/// Declares a plugin's implementation of a function, with the type that the table gives it.
#define GANTRY_ENTRY(name) std::remove_pointer_t<decltype(gantry_plugin::name)> name;

namespace gantry::plugins {

/// Fills in a structure of the caller's, which may be shorter than the plugin knows it.
template <typename Structure>
void fill_in(Structure* theirs, Structure known) {
  known.size = theirs->size;
  std::memcpy(theirs, &known, std::min(theirs->size, sizeof known));
}

} // namespace gantry::plugins
