// What follows from an instruction's words and operands, once for all who ask.
#pragma once

#include "simt/ptx/module.h"

#include <vector>

namespace gantry::simt::ptx {

/// The state space that an instruction names; generic if none.
[[nodiscard]] Space accessed_space(const Instruction& instruction);

/// Elements of a vector access: 1, 2, 4 or 8.
[[nodiscard]] unsigned vector_length(const Instruction& instruction);

/// The elements of {a, b, …} or of a vector register named as a whole; of others the operand
/// itself.
[[nodiscard]] std::vector<Operand> elements_of(const Operand& operand, const Function& function);

} // namespace gantry::simt::ptx
