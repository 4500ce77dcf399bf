// Vector instructions in all their encodings, against a reference of one lane.
#pragma once

#include "operand.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace gantry::simt::amdgcn {

/// What the reference is asked: the sources behind their modifiers.
struct LaneInput {
  std::uint64_t a = 0, b = 0, c = 0; ///< an accumulating instruction's old result is the last one
  bool bit = false;                  ///< of the mask that is read
  bool clamp = false;                ///< of integers
  unsigned lane = 0;
};
struct LaneResult {
  std::uint64_t value = 0;
  bool bit = false;
};

enum class Exactness : std::uint8_t {
  kExact,
  kNumber,      ///< what is no number is any quiet NaN
  kApproximate, ///< likewise, and one unit in the last place is allowed
};

/// The types are written "result=sources", in the letters of OperandType and these:
///   m as result: a mask of lanes; x: likewise, and EXEC becomes it
///   ! behind the result: a mask as well; ~: integers may be clamped; |: from gfx9 on, the
///   register's other half is kept; ^: likewise, and halves of sources and result may be chosen
///   c behind the sources: a mask is read; v: VCC is read, and no operand; +: the old result is
///   read; k: the literal behind the instruction is the last source, K: the one before it
struct VectorForm {
  const char* name;
  const char* types;
  LaneResult (*reference)(const LaneInput& input);
  Exactness exactness = Exactness::kExact;
};

[[nodiscard]] std::span<const VectorForm> integer_forms();
[[nodiscard]] std::span<const VectorForm> float_forms();
[[nodiscard]] std::span<const VectorForm> conversion_forms();
[[nodiscard]] std::span<const VectorForm> comparison_forms();
[[nodiscard]] std::span<const VectorForm> half_forms();

/// Runs what of the form the processor's assembler knows, and says how many encodings that were.
/// Reports differences as test failures.
unsigned run_vector_form(Machine& machine, const VectorForm& form, std::string_view mnemonic);

} // namespace gantry::simt::amdgcn
