// A run of instructions that work lane by lane, as a loop over blocks of lanes: between an
// instruction and the next one, values stay in the host's registers.
#pragma once

#include "simt/amdgcn/lower/block_functions.h"
#include "simt/amdgcn/lower/flow_graph.h"
#include "simt/amdgcn/lower/known_scalars.h"
#include "simt/amdgcn/lower/meanings.h"
#include "simt/amdgcn/lower/wave_memory.h"

#include <array>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <map>
#include <optional>
#include <vector>

namespace gantry::simt::amdgcn::lower {

class LaneRun {
public:
  /// Of code that `memory` is the wave of.
  LaneRun(WaveMemory& memory, unsigned lanes) : memory_(memory), lanes_(lanes) {}

  [[nodiscard]] bool empty() const { return operations_.empty(); }
  [[nodiscard]] std::size_t size() const { return operations_.size(); }

  /// Whether the instruction's scalar operands are what they seem: none is a mask that the run has
  /// made, but for the mask that it reads lane by lane.
  [[nodiscard]] bool takes(const Instruction& instruction, unsigned mask_size) const;
  /// Whether the run makes a mask that is, or is in part, one of the scalars.
  [[nodiscard]] bool makes_any(const ScalarSet& scalars) const;
  /// Adds an instruction, whose scalar operands are loaded where the builder is.
  void add(const CodePlace& code, const LaneFunction& function, const KnownScalars& known);
  /// Puts the loop where the builder is, which is behind it afterwards. What is not live is not
  /// stored.
  void emit(const Live& live);

private:
  struct Operand {
    enum class Kind : std::uint8_t { kNone, kRow, kValue };
    Kind kind = Kind::kNone;
    unsigned row = 0;
    llvm::Value* value = nullptr; ///< of 64 bits, the same in all lanes
    unsigned bits = 32;           ///< of the number
    bool is_float = false;
    bool negate = false, absolute = false;
  };
  struct Operation {
    const LaneFunction* function = nullptr;
    std::array<Operand, 3> operands;
    /// The mask that is read: one of an earlier operation, or a value.
    std::optional<unsigned> mask_of;
    llvm::Value* mask = nullptr;
    unsigned result = 0;
    unsigned rows = 0;               ///< of the result
    bool moves = false;              ///< one of the operands, and does nothing to it
    std::optional<unsigned> written; ///< scalar that the mask goes to
  };
  struct Body;

  [[nodiscard]] Operand operand_of(const Instruction& instruction, unsigned number,
                                   const KnownScalars& known);
  /// A constant of which LLVM knows nothing.
  [[nodiscard]] llvm::Value* opaque(std::uint64_t constant);
  /// A value of which LLVM knows nothing.
  [[nodiscard]] llvm::Value* made_opaque(llvm::Value* value);
  /// Puts a loop over a block's lanes that leaves its results in `places_`.
  void emit_lanes(llvm::Value* first, bool is_numeric, llvm::BasicBlock* behind);
  /// Likewise without a loop, by calls of exact operations.
  void emit_again(llvm::Value* first, llvm::BasicBlock* behind);
  void emit_operation(Body& body, unsigned number);
  void store_rows(llvm::Value* first, llvm::Value* active);

  WaveMemory& memory_;
  BlockFunctions blocks_;
  unsigned lanes_;
  std::vector<Operation> operations_;
  // While the run is emitted: rows and masks that are stored, the latter as numbers of operations.
  std::vector<unsigned> stored_rows_;
  std::vector<unsigned> stored_masks_;
  std::map<std::uint64_t, llvm::Value*> opaque_; ///< of the function
};

} // namespace gantry::simt::amdgcn::lower
