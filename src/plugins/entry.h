// How a plugin declares its implementation of a function of gantry/plugin.h's table: with the type
// that the table gives it.
#pragma once

#include <type_traits>

#include <gantry/plugin.h>

#define GANTRY_ENTRY(name) std::remove_pointer_t<decltype(gantry_plugin::name)> name;
