// Whatever is read as a recording is written as the same bytes. The checksum is made right first,
// so that what is behind it is reached.
#include "recording/recording.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span given(reinterpret_cast<const std::byte*>(data), size);
  std::vector<std::byte> bytes(given.begin(), given.end());
  gantry::recording::set_checksum(bytes);
  const auto recording = gantry::recording::decode(bytes);
  if (recording && gantry::recording::encode(*recording) != bytes) {
    std::abort();
  }
  return 0;
}
