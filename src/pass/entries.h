// Offload entries of indirect functions and virtual tables.
//
// The Clang plugin (clang/) names them in a marker variable, one line each; this pass makes of them
// what the linker wrapper and the runtime understand:
//
//   on the host    an entry of the kind that Clang uses: flag 0x8 and the function's address, or
//   flag
//                  0x20 and the virtual table's;
//   on the device  a constant of the entry's name with the address of the device's function or
//   table.
//
// What a module does not define has no entry in it: the module that defines it has.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gantry::pass {

/// The marker: a constant string of lines `KIND SYMBOL ENTRY`. The pass takes it out of the module.
/// A C++ compiler may put something in front of its name.
inline constexpr char kMarker[] = "__gantry_indirect";

inline constexpr char kMarkedFunction = 'F';
inline constexpr char kMarkedTable = 'T';
/// A virtual member that is not for devices: it has no entry, and in the device's virtual tables
/// another function, which says so when it is called, stands in its place.
inline constexpr char kMarkedHostMember = 'X';

struct Entries : llvm::PassInfoMixin<Entries> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace gantry::pass
