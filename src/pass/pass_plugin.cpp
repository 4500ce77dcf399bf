// The passes as a plugin that stock Clang, Flang, opt and LLVM's link-time optimiser load.
#include "pass/flang/device_code.h"
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
#if LLVM_VERSION_MAJOR >= 22
  info.PreCodeGenCallback = [](llvm::Module& module, llvm::TargetMachine& /*machine*/,
                               llvm::CodeGenFileType /*type*/, llvm::raw_pwrite_stream& output) {
    return gantry::pass::write_flang_bitcode(module, output);
  };
#endif
  return info;
}
