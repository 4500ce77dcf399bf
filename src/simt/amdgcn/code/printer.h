// What the executor has read of an instruction, in the assembler's words.
#pragma once

#include "simt/amdgcn/code/instruction.h"
#include "simt/amdgcn/objects/processor.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gantry::simt::amdgcn {

/// A line in parts. A number is written "#" and its bits, as wide as its type is.
struct PrintedLine {
  std::string mnemonic; ///< without "_e32" and the like
  std::vector<std::string> operands;
  std::vector<std::string> modifiers; ///< "offset:16", "clamp", in no order
  std::vector<Type> types;            ///< of each operand that may be a number
  std::vector<PrintedLine> second;    ///< of two operations at once, the other one
};

/// `instruction` is what read_instruction has made of the words.
[[nodiscard]] PrintedLine print(const Processor& processor, const Instruction& instruction,
                                std::span<const std::uint32_t> words);

/// As an assembler reads it, but for numbers, which are all hexadecimal, and what an instruction
/// has two names for: "*" stands for the counters of s_waitcnt and the pattern of ds_swizzle_b32.
[[nodiscard]] std::string text_of(const PrintedLine& line);

} // namespace gantry::simt::amdgcn
