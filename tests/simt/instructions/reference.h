// What each instruction of values gives, by the rules of the PTX ISA (9.7), lane by lane. Nothing
// here is shared with the executor but the names of opcodes, types and modifiers.
#pragma once

#include "instance.h"
#include "number.h"

#include <array>
#include <span>

namespace gantry::simt::instructions {

/// What a result has to be.
struct Expected {
  enum class Kind {
    kExact,  ///< `bits`
    kAny,    ///< not specified
    kAnyNan, ///< a NaN of the format
    kWithin, ///< a number from `low` to `high` in the format
  };
  Kind kind = Kind::kExact;
  Word bits = 0;
  Format format = kSingle;
  double low = 0, high = 0;

  static Expected exactly(Word bits) { return {Kind::kExact, bits, kSingle, 0, 0}; }
  static Expected any() { return {Kind::kAny, 0, kSingle, 0, 0}; }
  static Expected within(double low, double high, Format format) {
    return {Kind::kWithin, 0, format, low, high};
  }
  [[nodiscard]] bool accepts(Word actual) const;
  [[nodiscard]] std::string text() const;
};

/// The results in the order of the form's slots; the second of a pair after the first, and last the
/// carry where the instruction has to do with it.
using Outcome = std::array<Expected, 3>;

/// Operands in the order of the form's slots, of their types' widths; predicates are 0 or 1. The
/// carry comes last. `instance` has been accepted by the executor.
using Evaluate = Outcome (*)(const Instance& instance, std::span<const Word> operands);

struct Reference {
  ptx::Opcode opcode;
  Evaluate evaluate;
};

/// Null for an opcode that has no reference here.
[[nodiscard]] Evaluate reference_of(ptx::Opcode opcode);

// One for each file.
[[nodiscard]] std::span<const Reference> arithmetic_references();
[[nodiscard]] std::span<const Reference> bit_references();
[[nodiscard]] std::span<const Reference> video_references();
[[nodiscard]] std::span<const Reference> approximate_references();
[[nodiscard]] std::span<const Reference> conversion_references();
[[nodiscard]] std::span<const Reference> comparison_references();

// Shared by them.
[[nodiscard]] Outcome exact_quotient(const Instance& instance, std::span<const Word> operands);
[[nodiscard]] Outcome exact_reciprocal(const Instance& instance, std::span<const Word> operands);
[[nodiscard]] Outcome exact_root(const Instance& instance, std::span<const Word> operands);
[[nodiscard]] constexpr unsigned bits_of(ptx::Type type) {
  return 8 * ptx::size_of(type);
}
[[nodiscard]] constexpr Word low_bits(Word word, unsigned bits) {
  return bits >= 64 ? word : word & ((Word{1} << bits) - 1);
}
[[nodiscard]] Format format_of(ptx::Type type); ///< of a packed type, that of its elements
/// The integer that the bits of a type are.
[[nodiscard]] __int128 value_of(ptx::Type type, Word bits);
[[nodiscard]] __int128 smallest(ptx::Type type);
[[nodiscard]] __int128 largest(ptx::Type type);
[[nodiscard]] __int128 clamped(ptx::Type type, __int128 value);
[[nodiscard]] Round rounding_of(const Instance& instance);
[[nodiscard]] double double_of(Word bits, Format format);
/// Applies a function to the halves of packed operands.
template <typename Function>
Word of_halves(std::span<const Word> operands, Function function) {
  Word result = 0;
  for (unsigned half = 0; half < 2; ++half) {
    std::array<Word, 4> parts = {};
    for (std::size_t i = 0; i < operands.size() && i < parts.size(); ++i) {
      parts[i] = operands[i] >> (16 * half) & 0xFFFF;
    }
    result |= low_bits(function(std::span<const Word>(parts)), 16) << (16 * half);
  }
  return result;
}

/// What add, min, max, inc, dec, and, or and xor of integers make of what is in memory (9.7.13.5).
[[nodiscard]] Word updated(const Instance& instance, Word old, Word value);

} // namespace gantry::simt::instructions
