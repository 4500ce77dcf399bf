// The formats of accesses to memory: DS, MUBUF, FLAT and its kinds.
#include "simt/amdgcn/code/opcode_space.h"
#include "simt/amdgcn/code/reader.h"

namespace gantry::simt::amdgcn {

namespace {

constexpr unsigned kNoAddressOfGfx9 = 0x7f;

} // namespace

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
  if (!processor_.is_gfx11) { // whose opcode it is a bit of
    choose_accumulators(bits(first, 25, 1) != 0, "a bit of the encoding");
  }
  if (bits(first, processor_.is_gfx11 ? 17 : 16, 1) != 0) {
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
  if (processor_.is_gfx11) {
    const bool is_fence = meaning_.result == Type::kNone && meaning_.sources[0] == Type::kNone;
    if (!is_fence) {
      refuse("a buffer");
    }
    return;
  }
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
  put(made_.sources[1], bits(second, 24, 8), Type::kB32, kNoLiteral);
}

void Reader::read_flat(Format format) {
  const std::uint32_t first = word(0);
  const std::uint32_t second = word(1);
  if (processor_.is_gfx11) {
    return read_flat_of_gfx11(format);
  }
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
  if (format != Format::kFlat && base != kNoAddressOfGfx9) {
    made_.has_scalar_address = true;
    made_.has_vector_address = format == Format::kGlobal;
    put(made_.sources[0], base, Type::kB64, kNoLiteral);
  }
}

void Reader::read_flat_of_gfx11(Format format) {
  const std::uint32_t first = word(0);
  const std::uint32_t second = word(1);
  made_.offset = signed_bits(first, 0, 13);
  made_.returns = bits(first, 14, 1) != 0;
  made_.address = static_cast<std::uint16_t>(bits(second, 0, 8));
  made_.data[0] = static_cast<std::uint16_t>(bits(second, 8, 8));
  made_.result = static_cast<std::uint16_t>(bits(second, 24, 8));
  made_.has_vector_address = format != Format::kScratch || bits(second, 23, 1) != 0;
  const unsigned base = bits(second, 16, 7);
  if (format != Format::kFlat && base != kNullOperand) {
    made_.has_scalar_address = true;
    put(made_.sources[0], base, Type::kB64, kNoLiteral);
  }
}

} // namespace gantry::simt::amdgcn
