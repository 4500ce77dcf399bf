// Instructions in other modes than most code has: without denormal floats, which Clang asks for on
// gfx803, and with M0 added to the numbers of registers. And the instructions that change the mode.
#include "simt/amdgcn/exec/mode.h"

#include "simt/amdgcn/exec/denormals.h"
#include "simt/amdgcn/exec/meanings.h"
#include "simt/amdgcn/exec/report.h"

namespace gantry::simt::amdgcn {

namespace {

/// M0's bits: what is added, and to which registers.
constexpr u32 kIndex = 0xff;
constexpr unsigned kFirstChoice = 12;
constexpr unsigned kChoices = 0xf; ///< a bit for each of three sources, and the result's
constexpr unsigned kResultChoice = 3;

bool is_vector_operation(const Meaning& meaning) {
  using Kind = Meaning::Kind;
  return meaning.kind == Kind::kVector || meaning.kind == Kind::kCompare ||
         meaning.kind == Kind::kVectorToScalar;
}

/// False if a register is none that the machine has.
bool add_index(const Wave& wave, Instruction& instruction) {
  const u32 index = wave.s[scalar::kM0] & kIndex;
  const u32 chosen = wave.s[scalar::kM0] >> kFirstChoice;
  const Meaning& meaning = *instruction.meaning;
  bool is_there = true;
  for (unsigned i = 0; i < 3; ++i) {
    Source& source = instruction.sources[i];
    if (((chosen >> i) & 1) != 0 && source.kind == Source::Kind::kVector) {
      source.index += static_cast<u16>(index);
      is_there &= source.index + registers_of(meaning.sources[i]) <= vector::kRegisters;
    }
  }
  if (((chosen >> kResultChoice) & 1) != 0 && meaning.kind == Meaning::Kind::kVector) {
    instruction.result += static_cast<u16>(index);
    is_there &= instruction.result + registers_of(meaning.result) <= vector::kRegisters;
  }
  return is_there;
}

void flush_row(u32 (&to)[kLanes], const u32 (&from)[kLanes]) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    to[lane] = flushed_bits(from[lane]);
  }
}

bool is_of_floats(const Meaning& meaning) {
  return meaning.result == Type::kF32 || meaning.sources[0] == Type::kF32 ||
         meaning.sources[1] == Type::kF32 || meaning.sources[2] == Type::kF32;
}

Next run_flushed(Wave& wave, const Instruction& instruction, Meaning::Run run) {
  const Meaning& meaning = *instruction.meaning;
  Instruction plain = instruction;
  for (unsigned i = 0; i < 3 && (wave.mode & mode::kKeepInputs) == 0; ++i) {
    Source& source = plain.sources[i];
    if (meaning.sources[i] != Type::kF32) {
      continue;
    }
    if (source.kind == Source::Kind::kVector) {
      const unsigned row = vector::kFlushed + i;
      flush_row(wave.v[row], wave.v[source.index]);
      source.index = static_cast<u16>(row);
    } else {
      source.constant = flushed_bits(scalar_source<u32>(wave, source));
      source.kind = Source::Kind::kConstant;
    }
  }
  if (meaning.result != Type::kF32) {
    return run(wave, plain);
  }
  u32(&made)[kLanes] = wave.v[vector::kFlushedResult];
  u32(&result)[kLanes] = wave.v[instruction.result];
  if (meaning.reads_result && (wave.mode & mode::kKeepInputs) == 0) {
    flush_row(made, result);
  } else {
    std::memcpy(made, result, sizeof made);
  }
  plain.result = vector::kFlushedResult;
  const Next next = run(wave, plain);
  const bool flushes = (wave.mode & mode::kKeepOutputs) == 0;
  for_each_lane(wave.exec(), [&](unsigned lane) {
    result[lane] = flushes ? flushed_bits(made[lane]) : made[lane];
  });
  return next;
}

/// A register of hardware, and a field of it, as an immediate operand has them.
struct Field {
  explicit Field(u32 bits)
      : number(bits & 0x3f), first((bits >> 6) & 0x1f), size((bits >> 11) + 1) {}
  [[nodiscard]] u32 mask() const { return (size >= 32 ? ~0U : (1U << size) - 1) << first; }
  unsigned number, first, size;
};
constexpr unsigned kModeRegister = 1;
constexpr unsigned kCyclesRegister = 29; ///< of gfx11

Next set_mode(Wave& wave, const Instruction& instruction, u32 mask, u32 value) {
  const u32 made = (wave.mode & ~mask) | (value & mask);
  if (!mode::is_known(made)) {
    report_instruction(wave, instruction,
                       "it asks for another rounding than to nearest, or for halves and doubles "
                       "without denormal numbers");
    return Next::kFault;
  }
  wave.mode = made;
  return Next::kMode;
}

Next set_mode(Wave& wave, const Instruction& instruction, Field field, u32 value) {
  if (field.number != kModeRegister) {
    report_instruction(wave, instruction, "it sets a register of hardware other than MODE");
    return Next::kFault;
  }
  return set_mode(wave, instruction, field.mask(), value << field.first);
}
Next set_rounding(Wave& wave, const Instruction& instruction) {
  return set_mode(wave, instruction, mode::kRounding, instruction.number);
}
Next set_denormals(Wave& wave, const Instruction& instruction) {
  constexpr unsigned kFirst = 4;
  return set_mode(wave, instruction, mode::kKeepSingle | mode::kKeepOthers,
                  static_cast<u32>(instruction.number) << kFirst);
}

u32 immediate(const Instruction& instruction, unsigned number) {
  return static_cast<u32>(instruction.sources[number].constant) & 0xffff;
}

Next get_register(Wave& wave, const Instruction& instruction) {
  const Field field(immediate(instruction, 0));
  if (field.number == kCyclesRegister && wave.grid->processor->is_gfx11) {
    wave.s[instruction.result] = (static_cast<u32>(clock_ticks()) & field.mask()) >> field.first;
    return Next::kOn;
  }
  if (field.number != kModeRegister) {
    report_instruction(wave, instruction, "it reads a register of hardware other than MODE");
    return Next::kFault;
  }
  wave.s[instruction.result] = (wave.mode & field.mask()) >> field.first;
  return Next::kOn;
}
Next set_register(Wave& wave, const Instruction& instruction) {
  return set_mode(wave, instruction, Field(immediate(instruction, 1)),
                  scalar_source<u32>(wave, instruction.sources[0]));
}
Next set_register_to_literal(Wave& wave, const Instruction& instruction) {
  return set_mode(wave, instruction, Field(immediate(instruction, 0)),
                  static_cast<u32>(instruction.sources[1].constant));
}

void set_choices(Wave& wave, u32 choices) {
  u32& m0 = wave.s[scalar::kM0];
  m0 = (m0 & ~(kChoices << kFirstChoice)) | (choices & kChoices) << kFirstChoice;
}
void set_index(Wave& wave, const Instruction& instruction) {
  const u32 index = scalar_source<u32>(wave, instruction.sources[0]) & kIndex;
  wave.s[scalar::kM0] = (wave.s[scalar::kM0] & ~kIndex) | index;
}
Next set_index_on(Wave& wave, const Instruction& instruction) {
  set_index(wave, instruction);
  set_choices(wave, instruction.number >> 8);
  wave.mode |= mode::kIndexes;
  return Next::kMode;
}
Next set_index_off(Wave& wave, const Instruction& /*instruction*/) {
  wave.mode &= ~mode::kIndexes;
  return Next::kMode;
}
Next set_index_alone(Wave& wave, const Instruction& instruction) {
  set_index(wave, instruction);
  return Next::kOn;
}
Next set_index_choices(Wave& wave, const Instruction& instruction) {
  set_choices(wave, instruction.number);
  return Next::kOn;
}

constexpr Meaning scalar_meaning(Meaning::Run run, Type result, Type first, Type second) {
  Meaning meaning;
  meaning.run = run;
  meaning.kind = Meaning::Kind::kScalar;
  meaning.result = result;
  meaning.sources[0] = first;
  meaning.sources[1] = second;
  return meaning;
}
constexpr Meaning with_literal(Meaning meaning) {
  meaning.has_literal = true;
  return meaning;
}

using enum Type;
constexpr MeaningEntry kMeanings[] = {
    {"s_getreg_b32", scalar_meaning(get_register, kB32, kB32, kNone)},
    {"s_setreg_b32", scalar_meaning(set_register, kNone, kB32, kB32)},
    {"s_setreg_imm32_b32",
     with_literal(scalar_meaning(set_register_to_literal, kNone, kB32, kNone))},
    {"s_round_mode", scalar_meaning(set_rounding, kNone, kNone, kNone)},
    {"s_denorm_mode", scalar_meaning(set_denormals, kNone, kNone, kNone)},
    {"s_set_gpr_idx_on", scalar_meaning(set_index_on, kNone, kB32, kNone)},
    {"s_set_gpr_idx_off", scalar_meaning(set_index_off, kNone, kNone, kNone)},
    {"s_set_gpr_idx_idx", scalar_meaning(set_index_alone, kNone, kB32, kNone)},
    {"s_set_gpr_idx_mode", scalar_meaning(set_index_choices, kNone, kNone, kNone)},
};

} // namespace

std::span<const MeaningEntry> mode_meanings() {
  return kMeanings;
}

Next run_in_mode(Wave& wave, const Instruction& instruction, Meaning::Run run) {
  const Meaning& meaning = *instruction.meaning;
  if (!is_vector_operation(meaning) || instruction.operations != nullptr) {
    return run(wave, instruction);
  }
  Instruction changed = instruction;
  if ((wave.mode & mode::kIndexes) != 0 && !add_index(wave, changed)) {
    report_instruction(wave, instruction,
                       "with M0 it names a register that the machine does not have");
    return Next::kFault;
  }
  if ((wave.mode & mode::kKeepSingle) == mode::kKeepSingle || meaning.keeps_denormals) {
    return run(wave, changed);
  }
  using Packs = Meaning::Packs;
  if (meaning.packs == Packs::kFloats || meaning.packs == Packs::kMixed) {
    report_instruction(wave, instruction, "it does not know it without denormal numbers");
    return Next::kFault;
  }
  return is_of_floats(meaning) ? run_flushed(wave, changed, run) : run(wave, changed);
}

} // namespace gantry::simt::amdgcn
