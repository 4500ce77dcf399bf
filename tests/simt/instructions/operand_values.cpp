#include "operand_values.h"

#include "reference.h"

#include <map>

namespace gantry::simt::instructions {

namespace {

using ptx::Type;

std::vector<Word> integer_edges(unsigned width) {
  const Word top = Word{1} << (width - 1);
  std::vector<Word> edges = {0,  1,  2,  3,  7,  8,  10,  15,  16,  17,
                             31, 32, 33, 63, 64, 65, 100, 127, 128, 255};
  for (const Word edge : {Word{0} - 1,
                          Word{0} - 2,
                          Word{0} - 8,
                          Word{0} - 128,
                          top,
                          top + 1,
                          top - 1,
                          top | 0x5A,
                          top >> 1,
                          Word{0x5555'5555'5555'5555},
                          Word{0xAAAA'AAAA'AAAA'AAAA},
                          Word{256},
                          Word{0xFFFF},
                          Word{0x8000},
                          Word{0x7FFF'FFFF},
                          Word{0x8000'0000},
                          Word{0xFFFF'FFFF},
                          Word{0x1'0000'0000},
                          Word{0x0080'0000},
                          Word{0x00FF'FFFF}}) {
    edges.push_back(low_bits(edge, width));
  }
  return edges;
}

std::vector<Word> float_edges(Format format) {
  std::vector<Word> edges;
  const Word fraction = format.smallest_normal() - 1;
  const Word quiet = Word{1} << (format.fraction_bits - 1);
  const auto power = [&](int exponent) {
    return static_cast<Word>(exponent + format.bias()) << format.fraction_bits;
  };
  std::vector<Word> magnitudes = {0,
                                  1,
                                  2,
                                  fraction,
                                  fraction - 1,
                                  format.smallest_normal(),
                                  format.smallest_normal() + 1,
                                  format.infinity() - 1,
                                  format.infinity() - 2,
                                  format.infinity(),
                                  format.infinity() | quiet,
                                  format.infinity() | 1,
                                  format.infinity() | fraction,
                                  power(0),
                                  power(0) + 1,
                                  power(0) - 1,
                                  power(0) + 2,
                                  power(-1),
                                  power(-1) - 1,
                                  power(-1) + 1,
                                  power(0) | quiet,
                                  power(1) | quiet >> 1,
                                  power(1),
                                  power(1) | quiet,
                                  power(2) | quiet >> 1,
                                  power(format.fraction_bits),
                                  power(format.fraction_bits) + 1,
                                  power(format.fraction_bits - 1) + 1,
                                  power(format.fraction_bits - 1) - 1,
                                  power(-format.fraction_bits),
                                  power(-format.fraction_bits - 1),
                                  power(-format.fraction_bits - 1) + 1,
                                  power(7),
                                  power(7) - 1,
                                  power(8) - 1,
                                  power(8),
                                  power(15),
                                  power(15) - 1};
  for (const int exponent : {16, 31, 32, 63, 64, 126, -14, -24, -25, -126, -149, -1022}) {
    if (exponent < format.bias() && exponent > -format.bias()) {
      magnitudes.push_back(power(exponent));
      magnitudes.push_back(power(exponent) - 1);
      magnitudes.push_back(power(exponent) + 1);
    }
  }
  for (const Word magnitude : magnitudes) {
    edges.push_back(magnitude);
    edges.push_back(magnitude | format.sign());
  }
  return edges;
}

Word random_float(Format format, Word random) {
  const Word fraction = random & (format.smallest_normal() - 1);
  const Word sign = random >> 63 != 0 ? format.sign() : 0;
  const auto near = static_cast<int>(random >> 54 & 15) - 8;
  return sign | static_cast<Word>(format.bias() + near) << format.fraction_bits | fraction;
}

} // namespace

const std::vector<Word>& edges_of(Type type) {
  static auto* const known = new std::map<Type, std::vector<Word>>;
  std::vector<Word>& edges = (*known)[type];
  if (edges.empty()) {
    if (type == Type::kPred) {
      edges = {0, 1};
    } else if (ptx::is_float(type)) {
      edges = float_edges(format_of(type));
    } else {
      edges = integer_edges(bits_of(type));
    }
  }
  return edges;
}

Word operand_of(Type type, Word random) {
  if (ptx::is_packed(type)) {
    const Type half = type == Type::kU16x2 || type == Type::kS16x2 ? Type::kU16
                      : type == Type::kF16x2                       ? Type::kF16
                                                                   : Type::kBf16;
    return operand_of(half, random) | operand_of(half, hash_of(random)) << 16;
  }
  const Word choice = random >> 32 & 15;
  const Word bits = hash_of(random, 1);
  if (type == Type::kPred) {
    return bits & 1;
  }
  if (choice < 8) {
    const std::vector<Word>& edges = edges_of(type);
    return edges[bits % edges.size()];
  }
  if (choice < 11) {
    return ptx::is_float(type) ? random_float(format_of(type), bits)
                               : low_bits(bits % 72, bits_of(type));
  }
  return low_bits(bits, bits_of(type));
}

} // namespace gantry::simt::instructions
