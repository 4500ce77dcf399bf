// The options of NVIDIA's assembler, as far as programs give them.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace gantry::simt::toolchain {

struct PtxasOptions {
  std::vector<std::string> inputs;  ///< files
  std::vector<std::string> strings; ///< texts
  std::string output = "elf.o";
  std::string target = "sm_75";
  bool relocatable = false; ///< -c
  bool verbose = false;
  bool version = false;
  bool help = false;
};

/// The error is what the assembler says of it.
[[nodiscard]] tl::expected<PtxasOptions, std::string>
parse_ptxas_options(const std::vector<std::string>& arguments);

} // namespace gantry::simt::toolchain
