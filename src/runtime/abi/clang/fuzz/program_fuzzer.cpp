// libFuzzer's entry point for what a program registers: a table of entries and an image. The first
// byte says how much of the input is the table. Names and addresses are pointers that the linker
// made, so they are not the input's to choose: each is replaced by one that can be followed.
#include "format/entry_layout.h"
#include "runtime/abi/clang/layouts.h"
#include "runtime/abi/clang/program.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace gantry;

namespace {

constexpr char kName[] = "x_decl_tgt_ref_ptr";
const void* variable = nullptr;

/// Makes the pointers of a table with entries of one layout good.
void repair(std::span<std::byte> table, std::size_t entry, std::size_t address, std::size_t name) {
  const void* const pointers[] = {&variable, kName};
  for (std::size_t begin = 0; begin + entry <= table.size(); begin += entry) {
    std::memcpy(table.data() + begin + address, &pointers[0], sizeof(void*));
    std::memcpy(table.data() + begin + name, &pointers[1], sizeof(void*));
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const auto input = std::as_bytes(std::span(data, size)).subspan(1);
  const std::size_t table_size = std::min<std::size_t>(data[0], input.size());
  std::vector<std::byte> table(input.begin(),
                               input.begin() + static_cast<std::ptrdiff_t>(table_size));
  const std::vector<std::byte> image(input.begin() + static_cast<std::ptrdiff_t>(table_size),
                                     input.end());
  const bool current =
      table.size() >= 8 &&
      std::all_of(table.begin(), table.begin() + 8, [](std::byte b) { return b == std::byte{0}; });
  if (current) {
    repair(table, sizeof(format::CurrentEntry), offsetof(format::CurrentEntry, address),
           offsetof(format::CurrentEntry, name));
  } else {
    repair(table, sizeof(format::LegacyEntry), offsetof(format::LegacyEntry, address),
           offsetof(format::LegacyEntry, name));
  }
  const abi::clang::DeviceImage device_image{image.data(), image.data() + image.size(), nullptr,
                                             nullptr};
  const abi::clang::Descriptor descriptor{1, &device_image, table.data(),
                                          table.data() + table.size()};
  if (const auto contents = abi::clang::decode_program(&descriptor)) {
    for (const auto& bytes : contents->images) {
      if (!bytes.empty()) {
        const volatile std::byte last = bytes.back();
        static_cast<void>(last);
      }
    }
  }
  return 0;
}
