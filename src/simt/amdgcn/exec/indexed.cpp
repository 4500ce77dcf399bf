// Moves of registers whose numbers M0 is added to.
#include "simt/amdgcn/exec/meanings.h"
#include "simt/amdgcn/exec/report.h"

namespace gantry::simt::amdgcn {

namespace {

Next refuse(Wave& wave, const Instruction& instruction) {
  report_instruction(wave, instruction,
                     "with M0 it names a register that the machine does not have");
  return Next::kFault;
}
/// The register's number with M0, which may be below zero.
i64 indexed(const Wave& wave, unsigned number) {
  return i64{number} + static_cast<i32>(wave.s[scalar::kM0]);
}

/// SGPRs, `kCount` of them, and VCC behind the last one.
template <unsigned kCount, bool kIndexesSource>
Next move_scalar(Wave& wave, const Instruction& instruction) {
  const Source& source = instruction.sources[0];
  if (kIndexesSource && source.kind != Source::Kind::kScalar) {
    return refuse(wave, instruction);
  }
  const i64 from = kIndexesSource ? indexed(wave, source.index) : 0;
  const i64 to = kIndexesSource ? instruction.result : indexed(wave, instruction.result);
  const auto is_there = [](i64 first) { return first >= 0 && first + kCount <= scalar::kM0; };
  if (!is_there(to) || (kIndexesSource && !is_there(from))) {
    return refuse(wave, instruction);
  }
  u64 value = 0;
  if (kIndexesSource) {
    value = kCount == 2 ? wave.pair(static_cast<unsigned>(from)) : wave.s[from];
  } else {
    value = kCount == 2 ? scalar_source<u64>(wave, source) : scalar_source<u32>(wave, source);
  }
  wave.s[to] = static_cast<u32>(value);
  if (kCount == 2) {
    wave.s[to + 1] = static_cast<u32>(value >> 32);
  }
  return Next::kOn;
}

template <bool kIndexesSource, bool kIndexesResult>
Next move_vector(Wave& wave, const Instruction& instruction) {
  Source source = instruction.sources[0];
  const i64 to = kIndexesResult ? indexed(wave, instruction.result) : instruction.result;
  const auto is_there = [](i64 row) { return row >= 0 && row < vector::kRegisters; };
  bool is_known = is_there(to);
  if (kIndexesSource) {
    const i64 from = indexed(wave, source.index);
    is_known = is_known && source.kind == Source::Kind::kVector && is_there(from);
    source.index = static_cast<u16>(from);
  }
  if (!is_known) {
    return refuse(wave, instruction);
  }
  for_each_lane(wave.exec(),
                [&](unsigned lane) { wave.v[to][lane] = lane_source<u32>(wave, source, lane); });
  return Next::kOn;
}

Next swap(Wave& wave, const Instruction& instruction) {
  if (instruction.sources[0].kind != Source::Kind::kVector) {
    report_instruction(wave, instruction, "it swaps with what is no VGPR");
    return Next::kFault;
  }
  for_each_lane(wave.exec(), [&](unsigned lane) {
    std::swap(wave.v[instruction.result][lane], wave.v[instruction.sources[0].index][lane]);
  });
  return Next::kOn;
}

constexpr Meaning move(Meaning::Run run, Meaning::Kind kind, Type type) {
  Meaning meaning;
  meaning.run = run;
  meaning.kind = kind;
  meaning.result = type;
  meaning.sources[0] = type;
  meaning.exact = true;
  return meaning;
}

using enum Meaning::Kind;
using enum Type;
constexpr MeaningEntry kMeanings[] = {
    {"s_movrels_b32", move(move_scalar<1, true>, kScalar, kB32)},
    {"s_movrels_b64", move(move_scalar<2, true>, kScalar, kB64)},
    {"s_movreld_b32", move(move_scalar<1, false>, kScalar, kB32)},
    {"s_movreld_b64", move(move_scalar<2, false>, kScalar, kB64)},
    {"v_movrels_b32", move(move_vector<true, false>, kVector, kB32)},
    {"v_movreld_b32", move(move_vector<false, true>, kVector, kB32)},
    {"v_movrelsd_b32", move(move_vector<true, true>, kVector, kB32)},
    {"v_swap_b32", move(swap, kVector, kB32)},
};

} // namespace

std::span<const MeaningEntry> indexed_meanings() {
  return kMeanings;
}

} // namespace gantry::simt::amdgcn
