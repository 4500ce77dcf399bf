// What follows from an instruction's words and operands, once for all who ask.
#pragma once

#include "simt/ptx/module.h"

#include <optional>
#include <vector>

namespace gantry::simt::ptx {

/// The state space that an instruction names; generic if none.
[[nodiscard]] Space accessed_space(const Instruction& instruction);

/// Elements of a vector access: 1, 2, 4 or 8.
[[nodiscard]] unsigned vector_length(const Instruction& instruction);

/// Rows of A and D, columns of B and D, and columns of A: those of mma; all 0 for what has none.
struct MatrixShape {
  unsigned rows = 0, columns = 0, depth = 0;
  unsigned products = 1; ///< 4: each of the warp's quarters has one of its own
};
[[nodiscard]] MatrixShape matrix_shape(const Instruction& instruction);

/// Whether A's elements and B's lie by columns, as the words .row and .col of mma say, of which the
/// first is A's; nothing if there are not two of them.
struct MatrixLayouts {
  bool a_by_columns = false, b_by_columns = false;
};
[[nodiscard]] std::optional<MatrixLayouts> matrix_layouts(const Instruction& instruction);

/// Matrices of 8 by 8 elements that ldmatrix and stmatrix move: 1, 2 or 4.
[[nodiscard]] unsigned matrix_count(const Instruction& instruction);

/// Registers of a thread's part of a matrix: operand 0 to 3 of mma, the vector of the others.
[[nodiscard]] unsigned fragment_registers(const Instruction& instruction, unsigned operand);

/// The elements of {a, b, …} or of a vector register named as a whole; of others the operand
/// itself.
[[nodiscard]] std::vector<Operand> elements_of(const Operand& operand, const Function& function);

} // namespace gantry::simt::ptx
