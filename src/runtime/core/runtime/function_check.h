// Calls by pointer, on a device, of functions that have no version there.
#pragma once

#include <cstdint>

#include <gantry/plugin.h>

namespace gantry::core {

/// See gantry/plugin.h: ends the program if the pointer is into a program that has code for
/// devices, and so is the host's. Of what is in other libraries nobody can tell who took the
/// address: the device may share them with the host.
void check_function(std::int32_t device, const gantry_unknown_function* unknown);

} // namespace gantry::core
