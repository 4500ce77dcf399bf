// Which scalar registers have constants, as far as moves in a block tell.
#pragma once

#include "simt/amdgcn/lower/effects.h"

#include <cstdint>
#include <map>
#include <optional>

namespace gantry::simt::amdgcn::lower {

class KnownScalars {
public:
  /// At the beginning of a block.
  void forget() { values_.clear(); }
  /// Behind an instruction.
  void run(const CodePlace& code) {
    const Instruction& instruction = *code.place;
    const Meaning& meaning = *instruction.meaning;
    if (meaning.kind != Meaning::Kind::kScalar) {
      if (meaning.kind != Meaning::Kind::kVector && meaning.kind != Meaning::Kind::kCompare) {
        return values_.clear(); // loads, jumps and the like
      }
      values_.erase(instruction.mask);
      values_.erase(instruction.mask + 1U);
      if (meaning.writes_exec) {
        values_.erase(scalar::kExec);
        values_.erase(scalar::kExec + 1);
      }
      return;
    }
    const unsigned size = registers_of(meaning.result);
    for (unsigned i = 0; i < size; ++i) {
      values_.erase(instruction.result + i);
    }
    if (code.mnemonic.find("exec") != code.mnemonic.npos) {
      values_.erase(scalar::kExec);
      values_.erase(scalar::kExec + 1);
    }
    const Source& source = instruction.sources[0];
    const bool is_move = code.mnemonic == "s_mov_b32" || code.mnemonic == "s_mov_b64" ||
                         code.mnemonic == "s_movk_i32";
    if (is_move && source.kind == Source::Kind::kConstant) {
      for (unsigned i = 0; i < size; ++i) {
        values_[instruction.result + i] = static_cast<std::uint32_t>(source.constant >> (32 * i));
      }
    } else if (code.mnemonic.find("movrel") != code.mnemonic.npos) {
      values_.clear();
    }
  }
  [[nodiscard]] std::optional<std::uint64_t> find(unsigned first, unsigned count) const {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i) {
      const auto found = values_.find(first + i);
      if (found == values_.end()) {
        return std::nullopt;
      }
      value |= std::uint64_t{found->second} << (32 * i);
    }
    return value;
  }

private:
  std::map<unsigned, std::uint32_t> values_;
};

} // namespace gantry::simt::amdgcn::lower
