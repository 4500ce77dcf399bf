// The blocks of the code that is compiled, and which registers are live behind each instruction.
#pragma once

#include "simt/amdgcn/lower/effects.h"

#include <cstddef>
#include <map>
#include <vector>

namespace gantry::simt::amdgcn::lower {

/// What later instructions may read.
struct Live {
  VectorSet active;   ///< in the lanes that are active here
  VectorSet inactive; ///< in the others
  ScalarSet scalars;

  Live& operator|=(const Live& other) {
    active |= other.active;
    inactive |= other.inactive;
    scalars |= other.scalars;
    return *this;
  }
  bool operator==(const Live&) const = default;
  [[nodiscard]] static Live all();
};

/// Instructions that are run one behind the other.
struct Block {
  std::size_t first = 0, end = 0; ///< numbers of code places
  bool is_entry = false;          ///< a wave may be taken up here
  /// Where the wave may go on within the code. What is not in it is not here.
  std::vector<std::size_t> next;
  bool may_leave = false; ///< to code that is not compiled
};

class FlowGraph {
public:
  /// `by_lanes` as of effects_of(), for each of the request's instructions.
  FlowGraph(const CompileRequest& request, const std::vector<bool>& by_lanes);

  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  /// The block that begins at the place; blocks().size() if none does.
  [[nodiscard]] std::size_t block_at(const Instruction* place) const;
  [[nodiscard]] const Effects& effects(std::size_t number) const { return effects_[number]; }
  /// What is live behind an instruction.
  [[nodiscard]] const Live& behind(std::size_t number) const { return behind_[number]; }

private:
  void find_blocks();
  void find_live();

  const CompileRequest& request_;
  std::map<const Instruction*, std::size_t> numbers_;
  std::map<const Instruction*, std::size_t> by_place_;
  std::vector<Block> blocks_;
  std::vector<Effects> effects_;
  std::vector<Live> behind_;
};

/// Where a branch goes.
[[nodiscard]] inline const Instruction* target_of(const Instruction& branch) {
  return &branch + branch.offset / 4;
}
/// Of control that a wave may be left at: others may run before it goes on.
[[nodiscard]] bool may_be_left(const CodePlace& code);

} // namespace gantry::simt::amdgcn::lower
