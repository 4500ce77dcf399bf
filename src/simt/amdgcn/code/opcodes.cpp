#include "simt/amdgcn/code/opcodes.h"

#include "simt/amdgcn/code/opcode_space.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>

namespace gantry::simt::amdgcn {

namespace {

constexpr std::size_t first_of(std::span<const OpcodeSpace> spaces, Format format) {
  std::size_t first = 0;
  for (const OpcodeSpace& space : spaces) {
    if (space.format == format) {
      break;
    }
    first += space.opcodes();
  }
  return first;
}
constexpr std::size_t count_of(std::span<const OpcodeSpace> spaces) {
  return first_of(spaces.first(spaces.size() - 1), spaces.back().format) + spaces.back().opcodes();
}
constexpr std::size_t kOpcodesOfProcessor =
    std::max(count_of(kOpcodeSpacesOfGfx9), count_of(kOpcodeSpacesOfGfx11));

#include "simt/amdgcn/code/opcodes.def"

/// Of what is no scalar instruction, and neither VOP1 nor VOP2 nor VOPC.
std::optional<Format> long_format_of_gfx11(std::uint32_t first) {
  switch (first >> 26) {
  case 0x32:
    return Format::kVopd;
  case 0x33:
    return first >> 23 == 0x198 ? std::optional(Format::kVop3p) : std::nullopt;
  case 0x35:
    return Format::kVop3;
  case 0x36:
    return Format::kDs;
  case 0x37: {
    static constexpr Format kSegments[] = {Format::kFlat, Format::kScratch, Format::kGlobal};
    const unsigned segment = (first >> 16) & 3;
    return segment < std::size(kSegments) ? std::optional(kSegments[segment]) : std::nullopt;
  }
  case 0x38:
    return Format::kMubuf;
  case 0x3d:
    return Format::kSmem;
  default:
    return std::nullopt;
  }
}

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
  if (processor.is_gfx11) {
    return long_format_of_gfx11(first);
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
  const std::span<const OpcodeSpace> spaces = opcode_spaces(processor);
  const OpcodeSpace& space = spaces[static_cast<std::size_t>(format)];
  const std::uint32_t opcode = (first >> space.first_bit) & (space.opcodes() - 1);
  const auto number = static_cast<std::size_t>(&processor - processors().data());
  return &kNames[kOpcodes[number][first_of(spaces, format) + opcode]];
}

} // namespace gantry::simt::amdgcn
