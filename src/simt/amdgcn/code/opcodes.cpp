#include "simt/amdgcn/code/opcodes.h"

#include "simt/amdgcn/code/opcode_space.h"

#include <cstddef>
#include <iterator>

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

std::optional<Format> format_of(const Processor& processor, std::uint32_t first) {
  switch (first >> 23) {
  case 0x17d:
    return Format::kSop1;
  case 0x17e:
    return Format::kSopc;
  case 0x17f:
    return Format::kSopp;
  default:
    break;
  }
  switch (first >> 28) {
  case 0xb:
    return Format::kSopk;
  case 0x8:
  case 0x9:
  case 0xa:
    return Format::kSop2;
  default:
    break;
  }
  if ((first >> 31) == 0) {
    switch (first >> 25) {
    case 0x3f:
      return Format::kVop1;
    case 0x3e:
      return Format::kVopc;
    default:
      return Format::kVop2;
    }
  }
  switch (first >> 26) {
  case 0x30:
    return Format::kSmem;
  case 0x34:
    return (first >> 23) == 0x1a7 ? Format::kVop3p : Format::kVop3;
  case 0x36:
    return Format::kDs;
  case 0x37: {
    static constexpr Format kSegments[] = {Format::kFlat, Format::kScratch, Format::kGlobal};
    const unsigned segment = processor.is_gfx8 ? 0 : (first >> 14) & 3;
    return segment < std::size(kSegments) ? std::optional(kSegments[segment]) : std::nullopt;
  }
  case 0x38:
    return Format::kMubuf;
  default:
    return std::nullopt;
  }
}

std::string_view mnemonic_of(const Processor& processor, Format format, std::uint32_t first) {
  const OpcodeSpace& space = kOpcodeSpaces[static_cast<std::size_t>(format)];
  const std::uint32_t opcode = (first >> space.first_bit) & (space.opcodes() - 1);
  const auto number = static_cast<std::size_t>(&processor - processors().data());
  return &kNames[kOpcodes[number][first_of(format) + opcode]];
}

} // namespace gantry::simt::amdgcn
