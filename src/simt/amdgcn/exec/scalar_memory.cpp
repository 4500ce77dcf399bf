// Loads into SGPRs, and clocks.
#include "simt/amdgcn/exec/access.h"
#include "simt/amdgcn/exec/meanings.h"
#include "simt/amdgcn/exec/report.h"
#include "simt/amdgcn/exec/watch.h"

#include <chrono>

namespace gantry::simt::amdgcn {

namespace {

template <unsigned kDwords>
Next load(Wave& wave, const Instruction& instruction) {
  u64 address = wave.pair(instruction.sources[0].index) + static_cast<u64>(instruction.offset);
  if (instruction.sources[1].kind != Source::Kind::kNone) {
    address += scalar_source<u32>(wave, instruction.sources[1]);
  }
  address &= ~u64{3};
  if (!may_access(wave, instruction, address, 4 * kDwords, AccessKind::kLoad)) {
    report_access(wave, instruction, kLanes, Space::kGlobal, address, 4 * kDwords,
                  AccessKind::kLoad);
    return Next::kFault;
  }
  if (wave.place->checks != nullptr &&
      !check_scalar_load(wave, instruction, address, 4 * kDwords)) {
    return Next::kFault;
  }
  std::memcpy(&wave.s[instruction.result], std::bit_cast<const void*>(address),
              std::size_t{4} * kDwords);
  return Next::kOn;
}

Next read_clock(Wave& wave, const Instruction& instruction) {
  wave.set_pair(instruction.result, clock_ticks());
  return Next::kOn;
}

/// gfx11's question to the hardware. Messages have the numbers of operands that are constants.
Next ask_for_clock(Wave& wave, const Instruction& instruction) {
  constexpr u64 kClock = 3;
  const Source& message = instruction.sources[0];
  if (message.kind != Source::Kind::kConstant || message.constant != kClock) {
    report_instruction(wave, instruction, "it asks for something else than the clock");
    return Next::kFault;
  }
  return read_clock(wave, instruction);
}
Next ask_for_word(Wave& wave, const Instruction& instruction) {
  report_instruction(wave, instruction, "it asks for something else than the clock");
  return Next::kFault;
}

Next do_nothing(Wave& /*wave*/, const Instruction& /*instruction*/) {
  return Next::kOn;
}

constexpr Meaning question(Meaning::Run run, Type result) {
  Meaning meaning;
  meaning.run = run;
  meaning.result = result;
  meaning.sources[0] = Type::kB32;
  return meaning;
}
constexpr Meaning scalar_load(Meaning::Run run, Type result) {
  Meaning meaning;
  meaning.run = run;
  meaning.kind = Meaning::Kind::kScalarLoad;
  meaning.result = result;
  return meaning;
}

using enum Type;
constexpr MeaningEntry kMeanings[] = {
    {"s_load_dword", scalar_load(load<1>, kB32)},
    {"s_load_dwordx2", scalar_load(load<2>, kB64)},
    {"s_load_dwordx4", scalar_load(load<4>, kB128)},
    {"s_load_dwordx8", scalar_load(load<8>, kB256)},
    {"s_load_dwordx16", scalar_load(load<16>, kB512)},
    {"s_memtime", scalar_load(read_clock, kB64)},
    {"s_memrealtime", scalar_load(read_clock, kB64)},
    {"s_sendmsg_rtn_b32", question(ask_for_word, kB32)},
    {"s_sendmsg_rtn_b64", question(ask_for_clock, kB64)},
    {"s_dcache_wb", scalar_load(do_nothing, kNone)},
    {"s_dcache_wb_vol", scalar_load(do_nothing, kNone)},
    {"s_dcache_inv", scalar_load(do_nothing, kNone)},
    {"s_dcache_inv_vol", scalar_load(do_nothing, kNone)},
};

} // namespace

u64 clock_ticks() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto nanoseconds =
      static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  return nanoseconds / (1'000'000'000 / kClockFrequency);
}

std::span<const MeaningEntry> scalar_memory_meanings() {
  return kMeanings;
}

} // namespace gantry::simt::amdgcn
