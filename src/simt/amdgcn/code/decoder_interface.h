// What the decoder's library gives: of LLVM's machine code layer, instructions' names and texts. It
// is a library of its own (decoder/), because programs that only load code objects shall not load
// LLVM.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gantry::simt::amdgcn {

/// An instruction as LLVM names it. Its operands are read from its bits (encoding.h).
struct DecodedName {
  /// LLVM's number of it, below kMostOpcodes; what has one number has one mnemonic.
  std::uint32_t opcode = 0;
  std::uint32_t size = 0; ///< bytes
  /// "v_add_u32_e32"; lives as long as the decoder.
  const char* mnemonic = nullptr;
};
inline constexpr std::uint32_t kMostOpcodes = 1U << 16;

class Decoder; // of one processor; used by one thread at a time

/// The library's functions, and the names that it exports them by. What make() gives lives for
/// ever, and is null if LLVM does not know the processor; decode() is false if the bytes are no
/// instruction; print() writes the assembler's text, cut to `capacity` with its null, and returns
/// how long it is.
struct DecoderFunctions {
  static constexpr const char* kMakeName = "gantry_amdgcn_decoder";
  static constexpr const char* kDecodeName = "gantry_amdgcn_decode";
  static constexpr const char* kPrintName = "gantry_amdgcn_print";
  static constexpr const char* kLibrary = "libgantry-simt-decoder.so";
  Decoder* (*make)(const char* processor) = nullptr;
  bool (*decode)(Decoder& decoder, const std::uint8_t* bytes, std::size_t size,
                 DecodedName& name) = nullptr;
  std::size_t (*print)(Decoder& decoder, const std::uint8_t* bytes, std::size_t size,
                       std::uint64_t address, char* text, std::size_t capacity) = nullptr;
};

} // namespace gantry::simt::amdgcn
