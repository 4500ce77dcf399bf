// Reads one instruction from its bits: what read_instruction consists of. The formats of scalar
// instructions are in encoding.cpp, those of vectors in vector_encoding.cpp, those of memory in
// memory_encoding.cpp.
#pragma once

#include "simt/amdgcn/code/instruction.h"
#include "simt/amdgcn/code/operand.h"
#include "simt/amdgcn/objects/processor.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace gantry::simt::amdgcn {

constexpr std::uint32_t bits(std::uint32_t word, unsigned first, unsigned count) {
  return (word >> first) & ((1U << count) - 1);
}
constexpr std::int64_t signed_bits(std::uint32_t word, unsigned first, unsigned count) {
  return static_cast<std::int32_t>(word << (32 - first - count)) >> (32 - count);
}

class Reader {
public:
  Reader(const Processor& processor, const Meaning& meaning, std::span<const std::uint32_t> words)
      : processor_(processor), meaning_(meaning), words_(words) {}

  tl::expected<Instruction, std::string> read(Format format);

private:
  /// A dword of the instruction, whose size grows with it.
  std::uint32_t word(unsigned number) {
    if (number >= words_.size()) {
      refuse("the rest of it: the code ends there");
      return 0;
    }
    made_.size = std::max(made_.size, static_cast<std::uint8_t>(number + 1));
    return words_[number];
  }
  static constexpr unsigned kNoLiteral = 0;
  /// Puts an operand into a place of the instruction; the first error is kept. `literal` is the
  /// dword that a literal would be in.
  void put(Source& place, unsigned number, Type type, unsigned literal);
  /// Where VOP3 and VOP3P have a literal.
  [[nodiscard]] unsigned long_literal() const { return processor_.is_gfx11 ? 2 : kNoLiteral; }
  /// The SGPR that is written, of those that operands number.
  [[nodiscard]] std::uint16_t scalar_result(unsigned number) const {
    constexpr std::uint16_t kNone = 0x100;
    if (number >= scalar::kScc) {
      return kNone;
    }
    const bool is_other = processor_.is_gfx11 && (number == kNoRegister || number == scalar::kM0);
    return static_cast<std::uint16_t>(!is_other               ? number
                                      : number == kNoRegister ? scalar::kM0
                                                              : scalar::kNowhere);
  }
  /// Of a mask of lanes: what has to be in one piece. Waves of 32 lanes have masks in one SGPR.
  [[nodiscard]] Type mask_type() const { return processor_.is_gfx11 ? Type::kB32 : Type::kB64; }
  void refuse(std::string what) {
    if (error_.empty()) {
      error_ = std::move(what);
    }
  }
  [[nodiscard]] unsigned source_count() const {
    unsigned count = 0;
    while (count < 3 && meaning_.sources[count] != Type::kNone) {
      ++count;
    }
    return count;
  }

  /// Whether operands of VOP3 have the halves that `chosen` names.
  [[nodiscard]] bool may_choose(std::uint32_t chosen) const {
    for (unsigned i = 0; i < 3; ++i) {
      const bool is_half =
          bits_of(meaning_.sources[i]) == 16 && made_.sources[i].kind != Source::Kind::kConstant;
      if (bits(chosen, i, 1) != 0 && !is_half) {
        return false;
      }
    }
    return !processor_.is_gfx8 && (bits(chosen, 3, 1) == 0 || bits_of(meaning_.result) == 16);
  }
  /// And no floats, nor a choice of one of two.
  [[nodiscard]] bool has_short_integers() const {
    return std::ranges::any_of(meaning_.sources, [](Type type) { return type == Type::kB16; }) &&
           std::ranges::none_of(meaning_.sources, is_float) && !meaning_.reads_mask;
  }
  /// Refuses a clamp of what has none.
  void check_clamp() {
    if (made_.modifiers.clamp && !is_float(meaning_.result) && meaning_.clamped == nullptr) {
      refuse("a clamp of integers");
    }
  }
  [[nodiscard]] Type type_of_source(unsigned number) const;
  /// Refuses registers that the machine does not have.
  void check_registers();
  void check(unsigned first, Type type, bool is_vector) {
    const unsigned count = registers_of(type);
    if (!is_vector && (first == scalar::kNull || first == scalar::kNowhere)) {
      if (count > 2) {
        refuse("more than a pair of SGPRs that are none");
      }
      return;
    }
    if (!is_vector && count != 0 && first <= kNoRegister && first + count > kNoRegister) {
      refuse("a register that the machine does not have");
    }
    if (first + count > (is_vector ? vector::kRegisters : scalar::kScc)) {
      refuse("a register that the machine does not have");
    }
    if (!is_vector && count > 1 && first % std::min(count, 4U) != 0) {
      refuse("SGPRs that do not begin at a multiple of their number");
    }
  }
  /// SDWA's part of a register.
  Part part(std::uint32_t number) {
    if (number > static_cast<std::uint32_t>(Part::kDword)) {
      refuse("a part of a register");
      return Part::kDword;
    }
    return static_cast<Part>(number);
  }

  void read_scalar(Format format);
  void read_scalar_load();
  void read_vector(Format format);
  void read_operation(Format format);
  void read_sdwa(Format format);
  void read_dpp(Format format);
  void read_vop3();
  void choose_halves(std::uint32_t chosen);
  void read_packed();
  void read_packed_constant(unsigned number, unsigned operand);
  void check_matrix();
  void choose_matrix_accumulators();
  void choose_accumulators(bool chosen, const char* otherwise);
  void read_shared();
  void read_buffer();
  void read_flat(Format format);
  void read_flat_of_gfx11(Format format);

  const Processor& processor_;
  const Meaning& meaning_;
  std::span<const std::uint32_t> words_;
  Instruction made_;
  bool has_accumulators_ = false; ///< the operands that are loaded or stored
  std::string error_;
};

} // namespace gantry::simt::amdgcn
