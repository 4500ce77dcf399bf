// libFuzzer's entry point for the cpu plugin's look into images. Seeds: the tests' images.
#include "plugins/cpu/elf_image.h"

#include <cstdint>
#include <cstdlib>
#include <vector>

using gantry::cpu::ElfImage;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A copy at the alignment of a mapping, and of exactly this size.
  const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(data),
                                     reinterpret_cast<const std::byte*>(data) + size);
  const auto image = ElfImage::open(bytes);
  if (!image) {
    return 0;
  }
  for (const char* name : {"add", "table", "__gantry_device_number", "absent", ""}) {
    const Elf64_Sym* symbol = image->find(name);
    if (symbol == nullptr) {
      continue;
    }
    const auto offset = image->file_offset(symbol->st_value, sizeof(int));
    if (offset && (*offset > size || size - *offset < sizeof(int))) {
      std::abort();
    }
  }
  image->for_each_import([&](const ElfImage::Import& import) {
    if (!image->covers(import.address) || import.name.size() > size) {
      std::abort();
    }
  });
  return 0;
}
