// What a call passes, and how the engines lay it out.
//
// Arguments and results travel as words of 1, 2, 4 or 8 bytes: a scalar is one word, anything
// else as many words of eight bytes as it fills. In a call by pointer the prototype may differ from
// the callee's own: bytes that both have are passed, what only the receiver has is zero. In one by
// name they are the same (exec/programs/prepared_kernel.cpp), but for registers and constants.
#pragma once

#include "simt/ptx/program.h"

#include <cstdint>
#include <vector>

namespace gantry::simt::ptx {

/// One argument or result.
struct PassedValue {
  std::uint64_t size = 0; ///< bytes
  bool is_scalar = true;  ///< one word of `size` bytes

  [[nodiscard]] std::uint64_t word_bytes() const { return is_scalar ? size : 8; }
  [[nodiscard]] std::uint64_t words() const { return is_scalar ? 1 : (size + 7) / 8; }
  bool operator==(const PassedValue&) const = default;
};

struct CallInterface {
  std::vector<PassedValue> parameters, results;
  bool noreturn = false;

  /// Equal for two interfaces whose words are the same.
  [[nodiscard]] std::uint64_t signature() const;
};

[[nodiscard]] PassedValue passed_as(const Variable& variable);

/// Whether calls of one can be calls of the other.
[[nodiscard]] bool same_interface(const Function& left, const Function& right);

/// Where a kernel's parameters lie in its buffer: each at the next multiple of its alignment.
struct ParameterLayout {
  std::vector<std::uint64_t> offsets;
  std::uint64_t bytes = 0; ///< of all
};
[[nodiscard]] ParameterLayout layout_of_parameters(const Function& kernel);

[[nodiscard]] CallInterface interface_of(const Function& function);
/// What the caller passes: by the callee's own declaration, or for a call by pointer by the
/// prototype, or by the first of the listed targets. `caller` is an index in Program::functions.
[[nodiscard]] CallInterface interface_of_call(const Program& program, std::uint32_t caller,
                                              const Instruction& call);

} // namespace gantry::simt::ptx
