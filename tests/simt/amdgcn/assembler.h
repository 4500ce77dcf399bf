// The assembler of amdgcn, by LLVM: what tests write their instructions with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::simt::amdgcn {

using Words = std::vector<std::uint32_t>;

/// Each line's instruction; empty of a line that the processor has no instruction for. `features`
/// are LLVM's, such as "+wavefrontsize64".
[[nodiscard]] std::vector<Words> assemble(std::string_view processor,
                                          const std::vector<std::string>& lines,
                                          std::string_view features = "");

} // namespace gantry::simt::amdgcn
