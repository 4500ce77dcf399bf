// Control of a wave: branches, calls, barriers, its end, and what has no effect where instructions
// run in their order.
#include "simt/amdgcn/exec/code_map.h"
#include "simt/amdgcn/exec/compiled_code.h"
#include "simt/amdgcn/exec/meanings.h"
#include "simt/amdgcn/exec/report.h"

#include <atomic>

namespace gantry::simt::amdgcn {

namespace {

Next branch(Wave& wave, const Instruction& instruction) {
  wave.pc = &instruction + instruction.offset / 4;
  return instruction.offset <= 0 && --wave.branches_left <= 0 ? Next::kYield : Next::kOn;
}

template <auto F>
Next branch_if(Wave& wave, const Instruction& instruction) {
  return F(wave) ? branch(wave, instruction) : Next::kOn;
}

/// Where code goes on that jumps to an address.
Next go_to(Wave& wave, const Instruction& instruction, u64 address) {
  LoadedCode::State* code = wave.code;
  if (!code->contains(address)) {
    code = code_at(address);
  }
  if (code == nullptr || address % 4 != 0) {
    report_jump(wave, instruction, address);
    return Next::kFault;
  }
  wave.code = code;
  wave.pc = code->at(address);
  return --wave.branches_left <= 0 ? Next::kYield : Next::kOn;
}

u64 next_address(const Wave& wave, const Instruction& instruction) {
  return wave.code->address_of(&instruction + instruction.size);
}

Next get_pc(Wave& wave, const Instruction& instruction) {
  wave.set_pair(instruction.result, next_address(wave, instruction));
  return Next::kOn;
}
Next set_pc(Wave& wave, const Instruction& instruction) {
  return go_to(wave, instruction, scalar_source<u64>(wave, instruction.sources[0]));
}
/// Likewise, to a function.
Next call_at(Wave& wave, const Instruction& instruction, u64 address) {
  const Next next = go_to(wave, instruction, address);
  if (next != Next::kFault && wave.grid->is_compiled && !is_entry_of_compiled(*wave.pc)) {
    warm_function(wave);
  }
  return next;
}
Next swap_pc(Wave& wave, const Instruction& instruction) {
  const u64 target = scalar_source<u64>(wave, instruction.sources[0]);
  wave.set_pair(instruction.result, next_address(wave, instruction));
  return call_at(wave, instruction, target);
}
Next call(Wave& wave, const Instruction& instruction) {
  const u64 next = next_address(wave, instruction);
  const auto distance = static_cast<i32>(instruction.sources[0].constant);
  wave.set_pair(instruction.result, next);
  return call_at(wave, instruction, next + static_cast<u64>(i64{distance} * 4));
}

Next end(Wave& /*wave*/, const Instruction& /*instruction*/) {
  return Next::kEnd;
}
Next barrier(Wave& /*wave*/, const Instruction& /*instruction*/) {
  return Next::kBarrier;
}
Next sleep(Wave& /*wave*/, const Instruction& /*instruction*/) {
  return Next::kYield;
}
Next trap(Wave& wave, const Instruction& instruction) {
  constexpr unsigned kDebugTrap = 3;
  if (instruction.number == kDebugTrap) {
    return Next::kOn;
  }
  report_trap(wave, instruction);
  return Next::kFault;
}
/// To the hardware: that the wave needs its VGPRs no longer.
Next send_message(Wave& wave, const Instruction& instruction) {
  constexpr unsigned kFreesVgprs = 3;
  if (instruction.number == kFreesVgprs) {
    return Next::kOn;
  }
  report_instruction(wave, instruction, "it sends a message that the executor does not know");
  return Next::kFault;
}
Next halt(Wave& wave, const Instruction& instruction) {
  report_instruction(wave, instruction, "it halts the wave");
  return Next::kFault;
}
Next go_beyond(Wave& wave, const Instruction& instruction) {
  report_instruction(wave, instruction, "it is what fills memory behind code");
  return Next::kFault;
}
Next do_nothing(Wave& /*wave*/, const Instruction& /*instruction*/) {
  return Next::kOn;
}
Next wait(Wave& /*wave*/, const Instruction& /*instruction*/) {
  std::atomic_thread_fence(std::memory_order_acq_rel);
  return Next::kOn;
}

constexpr Meaning flow(Meaning::Run run) {
  Meaning meaning;
  meaning.run = run;
  meaning.kind = Meaning::Kind::kFlow;
  return meaning;
}
constexpr Meaning counter_wait() { // of SOPK, whose register is null
  Meaning meaning = flow(wait);
  meaning.sources[0] = Type::kB32;
  return meaning;
}
template <auto F>
constexpr Meaning branch_meaning() {
  Meaning meaning;
  meaning.run = branch_if<F>;
  meaning.is_taken = F;
  meaning.kind = Meaning::Kind::kBranch;
  return meaning;
}
constexpr Meaning jump(Meaning::Run run, Type result, Type source) {
  Meaning meaning;
  meaning.run = run;
  meaning.kind = Meaning::Kind::kScalar;
  meaning.result = result;
  meaning.sources[0] = source;
  return meaning;
}

using enum Type;
constexpr MeaningEntry kMeanings[] = {
    {"s_branch", branch_meaning<[](const Wave&) { return true; }>()},
    {"s_cbranch_scc0",
     branch_meaning<[](const Wave& wave) { return wave.s[scalar::kScc] == 0; }>()},
    {"s_cbranch_scc1",
     branch_meaning<[](const Wave& wave) { return wave.s[scalar::kScc] != 0; }>()},
    {"s_cbranch_vccz",
     branch_meaning<[](const Wave& wave) { return wave.mask(scalar::kVcc) == 0; }>()},
    {"s_cbranch_vccnz",
     branch_meaning<[](const Wave& wave) { return wave.mask(scalar::kVcc) != 0; }>()},
    {"s_cbranch_execz", branch_meaning<[](const Wave& wave) { return wave.exec() == 0; }>()},
    {"s_cbranch_execnz", branch_meaning<[](const Wave& wave) { return wave.exec() != 0; }>()},
    {"s_getpc_b64", jump(get_pc, kB64, kNone)},
    {"s_setpc_b64", jump(set_pc, kNone, kB64)},
    {"s_swappc_b64", jump(swap_pc, kB64, kB64)},
    {"s_call_b64", jump(call, kB64, kB32)},

    {"s_endpgm", flow(end)},
    {"s_barrier", flow(barrier)},
    {"s_sleep", flow(sleep)},
    {"s_trap", flow(trap)},
    {"s_waitcnt", flow(wait)},
    {"s_waitcnt_vscnt", counter_wait()},
    {"s_waitcnt_vmcnt", counter_wait()},
    {"s_waitcnt_expcnt", counter_wait()},
    {"s_waitcnt_lgkmcnt", counter_wait()},
    {"s_waitcnt_depctr", flow(do_nothing)},
    {"s_wait_idle", flow(wait)},
    {"s_delay_alu", flow(do_nothing)},
    {"s_clause", flow(do_nothing)},
    {"s_set_inst_prefetch_distance", flow(do_nothing)},
    {"s_sendmsg", flow(send_message)},
    {"s_sethalt", flow(halt)},
    {"s_code_end", flow(go_beyond)},
    {"s_nop", flow(do_nothing)},
    {"s_setprio", flow(do_nothing)},
    {"s_wakeup", flow(do_nothing)},
    {"s_icache_inv", flow(do_nothing)},
    {"s_ttracedata", flow(do_nothing)},
    {"s_incperflevel", flow(do_nothing)},
    {"s_decperflevel", flow(do_nothing)},
};

} // namespace

std::span<const MeaningEntry> flow_meanings() {
  return kMeanings;
}

} // namespace gantry::simt::amdgcn
