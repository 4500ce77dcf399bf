// The instructions by which a warp works on matrices: mma, ldmatrix, stmatrix and movmatrix, for
// compiled code and the evaluator.
//
// A matrix is spread over the 32 lanes, each of which has a fragment of it: a few registers, each
// of one or several elements. The lane's group is lane / 4 and its place in the group lane % 4. PTX
// ISA 9.0, 9.7.14.5 lists for each shape and type which element is where; all of the shapes here
// follow three rules. With e elements in a register:
//
//   A, rows by depth      register i has row group + 8 * (i % (rows / 8)), and of each row the
//                         columns from (i / (rows / 8)) * 4e + place * e on
//   B, depth by columns   register i has column group, and rows from i * 4e + place * e on
//   C and D               elements in pairs: pair i is row group + 8 * i, columns 2 * place and the
//                         next; two registers, or one of two halves
//
// Numerics. Products of f16, bf16 and tf32 are exact, as far as f32 has their exponents; they are
// added to C in f32, one after the other in the order of the depth, each sum rounded to nearest
// even; a result in f16 is rounded once more, at the end. f64 is fused multiply-add in the same
// order. Integers are exact; what does not fit in s32 wraps around or, with .satfinite, is clamped
// at the end. Hardware adds several products at once and with other roundings, so that the last
// bits of its sums in floating point differ.
#pragma once

#include "simt/exec/arithmetic/arithmetic.h"
#include "simt/ptx/type.h"

#include <bit>
#include <cstdint>

namespace gantry::simt::exec {

enum class MatrixKind : std::uint8_t {
  kMultiply,  ///< mma: the words of A, B, C → those of D
  kLoad,      ///< ldmatrix: of each lane two words, a row of a matrix → a register for each matrix
  kStore,     ///< stmatrix: a register for each matrix → two words, a row
  kTranspose, ///< movmatrix: a register → a register
};

/// The most words of 64 bits that one lane puts in or gets out: mma.m16n8k16 of f64.
inline constexpr unsigned kMostMatrixWords = 16;

/// An operation, packed in 32 bits so that code can carry it as a constant. A word is one register
/// of 32 or 64 bits, or a half of a row of 16 bytes.
struct MatrixOperation {
  MatrixKind kind = MatrixKind::kMultiply;
  std::uint8_t rows = 16; ///< 8 or 16
  std::uint16_t depth = 16;
  ptx::Type result = ptx::Type::kF32; ///< of C too
  ptx::Type a = ptx::Type::kF16, b = ptx::Type::kF16;
  Rounding rounding = Rounding::kNone; ///< of f64
  bool saturate = false;
  bool conjunction = false; ///< of b1: .and, else .xor
  std::uint8_t count = 1;   ///< of matrices: 1, 2 or 4
  bool transpose = false;

  [[nodiscard]] constexpr std::uint32_t packed() const {
    return static_cast<std::uint32_t>(kind) | std::uint32_t{rows == 16} << 2 |
           static_cast<std::uint32_t>(std::countr_zero(depth)) << 3 |
           static_cast<std::uint32_t>(result) << 7 | static_cast<std::uint32_t>(a) << 12 |
           static_cast<std::uint32_t>(b) << 17 | static_cast<std::uint32_t>(rounding) << 22 |
           std::uint32_t{saturate} << 26 | std::uint32_t{conjunction} << 27 |
           static_cast<std::uint32_t>(std::countr_zero(count)) << 28 |
           std::uint32_t{transpose} << 30;
  }
  [[nodiscard]] static constexpr MatrixOperation unpacked(std::uint32_t word) {
    return {static_cast<MatrixKind>(word & 3),
            static_cast<std::uint8_t>((word >> 2 & 1) != 0 ? 16 : 8),
            static_cast<std::uint16_t>(1U << (word >> 3 & 15)),
            static_cast<ptx::Type>(word >> 7 & 31),
            static_cast<ptx::Type>(word >> 12 & 31),
            static_cast<ptx::Type>(word >> 17 & 31),
            static_cast<Rounding>(word >> 22 & 15),
            (word >> 26 & 1) != 0,
            (word >> 27 & 1) != 0,
            static_cast<std::uint8_t>(1U << (word >> 28 & 3)),
            (word >> 30 & 1) != 0};
  }

  /// Elements of A or B in a register.
  [[nodiscard]] constexpr unsigned elements() const {
    return a == ptx::Type::kF64 ? 1 : 32 / ptx::element_bits(a);
  }
  [[nodiscard]] constexpr unsigned words_of_b() const { return depth / (4 * elements()); }
  [[nodiscard]] constexpr unsigned words_of_a() const { return rows / 8U * words_of_b(); }
  [[nodiscard]] constexpr unsigned words_of_c() const {
    return rows / 8U * (result == ptx::Type::kF16 ? 1 : 2);
  }
  /// Words that each lane puts in, and gets out.
  [[nodiscard]] constexpr unsigned words_in() const {
    return kind == MatrixKind::kMultiply ? words_of_a() + words_of_b() + words_of_c()
           : kind == MatrixKind::kLoad   ? 2
                                         : count;
  }
  [[nodiscard]] constexpr unsigned words_out() const {
    return kind == MatrixKind::kMultiply ? words_of_c() : kind == MatrixKind::kStore ? 2 : count;
  }
};

/// 32 words, one a lane.
using MatrixColumn = const std::uint64_t*;

/// Performs the operation for all lanes: `in` are words_in() columns, `out` words_out(). Columns
/// of both may be the same.
void compute_matrix(const MatrixOperation& operation, const MatrixColumn* in,
                    std::uint64_t* const* out);

} // namespace gantry::simt::exec
