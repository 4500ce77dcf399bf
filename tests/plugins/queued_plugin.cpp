// The plugin `queued` as a library.
#include "queued.h"

#include <cstdint>

extern "C" [[gnu::visibility("default")]] const gantry_plugin*
gantry_get_plugin(std::uint32_t /*version*/) noexcept {
  return &queued_plugin();
}
