#include "simt/amdgcn/code/opcodes.h"

#include "simt/amdgcn/code/opcode_space.h"

#include <cstddef>

namespace gantry::simt::amdgcn {

namespace {

constexpr std::size_t first_of(Format format) {
  std::size_t first = 0;
  for (const OpcodeSpace& space : kOpcodeSpaces) {
    if (space.format == format) {
      break;
    }
    first += space.opcodes();
  }
  return first;
}
constexpr std::size_t kOpcodesOfProcessor = [] {
  std::size_t count = 0;
  for (const OpcodeSpace& space : kOpcodeSpaces) {
    count += space.opcodes();
  }
  return count;
}();

#include "simt/amdgcn/code/opcodes.def"

} // namespace

std::string_view mnemonic_of(const Processor& processor, Format format, std::uint32_t first) {
  const OpcodeSpace& space = kOpcodeSpaces[static_cast<std::size_t>(format)];
  const std::uint32_t opcode = (first >> space.first_bit) & (space.opcodes() - 1);
  const auto number = static_cast<std::size_t>(&processor - processors().data());
  return &kNames[kOpcodes[number][first_of(format) + opcode]];
}

} // namespace gantry::simt::amdgcn
