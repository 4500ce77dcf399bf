// What the executor has read of an instruction, in the assembler's words, and whether an
// assembler's line says the same.
#pragma once

#include "simt/amdgcn/code/instruction.h"
#include "simt/amdgcn/objects/processor.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::simt::amdgcn {

/// A line in parts. A number is written "#" and its bits, as wide as its type is.
struct PrintedLine {
  std::string mnemonic; ///< without "_e32" and the like
  std::vector<std::string> operands;
  std::vector<std::string> modifiers; ///< "offset:16", "clamp", in no order
  std::vector<Type> types;            ///< of each operand that may be a number
};

/// `instruction` is what read_instruction has made of the words.
[[nodiscard]] PrintedLine print(const Processor& processor, const Instruction& instruction,
                                std::span<const std::uint32_t> words);

/// Empty if LLVM's line says the same; or else how the two are written.
[[nodiscard]] std::string difference(const PrintedLine& printed, std::string_view line);

} // namespace gantry::simt::amdgcn
