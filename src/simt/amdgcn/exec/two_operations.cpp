// VOPD: two operations of vectors at once. Both read their operands before either writes its
// result.
#include "simt/amdgcn/exec/meanings.h"
#include "simt/amdgcn/exec/report.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

namespace {

Next run_one(Wave& wave, const Instruction& operation) {
  return mode::is_plain(wave.mode) ? operation.run(wave, operation)
                                   : run_in_mode(wave, operation, operation.run);
}

} // namespace

Next run_both(Wave& wave, const Instruction& instruction) {
  if (wave.grid->lanes == kLanes) {
    report_instruction(wave, instruction, "two operations at once are of waves of 32 lanes");
    return Next::kFault;
  }
  const Instruction& first = instruction.operations[0];
  Instruction second = instruction.operations[1];
  u32(&result)[kLanes] = wave.v[second.result];
  u32(&made)[kLanes] = wave.v[vector::kSecondResult];
  std::ranges::copy(result, made); // which the operation may read
  second.result = vector::kSecondResult;
  if (const Next next = run_one(wave, second); next != Next::kOn) {
    return next;
  }
  const Next next = run_one(wave, first);
  const LaneMask active = wave.exec();
  if (active == wave.all) {
    std::ranges::copy(made, result);
  } else {
    for_each_lane(active, [&](unsigned lane) { result[lane] = made[lane]; });
  }
  return next;
}

} // namespace gantry::simt::amdgcn
