#include "simt/amdgcn/lower/effects.h"

#include <algorithm>

namespace gantry::simt::amdgcn::lower {

namespace {

using Kind = Meaning::Kind;

template <typename Set>
void add(Set& set, std::size_t first, std::size_t count) {
  for (std::size_t i = first; i < std::min(first + count, set.size()); ++i) {
    set.set(i);
  }
}

constexpr unsigned kMostRegisters = 32; ///< of an operand

unsigned size_of(const Meaning& meaning, unsigned number) {
  const Type type = number < 3 ? meaning.sources[number] : Type::kB64; // a mask
  return type == Type::kNone ? kMostRegisters : registers_of(type);
}

bool is_jump(std::string_view mnemonic) {
  return mnemonic == "s_setpc_b64" || mnemonic == "s_swappc_b64" || mnemonic == "s_call_b64";
}

void add_sources(const Instruction& instruction, Effects& effects) {
  for (unsigned i = 0; i < 4; ++i) {
    const Source& source = instruction.sources[i];
    const unsigned size = size_of(*instruction.meaning, i);
    if (source.kind == Source::Kind::kVector) {
      add(effects.reads, source.index, size);
    } else if (source.kind == Source::Kind::kScalar) {
      add(effects.scalar_reads, source.index, size);
    }
  }
}

} // namespace

Effects effects_of(const CodePlace& code, unsigned lanes, bool by_lanes) {
  const Instruction& instruction = *code.place;
  const Meaning& meaning = *instruction.meaning;
  const unsigned mask_size = lanes > 32 ? 2 : 1;
  Effects effects;
  // What is not known as an operand: M0, FLAT_SCRATCH and the like are always live.
  effects.reads_all = is_jump(code.mnemonic) || code.mnemonic.find("movrel") != code.mnemonic.npos;
  if (instruction.operations != nullptr) {
    effects.reads_all = true;
    return effects;
  }
  add_sources(instruction, effects);
  switch (meaning.kind) {
  case Kind::kVector:
  case Kind::kCompare: {
    const unsigned rows = meaning.result == Type::kNone ? 0 : registers_of(meaning.result);
    if (meaning.kind == Kind::kVector && (meaning.reads_result || !by_lanes)) {
      add(effects.reads, instruction.result, by_lanes ? rows : kMostRegisters);
    }
    effects.reads_inactive = !by_lanes;
    if (by_lanes) {
      add(effects.writes, instruction.result, meaning.kind == Kind::kVector ? rows : 0);
      if (meaning.kind == Kind::kCompare || meaning.writes_mask) {
        add(effects.scalar_writes, instruction.mask, mask_size);
      }
    }
    effects.changes_exec = meaning.writes_exec;
    break;
  }
  case Kind::kVectorToScalar:
    effects.reads_inactive = true;
    break;
  case Kind::kMemory:
  case Kind::kShared:
    add(effects.reads, instruction.address, 2);
    add(effects.reads, instruction.data[0], 4);
    add(effects.reads, instruction.data[1], 4);
    add(effects.reads, instruction.result, registers_of(meaning.result));
    effects.reads_inactive = true;
    break;
  case Kind::kScalar:
  case Kind::kScalarLoad:
    // Results may be read before, by conditional moves and the like.
    add(effects.scalar_reads, instruction.result, registers_of(meaning.result));
    effects.changes_exec = code.mnemonic.find("exec") != code.mnemonic.npos ||
                           (meaning.result != Type::kNone &&
                            instruction.result + registers_of(meaning.result) > scalar::kExec &&
                            instruction.result <= scalar::kExec + 1);
    break;
  case Kind::kBranch:
    add(effects.scalar_reads, scalar::kVcc, 2);
    break;
  case Kind::kFlow:
    effects.ends = code.mnemonic == "s_endpgm";
    break;
  }
  return effects;
}

} // namespace gantry::simt::amdgcn::lower
