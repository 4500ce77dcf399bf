// Where the values of a function in its one-lane form are: constants, variables, and columns that
// one value after the other uses.
//
// A variable is an alloca of which nobody takes the address and each word of 64 bits is loaded and
// stored in one piece; it has columns of its own. A value is in a column from the step that makes
// it until its last use, which for nearly all is in the same block. What is loaded from a variable
// is read there, without a copy, unless the variable is written before the value's last use.
#pragma once

#include "simt/exec/one_lane_code.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <map>
#include <optional>
#include <vector>

namespace gantry::simt::lower {

/// Of pointers as well: bits.
[[nodiscard]] unsigned width_of(const llvm::Type& type);

/// Words of a value, most often one.
using LaneOperands = llvm::SmallVector<exec::LaneOperand, 2>;

class Columns {
public:
  /// Finds the variables, and takes the arguments in.
  Columns(const llvm::Function& function, exec::OneLaneCode& code);

  /// The column of the variable that a load or store accesses; nothing if it accesses memory.
  [[nodiscard]] std::optional<std::uint32_t> variable_of(const llvm::Instruction& access) const;
  /// Of a load of a variable: it is read where it is.
  [[nodiscard]] bool needs_no_copy(const llvm::Instruction& load) const {
    return aliases_.contains(&load);
  }
  /// Variables themselves, their addresses, and stores of arguments.
  [[nodiscard]] bool makes_no_step(const llvm::Instruction& instruction) const {
    return done_.contains(&instruction);
  }
  /// Its value is that of its first operand, or a part of it.
  [[nodiscard]] bool renames(const llvm::Instruction& instruction) const;

  /// To be called for each block in turn, and before each of its instructions.
  void begin(const llvm::BasicBlock& block);
  void come_to(const llvm::Instruction& instruction);

  [[nodiscard]] exec::LaneOperand constant(std::uint64_t value);
  [[nodiscard]] LaneOperands operands_of(const llvm::Value& value);
  [[nodiscard]] exec::LaneOperand operand_of(const llvm::Value& value) {
    return operands_of(value)[0];
  }
  void set(const llvm::Value& value, LaneOperands words) { values_[&value] = std::move(words); }
  /// A column for one more word of what the instruction gives.
  std::uint32_t add_word(const llvm::Instruction& instruction);

  /// A value that has been asked for and is nowhere; null if there was none.
  [[nodiscard]] const llvm::Value* unknown() const { return unknown_; }

private:
  /// Of an alloca: its accesses, each with its offset in bytes, and what computes their addresses.
  struct Accesses {
    std::vector<std::pair<const llvm::Instruction*, std::uint64_t>> list;
    std::vector<const llvm::Instruction*> addresses;
  };
  /// False if its address is used in another way.
  [[nodiscard]] bool collect(const llvm::Value& pointer, std::uint64_t offset,
                             Accesses& accesses) const;
  void find_variables();
  void take_arguments();
  void find_last_uses(const llvm::BasicBlock& block);
  [[nodiscard]] LaneOperands words_of(const llvm::Constant& value);

  const llvm::Function& function_;
  const llvm::DataLayout& layout_;
  exec::OneLaneCode& code_;
  const llvm::Value* unknown_ = nullptr;
  llvm::DenseMap<const llvm::Instruction*, std::uint32_t> variables_; ///< columns, by access
  llvm::DenseSet<const llvm::Instruction*> done_;                     ///< make no step
  std::map<std::uint64_t, const std::uint64_t*> constants_;
  llvm::DenseMap<const llvm::Value*, LaneOperands> values_;
  // Of the block.
  llvm::DenseMap<const llvm::Instruction*, unsigned> order_;
  llvm::DenseMap<const llvm::Instruction*, unsigned> ends_; ///< positions of last uses
  llvm::DenseSet<const llvm::Instruction*> aliases_;        ///< loads without a copy
  std::vector<std::pair<unsigned, std::uint32_t>> in_use_;  ///< until when, column
  std::vector<std::uint32_t> free_;
};

} // namespace gantry::simt::lower
