#include "simt/amdgcn/code/encoding.h"

#include "simt/amdgcn/code/opcodes.h"
#include "simt/amdgcn/code/operand.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace gantry::simt::amdgcn {

namespace {

using Error = tl::unexpected<std::string>;

constexpr unsigned kSdwa = 249;       ///< as a first source
constexpr unsigned kDpp = 250;        ///< likewise
constexpr unsigned kFirstFloat = 240; ///< of the constants, as an operand
constexpr unsigned kVgpr = 256;       ///< the first one, likewise
constexpr unsigned kNoAddress = 0x7f;

constexpr std::uint32_t bits(std::uint32_t word, unsigned first, unsigned count) {
  return (word >> first) & ((1U << count) - 1);
}
/// quad_perm, row_shl, row_shr, row_ror, wave_shl and the other ones by 1, row_mirror,
/// row_half_mirror, row_bcast; on gfx90a row_newbcast as well.
bool is_lane_pattern(unsigned control, const Processor& processor) {
  const unsigned group = control >> 4;
  return control < 0x100 || (group >= 0x10 && group <= 0x12 && (control & 0xf) != 0) ||
         (group == 0x13 && (control & 3) == 0) || (control >= 0x140 && control <= 0x143) ||
         (group == 0x15 && processor.has_accumulators);
}
constexpr std::int64_t signed_bits(std::uint32_t word, unsigned first, unsigned count) {
  return static_cast<std::int32_t>(word << (32 - first - count)) >> (32 - count);
}

class Reader {
public:
  Reader(const Processor& processor, const Meaning& meaning, std::span<const std::uint32_t> words)
      : processor_(processor), meaning_(meaning), words_(words) {}

  tl::expected<Instruction, std::string> read(Format format);

private:
  /// A dword of the instruction, whose size grows with it.
  std::uint32_t word(unsigned number) {
    if (number >= words_.size()) {
      refuse("the rest of it: the code ends there");
      return 0;
    }
    made_.size = std::max(made_.size, static_cast<std::uint8_t>(number + 1));
    return words_[number];
  }
  /// Puts an operand into a place of the instruction; the first error is kept. `literal` is the
  /// dword that a literal would be in, 1: longer instructions have none.
  void put(Source& place, unsigned number, Type type, unsigned literal);
  void refuse(std::string what) {
    if (error_.empty()) {
      error_ = std::move(what);
    }
  }
  [[nodiscard]] unsigned source_count() const {
    unsigned count = 0;
    while (count < 3 && meaning_.sources[count] != Type::kNone) {
      ++count;
    }
    return count;
  }

  /// Whether operands of VOP3 have the halves that `chosen` names.
  [[nodiscard]] bool may_choose(std::uint32_t chosen) const {
    for (unsigned i = 0; i < 3; ++i) {
      const bool is_half =
          bits_of(meaning_.sources[i]) == 16 && made_.sources[i].kind != Source::Kind::kConstant;
      if (bits(chosen, i, 1) != 0 && !is_half) {
        return false;
      }
    }
    return !processor_.is_gfx8 && (bits(chosen, 3, 1) == 0 || bits_of(meaning_.result) == 16);
  }
  /// Refuses a clamp of what has none.
  void check_clamp() {
    if (made_.modifiers.clamp && !is_float(meaning_.result) && meaning_.clamped == nullptr) {
      refuse("a clamp of integers");
    }
  }
  [[nodiscard]] Type type_of_source(unsigned number) const;
  /// Refuses registers that the machine does not have.
  void check_registers();
  void check(unsigned first, Type type, bool is_vector) {
    const unsigned count = registers_of(type);
    if (!is_vector && count != 0 && first <= kNoRegister && first + count > kNoRegister) {
      refuse("a register that the machine does not have");
    }
    if (first + count > (is_vector ? vector::kRegisters : scalar::kScc)) {
      refuse("a register that the machine does not have");
    }
    if (!is_vector && count > 1 && first % std::min(count, 4U) != 0) {
      refuse("SGPRs that do not begin at a multiple of their number");
    }
  }
  /// SDWA's part of a register.
  Part part(std::uint32_t number) {
    if (number > static_cast<std::uint32_t>(Part::kDword)) {
      refuse("a part of a register");
      return Part::kDword;
    }
    return static_cast<Part>(number);
  }

  void read_scalar(Format format);
  void read_scalar_load();
  void read_vector(Format format);
  void read_sdwa(Format format);
  void read_dpp(Format format);
  void read_vop3();
  void choose_halves(std::uint32_t chosen);
  void read_packed();
  void read_packed_constant(unsigned number, unsigned operand);
  void check_matrix();
  void choose_matrix_accumulators();
  void choose_accumulators(bool chosen, const char* otherwise);
  void read_shared();
  void read_buffer();
  void read_flat(Format format);

  const Processor& processor_;
  const Meaning& meaning_;
  std::span<const std::uint32_t> words_;
  Instruction made_;
  bool has_accumulators_ = false; ///< the operands that are loaded or stored
  std::string error_;
};

void Reader::put(Source& place, unsigned number, Type type, unsigned literal) {
  std::optional<std::uint32_t> value;
  if (number == kLiteral && literal == 1) {
    value = word(literal);
  }
  if (auto made = read_operand(number, type, value)) {
    place = *made;
  } else {
    refuse(std::move(made.error()));
  }
}

void Reader::read_scalar(Format format) {
  const std::uint32_t first = word(0);
  made_.result = static_cast<std::uint16_t>(bits(first, 16, 7));
  made_.number = static_cast<std::uint16_t>(first);
  const std::int64_t immediate = static_cast<std::int16_t>(first);
  switch (format) {
  case Format::kSop1:
    if (source_count() > 0) {
      put(made_.sources[0], bits(first, 0, 8), meaning_.sources[0], 1);
    }
    break;
  case Format::kSop2:
  case Format::kSopc:
    put(made_.sources[0], bits(first, 0, 8), meaning_.sources[0], 1);
    put(made_.sources[1], bits(first, 8, 8), meaning_.sources[1], 1);
    break;
  case Format::kSopk: {
    Source& last = made_.sources[source_count() == 2 ? 1 : 0];
    if (source_count() == 2) { // the register that is written, or compared
      put(made_.sources[0], made_.result, Type::kB32, 1);
    }
    last.kind = Source::Kind::kConstant;
    last.constant = static_cast<std::uint32_t>(immediate);
    if (meaning_.has_literal) {
      made_.sources[1] = {Source::Kind::kConstant, 0, word(1)};
    }
    break;
  }
  default: // SOPP
    made_.offset = 4 + immediate * 4;
    break;
  }
}

void Reader::read_scalar_load() {
  const std::uint32_t first = word(0);
  const std::uint32_t second = word(1);
  made_.result = static_cast<std::uint16_t>(bits(first, 6, 7));
  made_.sources[0] = {Source::Kind::kScalar, static_cast<std::uint16_t>(bits(first, 0, 6) * 2)};
  const bool immediate = bits(first, 17, 1) != 0;
  if (processor_.is_gfx8) {
    if (immediate) {
      made_.offset = bits(second, 0, 20);
    } else {
      put(made_.sources[1], bits(second, 0, 7), Type::kB32, 2);
    }
    return;
  }
  const bool with_register = bits(first, 14, 1) != 0;
  if (immediate) {
    made_.offset = signed_bits(second, 0, 21);
  }
  if (with_register) {
    put(made_.sources[1], bits(second, 25, 7), Type::kB32, 2);
  } else if (!immediate) {
    put(made_.sources[1], bits(second, 0, 7), Type::kB32, 2);
  }
}

void Reader::read_vector(Format format) {
  const std::uint32_t first = word(0);
  made_.mask = scalar::kVcc;
  if (format != Format::kVopc) {
    made_.result = static_cast<std::uint16_t>(bits(first, 17, 8));
  }
  if (bits(first, 0, 9) == kSdwa) {
    return read_sdwa(format);
  }
  if (bits(first, 0, 9) == kDpp) {
    return read_dpp(format);
  }
  if (meaning_.keeps_half) {
    choose_halves(0);
  }
  const unsigned count = source_count();
  if (count > 0) {
    put(made_.sources[0], bits(first, 0, 9), meaning_.sources[0], 1);
  }
  if (count > 1 && format != Format::kVop1) {
    put(made_.sources[1], kVgpr + bits(first, 9, 8), meaning_.sources[1], 1);
  }
  if (meaning_.has_literal) {
    made_.sources[2] = {Source::Kind::kConstant, 0, word(1)};
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
      meaning_.sources[0], 2);
  if (format != Format::kVop1) {
    put(made_.sources[1], registers(bits(first, 9, 8), bits(second, 31, 1) != 0),
        meaning_.sources[1], 2);
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
  if (meaning_.exact || format == Format::kVopc || count == 0 || is_wide(meaning_.result) ||
      std::ranges::any_of(meaning_.sources, is_wide)) {
    return refuse("DPP");
  }
  put(made_.sources[0], kVgpr + bits(second, 0, 8), meaning_.sources[0], 2);
  if (format != Format::kVop1) {
    put(made_.sources[1], kVgpr + bits(first, 9, 8), meaning_.sources[1], 2);
  }
  if (meaning_.reads_mask) {
    made_.sources[3] = {Source::Kind::kScalar, scalar::kVcc};
  }
  LanePattern& lanes = made_.lanes;
  lanes.control = static_cast<std::uint16_t>(bits(second, 8, 9));
  if (!is_lane_pattern(lanes.control, processor_)) {
    refuse(fmt::format("DPP's control {:#x}", lanes.control));
  }
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
    put(made_.sources[i], numbers[i], meaning_.sources[i], 2);
  }
  if (meaning_.reads_mask) {
    put(made_.sources[3], numbers[2], Type::kB64, 2);
  } else if (meaning_.reads_vcc) {
    made_.sources[3] = {Source::Kind::kScalar, scalar::kVcc};
  }
  made_.result = static_cast<std::uint16_t>(bits(first, 0, 8));
  made_.mask = made_.result;
  Modifiers& modifiers = made_.modifiers;
  if (meaning_.writes_mask) {
    made_.mask = static_cast<std::uint16_t>(bits(first, 8, 7));
  } else {
    modifiers.absolute = static_cast<std::uint8_t>(bits(first, 8, 3));
    const std::uint32_t chosen = bits(first, 11, 4);
    if (chosen != 0 && (!meaning_.keeps_half || !may_choose(chosen))) {
      return refuse("op_sel");
    }
    if (meaning_.keeps_half) {
      choose_halves(chosen);
    }
  }
  modifiers.clamp = bits(first, 15, 1) != 0;
  modifiers.negate = static_cast<std::uint8_t>(bits(second, 29, 3));
  if (meaning_.kind == Meaning::Kind::kCompare) {
    modifiers.clamp = false; // of exceptions, which nothing here has
  }
  check_clamp();
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
    put(made_.sources[i], bits(second, 9 * i, 9), meaning_.sources[i], 2);
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
    put(made_.sources[2], bits(word(1), 18, 9), is_double ? Type::kF64 : Type::kB32, 2);
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
  put(place, operand, Type::kB32, 2);
  const bool takes_high = bits(packed.high, number, 1) != 0;
  const bool takes_upper =
      bits(packed.low, number, 1) != 0 || (meaning_.packs == Packs::kFloats && takes_high);
  switch (meaning_.packs) {
  case Packs::kHalves:
    if (operand >= kFirstFloat) {
      put(place, operand, Type::kF16, 2);
    }
    break;
  case Packs::kMixed:
    if (takes_high) {
      refuse("a constant as a half");
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

/// The registers of memory instructions that are AccVGPRs, once all are known to be registers.
void Reader::choose_accumulators(bool chosen, const char* otherwise) {
  if (chosen && !processor_.has_accumulators) {
    refuse(otherwise);
  }
  has_accumulators_ = chosen;
}

void Reader::read_shared() {
  const std::uint32_t first = word(0);
  const std::uint32_t second = word(1);
  choose_accumulators(bits(first, 25, 1) != 0, "a bit of the encoding");
  if (bits(first, 16, 1) != 0) {
    return refuse("GDS");
  }
  made_.number = static_cast<std::uint16_t>(first);
  made_.address = static_cast<std::uint16_t>(bits(second, 0, 8));
  made_.data[0] = static_cast<std::uint16_t>(bits(second, 8, 8));
  made_.data[1] = static_cast<std::uint16_t>(bits(second, 16, 8));
  made_.result = static_cast<std::uint16_t>(bits(second, 24, 8));
}

void Reader::read_buffer() {
  const std::uint32_t first = word(0);
  const std::uint32_t second = word(1);
  if (bits(first, 13, 1) != 0 || bits(first, 16, 1) != 0) {
    return refuse("a buffer's index, or LDS as its target");
  }
  choose_accumulators(bits(second, 23, 1) != 0, "a result that says what is resident");
  made_.offset = bits(first, 0, 12);
  made_.has_vector_address = bits(first, 12, 1) != 0;
  made_.returns = bits(first, 14, 1) != 0;
  made_.address = static_cast<std::uint16_t>(bits(second, 0, 8));
  made_.result = static_cast<std::uint16_t>(bits(second, 8, 8));
  made_.data[0] = made_.result;
  made_.sources[0] = {Source::Kind::kScalar, static_cast<std::uint16_t>(bits(second, 16, 5) * 4)};
  put(made_.sources[1], bits(second, 24, 8), Type::kB32, 2);
}

void Reader::read_flat(Format format) {
  const std::uint32_t first = word(0);
  const std::uint32_t second = word(1);
  if (bits(first, 13, 1) != 0) {
    return refuse("LDS as a load's target");
  }
  choose_accumulators(bits(second, 23, 1) != 0, "a bit of the encoding");
  if (!processor_.is_gfx8) {
    made_.offset = format == Format::kFlat ? bits(first, 0, 12) : signed_bits(first, 0, 13);
  }
  made_.returns = bits(first, 16, 1) != 0;
  made_.address = static_cast<std::uint16_t>(bits(second, 0, 8));
  made_.data[0] = static_cast<std::uint16_t>(bits(second, 8, 8));
  made_.result = static_cast<std::uint16_t>(bits(second, 24, 8));
  const unsigned base = bits(second, 16, 7);
  if (format != Format::kFlat && base != kNoAddress) {
    made_.has_scalar_address = true;
    made_.has_vector_address = format == Format::kGlobal;
    put(made_.sources[0], base, Type::kB64, 2);
  }
}

/// Of a source's registers.
Type Reader::type_of_source(unsigned number) const {
  switch (made_.format) {
  case Format::kSmem:
    return number == 0 ? Type::kB64 : Type::kB32;
  case Format::kMubuf:
    return number == 0 ? Type::kB128 : Type::kB32;
  case Format::kGlobal:
    return Type::kB64;
  case Format::kScratch:
    return Type::kB32;
  default:
    return number == 3 ? Type::kB64 : meaning_.sources[number];
  }
}

void Reader::check_registers() {
  using Kind = Meaning::Kind;
  const Kind kind = meaning_.kind;
  if (kind == Kind::kMemory || kind == Kind::kShared) {
    check(made_.result, meaning_.result, true);
    const bool is_wide = made_.format == Format::kFlat ||
                         (made_.format == Format::kGlobal && !made_.has_scalar_address);
    check(made_.address, is_wide ? Type::kB64 : Type::kB32, true);
    check(made_.data[0], meaning_.sources[0], true);
    check(made_.data[1], meaning_.sources[1], true);
  } else {
    check(made_.result, meaning_.result, kind == Kind::kVector);
  }
  if (kind == Kind::kCompare || meaning_.writes_mask) {
    check(made_.mask, Type::kB64, false);
  }
  for (unsigned i = 0; i < 4; ++i) {
    const Source& source = made_.sources[i];
    const Type type = type_of_source(i);
    if (source.kind == Source::Kind::kVector) {
      if (i == 3 || ((meaning_.scalars >> i) & 1) != 0) {
        refuse("a VGPR where only scalars can be");
      }
      check(source.index, type, true);
    } else if (source.kind == Source::Kind::kScalar && source.index != scalar::kScc) {
      check(source.index, type, false);
    }
  }
}

tl::expected<Instruction, std::string> Reader::read(Format format) {
  made_.meaning = &meaning_;
  made_.run = meaning_.run;
  made_.format = format;

  switch (format) {
  case Format::kSop1:
  case Format::kSop2:
  case Format::kSopk:
  case Format::kSopc:
  case Format::kSopp:
    read_scalar(format);
    break;
  case Format::kSmem:
    read_scalar_load();
    break;
  case Format::kVop1:
  case Format::kVop2:
  case Format::kVopc:
    read_vector(format);
    break;
  case Format::kVop3:
    read_vop3();
    break;
  case Format::kVop3p:
    read_packed();
    break;
  case Format::kDs:
    read_shared();
    break;
  case Format::kMubuf:
    read_buffer();
    break;
  case Format::kFlat:
  case Format::kGlobal:
  case Format::kScratch:
    read_flat(format);
    break;
  }
  check_registers();
  if (has_accumulators_ || meaning_.writes_accumulator) {
    made_.result += vector::kAccumulators;
  }
  if (has_accumulators_) {
    made_.data[0] += vector::kAccumulators;
    made_.data[1] += vector::kAccumulators;
  }
  if (meaning_.packs == Meaning::Packs::kMatrix ||
      meaning_.packs == Meaning::Packs::kDoubleMatrix) {
    choose_matrix_accumulators();
  }
  if (meaning_.reads_accumulator) {
    if (made_.sources[0].kind != Source::Kind::kVector) {
      refuse("what is no AccVGPR");
    }
    made_.sources[0].index += vector::kAccumulators;
  }
  if (!error_.empty()) {
    return Error(std::move(error_));
  }
  if (meaning_.runs != nullptr && made_.run == meaning_.run) {
    unsigned vectors = 0;
    for (unsigned i = 0; i < meaning_.run_sources; ++i) {
      vectors |= (made_.sources[i].kind == Source::Kind::kVector ? 1U : 0U) << i;
    }
    made_.run = meaning_.runs[vectors];
  }
  return made_;
}

} // namespace

tl::expected<Instruction, std::string> read_instruction(const Processor& processor,
                                                        std::span<const std::uint32_t> words) {
  const std::optional<Format> format = format_of(processor, words.front());
  const std::string_view mnemonic =
      format ? mnemonic_of(processor, *format, words.front()) : std::string_view();
  if (mnemonic.empty()) {
    return Error(fmt::format("{:#010x} is no instruction of {} that it knows", words.front(),
                             processor.name));
  }
  const Meaning* const meaning = find_meaning(mnemonic, processor.is_gfx8);
  if (meaning == nullptr) {
    return Error(fmt::format("it does not know {}", mnemonic));
  }
  auto made = Reader(processor, *meaning, words).read(*format);
  if (!made) {
    return Error(fmt::format("of {}, it does not know {}", mnemonic, made.error()));
  }
  return made;
}

} // namespace gantry::simt::amdgcn
