// Where the formats of gfx8 and gfx9 have their opcodes.
#pragma once

#include "simt/amdgcn/code/instruction.h"

#include <array>
#include <cstdint>

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

inline constexpr std::uint32_t kNoScalarAddress = 0x7fU << 16;
inline constexpr std::uint32_t kNoScalarOffset = 0x80U << 24;

/// In the order of Format. The opcodes of SOP2, SOPK and VOP2 that others' prefixes begin with are
/// no instructions of theirs.
inline constexpr std::array kOpcodeSpaces = {
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

} // namespace gantry::simt::amdgcn
