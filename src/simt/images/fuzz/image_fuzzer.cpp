// Any bytes as a fat binary, as an ELF file, and as compressed contents.
#include "simt/images/compressed.h"
#include "simt/images/fat_binary.h"
#include "simt/images/ptx_elf.h"

#include <cstddef>
#include <cstdint>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace images = gantry::simt::images;
  const gantry::Bytes bytes = std::as_bytes(std::span(data, size));
  (void)images::texts_of_fat_binary(bytes, 90);
  (void)images::texts_of_ptx_elf(bytes);
  for (const auto compression : {images::Compression::kLz4, images::Compression::kZstd}) {
    (void)images::decompress(bytes, size * 3, compression);
  }
  return 0;
}
