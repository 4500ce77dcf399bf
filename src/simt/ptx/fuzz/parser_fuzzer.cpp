// libFuzzer's entry point.

#include "simt/ptx/fuzz/exercise.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gantry::simt::ptx::exercise({reinterpret_cast<const char*>(data), size});
  return 0;
}
