// libFuzzer's entry point; docs/offload-binary.md says how to run it by hand.

#include "format/fuzz/exercise.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gantry::format::exercise(std::as_bytes(std::span<const std::uint8_t>(data, size)));
  return 0;
}
