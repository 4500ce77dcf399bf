#include "simt/amdgcn/code/operand.h"

#include "simt/amdgcn/code/apertures.h"

#include <bit>
#include <fmt/format.h>

namespace gantry::simt::amdgcn {

namespace {

using Error = tl::unexpected<std::string>;

constexpr unsigned kZero = 128;
constexpr unsigned kSixtyFour = 192;
constexpr unsigned kMinusSixteen = 208;
constexpr unsigned kSharedBase = 235;
constexpr unsigned kPrivateBase = 237;
constexpr unsigned kHalf = 240;
constexpr unsigned kOneByTwoPi = 248;
constexpr unsigned kDpp = 250;
constexpr unsigned kOperandScc = 253;
constexpr unsigned kVgpr = 256;

bool is_wide(Type type) {
  return registers_of(type) == 2;
}

/// 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2π): as the operand's type has them.
std::uint64_t float_constant(unsigned number, Type type) {
  static constexpr double kValues[] = {0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0};
  static constexpr std::uint16_t kHalves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                              0xc000, 0x4400, 0xc400, 0x3118};
  if (bits_of(type) == 16) {
    return kHalves[number - kHalf];
  }
  if (number == kOneByTwoPi) {
    return is_wide(type) ? 0x3fc45f306dc9c882 : 0x3e22f983;
  }
  const double value = kValues[number - kHalf];
  return is_wide(type) ? std::bit_cast<std::uint64_t>(value)
                       : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

std::uint64_t literal_constant(std::uint32_t value, Type type) {
  switch (type) {
  case Type::kF64: // its upper half
    return std::uint64_t{value} << 32;
  case Type::kI64:
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
  default:
    return value;
  }
}

} // namespace

tl::expected<Source, std::string> read_operand(unsigned number, Type type,
                                               std::optional<std::uint32_t> literal) {
  Source made;
  if (number >= kVgpr) {
    made.kind = Source::Kind::kVector;
    made.index = static_cast<std::uint16_t>(number - kVgpr);
    return made;
  }
  if (number < kZero && number != kNoRegister) {
    made.kind = Source::Kind::kScalar;
    made.index = static_cast<std::uint16_t>(number);
    return made;
  }
  if (number == kOperandScc) {
    made.kind = Source::Kind::kScalar;
    made.index = scalar::kScc;
    return made;
  }
  made.kind = Source::Kind::kConstant;
  if (number >= kZero && number <= kMinusSixteen) {
    const std::int64_t value =
        number <= kSixtyFour ? std::int64_t{number} - kZero : std::int64_t{kSixtyFour} - number;
    made.constant = static_cast<std::uint64_t>(value);
  } else if (number >= kHalf && number <= kOneByTwoPi) {
    made.constant = float_constant(number, type);
  } else if (number == kSharedBase || number == kPrivateBase) {
    if (!is_wide(type)) {
      return Error("an aperture's base as an operand of 32 bits");
    }
    made.constant = number == kSharedBase ? kSharedAperture : kPrivateAperture;
  } else if (number == kLiteral && literal) {
    made.constant = literal_constant(*literal, type);
  } else if (number == kDpp) {
    return Error("DPP");
  } else {
    return Error(fmt::format("operand {}", number));
  }
  if (!is_wide(type)) {
    made.constant = bits_of(type) == 16 ? static_cast<std::uint16_t>(made.constant)
                                        : static_cast<std::uint32_t>(made.constant);
  }
  return made;
}

} // namespace gantry::simt::amdgcn
