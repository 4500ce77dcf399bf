// Makes optimised code while kernels run, on a thread of its own.
#pragma once

#include "simt/exec/code/code.h"

#include <memory>

namespace gantry::simt::exec {

class Improver {
public:
  /// The process's; its thread starts with the first job. After fork() the child has none, and gets
  /// one when it asks for code.
  [[nodiscard]] static Improver& instance();

  /// Has the optimised code of a function made, once. Any thread.
  void improve(std::shared_ptr<ProgramCode> program, std::uint32_t function, Geometry geometry);
  /// Takes no more jobs, and waits for the one under way, but gives it up if that takes long.
  /// Before LLVM is closed.
  void stop();

private:
  Improver();
  struct State;
  State* state_;
};

} // namespace gantry::simt::exec
