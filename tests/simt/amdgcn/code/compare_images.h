// The executor's reading of code beside LLVM's.
#pragma once

#include "simt/amdgcn/objects/processor.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gantry::simt::amdgcn {

struct Comparison {
  std::size_t instructions = 0;         ///< that both know
  std::vector<std::string> differences; ///< the first ones
  std::vector<std::string> unknown;     ///< what LLVM writes of those that the executor refuses
};

/// All that the dwords are, one behind the other. Dwords that LLVM knows nothing of are passed
/// over.
[[nodiscard]] Comparison compare_code(const Processor& processor,
                                      std::span<const std::uint32_t> words);

/// The processor and the executable sections of a code object; empty of anything else.
struct ImageCode {
  const Processor* processor = nullptr;
  std::vector<std::uint32_t> words;
};
[[nodiscard]] ImageCode code_of_image(const std::string& path);

} // namespace gantry::simt::amdgcn
