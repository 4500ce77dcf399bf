#include "simt/exec/arithmetic/matrix.h"

#include "simt/exec/arithmetic/engine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#pragma STDC FP_CONTRACT OFF

namespace gantry::simt::exec {

namespace {

using ptx::Type;
using Word = std::uint64_t;

constexpr unsigned kLanes = 32;
constexpr unsigned kPlaces = 4; ///< lanes of a group
constexpr unsigned kColumns = 8;

/// A, B and C as whole matrices; B lies by its rows, so that a row of D is made of rows of B. The
/// depth is in elements, which for b1 are words of 32 bits.
template <typename Element, typename Sum, unsigned depth>
struct Dense {
  std::array<std::array<Element, depth>, 16> a;
  std::array<std::array<Element, kColumns>, depth> b;
  std::array<std::array<Sum, kColumns>, 16> c;
};

/// The elements of a register in all lanes: parts[i][lane] is element i. `decode` gives one.
template <unsigned elements, typename Element, typename Decode>
auto apart(MatrixColumn column, Decode decode) {
  // As 32 bits in a loop of its own, so that the next one is made of vectors.
  using Bits = std::conditional_t<sizeof(Element) == sizeof(Word), Word, std::uint32_t>;
  std::array<Bits, kLanes> words;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    words[lane] = static_cast<Bits>(column[lane]);
  }
  std::array<std::array<Element, kLanes>, elements> parts;
  for (unsigned i = 0; i < elements; ++i) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      parts[i][lane] = decode(words[lane], i);
    }
  }
  return parts;
}

/// Takes A and B apart. `decode_a` and `decode_b` give element i of a register.
template <unsigned elements, typename Element, typename Sum, unsigned depth, typename Decode>
void take_factors(const MatrixOperation& operation, const MatrixColumn* in,
                  Dense<Element, Sum, depth>& dense, Decode decode_a, Decode decode_b) {
  const unsigned bands = operation.rows / 8;
  const unsigned words = operation.words_of_b();
  for (unsigned i = 0; i < words * bands; ++i) {
    const auto parts = apart<elements, Element>(in[i], decode_a);
    const unsigned row = 8 * (i % bands);
    const unsigned first = i / bands * kPlaces * elements;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned j = 0; j < elements; ++j) {
        dense.a[row + lane / kPlaces][first + lane % kPlaces * elements + j] = parts[j][lane];
      }
    }
  }
  in += std::size_t{words} * bands;
  for (unsigned i = 0; i < words; ++i) {
    const auto parts = apart<elements, Element>(in[i], decode_b);
    const unsigned first = i * kPlaces * elements;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned j = 0; j < elements; ++j) {
        dense.b[first + lane % kPlaces * elements + j][lane / kPlaces] = parts[j][lane];
      }
    }
  }
}

/// Visits the elements of C or D: visit(register, lane, half, row, column).
template <typename Visit>
void for_sums(const MatrixOperation& operation, Visit visit) {
  const bool packed = operation.result == Type::kF16;
  for (unsigned pair = 0; pair < operation.rows / 8U; ++pair) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned j = 0; j < 2; ++j) {
        visit(packed ? pair : 2 * pair + j, lane, packed ? j : 0, lane / kPlaces + 8 * pair,
              lane % kPlaces * 2 + j);
      }
    }
  }
}

float from_half(std::uint32_t bits) {
  // The exponent moves by a product, which also makes subnormal numbers normal.
  const std::uint32_t magnitude = (bits & 0x7FFF) << 13;
  const std::uint32_t finite =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  const std::uint32_t special = magnitude >= 0x7C00U << 13 ? 0x7F80'0000U | magnitude : finite;
  return std::bit_cast<float>(special | (bits & 0x8000) << 16);
}

float from_bfloat(std::uint32_t bits) {
  return std::bit_cast<float>(bits << 16);
}

Word bits_of(float sum) {
  return std::isnan(sum) ? kSingle.nan : std::bit_cast<std::uint32_t>(sum);
}

/// The lower 13 bits of a tf32 are not looked at.
float from_tf32(std::uint32_t bits) {
  return std::bit_cast<float>(bits & 0xFFFF'E000);
}

template <typename Matrices>
void add_products(Matrices& dense, unsigned rows, unsigned depth) {
  for (unsigned row = 0; row < rows; ++row) {
    auto sums = dense.c[row];
    for (unsigned k = 0; k < depth; ++k) {
      const auto factor = dense.a[row][k];
      for (unsigned column = 0; column < kColumns; ++column) {
        sums[column] += factor * dense.b[k][column];
      }
    }
    dense.c[row] = sums;
  }
}

template <unsigned elements, float (*decode)(std::uint32_t)>
void multiply_floats(const MatrixOperation& operation, const MatrixColumn* in,
                     std::uint64_t* const* out) {
  Dense<float, float, 16> dense;
  const auto element = [](std::uint32_t word, unsigned i) {
    return decode(word >> (32 / elements * i));
  };
  take_factors<elements>(operation, in, dense, element, element);
  const MatrixColumn* c = in + operation.words_of_a() + operation.words_of_b();
  const bool is_half = operation.result == Type::kF16;
  for_sums(operation, [&](unsigned i, unsigned lane, unsigned half, unsigned row, unsigned column) {
    const auto word = static_cast<std::uint32_t>(c[i][lane] >> (16 * half));
    dense.c[row][column] = is_half ? from_half(word) : std::bit_cast<float>(word);
  });
  add_products(dense, operation.rows, operation.depth);
  for_sums(operation, [&](unsigned i, unsigned lane, unsigned half, unsigned row, unsigned column) {
    const float sum = dense.c[row][column];
    if (is_half) {
      const Word bits = narrowed(kHalf, sum, Rounding::kNone);
      out[i][lane] = half == 0 ? bits : out[i][lane] | bits << 16;
    } else {
      out[i][lane] = bits_of(sum);
    }
  });
}

/// Where element i of a lane's part of C or D is: of the 8 by 8 of its quarter.
struct Place {
  unsigned row, column;
};
Place place_in_quarter(unsigned lane, unsigned i, bool is_half) {
  const unsigned behind = lane >= 16 ? 4 : 0;
  return is_half ? Place{lane % 4 + behind, i}
                 : Place{(lane & 1) + (i & 2) + behind, (i & 4) + (lane & 2) + (i & 1)};
}

void multiply_quarters(const MatrixOperation& operation, const MatrixColumn* in,
                       std::uint64_t* const* out) {
  const bool a_by_columns = operation.kind == MatrixKind::kQuartersColumnRow ||
                            operation.kind == MatrixKind::kQuartersColumnColumn;
  const bool b_by_columns = operation.kind == MatrixKind::kQuartersRowColumn ||
                            operation.kind == MatrixKind::kQuartersColumnColumn;
  const bool is_half = operation.result == Type::kF16;
  std::array<Dense<float, float, 4>, 4> quarters;
  const auto half = [](Word word, unsigned i) {
    return from_half(static_cast<std::uint32_t>(word >> (16 * i)) & 0xFFFF);
  };
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    auto& dense = quarters[lane / 4 % 4];
    const unsigned behind = lane >= 16 ? 4 : 0;
    const unsigned place = lane % 4;
    for (unsigned i = 0; i < 4; ++i) {
      const float a = half(in[i / 2][lane], i % 2);
      const float b = half(in[2 + i / 2][lane], i % 2);
      (a_by_columns ? dense.a[i + behind][place] : dense.a[place + behind][i]) = a;
      (b_by_columns ? dense.b[i][place + behind] : dense.b[place][i + behind]) = b;
    }
    for (unsigned i = 0; i < kColumns; ++i) {
      const Place at = place_in_quarter(lane, i, operation.half_addend);
      dense.c[at.row][at.column] =
          operation.half_addend ? half(in[4 + i / 2][lane], i % 2)
                                : std::bit_cast<float>(static_cast<std::uint32_t>(in[4 + i][lane]));
    }
  }
  for (auto& dense : quarters) {
    add_products(dense, 8, 4);
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned i = 0; i < kColumns; ++i) {
      const Place at = place_in_quarter(lane, i, is_half);
      const float sum = quarters[lane / 4 % 4].c[at.row][at.column];
      if (is_half) {
        const Word bits = narrowed(kHalf, sum, Rounding::kNone);
        out[i / 2][lane] = i % 2 == 0 ? bits : out[i / 2][lane] | bits << 16;
      } else {
        out[i][lane] = bits_of(sum);
      }
    }
  }
}

void multiply_doubles(const MatrixOperation& operation, const MatrixColumn* in,
                      std::uint64_t* const* out) {
  Dense<Word, Word, 16> dense; // as bits
  const auto element = [](Word word, unsigned) { return word; };
  take_factors<1>(operation, in, dense, element, element);
  const MatrixColumn* c = in + operation.words_of_a() + operation.words_of_b();
  for_sums(operation, [&](unsigned i, unsigned lane, unsigned, unsigned row, unsigned column) {
    dense.c[row][column] = c[i][lane];
  });
  const RoundingScope scope(operation.rounding);
  for_sums(operation, [&](unsigned i, unsigned lane, unsigned, unsigned row, unsigned column) {
    Word sum = dense.c[row][column];
    for (unsigned k = 0; k < operation.depth; ++k) {
      sum = compute_double(Operator::kFma, dense.a[row][k], dense.b[k][column], sum);
    }
    out[i][lane] = kDouble.is_nan(sum) ? kDouble.nan : sum;
  });
}

void give_integers(const MatrixOperation& operation,
                   const std::array<std::array<std::int64_t, kColumns>, 16>& sums,
                   std::uint64_t* const* out) {
  using Limits = std::numeric_limits<std::int32_t>;
  for_sums(operation, [&](unsigned i, unsigned lane, unsigned, unsigned row, unsigned column) {
    const std::int64_t sum = sums[row][column];
    const std::int64_t kept =
        operation.saturate ? std::clamp<std::int64_t>(sum, Limits::min(), Limits::max()) : sum;
    out[i][lane] = static_cast<std::uint32_t>(kept);
  });
}

template <typename Matrices>
void take_integers(const MatrixOperation& operation, const MatrixColumn* in, Matrices& dense) {
  const MatrixColumn* c = in + operation.words_of_a() + operation.words_of_b();
  for_sums(operation, [&](unsigned i, unsigned lane, unsigned, unsigned row, unsigned column) {
    dense.c[row][column] = static_cast<std::int32_t>(c[i][lane]);
  });
}

/// Of 8 or 4 bits.
template <unsigned elements>
void multiply_integers(const MatrixOperation& operation, const MatrixColumn* in,
                       std::uint64_t* const* out) {
  Dense<std::int32_t, std::int64_t, 64> dense;
  struct Element {
    bool is_signed;
    std::int32_t operator()(std::uint32_t word, unsigned i) const {
      constexpr unsigned kBits = 32 / elements;
      const std::uint32_t top = word << (32 - kBits * (i + 1));
      return is_signed ? static_cast<std::int32_t>(top) >> (32 - kBits)
                       : static_cast<std::int32_t>(top >> (32 - kBits));
    }
  };
  const auto is_signed = [](Type type) { return type == Type::kS8 || type == Type::kS4; };
  take_factors<elements>(operation, in, dense, Element{is_signed(operation.a)},
                         Element{is_signed(operation.b)});
  take_integers(operation, in, dense);
  add_products(dense, operation.rows, operation.depth);
  give_integers(operation, dense.c, out);
}

void multiply_bits(const MatrixOperation& operation, const MatrixColumn* in,
                   std::uint64_t* const* out) {
  constexpr unsigned kBits = 32;
  Dense<std::uint32_t, std::int64_t, 256 / kBits> dense;
  const auto element = [](std::uint32_t word, unsigned) { return word; };
  take_factors<1>(operation, in, dense, element, element);
  take_integers(operation, in, dense);
  for (unsigned row = 0; row < operation.rows; ++row) {
    for (unsigned column = 0; column < kColumns; ++column) {
      for (unsigned k = 0; k < operation.depth / kBits; ++k) {
        const std::uint32_t a = dense.a[row][k];
        const std::uint32_t b = dense.b[k][column];
        dense.c[row][column] += std::popcount(operation.conjunction ? a & b : a ^ b);
      }
    }
  }
  give_integers(operation, dense.c, out);
}

void multiply(const MatrixOperation& operation, const MatrixColumn* in, std::uint64_t* const* out) {
  switch (operation.a) {
  case Type::kF16:
    multiply_floats<2, from_half>(operation, in, out);
    return;
  case Type::kBf16:
    multiply_floats<2, from_bfloat>(operation, in, out);
    return;
  case Type::kTf32:
    multiply_floats<1, from_tf32>(operation, in, out);
    return;
  case Type::kF64:
    multiply_doubles(operation, in, out);
    return;
  case Type::kS8:
  case Type::kU8:
    multiply_integers<4>(operation, in, out);
    return;
  case Type::kS4:
  case Type::kU4:
    multiply_integers<8>(operation, in, out);
    return;
  default:
    multiply_bits(operation, in, out);
    return;
  }
}

/// 8 by 8 elements of 16 bits. In fragments, a lane has two elements of row lane / 4; as rows,
/// lane i has row i in two words.
class SmallMatrix {
public:
  static SmallMatrix of_fragments(const std::uint64_t* lanes) {
    SmallMatrix matrix;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned j = 0; j < 2; ++j) {
        matrix.elements_[lane / kPlaces][lane % kPlaces * 2 + j] =
            static_cast<std::uint16_t>(lanes[lane] >> (16 * j));
      }
    }
    return matrix;
  }
  static SmallMatrix of_rows(const std::uint64_t* low, const std::uint64_t* high) {
    SmallMatrix matrix;
    for (unsigned row = 0; row < 8; ++row) {
      for (unsigned column = 0; column < 8; ++column) {
        const Word word = column < 4 ? low[row] : high[row];
        matrix.elements_[row][column] = static_cast<std::uint16_t>(word >> (16 * (column % 4)));
      }
    }
    return matrix;
  }

  void transpose() {
    for (unsigned row = 0; row < 8; ++row) {
      for (unsigned column = 0; column < row; ++column) {
        std::swap(elements_[row][column], elements_[column][row]);
      }
    }
  }

  void give_fragments(std::uint64_t* lanes) const {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const auto& row = elements_[lane / kPlaces];
      const unsigned column = lane % kPlaces * 2;
      lanes[lane] = row[column] | Word{row[column + 1]} << 16;
    }
  }
  void give_rows(std::uint64_t* low, std::uint64_t* high) const {
    for (unsigned row = 0; row < 8; ++row) {
      low[row] = word_of(row, 0);
      high[row] = word_of(row, 4);
    }
  }

private:
  [[nodiscard]] Word word_of(unsigned row, unsigned column) const {
    Word word = 0;
    for (unsigned i = 0; i < 4; ++i) {
      word |= Word{elements_[row][column + i]} << (16 * i);
    }
    return word;
  }

  std::array<std::array<std::uint16_t, 8>, 8> elements_ = {};
};

/// Matrix i is the rows of the lanes from 8 * i on.
void move_matrices(const MatrixOperation& operation, const MatrixColumn* in,
                   std::uint64_t* const* out) {
  std::array<SmallMatrix, 4> matrices;
  for (unsigned i = 0; i < operation.count; ++i) {
    matrices[i] = operation.kind == MatrixKind::kLoad
                      ? SmallMatrix::of_rows(in[0] + std::size_t{8} * i, in[1] + std::size_t{8} * i)
                      : SmallMatrix::of_fragments(in[i]);
    if (operation.transpose) {
      matrices[i].transpose();
    }
  }
  for (unsigned i = 0; i < operation.count; ++i) {
    if (operation.kind == MatrixKind::kStore) {
      matrices[i].give_rows(out[0] + std::size_t{8} * i, out[1] + std::size_t{8} * i);
    } else {
      matrices[i].give_fragments(out[i]);
    }
  }
}

} // namespace

void compute_matrix(const MatrixOperation& operation, const MatrixColumn* in,
                    std::uint64_t* const* out) {
  if (operation.is_of_quarters()) {
    multiply_quarters(operation, in, out);
  } else if (operation.kind == MatrixKind::kMultiply) {
    multiply(operation, in, out);
  } else {
    move_matrices(operation, in, out);
  }
}

} // namespace gantry::simt::exec
