// The ways to write a vector instruction: encodings, operands, modifiers, parts of registers.
#pragma once

#include "vector_form.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::simt::amdgcn {

inline constexpr unsigned kResult = 20;
inline constexpr unsigned kLowHalf = 4, kHighHalf = 5;
inline constexpr unsigned kWhole = 6; ///< DWORD

/// What the types of a form say.
struct FormShape {
  explicit FormShape(std::string_view types) {
    const std::size_t middle = types.find('=');
    result = types[0];
    for (const char c : types.substr(1, middle - 1)) {
      writes_mask |= c == '!';
      clamps |= c == '~';
      keeps_half |= c == '|' || c == '^';
      chooses_halves |= c == '^';
    }
    for (const char c : types.substr(middle + 1)) {
      switch (c) {
      case 'c':
        reads_mask = true;
        break;
      case 'v':
        reads_vcc = true;
        break;
      case '+':
        reads_result = true;
        break;
      case 'k':
      case 'K':
        literal = c;
        break;
      default:
        sources += c;
      }
    }
  }
  [[nodiscard]] bool is_comparison() const { return result == 'm' || result == 'x'; }
  [[nodiscard]] OperandType value_type() const { return is_comparison() ? 'u' : result; }
  [[nodiscard]] OperandType last_type() const { return sources.back(); }

  char result = 0;
  std::string sources;
  bool writes_mask = false, clamps = false, keeps_half = false, chooses_halves = false;
  bool reads_mask = false, reads_vcc = false, reads_result = false;
  char literal = 0;
};

/// An instruction as it is written, and what that means.
struct Attempt {
  std::string text;
  Words words;
  std::vector<Operand> sources;
  unsigned result = kResult;
  unsigned mask = scalar::kVcc, carry = scalar::kVcc;
  unsigned negate = 0, absolute = 0, extend = 0; ///< a bit for each source
  unsigned parts[3] = {kWhole, kWhole, kWhole};
  unsigned result_part = kWhole, unused = 0;
  bool clamp = false;
  bool is_basic = false; ///< VGPRs alone: all pairs of edges are tried
};

/// Those that an assembler may know for the machine's processor and waves.
[[nodiscard]] std::vector<Attempt> attempts_of(std::string_view mnemonic, const FormShape& shape,
                                               const Machine& machine);

} // namespace gantry::simt::amdgcn
