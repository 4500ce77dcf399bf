// The passes as a plugin that stock Clang, opt and LLVM's link-time optimiser load.
#include "pass/pipeline.h"

#include <llvm/Config/llvm-config.h>
#if LLVM_VERSION_MAJOR >= 22
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  llvm::PassPluginLibraryInfo info{};
  info.APIVersion = LLVM_PLUGIN_API_VERSION;
  info.PluginName = "gantry";
  info.PluginVersion = GANTRY_VERSION;
  info.RegisterPassBuilderCallbacks = gantry::pass::add_passes;
  return info;
}
