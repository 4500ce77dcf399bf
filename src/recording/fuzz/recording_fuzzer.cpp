// Whatever is read as a recording is written as the same bytes.
#include "recording/recording.h"

#include <algorithm>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto recording = gantry::recording::decode(bytes);
  if (recording && !std::ranges::equal(gantry::recording::encode(*recording), bytes)) {
    std::abort();
  }
  return 0;
}
