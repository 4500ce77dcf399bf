// How far apart an instruction's accesses are, one after the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gantry::simt::amdgcn {

struct Instruction;

/// Of one host thread. What it says is a guess: instructions share places.
class AccessSteps {
public:
  /// How far the address lies behind the instruction's last one.
  std::uint64_t step(const Instruction* instruction, std::uint64_t address) {
    std::uint64_t& last = last_[reinterpret_cast<std::uintptr_t>(instruction) / 128 % kPlaces];
    const std::uint64_t made = address - last;
    last = address;
    return made;
  }

private:
  static constexpr std::size_t kPlaces = 64;

  std::array<std::uint64_t, kPlaces> last_ = {};
};

} // namespace gantry::simt::amdgcn
