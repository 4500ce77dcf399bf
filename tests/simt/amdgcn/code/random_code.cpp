#include "random_code.h"

#include <cstdio>
#include <cstdlib>

namespace gantry::simt::amdgcn {

void run_code(Machine& machine, std::span<const std::uint32_t> words, unsigned most) {
  if (words.empty()) {
    return;
  }
  machine.load(words);
  Wave& wave = machine.wave();
  const auto global = reinterpret_cast<std::uint64_t>(machine.global().data());
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned row = 0; row < vector::kRegisters; row += 4) {
      const std::uint64_t address = global + 1024 + lane * 16;
      wave.v[row][lane] = static_cast<std::uint32_t>(address);
      wave.v[row + 1][lane] = static_cast<std::uint32_t>(address >> 32);
      wave.v[row + 2][lane] = lane * 4;
      wave.v[row + 3][lane] = 0x3f800000 + row * lane;
    }
  }
  for (unsigned index = 0; index < 104; index += 4) {
    wave.set_pair(index, index % 8 == 0 ? global + 2048 : machine.code());
    wave.set_pair(index + 2, index * 0x10001);
  }
  wave.set_pair(0, wave.scratch);
  wave.set_pair(scalar::kFlatScratch, wave.scratch);
  wave.set_pair(scalar::kExec, 0xffff0000ffff0001);
  wave.s[scalar::kScc] = 0;
  Next next = machine.step(0);
  for (unsigned count = 0; count < most && next != Next::kEnd && next != Next::kFault; ++count) {
    next = machine.step_on();
  }
  if (next == Next::kFault && machine.report().find("gantry: error: ") != 0) {
    std::fputs("a fault without a report\n", stderr);
    std::abort();
  }
}

} // namespace gantry::simt::amdgcn
