// The address space of local variables: on AMD's GPUs they have one of their own. Flang's code uses
// a variable by its address there and by its generic one, and hands both on to regions.
#pragma once

namespace llvm {
class Module;
}

namespace gantry::pass {

/// Moves local variables, and whatever holds their addresses, to the generic address space, as on
/// NVIDIA's GPUs. No target has such variables; move_variables_back() undoes it.
void move_variables_to_generic(llvm::Module& module);

/// Moves local variables, new ones too, to where the target has them; they are used by their
/// generic addresses.
void move_variables_back(llvm::Module& module);

} // namespace gantry::pass
