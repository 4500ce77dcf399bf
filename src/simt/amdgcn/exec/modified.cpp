// Operands with modifiers, and SDWA's parts of registers: the sources are prepared in rows of their
// own, the plain instruction runs on them, and its result is changed before it goes where it
// belongs.
#include "simt/amdgcn/exec/meanings.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace {

using vector::kModifiedResult;

u32 part_of(u32 x, Part part, bool is_signed) {
  switch (part) {
  case Part::kByte0:
  case Part::kByte1:
  case Part::kByte2:
  case Part::kByte3: {
    const u32 byte = (x >> (8 * static_cast<unsigned>(part))) & 0xff;
    return is_signed ? static_cast<u32>(static_cast<std::int8_t>(byte)) : byte;
  }
  case Part::kWord0:
  case Part::kWord1: {
    const u32 word = part == Part::kWord0 ? x & 0xffff : x >> 16;
    return is_signed ? static_cast<u32>(static_cast<i16>(word)) : word;
  }
  case Part::kDword:
    break;
  }
  return x;
}

void prepare(Wave& wave, const Instruction& instruction, unsigned number, Source& source) {
  const Meaning& meaning = *instruction.meaning;
  const Type type = meaning.sources[number] == Type::kNone ? meaning.result // a literal
                                                           : meaning.sources[number];
  const Modifiers& modifiers = instruction.modifiers;
  const u64 sign = u64{1} << (bits_of(type) - 1);
  const unsigned row = vector::kScratch + 2 * number;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    u64 value = bits_of(type) == 64 ? lane_source<u64>(wave, source, lane)
                                    : lane_source<u32>(wave, source, lane);
    if (bits_of(type) != 64) {
      value = part_of(static_cast<u32>(value), modifiers.parts[number],
                      ((modifiers.sign >> number) & 1) != 0);
    }
    if (((modifiers.absolute >> number) & 1) != 0) {
      value &= ~sign;
    }
    if (((modifiers.negate >> number) & 1) != 0) {
      value ^= sign;
    }
    set_lane(wave, row, lane, value);
  }
  source = {Source::Kind::kVector, static_cast<u16>(row)};
}

/// To 0 … 1; what is no number becomes 0.
template <typename T>
T clamped(T value) {
  return value > T{0} ? std::min(value, T{1}) : T{0};
}

u32 merged(u32 old, u32 value, const Modifiers& modifiers) {
  const auto part = static_cast<unsigned>(modifiers.result);
  if (modifiers.result == Part::kDword) {
    return value;
  }
  const bool is_byte = modifiers.result <= Part::kByte3;
  const unsigned first = is_byte ? 8 * part : 16 * (part - static_cast<unsigned>(Part::kWord0));
  const u32 field = (is_byte ? 0xffU : 0xffffU) << first;
  const u32 placed = (value << first) & field;
  switch (modifiers.unused) {
  case 1: { // the sign above it, zeros below
    const u32 top = is_byte ? 1U << (first + 7) : 1U << (first + 15);
    const u32 above = ~(top | (top - 1));
    return placed | ((placed & top) != 0 ? above : 0);
  }
  case 2:
    return placed | (old & ~field);
  default:
    return placed;
  }
}

} // namespace

Next run_modified(Wave& wave, const Instruction& instruction) {
  const Meaning& meaning = *instruction.meaning;
  Instruction plain = instruction;
  for (unsigned i = 0; i < 3 && instruction.sources[i].kind != Source::Kind::kNone; ++i) {
    // What runs the plain instruction takes VGPRs.
    if (instruction.modifiers.changes_source(i) ||
        instruction.sources[i].kind != Source::Kind::kVector) {
      prepare(wave, instruction, i, plain.sources[i]);
    }
  }
  if (meaning.kind != Meaning::Kind::kVector) {
    return meaning.run(wave, plain);
  }
  const unsigned rows = registers_of(meaning.result);
  for (unsigned i = 0; i < rows; ++i) {
    std::ranges::copy(wave.v[instruction.result + i], wave.v[kModifiedResult + i]);
  }
  plain.result = kModifiedResult;
  const Modifiers& modifiers = instruction.modifiers;
  const bool clamps_float = modifiers.clamp && is_float(meaning.result);
  const Meaning::Run run = modifiers.clamp && !clamps_float ? meaning.clamped : meaning.run;
  const Next next = run(wave, plain);
  for_each_lane(wave.exec(), [&](unsigned lane) {
    if (clamps_float && meaning.result == Type::kF64) {
      set_lane(wave, instruction.result, lane, clamped(Lanes<f64>{&wave.v[kModifiedResult]}[lane]));
      return;
    }
    u32 value = wave.v[kModifiedResult][lane];
    if (clamps_float && meaning.result == Type::kF16) {
      value = std::bit_cast<u16>(clamped(from_bits<f16>(value)));
    } else if (clamps_float) {
      value = std::bit_cast<u32>(clamped(std::bit_cast<f32>(value)));
    }
    u32& place = wave.v[instruction.result][lane];
    place = merged(place, value, modifiers);
    if (rows == 2) {
      wave.v[instruction.result + 1][lane] = wave.v[kModifiedResult + 1][lane];
    }
  });
  return next;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
