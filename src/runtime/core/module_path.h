// Where code and data lie in the file system. Everything libgantry loads at run time is looked up
// relative to itself, never through PATH or the environment.
#pragma once

#include <string>

namespace gantry::core {

/// The folder lib/gantry beside the library that holds this code; empty if it cannot be told.
[[nodiscard]] std::string library_folder();

/// The file of the executable or library that holds `address`: what a user calls the program.
[[nodiscard]] std::string module_of(const void* address);

} // namespace gantry::core
