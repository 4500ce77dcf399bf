// The mode register of a wave: what of it changes what instructions do.
#pragma once

#include <cstdint>

namespace gantry::simt::amdgcn {

struct Wave;
struct Instruction;

/// By the register's bits.
namespace mode {
inline constexpr std::uint32_t kRounding = 0xf;       ///< 0 is to nearest
inline constexpr std::uint32_t kKeepInputs = 1U << 5; ///< denormal floats as sources
inline constexpr std::uint32_t kKeepOutputs = 1U << 4;
inline constexpr std::uint32_t kKeepSingle = kKeepInputs | kKeepOutputs;
inline constexpr std::uint32_t kKeepOthers = 3U << 6; ///< denormal halves and doubles
inline constexpr std::uint32_t kClampNan = 1U << 8;
inline constexpr std::uint32_t kIeee = 1U << 9;
inline constexpr std::uint32_t kIndexes = 1U << 27; ///< M0 is added to numbers of registers
inline constexpr std::uint32_t kDefault = kKeepSingle | kKeepOthers | kClampNan | kIeee;

/// Whether no instruction is run otherwise than its meaning says.
[[nodiscard]] constexpr bool is_plain(std::uint32_t mode) {
  return (mode & (kKeepSingle | kIndexes)) == kKeepSingle;
}
/// Whether the executor can do it: to nearest, with denormal halves and doubles.
[[nodiscard]] constexpr bool is_known(std::uint32_t mode) {
  return (mode & kRounding) == 0 && (mode & kKeepOthers) == kKeepOthers;
}
} // namespace mode

} // namespace gantry::simt::amdgcn
