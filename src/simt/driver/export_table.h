// The table of everything that the library exports, from entry_points.def.
#pragma once

#include <span>

namespace gantry::simt::driver {

struct Export {
  const char* name;   ///< as cuGetProcAddress takes it
  int version;        ///< of the interface, from which on this is what the name means
  void (*function)(); ///< what is exported for it
};

/// Rows of a name follow each other, oldest first; names are in the order of std::string_view.
[[nodiscard]] std::span<const Export> exports();
[[nodiscard]] std::span<const Export> per_thread_exports();

} // namespace gantry::simt::driver
