#include "pass/pipeline.h"

#include "pass/copyprivate.h"
#include "pass/entries.h"
#include "pass/flang/critical.h"
#include "pass/flang/device_code.h"
#include "pass/flang/sharing.h"
#include "pass/indirect_calls.h"
#include "pass/reductions.h"
#include "pass/shared_arguments.h"
#include "pass/virtual_calls.h"

#include <llvm/Passes/PassBuilder.h>

namespace gantry::pass {

namespace {

void add_indirect_calls(llvm::ModulePassManager& passes, IndirectCalls::Place place) {
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(IndirectCalls(place)));
}

} // namespace

void add_passes(llvm::PassBuilder& builder) {
  using llvm::FunctionPassManager;
  using llvm::ModulePassManager;
  using llvm::OptimizationLevel;
  builder.registerPipelineStartEPCallback(
      [](ModulePassManager& passes, OptimizationLevel /*level*/) {
        passes.addPass(FlangPlaces());
        passes.addPass(FlangRegions());
        passes.addPass(FlangSharing());
        passes.addPass(FlangCritical());
        passes.addPass(SharedArguments());
        passes.addPass(Entries());
        passes.addPass(CopyPrivate());
        passes.addPass(Reductions());
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(VirtualCalls()));
      });
  builder.registerPeepholeEPCallback([](FunctionPassManager& passes, OptimizationLevel /*level*/) {
    passes.addPass(FoldTranslations());
  });
#if LLVM_VERSION_MAJOR >= 20
  builder.registerOptimizerLastEPCallback(
      [](ModulePassManager& passes, OptimizationLevel /*level*/, llvm::ThinOrFullLTOPhase phase) {
        const bool more_to_come = phase == llvm::ThinOrFullLTOPhase::FullLTOPreLink ||
                                  phase == llvm::ThinOrFullLTOPhase::ThinLTOPreLink;
        add_indirect_calls(passes, more_to_come ? IndirectCalls::Place::kBeforeLink
                                                : IndirectCalls::Place::kLast);
      });
#else
  builder.registerOptimizerLastEPCallback(
      [](ModulePassManager& passes, OptimizationLevel /*level*/) {
        // LLVM 19 does not say whether a link follows; code for GPUs is always linked as bitcode.
        add_indirect_calls(passes, IndirectCalls::Place::kBeforeLink);
        add_indirect_calls(passes, IndirectCalls::Place::kLast);
      });
#endif
  builder.registerFullLinkTimeOptimizationEarlyEPCallback(
      [](ModulePassManager& passes, OptimizationLevel /*level*/) {
        passes.addPass(
            llvm::createModuleToFunctionPassAdaptor(VirtualCalls(VirtualCalls::Code::kOptimised)));
      });
  builder.registerFullLinkTimeOptimizationLastEPCallback(
      [](ModulePassManager& passes, OptimizationLevel /*level*/) {
        add_indirect_calls(passes, IndirectCalls::Place::kLast);
      });

  builder.registerPipelineParsingCallback(
      [](llvm::StringRef name, ModulePassManager& passes, auto /*elements*/) {
        if (name == "gantry-entries") {
          passes.addPass(Entries());
        } else if (name == "gantry-flang-places") {
          passes.addPass(FlangPlaces());
        } else if (name == "gantry-flang-regions") {
          passes.addPass(FlangRegions());
        } else if (name == "gantry-flang-sharing") {
          passes.addPass(FlangSharing());
        } else if (name == "gantry-flang-critical") {
          passes.addPass(FlangCritical());
        } else if (name == "gantry-shared-arguments") {
          passes.addPass(SharedArguments());
        } else if (name == "gantry-reductions") {
          passes.addPass(Reductions());
        } else {
          return false;
        }
        return true;
      });
  builder.registerPipelineParsingCallback(
      [](llvm::StringRef name, FunctionPassManager& passes, auto /*elements*/) {
        if (name == "gantry-virtual-calls") {
          passes.addPass(VirtualCalls());
        } else if (name == "gantry-virtual-calls-optimised") {
          passes.addPass(VirtualCalls(VirtualCalls::Code::kOptimised));
        } else if (name == "gantry-fold") {
          passes.addPass(FoldTranslations());
        } else if (name == "gantry-indirect-calls") {
          passes.addPass(IndirectCalls(IndirectCalls::Place::kLast));
        } else {
          return false;
        }
        return true;
      });
}

} // namespace gantry::pass
