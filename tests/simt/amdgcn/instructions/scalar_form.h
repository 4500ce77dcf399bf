// Scalar instructions, against a reference.
#pragma once

#include "operand.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace gantry::simt::amdgcn {

struct ScalarInput {
  std::uint64_t a = 0, b = 0;
  std::uint64_t old = 0; ///< what the result's register has
  bool scc = false;
  std::uint64_t exec = 0;
};
struct ScalarResult {
  std::uint64_t value = 0;
  bool scc = false;
  std::uint64_t exec = 0;
};

/// The types are written "result=sources", in the letters of OperandType and these:
///   - as result: there is none; ! behind the result: SCC is written; x: EXEC as well
///   k behind the sources: the last one is a signed constant of 16 bits; K: an unsigned one;
///   + behind them: the first one is the result's register
struct ScalarForm {
  const char* name;
  const char* types;
  ScalarResult (*reference)(const ScalarInput& input);
};

[[nodiscard]] std::span<const ScalarForm> scalar_forms();

/// As run_vector_form.
unsigned run_scalar_form(Machine& machine, const ScalarForm& form, std::string_view mnemonic);

} // namespace gantry::simt::amdgcn
