// Where the formats have their opcodes: those of gfx8 and gfx9, and those of gfx11.
#pragma once

#include "simt/amdgcn/code/instruction.h"
#include "simt/amdgcn/objects/processor.h"

#include <array>
#include <cstdint>
#include <span>

namespace gantry::simt::amdgcn {

/// The opcodes of one format.
struct OpcodeSpace {
  Format format = Format::kSop1;
  std::uint32_t base = 0;   ///< the first dword without operands and opcode
  std::uint32_t second = 0; ///< bits of the second dword that an instruction needs
  unsigned first_bit = 0;   ///< of the opcode in the first dword
  unsigned bits = 0;
  bool has_vector_source = false; ///< bits 8:0 of the first dword are a source

  [[nodiscard]] constexpr unsigned opcodes() const { return 1U << bits; }
};

/// The operand that is no register, of gfx11.
inline constexpr std::uint32_t kNullOperand = 124;

inline constexpr std::uint32_t kNoScalarAddress = 0x7fU << 16;
inline constexpr std::uint32_t kNoScalarOffset = 0x80U << 24;

/// In the order of Format. The opcodes of SOP2, SOPK and VOP2 that others' prefixes begin with are
/// no instructions of theirs.
inline constexpr std::array kOpcodeSpacesOfGfx9 = {
    OpcodeSpace{Format::kSop1, 0xbe800000, 0, 8, 8},
    OpcodeSpace{Format::kSop2, 0x80000000, 0, 23, 7},
    OpcodeSpace{Format::kSopk, 0xb0000000, 0, 23, 5},
    OpcodeSpace{Format::kSopc, 0xbf000000, 0, 16, 7},
    OpcodeSpace{Format::kSopp, 0xbf800000, 0, 16, 7},
    OpcodeSpace{Format::kSmem, 0xc0000000, 0, 18, 8},
    OpcodeSpace{Format::kVop1, 0x7e000000, 0, 9, 8, true},
    OpcodeSpace{Format::kVop2, 0x00000000, 0, 25, 6, true},
    OpcodeSpace{Format::kVopc, 0x7c000000, 0, 17, 8, true},
    OpcodeSpace{Format::kVop3, 0xd0000000, 0, 16, 10},
    OpcodeSpace{Format::kVop3p, 0xd3800000, 0, 16, 7},
    OpcodeSpace{Format::kDs, 0xd8000000, 0, 17, 8},
    OpcodeSpace{Format::kMubuf, 0xe0000000, kNoScalarOffset, 18, 7},
    OpcodeSpace{Format::kFlat, 0xdc000000, 0, 18, 7},
    OpcodeSpace{Format::kGlobal, 0xdc008000, kNoScalarAddress, 18, 7},
    OpcodeSpace{Format::kScratch, 0xdc004000, kNoScalarAddress, 18, 7},
};
/// The other operation of VOPD is v_mov_b32, whose source is a VGPR.
inline constexpr std::array kOpcodeSpacesOfGfx11 = {
    OpcodeSpace{Format::kSop1, 0xbe800000, 0, 8, 8},
    OpcodeSpace{Format::kSop2, 0x80000000, 0, 23, 7},
    OpcodeSpace{Format::kSopk, 0xb0000000, 0, 23, 5},
    OpcodeSpace{Format::kSopc, 0xbf000000, 0, 16, 7},
    OpcodeSpace{Format::kSopp, 0xbf800000, 0, 16, 7},
    OpcodeSpace{Format::kSmem, 0xf4000000, kNullOperand << 25, 18, 8},
    OpcodeSpace{Format::kVop1, 0x7e000000, 0, 9, 8, true},
    OpcodeSpace{Format::kVop2, 0x00000000, 0, 25, 6, true},
    OpcodeSpace{Format::kVopc, 0x7c000000, 0, 17, 8, true},
    OpcodeSpace{Format::kVop3, 0xd4000000, 0, 16, 10},
    OpcodeSpace{Format::kVop3p, 0xcc000000, 0, 16, 7},
    OpcodeSpace{Format::kDs, 0xd8000000, 0, 18, 8},
    OpcodeSpace{Format::kMubuf, 0xe0000000, 0, 18, 8},
    OpcodeSpace{Format::kFlat, 0xdc000000, kNullOperand << 16, 18, 7},
    OpcodeSpace{Format::kGlobal, 0xdc020000, kNullOperand << 16, 18, 7},
    OpcodeSpace{Format::kScratch, 0xdc010000, kNullOperand << 16, 18, 7},
    OpcodeSpace{Format::kVopd, 0xc8100100, 0x100, 22, 4},
    OpcodeSpace{Format::kVopdSecond, 0xca000100, 0x100, 17, 5},
};

/// By the number of the format.
[[nodiscard]] constexpr std::span<const OpcodeSpace> opcode_spaces(const Processor& processor) {
  return processor.is_gfx11 ? std::span<const OpcodeSpace>(kOpcodeSpacesOfGfx11)
                            : std::span<const OpcodeSpace>(kOpcodeSpacesOfGfx9);
}

} // namespace gantry::simt::amdgcn
