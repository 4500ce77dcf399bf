// Every form of mma, against the places of elements as the PTX ISA lists them for each shape
// (9.7.14.5), and plain loops over whole matrices.
#include "batch.h"
#include "instance.h"
#include "operand_values.h"
#include "reference.h"

#include <array>
#include <cmath>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::instructions {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

/// Where element i of a lane's part of a matrix is, given lane / 4 and lane % 4.
struct Place {
  unsigned row, column;
};
using PlaceOf = Place (*)(unsigned i, unsigned group, unsigned place);

struct Shape {
  Modifier name;
  unsigned element; ///< bits of A's and B's elements
  unsigned rows, depth;
  PlaceOf a, b;
};

constexpr Shape kShapes[] = {
    {Modifier::kM8n8k4, 64, 8, 4, [](unsigned, unsigned g, unsigned t) -> Place { return {g, t}; },
     [](unsigned, unsigned g, unsigned t) -> Place { return {t, g}; }},
    {Modifier::kM16n8k4, 64, 16, 4,
     [](unsigned i, unsigned g, unsigned t) -> Place { return {i == 0 ? g : g + 8, t}; },
     [](unsigned, unsigned g, unsigned t) -> Place { return {t, g}; }},
    {Modifier::kM16n8k8, 64, 16, 8,
     [](unsigned i, unsigned g, unsigned t) -> Place {
       return {i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
     },
     [](unsigned i, unsigned g, unsigned t) -> Place { return {i == 0 ? t : t + 4, g}; }},
    {Modifier::kM16n8k16, 64, 16, 16,
     [](unsigned i, unsigned g, unsigned t) -> Place {
       return {i % 2 == 0 ? g : g + 8, i < 2 ? t : i < 4 ? t + 4 : i < 6 ? t + 8 : t + 12};
     },
     [](unsigned i, unsigned g, unsigned t) -> Place { return {t + i * 4, g}; }},
    {Modifier::kM16n8k4, 32, 16, 4,
     [](unsigned i, unsigned g, unsigned t) -> Place { return {i == 0 ? g : g + 8, t}; },
     [](unsigned, unsigned g, unsigned t) -> Place { return {t, g}; }},
    {Modifier::kM16n8k8, 32, 16, 8,
     [](unsigned i, unsigned g, unsigned t) -> Place {
       return {i == 0 || i == 2 ? g : g + 8, i == 0 || i == 1 ? t : t + 4};
     },
     [](unsigned i, unsigned g, unsigned t) -> Place { return {i == 0 ? t : t + 4, g}; }},
    {Modifier::kM16n8k8, 16, 16, 8,
     [](unsigned i, unsigned g, unsigned t) -> Place {
       return {i < 2 ? g : g + 8, t * 2 + (i & 1)};
     },
     [](unsigned i, unsigned g, unsigned t) -> Place { return {t * 2 + i, g}; }},
    {Modifier::kM16n8k16, 16, 16, 16,
     [](unsigned i, unsigned g, unsigned t) -> Place {
       return {i < 2 || (4 <= i && i < 6) ? g : g + 8,
               i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8};
     },
     [](unsigned i, unsigned g, unsigned t) -> Place {
       return {i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g};
     }},
    {Modifier::kM8n8k16, 8, 8, 16,
     [](unsigned i, unsigned g, unsigned t) -> Place { return {g, t * 4 + i}; },
     [](unsigned i, unsigned g, unsigned t) -> Place { return {t * 4 + i, g}; }},
    {Modifier::kM16n8k16, 8, 16, 16,
     [](unsigned i, unsigned g, unsigned t) -> Place {
       return {i < 4 ? g : g + 8, t * 4 + (i & 3)};
     },
     [](unsigned i, unsigned g, unsigned t) -> Place { return {t * 4 + i, g}; }},
    {Modifier::kM16n8k32, 8, 16, 32,
     [](unsigned i, unsigned g, unsigned t) -> Place {
       return {i < 4 || (8 <= i && i < 12) ? g : g + 8,
               i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16};
     },
     [](unsigned i, unsigned g, unsigned t) -> Place {
       return {i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g};
     }},
    {Modifier::kM8n8k32, 4, 8, 32,
     [](unsigned i, unsigned g, unsigned t) -> Place { return {g, t * 8 + i}; },
     [](unsigned i, unsigned g, unsigned t) -> Place { return {t * 8 + i, g}; }},
    {Modifier::kM16n8k32, 4, 16, 32,
     [](unsigned i, unsigned g, unsigned t) -> Place {
       return {i < 8 ? g : g + 8, t * 8 + (i & 7)};
     },
     [](unsigned i, unsigned g, unsigned t) -> Place { return {t * 8 + (i & 7), g}; }},
    {Modifier::kM16n8k64, 4, 16, 64,
     [](unsigned i, unsigned g, unsigned t) -> Place {
       return {i < 8 || (16 <= i && i < 24) ? g : g + 8,
               i < 16 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32};
     },
     [](unsigned i, unsigned g, unsigned t) -> Place {
       return {i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32, g};
     }},
    {Modifier::kM8n8k128, 1, 8, 128,
     [](unsigned i, unsigned g, unsigned t) -> Place { return {g, t * 32 + i}; },
     [](unsigned i, unsigned g, unsigned t) -> Place { return {t * 32 + i, g}; }},
    {Modifier::kM16n8k128, 1, 16, 128,
     [](unsigned i, unsigned g, unsigned t) -> Place {
       return {i < 32 ? g : g + 8, t * 32 + (i & 31)};
     },
     [](unsigned i, unsigned g, unsigned t) -> Place { return {t * 32 + i, g}; }},
    {Modifier::kM16n8k256, 1, 16, 256,
     [](unsigned i, unsigned g, unsigned t) -> Place {
       return {i < 32 || (64 <= i && i < 96) ? g : g + 8,
               i < 64 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128};
     },
     [](unsigned i, unsigned g, unsigned t) -> Place {
       return {i < 32 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128, g};
     }},
};

Place place_of_sum(unsigned i, unsigned group, unsigned place) {
  return {i < 2 ? group : group + 8, place * 2 + (i & 1)};
}

unsigned width_of_element(Type type) {
  switch (type) {
  case Type::kF64:
    return 64;
  case Type::kF16:
  case Type::kBf16:
    return 16;
  case Type::kS8:
  case Type::kU8:
    return 8;
  case Type::kS4:
  case Type::kU4:
    return 4;
  case Type::kB1:
    return 1;
  default:
    return 32;
  }
}

/// Four products at once, each of a quarter of the warp.
bool is_of_quarters(const Instance& instance) {
  return instance.has(Modifier::kM8n8k4) && instance.type(1) == Type::kF16;
}

/// What the elements are: integers of which all sums are exact, numbers of all digits whose sums
/// are rounded, and the edges of the type.
enum class Values { kWhole, kRounded, kEdges };

Word element_of(Type type, Values values, Word random) {
  if (values == Values::kWhole && ptx::is_float(type)) {
    const auto number = static_cast<__int128>(random % 17) - 8;
    return packed(Number::integer(number), format_of(type), Round::kNearestEven);
  }
  switch (type) {
  case Type::kF16:
    return values == Values::kEdges ? operand_of(type, random)
                                    : (random & 0x83FF) | (10 + (random >> 20) % 10) << 10;
  case Type::kBf16:
    return values == Values::kEdges ? operand_of(type, random)
                                    : (random & 0x807F) | (120 + (random >> 20) % 14) << 7;
  case Type::kF64:
    return values == Values::kEdges
               ? operand_of(type, random)
               : (random & 0x800F'FFFF'FFFF'FFFF) | (1016 + (random >> 54) % 14) << 52;
  case Type::kF32:
  case Type::kTf32: {
    if (values == Values::kWhole) { // of tf32; with digits that are not looked at
      const auto number = static_cast<__int128>(random % 17) - 8;
      return packed(Number::integer(number), kSingle, Round::kNearestEven) |
             (random >> 32 & 0x1FFF);
    }
    return values == Values::kEdges ? operand_of(Type::kF32, random)
                                    : (random & 0x807F'FFFF) | (120 + (random >> 32) % 14) << 23;
  }
  case Type::kS32: // near the ends of the range, so that sums pass them
    return values == Values::kEdges
               ? (random & 0x3FF) + ((random >> 32 & 1) != 0 ? 0x7FFF'FC00 : 0x8000'0000)
               : random & 0xFFFF'FFFF;
  default:
    return low_bits(random >> 8, width_of_element(type));
  }
}

float float_of(Type type, Word bits) {
  switch (type) {
  case Type::kF16:
    return static_cast<float>(double_of(bits, kHalf));
  case Type::kBf16:
    return static_cast<float>(double_of(bits, kBfloat));
  default:
    return static_cast<float>(
        double_of(type == Type::kTf32 ? bits & ~Word{0x1FFF} : bits, kSingle));
  }
}

Word rounded(float number, Type type) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  const Format format = format_of(type);
  return std::isnan(number) ? format.nan()
                            : packed(unpacked(bits, kSingle), format, Round::kNearestEven);
}

class ProductPiece {
public:
  ProductPiece(const Instance& instance, Values values)
      : instance_(instance), values_(values), seed_(hash_of(instance.name())) {
    for (const Shape& shape : kShapes) {
      if (instance.has(shape.name) && shape.element == width_of_element(instance.type(1))) {
        shape_ = &shape;
      }
    }
    const auto cells = [&](unsigned operand, unsigned elements) {
      const unsigned bits = operand_bits(operand);
      return elements * width_of_element(type_of(operand)) / (32 * bits);
    };
    a_ = cells(1, shape_->rows * shape_->depth);
    b_ = cells(2, shape_->depth * 8);
    c_ = cells(3, shape_->rows * 8);
  }

  static Piece piece(const std::shared_ptr<ProductPiece>& self) {
    Piece piece;
    piece.label =
        fmt::format("{}, values {}", self->instance_.name(), static_cast<unsigned>(self->values_));
    piece.inputs = self->a_ + self->b_ + self->c_;
    piece.outputs = self->c_;
    piece.code = [self](const Places& places) { return self->code(places); };
    piece.input = [self](unsigned cell, unsigned thread) { return self->input(cell, thread); };
    piece.input_bits = [self](unsigned) { return self->operand_bits(1); };
    piece.check = [self](const Results& results) { return self->check(results); };
    return piece;
  }

private:
  [[nodiscard]] Type type_of(unsigned operand) const { return instance_.type(operand); }
  [[nodiscard]] unsigned operand_bits(unsigned operand) const {
    return type_of(operand) == Type::kF64 ? 64 : 32;
  }

  /// Of a register's elements one after the other, the first lowest.
  [[nodiscard]] Word element(unsigned cell, unsigned thread, unsigned i) const {
    const Type type = type_of(cell < a_ ? 1 : cell < a_ + b_ ? 2 : 3);
    return element_of(type, values_, hash_of(seed_, hash_of(cell, i), thread));
  }
  [[nodiscard]] Word input(unsigned cell, unsigned thread) const {
    const unsigned operand = cell < a_ ? 1 : cell < a_ + b_ ? 2 : 3;
    const unsigned bits = width_of_element(type_of(operand));
    Word word = 0;
    for (unsigned i = 0; i < operand_bits(operand) / bits; ++i) {
      word |= element(cell, thread, i) << (bits * i);
    }
    return word;
  }

  [[nodiscard]] std::string vector(char name, unsigned count) const {
    std::string text;
    for (unsigned i = 0; i < count; ++i) {
      text += fmt::format("{}%{}{}", i == 0 ? "{" : ", ", name, i);
    }
    return text + "}";
  }

  [[nodiscard]] std::string code(const Places& places) const {
    const unsigned bits = operand_bits(1);
    const bool is_float =
        (seed_ & 1) != 0 && (type_of(0) == Type::kF32 || type_of(0) == Type::kF64);
    const char sums = is_float ? 'f' : 'b';
    std::string text = fmt::format(
        "  .reg .b{0} %a<{1}>, %b<{2}>; .reg .{3}{0} %c<{4}>, %d<{4}>;\n", bits, a_, b_, sums, c_);
    unsigned cell = 0;
    for (const auto& [name, count] : {std::pair{'a', a_}, {'b', b_}, {'c', c_}}) {
      for (unsigned i = 0; i < count; ++i) {
        text += fmt::format("  ld.global.b{0} %{1}{2}, [{3}];\n", bits, name, i,
                            places.input(cell++, bits));
      }
    }
    // The sums of loops: the result is where C is.
    const char result = (seed_ & 2) != 0 ? 'c' : 'd';
    text += fmt::format("  {} {}, {}, {}, {};\n", instance_.name(), vector(result, c_),
                        vector('a', a_), vector('b', b_), vector('c', c_));
    for (unsigned i = 0; i < c_; ++i) {
      text +=
          fmt::format("  st.global.b{} [{}], %{}{};\n", bits, places.output(i, bits), result, i);
    }
    return text;
  }

  using Matrix = std::vector<std::vector<Word>>;

  [[nodiscard]] Matrix gathered(unsigned warp, unsigned first_cell, unsigned cells,
                                unsigned operand, unsigned rows, unsigned columns,
                                PlaceOf place_of) const {
    Matrix matrix(rows, std::vector<Word>(columns));
    const unsigned in_cell = operand_bits(operand) / width_of_element(type_of(operand));
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned i = 0; i < cells * in_cell; ++i) {
        const Place place = place_of(i, lane >> 2, lane % 4);
        matrix.at(place.row).at(place.column) =
            element(first_cell + i / in_cell, warp * kLanes + lane, i % in_cell);
      }
    }
    return matrix;
  }

  [[nodiscard]] Word expected(const Matrix& a, const Matrix& b, Word c, unsigned row,
                              unsigned column) const {
    const unsigned depth = shape_->depth;
    const Type type = type_of(1);
    if (type == Type::kF64) {
      const Round mode = rounding_of(instance_);
      for (unsigned k = 0; k < depth; ++k) {
        const Number product_of =
            product(unpacked(a[row][k], kDouble), unpacked(b[k][column], kDouble));
        c = packed(sum(product_of, unpacked(c, kDouble), mode), kDouble, mode);
      }
      return kDouble.is_nan(c) ? kDouble.nan() : c;
    }
    if (ptx::is_float(type) || type == Type::kTf32) {
      float total = float_of(type_of(3), c);
      for (unsigned k = 0; k < depth; ++k) {
        const float factors = float_of(type, a[row][k]) * float_of(type_of(2), b[k][column]);
        total += factors;
      }
      return rounded(total, type_of(0));
    }
    const auto integer = [](Type of, Word bits) {
      const bool is_signed = of == Type::kS8 || of == Type::kS4 || of == Type::kS32;
      const unsigned width = width_of_element(of);
      const bool negative = is_signed && (bits >> (width - 1) & 1) != 0;
      return static_cast<__int128>(bits) - (negative ? __int128{1} << width : 0);
    };
    __int128 total = integer(Type::kS32, c);
    for (unsigned k = 0; k < depth; ++k) {
      const Word x = a[row][k];
      const Word y = b[k][column];
      total += type != Type::kB1               ? integer(type, x) * integer(type_of(2), y)
               : instance_.has(Modifier::kAnd) ? static_cast<__int128>(x & y)
                                               : static_cast<__int128>(x ^ y);
    }
    if (instance_.has(Modifier::kSatfinite)) {
      total = clamped(Type::kS32, total);
    }
    return low_bits(static_cast<Word>(total), 32);
  }

  [[nodiscard]] std::string check(const Results& results) const {
    const unsigned bits = operand_bits(0);
    const unsigned width = width_of_element(type_of(0));
    const unsigned in_cell = bits / width;
    for (unsigned warp = 0; warp < kBlocks; ++warp) {
      const Matrix a = gathered(warp, 0, a_, 1, shape_->rows, shape_->depth, shape_->a);
      const Matrix b = gathered(warp, a_, b_, 2, shape_->depth, 8, shape_->b);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const unsigned thread = warp * kLanes + lane;
        for (unsigned i = 0; i < c_ * in_cell; ++i) {
          const Place place = place_of_sum(i, lane >> 2, lane % 4);
          const Word c = element(a_ + b_ + i / in_cell, thread, i % in_cell);
          const Word wanted = expected(a, b, c, place.row, place.column);
          const Word actual =
              low_bits(results.output(i / in_cell, thread, bits) >> (width * (i % in_cell)), width);
          if (actual != wanted) {
            return fmt::format("gives {:#x} and not {:#x} (element {} of thread {})", actual,
                               wanted, i, thread);
          }
        }
      }
    }
    return {};
  }

  Instance instance_;
  Values values_;
  Word seed_;
  const Shape* shape_ = nullptr;
  unsigned a_ = 0, b_ = 0, c_ = 0;
};

TEST(MatrixForms, Products) {
  std::vector<Piece> pieces;
  const std::vector<Instance> instances = all_instances(
      Opcode::k_mma, [](const Instance& instance) { return !is_of_quarters(instance); });
  for (std::size_t i = 0; i < instances.size(); ++i) {
    for (const Values values : {Values::kWhole, Values::kRounded, Values::kEdges}) {
      if (runs_all() || static_cast<std::size_t>(values) == i % 3) {
        pieces.push_back(ProductPiece::piece(std::make_shared<ProductPiece>(instances[i], values)));
      }
    }
  }
  run_batch(pieces);
}

/// mma.m8n8k4 of f16, whose words .row and .col have an order that a set does not.
class QuartersPiece {
public:
  QuartersPiece(bool a_by_columns, bool b_by_columns, Type result, Type addend, Values values)
      : a_by_columns_(a_by_columns), b_by_columns_(b_by_columns), result_(result), addend_(addend),
        values_(values),
        name_(fmt::format("mma.sync.aligned.m8n8k4.{}.{}.{}.f16.f16.{}",
                          a_by_columns ? "col" : "row", b_by_columns ? "col" : "row",
                          ptx::name_of(result), ptx::name_of(addend))),
        seed_(hash_of(name_)) {}

  static Piece piece(const std::shared_ptr<QuartersPiece>& self) {
    Piece piece;
    piece.label = fmt::format("{}, values {}", self->name_, static_cast<unsigned>(self->values_));
    piece.inputs = 4 + registers(self->addend_);
    piece.outputs = registers(self->result_);
    piece.code = [self](const Places& places) { return self->code(places); };
    piece.input = [self](unsigned cell, unsigned thread) { return self->input(cell, thread); };
    piece.input_bits = [](unsigned) { return 32U; };
    piece.check = [self](const Results& results) { return self->check(results); };
    return piece;
  }

private:
  static unsigned registers(Type sums) { return sums == Type::kF16 ? 4 : 8; }

  /// Element i of the lane's part of A (operand 1), B (2) or C (3).
  [[nodiscard]] Word element(unsigned operand, unsigned thread, unsigned i) const {
    return element_of(operand == 3 ? addend_ : Type::kF16, values_,
                      hash_of(seed_, operand * 8 + i, thread));
  }
  [[nodiscard]] Word input(unsigned cell, unsigned thread) const {
    const unsigned operand = cell < 2 ? 1 : cell < 4 ? 2 : 3;
    const unsigned first = cell - (operand - 1) * 2;
    return operand == 3 && addend_ == Type::kF32
               ? element(3, thread, first)
               : element(operand, thread, 2 * first) | element(operand, thread, 2 * first + 1)
                                                           << 16;
  }

  [[nodiscard]] std::string code(const Places& places) const {
    const unsigned sums = registers(addend_);
    std::string text = "  .reg .b32 %a<12>, %d<8>;\n";
    std::string addends;
    for (unsigned i = 0; i < 4 + sums; ++i) {
      text += fmt::format("  ld.global.b32 %a{}, [{}];\n", i, places.input(i, 32));
      addends += i < 4 ? "" : fmt::format("{}%a{}", i == 4 ? "" : ", ", i);
    }
    std::string results;
    for (unsigned i = 0; i < registers(result_); ++i) {
      results += fmt::format("{}%d{}", i == 0 ? "" : ", ", i);
    }
    text +=
        fmt::format("  {} {{{}}}, {{%a0, %a1}}, {{%a2, %a3}}, {{{}}};\n", name_, results, addends);
    for (unsigned i = 0; i < registers(result_); ++i) {
      text += fmt::format("  st.global.b32 [{}], %d{};\n", places.output(i, 32), i);
    }
    return text;
  }

  static Place place_of_a(unsigned lane, unsigned i, bool by_columns) {
    return by_columns ? Place{lane < 16 ? i % 4 : i % 4 + 4, lane % 4}
                      : Place{lane < 16 ? lane % 4 : lane % 4 + 4, i};
  }
  static Place place_of_b(unsigned lane, unsigned i, bool by_columns) {
    return by_columns ? Place{i, lane < 16 ? lane % 4 : lane % 4 + 4}
                      : Place{lane % 4, lane < 16 ? i : i + 4};
  }
  static Place place_of_c(unsigned lane, unsigned i, Type type) {
    if (type == Type::kF16) {
      return {lane < 16 ? lane % 4 : lane % 4 + 4, i};
    }
    const unsigned x = (lane & 0b1) + (i & 0b10);
    return {lane < 16 ? x : x + 4, (i & 0b100) + (lane & 0b10) + (i & 0b1)};
  }
  static unsigned quarter_of(unsigned lane) { return (lane < 16 ? lane : lane - 16) / 4; }

  [[nodiscard]] std::string check(const Results& results) const {
    using Quarter = std::array<std::array<float, 8>, 8>;
    for (unsigned first = 0; first < kThreads; first += kLanes) {
      std::array<Quarter, 4> a = {};
      std::array<Quarter, 4> b = {};
      std::array<Quarter, 4> c = {};
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (unsigned i = 0; i < 8; ++i) {
          const unsigned quarter = quarter_of(lane);
          if (i < 4) {
            const Place of_a = place_of_a(lane, i, a_by_columns_);
            a.at(quarter).at(of_a.row).at(of_a.column) =
                float_of(Type::kF16, element(1, first + lane, i));
            const Place of_b = place_of_b(lane, i, b_by_columns_);
            b.at(quarter).at(of_b.row).at(of_b.column) =
                float_of(Type::kF16, element(2, first + lane, i));
          }
          const Place of_c = place_of_c(lane, i, addend_);
          c.at(quarter).at(of_c.row).at(of_c.column) =
              float_of(addend_, element(3, first + lane, i));
        }
      }
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (unsigned i = 0; i < 8; ++i) {
          const unsigned quarter = quarter_of(lane);
          const Place place = place_of_c(lane, i, result_);
          float total = c.at(quarter).at(place.row).at(place.column);
          for (unsigned k = 0; k < 4; ++k) {
            const float factors =
                a.at(quarter).at(place.row).at(k) * b.at(quarter).at(k).at(place.column);
            total += factors;
          }
          const Word wanted = rounded(total, result_);
          const bool is_half = result_ == Type::kF16;
          const Word word = results.output(is_half ? i / 2 : i, first + lane, 32);
          const Word actual = is_half ? word >> (16 * (i % 2)) & 0xFFFF : word;
          if (actual != wanted) {
            return fmt::format("gives {:#x} and not {:#x} (element {} of thread {})", actual,
                               wanted, i, first + lane);
          }
        }
      }
    }
    return {};
  }

  bool a_by_columns_, b_by_columns_;
  Type result_, addend_;
  Values values_;
  std::string name_;
  Word seed_;
};

TEST(MatrixForms, ProductsOfQuarters) {
  std::vector<Piece> pieces;
  for (const auto& [result, addend] :
       {std::pair{Type::kF16, Type::kF16}, {Type::kF32, Type::kF16}, {Type::kF32, Type::kF32}}) {
    for (const bool a_by_columns : {false, true}) {
      for (const bool b_by_columns : {false, true}) {
        for (const Values values : {Values::kWhole, Values::kRounded, Values::kEdges}) {
          pieces.push_back(QuartersPiece::piece(
              std::make_shared<QuartersPiece>(a_by_columns, b_by_columns, result, addend, values)));
        }
      }
    }
  }
  run_batch(pieces);
}

} // namespace
} // namespace gantry::simt::instructions
