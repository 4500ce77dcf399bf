// Works around llvm/llvm-project#183792 (StructurizeCFG, LLVM 22: values of one branch that get
// into others); remove it when LLVM has that correction.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// Before AMD's code is generated, StructurizeCFG makes branches into nested ones. A value that
/// costs no instruction, such as a widened integer, and that a branch computes only for the phi
/// behind it, LLVM 22 computes before the branch, and then takes it for the phi's value of other
/// branches, or theirs for it. Hides such values from it, in the whole module, by means that are
/// gone when instructions are selected. To be called when the module is optimised.
void hide_merged_values(llvm::Module& module);

} // namespace gantry::link
