// Loaded code: its instructions as they have been read so far, and who has which address.
#pragma once

#include "simt/amdgcn/code/encoding.h"
#include "simt/amdgcn/code/instruction.h"
#include "simt/amdgcn/exec/compile_request.h"
#include "simt/amdgcn/exec/executor.h"
#include "simt/amdgcn/objects/line_table.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace gantry::simt::amdgcn {

class Heat;

/// Any thread, but for what a member says. What a report needs of a kernel that has run may outlive
/// the code.
struct LoadedCode::State : std::enable_shared_from_this<State> {
  State(const Processor& processor, std::uint64_t begin, std::uint64_t size, CodeSources sources);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Its bytes are there no longer. No kernel of it runs, or will.
  void unload();

  [[nodiscard]] const Processor& processor() const { return processor_; }
  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  [[nodiscard]] bool contains(std::uint64_t address) const { return address - begin_ < size_; }
  /// The place of the instruction at an address that contains() and that is a multiple of 4. Its
  /// `run` is null until it has been read.
  [[nodiscard]] const Instruction* at(std::uint64_t address) const {
    return slots_ + (address - begin_) / 4;
  }
  [[nodiscard]] std::uint64_t address_of(const Instruction* place) const {
    return begin_ + static_cast<std::uint64_t>(place - slots_) * 4;
  }
  /// Reads the instruction that belongs at the place, unless it has been read: what interprets it.
  /// An error says why it cannot be run.
  [[nodiscard]] tl::expected<Meaning::Run, std::string> read(const Instruction* place);

  /// How much of the code from the place on waves of so many lanes have interpreted. Lives as long
  /// as this.
  [[nodiscard]] Heat& heat(const Instruction* entry, unsigned lanes);
  /// True once for each place and number of lanes.
  [[nodiscard]] bool begin_to_compile(const Instruction* entry, unsigned lanes);
  /// Has waves of so many lanes enter compiled code at its places, which `run` does.
  void publish(const CompiledImage& image, unsigned lanes, Meaning::Run run);

  /// Of the function that the address is in; empty if it is in none.
  [[nodiscard]] std::string_view function_at(std::uint64_t address) const;
  /// "name+0x14", or "0x7f…" outside of all functions. For reports, as what follows.
  [[nodiscard]] std::string position(std::uint64_t address) const;
  /// The instruction's line of the source, if a table says so; an error if one is damaged.
  [[nodiscard]] Result<std::optional<SourceLine>> source_line(std::uint64_t address) const;
  /// As an assembler has it; empty if the executor cannot read it, or the code is gone.
  [[nodiscard]] std::string text_at(std::uint64_t address) const;

private:
  /// The function that the address is in, among the dynamic symbols; null if there is none.
  [[nodiscard]] const CodeSymbol* symbol_at(std::uint64_t address) const;
  /// Likewise, among all symbols.
  [[nodiscard]] std::optional<CodeSymbol> any_symbol_at(std::uint64_t address) const;
  /// The dwords from the address on; how many, for the code may end.
  [[nodiscard]] std::size_t copy_words(std::uint64_t address,
                                       std::span<std::uint32_t, kLongestInstruction> words) const;

  const Processor& processor_;
  std::uint64_t begin_, size_;
  CodeSources sources_;
  Instruction* slots_ = nullptr;
  std::size_t slots_size_ = 0;                        ///< bytes of the mapping
  std::deque<std::array<Instruction, 2>> operations_; ///< of VOPD, which slots point to
  mutable std::mutex mutex_; ///< of who writes what follows, slots and operations, or reads bytes
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
  bool is_loaded_ = true;
};

/// The loaded code that an address is in; null if there is none.
[[nodiscard]] LoadedCode::State* code_at(std::uint64_t address);

} // namespace gantry::simt::amdgcn
