// Any bytes as a code object, loaded if it is one, and as metadata.
#include "simt/amdgcn/objects/code_object.h"
#include "simt/amdgcn/objects/metadata.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace amdgcn = gantry::simt::amdgcn;
  const gantry::Bytes bytes = std::as_bytes(std::span(data, size));
  (void)amdgcn::parse_metadata(bytes);
  constexpr std::uint64_t kMostLoaded = 1 << 20;
  if (const auto object = amdgcn::parse(bytes); object && object->size <= kMostLoaded) {
    for (const amdgcn::Processor& processor : amdgcn::processors()) {
      (void)amdgcn::check_processor(*object, processor);
    }
    std::vector<std::byte> memory(object->size);
    (void)amdgcn::load_into(memory, *object, std::uint64_t{1} << 32, nullptr);
  }
  return 0;
}
