// Divergence analysis: which values of a function are uniform, affine or varying over the lanes of
// a warp, and which blocks lanes may execute apart.
//
// A uniform value needs one scalar register, an affine one (lane i has base + i * stride) as well,
// and an access to memory through an affine address is one vector load. Both statements are about
// the lanes that execute the instruction together; the base is that of lane 0 whether it is active
// or not.
//
// Where the block's rows are shorter than a warp (exec::row_width), lane i is at place i % width of
// row i / width, and an affine value is base + place * stride + row * row stride. Unlike the
// stride, the row stride is known only at run time, as in indices into a matrix.
//
// Widening an affine number (zext, sext) keeps it affine unless it wraps around between two lanes.
// That is not known at compile time: such values are `guarded`, and code tests, by a few scalar
// comparisons, whether the base may be used. So is what is affine in one case of a choice that all
// lanes make together, and a quotient or a remainder: lanes side by side are in one row of a matrix
// as a rule, so that the row's number is the same in all and the place in it affine.
#pragma once

#include "simt/exec/code/code.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>
#include <vector>

namespace gantry::simt::lower {

struct Shape {
  enum class Kind : unsigned char { kUnknown, kUniform, kAffine, kVarying };
  Kind kind = Kind::kUnknown;
  bool guarded = false;
  bool has_row_stride = false; ///< and a row stride
  std::int64_t stride = 0;

  /// Strides are below it, so that what all lanes add up to fits in 64 bits.
  static constexpr std::int64_t kMostStride = std::int64_t{1} << 56;

  [[nodiscard]] static Shape uniform() { return {Kind::kUniform, false, false, 0}; }
  [[nodiscard]] static Shape varying() { return {Kind::kVarying, false, false, 0}; }
  [[nodiscard]] static Shape affine(std::int64_t stride, bool guarded,
                                    bool has_row_stride = false) {
    if (stride == 0 && !has_row_stride && !guarded) {
      return uniform();
    }
    if (stride <= -kMostStride || stride >= kMostStride) {
      return varying();
    }
    return {Kind::kAffine, guarded, has_row_stride, stride};
  }
  [[nodiscard]] bool is_uniform() const { return kind == Kind::kUniform; }
  [[nodiscard]] bool is_affine() const { return kind == Kind::kAffine; }
  [[nodiscard]] bool is_varying() const { return kind == Kind::kVarying; }
  bool operator==(const Shape&) const = default;
};

/// The order in which the blocks of a function are laid out for a warp, and which are divergent.
///
/// The blocks of a loop follow each other, and every edge but those back to a loop's header leads
/// to a later block. A *divergent* block is one that some lanes of a call may execute while others
/// wait elsewhere: it lies between a branch that lanes take differently and the reconvergence
/// point. All lanes of a call execute the other blocks together, which jump as scalar code does.
class DivergenceAnalysis {
public:
  /// `local_addresses`: generic addresses may be of the lanes' own memory, so that lanes with the
  /// same address may see different things there.
  /// `one_lane`: the function runs for one lane at a time, for which everything is uniform.
  DivergenceAnalysis(llvm::Function& function, exec::Geometry geometry, bool local_addresses,
                     bool one_lane = false);

  [[nodiscard]] const std::vector<llvm::BasicBlock*>& order() const { return order_; }
  [[nodiscard]] unsigned position(const llvm::BasicBlock* block) const {
    return positions_.lookup(block);
  }
  [[nodiscard]] bool is_divergent(const llvm::BasicBlock* block) const {
    return divergent_.contains(block);
  }
  /// The block that control goes on to after a divergent one: the next of its region, or its exit.
  [[nodiscard]] llvm::BasicBlock* next(const llvm::BasicBlock* block) const {
    return next_.lookup(block);
  }
  /// Headers of the loops that end with the (divergent) block, inner ones first.
  [[nodiscard]] std::vector<llvm::BasicBlock*> loops_ending_at(llvm::BasicBlock* block) const;
  [[nodiscard]] Shape shape(const llvm::Value* value) const;
  [[nodiscard]] const llvm::LoopInfo& loops() const { return loops_; }

private:
  void make_order();
  void find_ways_out();
  void place_blocks(const llvm::Loop* loop, llvm::BasicBlock* header);
  void compute_shapes();
  [[nodiscard]] Shape compute(const llvm::Instruction& instruction) const;
  [[nodiscard]] Shape compute_operation(const llvm::CallInst& call) const;
  [[nodiscard]] bool find_divergent_joins();
  void find_regions();
  [[nodiscard]] std::vector<llvm::BasicBlock*> influence_of(llvm::BasicBlock* block,
                                                            llvm::BasicBlock* reconvergence) const;
  [[nodiscard]] llvm::BasicBlock* reconvergence_of(llvm::BasicBlock* block) const;
  [[nodiscard]] bool goes_round(llvm::BasicBlock* block, llvm::BasicBlock* reconvergence) const;
  [[nodiscard]] bool branches_apart(const llvm::BasicBlock* block) const;

  llvm::Function& function_;
  const exec::Geometry geometry_;
  const bool local_addresses_;
  const bool one_lane_;
  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree post_dominators_;
  llvm::LoopInfo loops_;
  llvm::BasicBlock* return_ = nullptr;
  llvm::DenseSet<const llvm::BasicBlock*>
      returning_; ///< blocks that the return can be reached from
  std::vector<llvm::BasicBlock*> order_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> positions_;
  llvm::DenseMap<const llvm::Value*, Shape> shapes_;
  llvm::DenseSet<const llvm::BasicBlock*> divergent_joins_;
  llvm::DenseSet<const llvm::BasicBlock*> divergent_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> next_;
};

} // namespace gantry::simt::lower
