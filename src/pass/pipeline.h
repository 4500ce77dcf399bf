// Where the passes stand in LLVM's pipelines.
#pragma once

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace gantry::pass {

/// Adds the passes to every pipeline that `builder` makes, and their names to those that a textual
/// pipeline may have: gantry-entries, gantry-flang-places, gantry-flang-regions,
/// gantry-reductions, gantry-shared-arguments, gantry-virtual-calls,
/// gantry-virtual-calls-optimised, gantry-fold, gantry-indirect-calls.
void add_passes(llvm::PassBuilder& builder);

} // namespace gantry::pass
