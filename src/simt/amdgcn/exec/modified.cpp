// Operands with modifiers, and SDWA's parts of registers: the sources are prepared in rows of their
// own, the plain instruction runs on them, and its result is changed before it goes where it
// belongs.
#include "simt/amdgcn/exec/meanings.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace {

using vector::kModifiedResult;

/// A part of a register: it is moved to the top, and from there to the bottom.
struct Field {
  unsigned up = 0, down = 0;

  explicit Field(Part part) {
    const auto number = static_cast<unsigned>(part);
    if (part <= Part::kByte3) {
      up = 24 - 8 * number;
      down = 24;
    } else if (part != Part::kDword) {
      up = part == Part::kWord0 ? 16 : 0;
      down = 16;
    }
  }
};

/// Puts the source into rows of its own, as the modifiers have it.
void prepare(Wave& wave, const Instruction& instruction, unsigned number, Source& source) {
  const Meaning& meaning = *instruction.meaning;
  const Type type = meaning.sources[number] == Type::kNone ? meaning.result // a literal
                                                           : meaning.sources[number];
  const Modifiers& modifiers = instruction.modifiers;
  const u32 sign = 1U << ((bits_of(type) - 1) % 32);
  const u32 kept = ((modifiers.absolute >> number) & 1) != 0 ? ~sign : ~0U;
  const u32 turned = ((modifiers.negate >> number) & 1) != 0 ? sign : 0;
  const unsigned row = vector::kScratch + 2 * number;
  if (bits_of(type) == 64) {
    with_source<u64>(wave, source, [&](auto values) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const u64 value = values[lane];
        wave.v[row][lane] = static_cast<u32>(value);
        wave.v[row + 1][lane] = (static_cast<u32>(value >> 32) & kept) ^ turned;
      }
    });
  } else {
    const Field field(modifiers.parts[number]);
    const bool is_signed = ((modifiers.sign >> number) & 1) != 0;
    with_source<u32>(wave, source, [&](auto values) {
      if (is_signed) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const u32 part =
              static_cast<u32>(static_cast<i32>(values[lane] << field.up) >> field.down);
          wave.v[row][lane] = (part & kept) ^ turned;
        }
      } else {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          wave.v[row][lane] = (((values[lane] << field.up) >> field.down) & kept) ^ turned;
        }
      }
    });
  }
  source = {Source::Kind::kVector, static_cast<u16>(row)};
}

/// To 0 … 1; what is no number becomes 0.
template <typename T>
T clamped(T value) {
  return value > T{0} ? std::min(value, T{1}) : T{0};
}

/// Makes the values those of a register of which SDWA writes a part.
void merge(u32 (&values)[kLanes], const u32* old, const Modifiers& modifiers) {
  const Field part(modifiers.result);
  const unsigned first = part.down - part.up;
  const u32 field = ~0U >> part.down << first;
  const u32 top = field & ~(field >> 1);
  const u32 above = ~(top | (top - 1));
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const u32 placed = (values[lane] << first) & field;
    switch (modifiers.unused) {
    case 1: // the sign above it, zeros below
      values[lane] = placed | ((placed & top) != 0 ? above : 0);
      break;
    case 2:
      values[lane] = placed | (old[lane] & ~field);
      break;
    default:
      values[lane] = placed;
    }
  }
}

} // namespace

Next run_modified(Wave& wave, const Instruction& instruction) {
  const Meaning& meaning = *instruction.meaning;
  const Modifiers& modifiers = instruction.modifiers;
  Instruction plain = instruction;
  for (unsigned i = 0; i < 3 && instruction.sources[i].kind != Source::Kind::kNone; ++i) {
    // What runs the plain instruction takes VGPRs.
    if (modifiers.changes_source(i) || instruction.sources[i].kind != Source::Kind::kVector) {
      prepare(wave, instruction, i, plain.sources[i]);
    }
  }
  if (meaning.kind != Meaning::Kind::kVector) {
    return meaning.run(wave, plain);
  }
  const bool clamps_float = modifiers.clamp && is_float(meaning.result);
  const Meaning::Run run = modifiers.clamp && !clamps_float ? meaning.clamped : meaning.run;
  const bool has_part = modifiers.result != Part::kDword;
  if (!clamps_float && !has_part) {
    return run(wave, plain);
  }
  const unsigned rows = registers_of(meaning.result);
  for (unsigned i = 0; i < rows; ++i) { // which the instruction may read as well
    std::ranges::copy(wave.v[instruction.result + i], wave.v[kModifiedResult + i]);
  }
  // gfx11's results in an upper half are read there, too.
  if (meaning.reads_result && instruction.modifiers.result == Part::kWord1 &&
      wave.grid->processor->is_gfx11) {
    for (u32& value : wave.v[kModifiedResult]) {
      value >>= 16;
    }
  }
  plain.result = kModifiedResult;
  const Next next = run(wave, plain);
  if (clamps_float && meaning.result == Type::kF64) {
    f64 values[kLanes];
    const Lanes<f64> made{&wave.v[kModifiedResult]};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      values[lane] = clamped(made[lane]);
    }
    set_lanes(wave, instruction.result, values, wave.exec());
    return next;
  }
  u32 values[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const u32 value = wave.v[kModifiedResult][lane];
    if (!clamps_float) {
      values[lane] = value;
    } else if (meaning.result == Type::kF16) {
      values[lane] = std::bit_cast<u16>(clamped(from_bits<f16>(value)));
    } else {
      values[lane] = std::bit_cast<u32>(clamped(std::bit_cast<f32>(value)));
    }
  }
  if (has_part) {
    merge(values, wave.v[instruction.result], modifiers);
  }
  set_lanes(wave, instruction.result, values, wave.exec());
  if (rows == 2) {
    set_row(wave.v[instruction.result + 1], wave.v[kModifiedResult + 1], wave.exec());
  }
  return next;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
