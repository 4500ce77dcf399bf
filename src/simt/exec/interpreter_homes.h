// Where the registers and variables of a function live while it is interpreted.
#pragma once

#include "simt/exec/interpreter_program.h"

namespace gantry::simt::exec::interpreter {

struct Home {
  enum class Kind : std::uint8_t { kNone, kKernelParameter, kFrame, kLocal, kProgram, kRegister };
  Kind kind = Kind::kNone;
  std::uint32_t offset = 0; ///< bytes; kProgram: index in Program::variables; kRegister: the column
  std::uint32_t size = 0;
};

class Homes {
public:
  /// Places everything and puts the sizes that follow, the parameters and the results into
  /// `decoded`.
  Homes(const ptx::Program& program, DecodedFunction& decoded);

  /// The first column of a register.
  [[nodiscard]] std::uint32_t column(std::uint32_t register_index) const {
    return columns_[register_index];
  }
  [[nodiscard]] const Home& of(std::uint32_t variable) const { return homes_[variable]; }
  /// A variable as it is passed to a function or comes back.
  [[nodiscard]] Passed passed(std::uint32_t variable) const;

private:
  void place(const ptx::Program& program, DecodedFunction& decoded);

  std::vector<std::uint32_t> columns_;
  std::vector<Home> homes_; ///< by index in Function::variables
};

} // namespace gantry::simt::exec::interpreter
