// The analyses of LLVM's passes over code of a kernel.
#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/StandardInstrumentations.h>
#include <llvm/Target/TargetMachine.h>

namespace gantry::simt {

struct Analyses {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager groups;
  llvm::ModuleAnalysisManager modules;

  llvm::PassInstrumentationCallbacks callbacks;
  llvm::OptPassGateInstrumentation gate;

  Analyses(llvm::LLVMContext& context, llvm::TargetMachine& machine) : gate(context) {
    gate.registerCallbacks(callbacks);
    llvm::PassBuilder builder(&machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
    // Device code calls none of C's functions, and no pass may make it.
    llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
    library.disableAllFunctions();
    functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(groups);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, groups, modules);
  }
};

} // namespace gantry::simt
