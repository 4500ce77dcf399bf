// The instructions by which a warp works on matrices: mma, ldmatrix, stmatrix and movmatrix, for
// compiled code and the evaluator.
//
// A matrix is spread over the 32 lanes, each of which has a fragment of it: a few registers, each
// of one or several elements. The lane's group is lane / 4 and its place in the group lane % 4. PTX
// ISA 9.0, 9.7.14.5 lists for each shape and type which element is where; all but one of the
// shapes here follow three rules. With e elements in a register:
//
//   A, rows by depth      register i has row group + 8 * (i % (rows / 8)), and of each row the
//                         columns from (i / (rows / 8)) * 4e + place * e on
//   B, depth by columns   register i has column group, and rows from i * 4e + place * e on
//   C and D               elements in pairs: pair i is row group + 8 * i, columns 2 * place and the
//                         next; two registers, or one of two halves
//
// The first tensor cores' m8n8k4 of f16 is four products at once, each of a quarter of the warp:
// the lanes 4q to 4q + 3 and those 16 behind. Lane 4q + p has the elements 0 to 3 of row p of A and
// of column p of B, or, as they may lie the other way, of a column and a row; the lanes behind have
// the other four. C and D are rows in f16; in f32 pairs of two rows and of two halves of a row.
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
  // mma.m8n8k4 of f16: like kMultiply. A lies by rows or by columns, and B.
  kQuartersRowRow,
  kQuartersRowColumn,
  kQuartersColumnRow,
  kQuartersColumnColumn,
};

/// The most words of 64 bits that one lane puts in or gets out: mma.m16n8k16 of f64.
inline constexpr unsigned kMostMatrixWords = 16;

/// An operation, packed in 32 bits so that code can carry it as a constant. A word is one register
/// of 32 or 64 bits, or a half of a row of 16 bytes.
struct MatrixOperation {
  MatrixKind kind = MatrixKind::kMultiply;
  std::uint8_t rows = 16; ///< 8 or 16
  std::uint16_t depth = 16;
  ptx::Type result = ptx::Type::kF32; ///< of C too, unless that is in f16
  ptx::Type a = ptx::Type::kF16, b = ptx::Type::kF16;
  Rounding rounding = Rounding::kNone; ///< of f64, in a direction or to nearest even
  bool saturate = false;
  bool conjunction = false; ///< of b1: .and, else .xor
  std::uint8_t count = 1;   ///< of matrices: 1, 2 or 4
  bool transpose = false;
  bool half_addend = false; ///< of quarters: C is in f16

  [[nodiscard]] constexpr std::uint32_t packed() const {
    return static_cast<std::uint32_t>(kind) | std::uint32_t{rows == 16} << 3 |
           static_cast<std::uint32_t>(std::countr_zero(depth)) << 4 |
           static_cast<std::uint32_t>(result) << 8 | static_cast<std::uint32_t>(a) << 13 |
           static_cast<std::uint32_t>(b) << 18 | static_cast<std::uint32_t>(rounding) << 23 |
           std::uint32_t{saturate} << 26 | std::uint32_t{conjunction} << 27 |
           static_cast<std::uint32_t>(std::countr_zero(count)) << 28 |
           std::uint32_t{transpose} << 30 | std::uint32_t{half_addend} << 31;
  }
  [[nodiscard]] static constexpr MatrixOperation unpacked(std::uint32_t word) {
    return {static_cast<MatrixKind>(word & 7),
            static_cast<std::uint8_t>((word >> 3 & 1) != 0 ? 16 : 8),
            static_cast<std::uint16_t>(1U << (word >> 4 & 15)),
            static_cast<ptx::Type>(word >> 8 & 31),
            static_cast<ptx::Type>(word >> 13 & 31),
            static_cast<ptx::Type>(word >> 18 & 31),
            static_cast<Rounding>(word >> 23 & 7),
            (word >> 26 & 1) != 0,
            (word >> 27 & 1) != 0,
            static_cast<std::uint8_t>(1U << (word >> 28 & 3)),
            (word >> 30 & 1) != 0,
            (word >> 31 & 1) != 0};
  }

  [[nodiscard]] constexpr bool is_of_quarters() const {
    return kind >= MatrixKind::kQuartersRowRow;
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
    return is_of_quarters()                ? 4 + (half_addend ? 4 : 8)
           : kind == MatrixKind::kMultiply ? words_of_a() + words_of_b() + words_of_c()
           : kind == MatrixKind::kLoad     ? 2
                                           : count;
  }
  [[nodiscard]] constexpr unsigned words_out() const {
    return is_of_quarters()                ? (result == ptx::Type::kF16 ? 4 : 8)
           : kind == MatrixKind::kMultiply ? words_of_c()
           : kind == MatrixKind::kStore    ? 2
                                           : count;
  }
};

/// 32 words, one a lane.
using MatrixColumn = const std::uint64_t*;

/// Performs the operation for all lanes: `in` are words_in() columns, `out` words_out(). Columns
/// of both may be the same.
void compute_matrix(const MatrixOperation& operation, const MatrixColumn* in,
                    std::uint64_t* const* out);

} // namespace gantry::simt::exec
