// Loaded code: its instructions as they have been read so far, and who has which address.
#pragma once

#include "simt/amdgcn/code/instruction.h"
#include "simt/amdgcn/exec/executor.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace gantry::simt::amdgcn {

/// Any thread, but for what a member says.
struct LoadedCode::State {
  State(const Processor& processor, std::uint64_t begin, std::uint64_t size,
        std::vector<CodeSymbol> functions);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] const Processor& processor() const { return processor_; }
  [[nodiscard]] bool contains(std::uint64_t address) const { return address - begin_ < size_; }
  /// The place of the instruction at an address that contains() and that is a multiple of 4. Its
  /// `run` is null until it has been read.
  [[nodiscard]] const Instruction* at(std::uint64_t address) const {
    return slots_ + (address - begin_) / 4;
  }
  [[nodiscard]] std::uint64_t address_of(const Instruction* place) const {
    return begin_ + static_cast<std::uint64_t>(place - slots_) * 4;
  }
  /// Reads the instruction that belongs at the place. An error says why it cannot be run.
  [[nodiscard]] tl::expected<void, std::string> read(const Instruction* place);

  /// "name+0x14", or "0x7f…" outside of all functions.
  [[nodiscard]] std::string position(std::uint64_t address) const;
  /// Of the function that the address is in; empty if it is in none.
  [[nodiscard]] std::string_view function_at(std::uint64_t address) const;

private:
  /// The function that the address is in; null if there is none.
  [[nodiscard]] const CodeSymbol* symbol_at(std::uint64_t address) const;

  const Processor& processor_;
  std::uint64_t begin_, size_;
  std::vector<CodeSymbol> functions_;
  Instruction* slots_ = nullptr;
  std::size_t slots_size_ = 0; ///< bytes of the mapping
  std::mutex mutex_;           ///< of who writes slots
};

/// The loaded code that an address is in; null if there is none.
[[nodiscard]] LoadedCode::State* code_at(std::uint64_t address);

} // namespace gantry::simt::amdgcn
