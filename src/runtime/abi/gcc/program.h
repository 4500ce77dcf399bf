// Programs of GCC as they register themselves.
#pragma once

#include "runtime/abi/gcc/layouts.h"
#include "runtime/core/programs/program.h"
#include "runtime/core/reports/compiler_names.h"

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace gantry::abi::gcc {

/// One image of a program, and its host tables. What libgomp calls "image" and the core "program".
struct Registration {
  unsigned version = 0;
  const HostTable* table = nullptr;
  int target = 0;
  const void* data = nullptr;
  /// The image in one piece.
  std::vector<std::byte> image;
  /// "#0", "#1" and so on: names of what has none.
  std::vector<std::string> positions;
  /// Of the two, which are made at the first use: several threads may come to it at once.
  std::mutex mutex = {};
};

/// Reads a Registration: see core::DecodeProgram.
[[nodiscard]] Result<core::ProgramContents> decode_program(const void* registration);

/// How GCC names what it compiles (names.cpp).
extern const core::CompilerNames kNames;

} // namespace gantry::abi::gcc
