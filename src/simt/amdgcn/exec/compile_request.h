// What the executor asks its compiler (lower/), a library of its own, and what it gets.
#pragma once

#include "simt/amdgcn/code/instruction.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::simt::amdgcn {

/// An instruction of loaded code, which has been read.
struct CodePlace {
  const Instruction* place = nullptr;
  Meaning::Run run = nullptr; ///< what interprets it
  std::string_view mnemonic;  ///< as the tables of meanings have it
};

struct CompileRequest {
  std::span<const CodePlace> code; ///< by place; what else there is, compiled code leaves to others
  const Instruction* entry = nullptr; ///< one of them
  unsigned lanes = 0;                 ///< of a wave
  /// Called between the compiler's passes; need not return. Null for none.
  void (*between_passes)() = nullptr;
};

/// Machine code that refers to the request's places, and to the functions that interpret them.
struct CompiledImage {
  std::vector<std::byte> bytes;
  std::uint64_t entry = 0; ///< offset of a CompiledRun in `bytes`
  /// Where a wave may be taken up, in the order of CompiledRun's numbers.
  std::vector<const Instruction*> places;
};

/// Runs a plain wave from a place on, as the interpreter would, until something else than Next::kOn
/// comes, or until it is at an instruction that the code does not have.
using CompiledRun = Next (*)(Wave& wave, std::uint32_t place);

/// The library's function "gantry_amdgcn_compile" (beside it is the text
/// "gantry_amdgcn_compiler_version"): false, with a text in `error`, if the code cannot be
/// compiled. Any thread.
using CompileFunction = bool (*)(const CompileRequest& request, CompiledImage& image,
                                 std::string& error);

} // namespace gantry::simt::amdgcn
