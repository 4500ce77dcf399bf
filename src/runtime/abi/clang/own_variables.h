// Variables of a device image that regions may change and that no offload entry names: static ones
// of functions, thread-local ones, ones that are for devices alone. (GCC names them all.)
#pragma once

#include <cstddef>
#include <span>

namespace gantry::abi::clang {

/// Whether an image has any, as far as its symbols say: an ELF file does, PTX does not tell
/// variables from constants. Those that compilers and Gantry make for themselves do not count. True
/// if the symbols were taken away.
[[nodiscard]] bool has_own_variables(std::span<const std::byte> image);

} // namespace gantry::abi::clang
