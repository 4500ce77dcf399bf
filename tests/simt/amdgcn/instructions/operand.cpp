#include "operand.h"

#include <bit>
#include <fmt/format.h>

namespace gantry::simt::amdgcn {

namespace {

/// The constants of floats, as halves, floats and doubles have them.
struct FloatConstant {
  const char* text;
  std::uint64_t half, single, twice;
};
constexpr FloatConstant kFloats[] = {
    {"0.5", 0x3800, 0x3f000000, 0x3fe0000000000000},
    {"-0.5", 0xb800, 0xbf000000, 0xbfe0000000000000},
    {"1.0", 0x3c00, 0x3f800000, 0x3ff0000000000000},
    {"-1.0", 0xbc00, 0xbf800000, 0xbff0000000000000},
    {"2.0", 0x4000, 0x40000000, 0x4000000000000000},
    {"-2.0", 0xc000, 0xc0000000, 0xc000000000000000},
    {"4.0", 0x4400, 0x40800000, 0x4010000000000000},
    {"-4.0", 0xc400, 0xc0800000, 0xc010000000000000},
    {"0.15915494309189532", 0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
};
constexpr int kIntegers[] = {0, 1, 2, 31, 63, 64, -1, -2, -16};
constexpr std::uint32_t kLiterals[] = {0x12345678, 0xfedcba98};

Operand constant(std::string text, std::uint64_t value) {
  return {std::move(text), Operand::Kind::kConstant, 0, value};
}

} // namespace

std::uint64_t Operand::value(const Wave& before, unsigned lane, OperandType type) const {
  const bool is_wide = dwords_of(type) == 2;
  std::uint64_t value = constant;
  switch (kind) {
  case Kind::kVector:
    value = before.v[index][lane];
    value |= is_wide ? std::uint64_t{before.v[index + 1][lane]} << 32 : 0;
    break;
  case Kind::kScalar:
    value = before.s[index];
    value |= is_wide ? std::uint64_t{before.s[index + 1]} << 32 : 0;
    break;
  case Kind::kScc:
    value = before.s[scalar::kScc];
    break;
  case Kind::kConstant:
    break;
  }
  return value;
}

std::string registers(char letter, unsigned first, unsigned count) {
  return count == 1 ? fmt::format("{}{}", letter, first)
                    : fmt::format("{}[{}:{}]", letter, first, first + count - 1);
}
Operand vector_operand(unsigned first, OperandType type) {
  return {registers('v', first, dwords_of(type)), Operand::Kind::kVector, first};
}
Operand scalar_operand(unsigned first, OperandType type) {
  return {registers('s', first, dwords_of(type)), Operand::Kind::kScalar, first};
}

std::vector<Operand> scalar_sources(OperandType type, bool with_literals) {
  using enum Operand::Kind;
  std::vector<Operand> made = {scalar_operand(10, type), scalar_operand(100, type)};
  if (dwords_of(type) == 2) {
    made.push_back({"vcc", kScalar, 106});
    made.push_back({"exec", kScalar, 126});
    made.push_back(constant("src_shared_base", kSharedAperture));
    made.push_back(constant("src_private_base", kPrivateAperture));
  } else {
    made.push_back({"vcc_lo", kScalar, 106});
    made.push_back({"vcc_hi", kScalar, 107});
    made.push_back({"exec_lo", kScalar, 126});
    made.push_back({"exec_hi", kScalar, 127});
    made.push_back({"m0", kScalar, 124});
    made.push_back({"src_scc", kScc});
  }
  for (const int value : kIntegers) {
    made.push_back(
        constant(std::to_string(value), static_cast<std::uint64_t>(std::int64_t{value})));
  }
  for (const FloatConstant& it : kFloats) {
    made.push_back(constant(it.text, width_of(type) == 16   ? it.half
                                     : width_of(type) == 32 ? it.single
                                                            : it.twice));
  }
  if (with_literals) {
    for (const std::uint32_t literal : kLiterals) {
      const std::uint64_t value =
          type == 'd' ? std::uint64_t{literal} << 32
          : type == 'I'
              ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(literal)})
              : literal;
      if (width_of(type) == 16) {
        made.push_back(constant(fmt::format("{:#x}", literal & 0xffff), literal & 0xffff));
      } else {
        made.push_back(constant(fmt::format("{:#x}", type == 'd' ? value : literal), value));
      }
    }
  }
  return made;
}

std::vector<Operand> some_scalar_sources(OperandType type) {
  return {scalar_operand(12, type),
          is_floating(type) ? constant("-4.0", width_of(type) == 16   ? 0xc400
                                               : width_of(type) == 32 ? 0xc0800000
                                                                      : 0xc010000000000000)
                            : constant("-3", ~std::uint64_t{2})};
}

const std::vector<std::uint64_t>& edges_of(OperandType type) {
  static const std::vector<std::uint64_t> kHalf = {0,      0x8000, 0x3c00, 0xbc00, 0x3800, 0x0001,
                                                   0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x7c00,
                                                   0xfc00, 0x7e00, 0x7d01, 0xfe01, 0x3555, 0x5640};
  static const std::vector<std::uint64_t> kShort = {
      0, 1, 2, 0xffff, 0xfffe, 0x7fff, 0x8000, 0x8001, 0x00ff, 0xff00, 15, 16, 17, 0x1234};
  static const std::vector<std::uint64_t> kSingle = {
      0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x00000001, 0x80000001,
      0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
      0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0xffa00000, 0x4f000000, 0xcf000000,
      0x4f800000, 0x4effffff, 0x3effffff, 0x3fc00000, 0x40200000, 0xbf000000, 0x4b000001,
      0x34000000, 0x7e800001, 0x01000000, 0x1f800000, 0x5f800000, 0xbf7fffff};
  static const std::vector<std::uint64_t> kDouble = {0,
                                                     0x8000000000000000,
                                                     0x3ff0000000000000,
                                                     0xbff0000000000000,
                                                     0x3fe0000000000000,
                                                     1,
                                                     0x8000000000000001,
                                                     0x000fffffffffffff,
                                                     0x0010000000000000,
                                                     0x8010000000000000,
                                                     0x7fefffffffffffff,
                                                     0xffefffffffffffff,
                                                     0x7ff0000000000000,
                                                     0xfff0000000000000,
                                                     0x7ff8000000000000,
                                                     0xfff8000000012345,
                                                     0x7ff0000000000001,
                                                     0xfff4000000000000,
                                                     0x41dfffffffc00000,
                                                     0x41e0000000000000,
                                                     0xc1e0000000000000,
                                                     0xc1e0000000100000,
                                                     0x41effffffff00000,
                                                     0x3fdfffffffffffff,
                                                     0x3ff8000000000000,
                                                     0x4004000000000000,
                                                     0x4330000000000001,
                                                     0x36a0000000000000,
                                                     0x47efffffe0000000,
                                                     0x47effffff0000000,
                                                     0x380fffffffffffff,
                                                     0x0020000000000000,
                                                     0xbfefffffffffffff};
  static const std::vector<std::uint64_t> kWord = {
      0,          1,          2,          0xffffffff, 0xfffffffe, 0x7fffffff,
      0x80000000, 0x80000001, 0x0000ffff, 0xff,       0x100,      0xffff0000,
      0x00010000, 31,         32,         33,         63,         64,
      24,         0x00800000, 0x007fffff, 0x00ffffff, 0x01000000, 0xff7fffff,
      0x00100008, 0x0020001f, 0x003f0003, 0x12345678, 0x0c0b0a09, 0xaaaaaaaa};
  static const std::vector<std::uint64_t> kLong = {0,
                                                   1,
                                                   2,
                                                   ~std::uint64_t{0},
                                                   ~std::uint64_t{1},
                                                   0x7fffffffffffffff,
                                                   0x8000000000000000,
                                                   0x8000000000000001,
                                                   0x00000000ffffffff,
                                                   0xffffffff00000000,
                                                   0x0000000100000000,
                                                   0x0000000080000000,
                                                   0xffffffff80000000,
                                                   63,
                                                   64,
                                                   0x5555555555555555};
  switch (type) {
  case 'h':
    return kHalf;
  case 's':
    return kShort;
  case 'f':
    return kSingle;
  case 'd':
    return kDouble;
  case 'u':
    return kWord;
  default:
    return kLong;
  }
}

std::uint64_t any_value(OperandType type, std::mt19937_64& random) {
  const std::uint64_t chosen = random();
  if (chosen % 3 != 0) {
    const auto& edges = edges_of(type);
    return edges[(chosen >> 8) % edges.size()];
  }
  std::uint64_t value = random();
  // Floats that are not far apart, so that sums are not one of the two.
  if ((chosen & 8) != 0 && type == 'f') {
    value = (value & 0x807fffff) | (0x3c000000 + (value >> 40) % 0x08 * 0x00800000);
  } else if ((chosen & 8) != 0 && type == 'd') {
    value =
        (value & 0x800fffffffffffff) | (0x3fc0000000000000 + (value >> 61) * 0x0010000000000000);
  }
  return low_bits(value, width_of(type));
}

void scramble(Wave& wave, std::mt19937_64& random) {
  for (auto& row : wave.v) {
    for (std::uint32_t& lane : row) {
      lane = static_cast<std::uint32_t>(random());
    }
  }
  for (std::uint32_t& value : wave.s) {
    value = static_cast<std::uint32_t>(random());
  }
  wave.s[scalar::kScc] = static_cast<std::uint32_t>(random() & 1);
  wave.set_pair(scalar::kNull, 0);
}

} // namespace gantry::simt::amdgcn
