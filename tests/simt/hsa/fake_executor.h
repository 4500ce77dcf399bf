// What the kernels of these tests do: their argument is a command, which an executor without any
// instructions follows.
#pragma once

#include <cstdint>

namespace simt_hsa_test {

enum class Deed : std::uint64_t {
  kNothing,
  kStore,       ///< `value` at `address`
  kAdd,         ///< `value` to what is at `address`
  kWaitFor,     ///< until `value` is at `address`
  kMeet,        ///< 1 behind `address`, then as kWaitFor
  kMemoryFault, ///< at `address`
  kTrap,
  kIllegalInstruction,
  kInvalidPacket,
};

struct Command {
  Deed deed = Deed::kNothing;
  std::uint64_t address = 0;
  std::uint64_t value = 0;
};

} // namespace simt_hsa_test
