// LLVM's disassembler, which the executor's reading of code is held against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gantry::simt::amdgcn {

class Disassembler {
public:
  explicit Disassembler(std::string_view processor);
  ~Disassembler();
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  struct Line {
    unsigned dwords = 0; ///< 0 if it is no instruction
    std::string text;
  };
  /// The instruction that the dwords begin with.
  Line line(std::span<const std::uint32_t> words);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace gantry::simt::amdgcn
