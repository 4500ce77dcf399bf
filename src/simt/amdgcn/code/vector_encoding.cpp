// The formats of vector instructions: VOP1, VOP2, VOPC, with SDWA and DPP, VOP3 and VOP3P.
#include "simt/amdgcn/code/reader.h"

#include <algorithm>
#include <fmt/format.h>

namespace gantry::simt::amdgcn {

namespace {

constexpr unsigned kSdwa = 249;       ///< as a first source
constexpr unsigned kDpp = 250;        ///< likewise
constexpr unsigned kFirstFloat = 240; ///< of the constants, as an operand
constexpr unsigned kVgpr = 256;       ///< the first one, likewise

/// quad_perm, row_shl, row_shr, row_ror, wave_shl and the other ones by 1, row_mirror,
/// row_half_mirror, row_bcast; on gfx90a row_newbcast as well.
bool is_lane_pattern(unsigned control, const Processor& processor) {
  const unsigned group = control >> 4;
  if (processor.is_gfx11) { // row_share and row_xmask, and nothing of whole waves
    return control < 0x100 || (group >= 0x10 && group <= 0x12 && (control & 0xf) != 0) ||
           control == 0x140 || control == 0x141 || group == 0x15 || group == 0x16;
  }
  return control < 0x100 || (group >= 0x10 && group <= 0x12 && (control & 0xf) != 0) ||
         (group == 0x13 && (control & 3) == 0) || (control >= 0x140 && control <= 0x143) ||
         (group == 0x15 && processor.has_accumulators);
}

} // namespace

void Reader::read_vector(Format format) {
  const std::uint32_t first = word(0);
  const bool sets_exec_alone = processor_.is_gfx11 && meaning_.writes_exec;
  made_.mask = sets_exec_alone ? scalar::kNowhere : scalar::kVcc;
  if (format != Format::kVopc) {
    made_.result = meaning_.kind == Meaning::Kind::kVectorToScalar
                       ? scalar_result(bits(first, 17, 8))
                       : static_cast<std::uint16_t>(bits(first, 17, 8));
  }
  if (bits(first, 0, 9) == kSdwa && !processor_.is_gfx11) {
    return read_sdwa(format);
  }
  if (bits(first, 0, 9) == kDpp) {
    return read_dpp(format);
  }
  unsigned numbers[2] = {bits(first, 0, 9), kVgpr + bits(first, 9, 8)};
  if (processor_.is_gfx11) { // halves by the highest bit of a VGPR's number
    constexpr unsigned kUpperHalf = 0x80;
    std::uint32_t chosen = 0;
    for (unsigned i = 0; i < 2; ++i) {
      if (bits_of(meaning_.sources[i]) == 16 && numbers[i] >= kVgpr + kUpperHalf) {
        numbers[i] -= kUpperHalf;
        chosen |= 1U << i;
      }
    }
    if (bits_of(meaning_.result) == 16 && made_.result >= kUpperHalf) {
      made_.result -= kUpperHalf;
      chosen |= 8;
    }
    choose_halves(chosen);
  } else if (meaning_.keeps_half) {
    choose_halves(0);
  }
  const unsigned count = source_count();
  if (count > 0) {
    put(made_.sources[0], numbers[0], meaning_.sources[0], 1);
  }
  if (count > 1 && format != Format::kVop1) {
    put(made_.sources[1], numbers[1], meaning_.sources[1], 1);
  }
  if (meaning_.has_literal) {
    made_.sources[2] = {Source::Kind::kConstant, 0, word(1)};
  }
  if (meaning_.reads_mask) {
    made_.sources[3] = {Source::Kind::kScalar, scalar::kVcc};
  }
}

/// One of VOPD's two, which share a literal. One result is an even VGPR, the other an odd one.
void Reader::read_operation(Format format) {
  const bool is_second = format == Format::kVopdSecond;
  const std::uint32_t first = word(is_second ? 1 : 0);
  const std::uint32_t results = word(1);
  const std::uint32_t result = bits(results, 24, 8);
  made_.result =
      static_cast<std::uint16_t>(is_second ? bits(results, 17, 7) << 1 | (~result & 1) : result);
  const unsigned count = source_count();
  put(made_.sources[0], bits(first, 0, 9), meaning_.sources[0], 2);
  if (count > 1) {
    put(made_.sources[1], kVgpr + bits(first, 9, 8), meaning_.sources[1], kNoLiteral);
  }
  if (meaning_.has_literal) {
    made_.sources[2] = {Source::Kind::kConstant, 0, word(2)};
  }
  if (meaning_.reads_mask) {
    made_.sources[3] = {Source::Kind::kScalar, scalar::kVcc};
  }
}

void Reader::read_sdwa(Format format) {
  const std::uint32_t first = word(0);
  const std::uint32_t second = word(1);
  if (meaning_.exact) {
    return refuse("SDWA");
  }
  // gfx8 has VGPRs and VCC alone.
  const auto registers = [&](unsigned number, bool is_scalar) {
    return is_scalar && !processor_.is_gfx8 ? number : kVgpr + number;
  };
  put(made_.sources[0], registers(bits(second, 0, 8), bits(second, 23, 1) != 0),
      meaning_.sources[0], kNoLiteral);
  if (format != Format::kVop1) {
    put(made_.sources[1], registers(bits(first, 9, 8), bits(second, 31, 1) != 0),
        meaning_.sources[1], kNoLiteral);
  }
  if (meaning_.reads_mask) {
    made_.sources[3] = {Source::Kind::kScalar, scalar::kVcc};
  }
  Modifiers& modifiers = made_.modifiers;
  modifiers.parts[0] = part(bits(second, 16, 3));
  modifiers.parts[1] = format == Format::kVop1 ? Part::kDword : part(bits(second, 24, 3));
  modifiers.sign = static_cast<std::uint8_t>(bits(second, 19, 1) | bits(second, 27, 1) << 1);
  modifiers.negate = static_cast<std::uint8_t>(bits(second, 20, 1) | bits(second, 28, 1) << 1);
  modifiers.absolute = static_cast<std::uint8_t>(bits(second, 21, 1) | bits(second, 29, 1) << 1);
  if (format == Format::kVopc) {
    if (bits(second, 15, 1) != 0 && !processor_.is_gfx8) {
      made_.mask = static_cast<std::uint16_t>(bits(second, 8, 7));
    }
    return;
  }
  modifiers.result = part(bits(second, 8, 3));
  modifiers.unused = static_cast<std::uint8_t>(bits(second, 11, 2));
  if (modifiers.unused == 3) {
    refuse("what becomes of the register's rest");
  }
  modifiers.clamp = bits(second, 13, 1) != 0;
  check_clamp();
}

void Reader::read_dpp(Format format) {
  const std::uint32_t first = word(0);
  const std::uint32_t second = word(1);
  const unsigned count = source_count();
  const auto is_wide = [&](Type type) { return registers_of(type) > 1; };
  const bool has_halves = bits_of(meaning_.result) == 16 || bits_of(meaning_.sources[0]) == 16;
  if (meaning_.exact || format == Format::kVopc || count == 0 ||
      (processor_.is_gfx11 && has_halves) || is_wide(meaning_.result) ||
      std::ranges::any_of(meaning_.sources, is_wide)) {
    return refuse("DPP");
  }
  put(made_.sources[0], kVgpr + bits(second, 0, 8), meaning_.sources[0], kNoLiteral);
  if (format != Format::kVop1) {
    put(made_.sources[1], kVgpr + bits(first, 9, 8), meaning_.sources[1], kNoLiteral);
  }
  if (meaning_.reads_mask) {
    made_.sources[3] = {Source::Kind::kScalar, scalar::kVcc};
  }
  LanePattern& lanes = made_.lanes;
  lanes.control = static_cast<std::uint16_t>(bits(second, 8, 9));
  if (!is_lane_pattern(lanes.control, processor_)) {
    refuse(fmt::format("DPP's control {:#x}", lanes.control));
  }
  lanes.reads_inactive = processor_.is_gfx11 && bits(second, 18, 1) != 0;
  lanes.zero_outside = bits(second, 19, 1) != 0;
  lanes.banks = static_cast<std::uint8_t>(bits(second, 24, 4));
  lanes.rows = static_cast<std::uint8_t>(bits(second, 28, 4));
  Modifiers& modifiers = made_.modifiers;
  modifiers.negate = static_cast<std::uint8_t>(bits(second, 20, 1) | bits(second, 22, 1) << 1);
  modifiers.absolute = static_cast<std::uint8_t>(bits(second, 21, 1) | bits(second, 23, 1) << 1);
  if (meaning_.keeps_half) {
    choose_halves(0);
  }
}

/// op_sel: a bit for each source, and the result's behind them. The result's other half is kept.
void Reader::choose_halves(std::uint32_t chosen) {
  if (processor_.is_gfx8) {
    return;
  }
  const auto half_of = [&](unsigned number) {
    return bits(chosen, number, 1) != 0 ? Part::kWord1 : Part::kWord0;
  };
  Modifiers& modifiers = made_.modifiers;
  for (unsigned i = 0; i < 3; ++i) {
    if (half_of(i) == Part::kWord1) {
      modifiers.parts[i] = Part::kWord1;
    }
  }
  if (bits_of(meaning_.result) == 16) {
    modifiers.result = half_of(3);
    modifiers.unused = 2;
  }
}

void Reader::read_vop3() {
  const std::uint32_t first = word(0);
  const std::uint32_t second = word(1);
  const unsigned numbers[3] = {bits(second, 0, 9), bits(second, 9, 9), bits(second, 18, 9)};
  const unsigned count = source_count();
  for (unsigned i = 0; i < count; ++i) {
    put(made_.sources[i], numbers[i], meaning_.sources[i], long_literal());
  }
  if (meaning_.reads_mask) {
    put(made_.sources[3], numbers[2], Type::kB64, kNoLiteral);
  } else if (meaning_.reads_vcc) {
    made_.sources[3] = {Source::Kind::kScalar, scalar::kVcc};
  }
  made_.result = static_cast<std::uint16_t>(bits(first, 0, 8));
  made_.mask = scalar_result(made_.result);
  if (meaning_.kind == Meaning::Kind::kVectorToScalar) {
    made_.result = made_.mask;
  }
  if (processor_.is_gfx11 && meaning_.writes_exec) { // which is named
    made_.mask = scalar::kNowhere;
  }
  Modifiers& modifiers = made_.modifiers;
  if (meaning_.writes_mask) {
    made_.mask = scalar_result(bits(first, 8, 7));
  } else {
    modifiers.absolute = static_cast<std::uint8_t>(bits(first, 8, 3));
    const std::uint32_t chosen = bits(first, 11, 4);
    const bool chooses = meaning_.keeps_half || processor_.is_gfx11;
    if (chosen != 0 && (!chooses || !may_choose(chosen))) {
      return refuse("op_sel");
    }
    if (chooses) {
      choose_halves(chosen);
    }
  }
  modifiers.clamp = bits(first, 15, 1) != 0;
  modifiers.negate = static_cast<std::uint8_t>(bits(second, 29, 3));
  if (meaning_.kind == Meaning::Kind::kCompare) {
    modifiers.clamp = false; // of exceptions, which nothing here has
  }
  check_clamp();
  if (processor_.is_gfx11 && (modifiers.negate | modifiers.absolute) != 0 && has_short_integers()) {
    refuse("a sign or magnitude of integers of 16 bits");
  }
  if (meaning_.exact && modifiers.any()) {
    refuse("a modifier of an operand");
  }
}

void Reader::read_packed() {
  const std::uint32_t first = word(0);
  const std::uint32_t second = word(1);
  made_.result = static_cast<std::uint16_t>(bits(first, 0, 8));
  const unsigned count = source_count();
  for (unsigned i = 0; i < count; ++i) {
    put(made_.sources[i], bits(second, 9 * i, 9), meaning_.sources[i], long_literal());
  }
  using Packs = Meaning::Packs;
  if (meaning_.packs == Packs::kNothing) { // of AccVGPRs
    return;
  }
  if (meaning_.packs == Packs::kMatrix || meaning_.packs == Packs::kDoubleMatrix) {
    return check_matrix();
  }
  const std::uint32_t all = (1U << count) - 1;
  PackedModifiers& packed = made_.packed;
  packed.low = static_cast<std::uint8_t>(bits(first, 11, 3) & all);
  packed.high = static_cast<std::uint8_t>((bits(second, 27, 2) | bits(first, 14, 1) << 2) & all);
  packed.negate_low = static_cast<std::uint8_t>(bits(second, 29, 3) & all);
  packed.negate_high = static_cast<std::uint8_t>(bits(first, 8, 3) & all);
  packed.clamp = bits(first, 15, 1) != 0;
  if (meaning_.packs == Packs::kDot && (packed.low != 0 || packed.high != all)) {
    refuse("op_sel");
  }
  const bool is_of_floats = meaning_.packs != Packs::kShorts &&
                            (meaning_.packs != Packs::kDot || meaning_.clamped == nullptr);
  if (packed.clamp && !is_of_floats) {
    made_.run = meaning_.clamped;
    if (made_.run == nullptr) {
      refuse("a clamp of integers");
    }
  }
  if (!is_of_floats && (packed.negate_low | packed.negate_high) != 0) {
    refuse("a negated integer");
  }
  for (unsigned i = 0; i < count; ++i) {
    if (made_.sources[i].kind == Source::Kind::kConstant) {
      read_packed_constant(i, bits(second, 9 * i, 9));
    }
  }
}

/// Which registers are AccVGPRs, is seen to behind the check of them all.
void Reader::check_matrix() {
  if (bits(word(0), 8, 7) != 0 || bits(word(1), 29, 3) != 0) {
    refuse("a block, or lanes, in the place of others");
  }
  for (const unsigned i : {0U, 1U}) {
    if (made_.sources[i].kind != Source::Kind::kVector) {
      refuse("a matrix that is in no VGPRs");
    }
  }
  if (made_.sources[2].kind == Source::Kind::kConstant) {
    const bool is_double = meaning_.packs == Meaning::Packs::kDoubleMatrix;
    put(made_.sources[2], bits(word(1), 18, 9), is_double ? Type::kF64 : Type::kB32, kNoLiteral);
  } else if (made_.sources[2].kind != Source::Kind::kVector) {
    refuse("a matrix that is in no VGPRs");
  }
}

void Reader::choose_matrix_accumulators() {
  const bool is_accumulated = bits(word(0), 15, 1) != 0;
  const auto choose = [&](std::uint16_t& index, bool chosen) {
    index += chosen ? vector::kAccumulators : 0;
  };
  choose(made_.result, is_accumulated);
  choose(made_.sources[0].index, bits(word(1), 27, 1) != 0);
  choose(made_.sources[1].index, bits(word(1), 28, 1) != 0);
  choose(made_.sources[2].index, is_accumulated && made_.sources[2].kind == Source::Kind::kVector);
}

/// Constants have 32 bits: integers are signed ones of 32 bits, floats are single ones, or for
/// instructions of halves a half below 16 zeros. What the upper half of one of 64 bits is, no
/// document says.
void Reader::read_packed_constant(unsigned number, unsigned operand) {
  using Packs = Meaning::Packs;
  const PackedModifiers& packed = made_.packed;
  Source& place = made_.sources[number];
  put(place, operand, Type::kB32, long_literal());
  const bool takes_high = bits(packed.high, number, 1) != 0;
  const bool takes_upper =
      bits(packed.low, number, 1) != 0 || (meaning_.packs == Packs::kFloats && takes_high);
  switch (meaning_.packs) {
  case Packs::kHalves:
    if (operand >= kFirstFloat && operand != kLiteral) {
      put(place, operand, Type::kF16, kNoLiteral);
    }
    break;
  case Packs::kMixed:
    if (takes_high) {
      refuse("a constant as a half");
    }
    if (operand == kLiteral) { // of which documents do not say whether it is a half
      refuse("a literal");
    }
    break;
  case Packs::kDot:
    if (operand >= kFirstFloat && number < 2) {
      refuse("a float constant as halves");
    }
    break;
  case Packs::kFloats:
  case Packs::kMove:
    if (takes_upper) {
      refuse("the upper half of a constant");
    }
    break;
  default:
    break;
  }
}

} // namespace gantry::simt::amdgcn
