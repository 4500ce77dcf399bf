// What Flang's code needs that Clang's does not.
//
// Flang lowers the device code of every target as for a GPU: a kernel is what one thread of one
// team runs, it begins with __kmpc_target_init, regions start by __kmpc_parallel_60, and a loop is
// a function for one iteration that is handed to __kmpc_for_static_loop_4u and its like. For a CPU
// these functions come from Gantry's bitcode (src/device/cpu/flang), linked in before the optimiser
// runs, so that loops are inlined and vectorised.
//
// For NVIDIA's GPUs the driver of Flang 22 has no -foffload-lto: it has PTX assembled by ptxas, and
// device code that calls a runtime cannot be linked from that. So the compiler writes bitcode where
// it would write PTX, and Gantry's ptxas hands it on (src/cli/ptxas.cpp).
#pragma once

#include <llvm/IR/PassManager.h>

namespace llvm {
class raw_pwrite_stream;
} // namespace llvm

namespace gantry::pass {

/// Whether the module is device code that Flang has made.
[[nodiscard]] bool is_flangs_device_code(const llvm::Module& module);

/// Gives Flang's device code for CPUs the functions that it calls. Runs first.
struct FlangRegions : llvm::PassInfoMixin<FlangRegions> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// Puts the file's name into the source positions by which the runtime names constructs, because
/// Flang 22 writes "FIRModule" there for every file. Only with -g, which is where the name comes
/// from.
struct FlangPlaces : llvm::PassInfoMixin<FlangPlaces> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// Writes the module as bitcode if it is Flang's device code for a GPU. Returns whether it did.
bool write_flang_bitcode(llvm::Module& module, llvm::raw_pwrite_stream& output);

} // namespace gantry::pass
