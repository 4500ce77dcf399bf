// GANTRY_INFO: a line on stderr for each event that the variable names.
#pragma once

#include <cstdint>

namespace gantry::core {

/// What is to be printed from now on: bits of Info. At the start it is what the environment says.
/// Any thread.
void print_info(std::uint32_t bits);

} // namespace gantry::core
