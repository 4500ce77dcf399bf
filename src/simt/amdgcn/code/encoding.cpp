#include "simt/amdgcn/code/encoding.h"

#include "simt/amdgcn/code/opcode_space.h"
#include "simt/amdgcn/code/opcodes.h"
#include "simt/amdgcn/code/reader.h"

#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace gantry::simt::amdgcn {

using Error = tl::unexpected<std::string>;

void Reader::put(Source& place, unsigned number, Type type, unsigned literal) {
  if (processor_.is_gfx11 && number == kNullOperand) {
    place = {Source::Kind::kScalar, scalar::kNull};
    return;
  }
  std::optional<std::uint32_t> value;
  if (number == kLiteral && literal != kNoLiteral) {
    value = word(literal);
  }
  if (processor_.is_gfx11 && number == kNoRegister) {
    number = scalar::kM0;
  }
  if (auto made = read_operand(number, type, value)) {
    place = *made;
  } else {
    refuse(std::move(made.error()));
  }
}

void Reader::read_scalar(Format format) {
  const std::uint32_t first = word(0);
  made_.result = scalar_result(bits(first, 16, 7));
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
      put(made_.sources[0], bits(first, 16, 7), Type::kB32, kNoLiteral);
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
  made_.result = scalar_result(bits(first, 6, 7));
  put(made_.sources[0], bits(first, 0, 6) * 2, Type::kB64, kNoLiteral);
  if (processor_.is_gfx11) {
    made_.offset = signed_bits(second, 0, 21);
    if (bits(second, 25, 7) != kNullOperand) {
      put(made_.sources[1], bits(second, 25, 7), Type::kB32, kNoLiteral);
    }
    return;
  }
  const bool immediate = bits(first, 17, 1) != 0;
  if (processor_.is_gfx8) {
    if (immediate) {
      made_.offset = bits(second, 0, 20);
    } else {
      put(made_.sources[1], bits(second, 0, 7), Type::kB32, kNoLiteral);
    }
    return;
  }
  const bool with_register = bits(first, 14, 1) != 0;
  if (immediate) {
    made_.offset = signed_bits(second, 0, 21);
  }
  if (with_register) {
    put(made_.sources[1], bits(second, 25, 7), Type::kB32, kNoLiteral);
  } else if (!immediate) {
    put(made_.sources[1], bits(second, 0, 7), Type::kB32, kNoLiteral);
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
    return number == 3 ? mask_type() : meaning_.sources[number];
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
    check(made_.mask, mask_type(), false);
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
  case Format::kVopd:
  case Format::kVopdSecond:
    read_operation(format);
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

namespace {

tl::expected<Instruction, std::string> read_as(std::optional<Format> format,
                                               const Processor& processor,
                                               std::span<const std::uint32_t> words) {
  const std::string_view mnemonic =
      format ? mnemonic_of(processor, *format, words.front()) : std::string_view();
  if (mnemonic.empty()) {
    return Error(fmt::format("{:#010x} is no instruction of {} that it knows", words.front(),
                             processor.name));
  }
  const Meaning* const meaning = find_meaning(mnemonic, processor);
  if (meaning == nullptr) {
    return Error(fmt::format("it does not know {}", mnemonic));
  }
  auto made = Reader(processor, *meaning, words).read(*format);
  if (!made) {
    return Error(fmt::format("of {}, it does not know {}", mnemonic, made.error()));
  }
  return made;
}

} // namespace

tl::expected<Instruction, std::string> read_instruction(const Processor& processor,
                                                        std::span<const std::uint32_t> words) {
  const std::optional<Format> format = format_of(processor, words.front());
  auto made = read_as(format, processor, words);
  if (made && format == Format::kVopd) {
    const auto second = read_second_operation(processor, words);
    if (!second) {
      return second;
    }
    made->size = std::max(made->size, second->size); // either may have a literal
  }
  return made;
}

tl::expected<Instruction, std::string> read_second_operation(const Processor& processor,
                                                             std::span<const std::uint32_t> words) {
  return read_as(Format::kVopdSecond, processor, words);
}

} // namespace gantry::simt::amdgcn
