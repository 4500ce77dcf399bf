#include "link/gpu_module.h"

#include "format/file_kind.h"
#include "link/distribute_loops.h"
#include "link/guarded_regions.h"
#include "link/image_check.h"
#include "link/installation.h"
#include "link/kernel_environment.h"
#include "link/lastprivate.h"
#include "link/parallel_regions.h"
#include "link/runtime_queries.h"
#include "link/team_shape.h"
#include "pass/library.h"
#include "pass/runtime_calls.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/OpenMPOpt.h>

namespace gantry::link {
namespace {

/// The functions of an array such as llvm.global_ctors, in the order of their priorities.
std::vector<llvm::Function*> functions_in_order(llvm::Module& module, llvm::StringRef array) {
  const llvm::GlobalVariable* const variable = module.getGlobalVariable(array);
  const auto* list = variable == nullptr || !variable->hasInitializer()
                         ? nullptr
                         : llvm::dyn_cast<llvm::ConstantArray>(variable->getInitializer());
  std::multimap<std::uint64_t, llvm::Function*> by_priority;
  if (list != nullptr) {
    for (const llvm::Use& element : list->operands()) {
      const auto* row = llvm::cast<llvm::ConstantStruct>(element.get());
      auto* function = llvm::dyn_cast<llvm::Function>(row->getOperand(1)->stripPointerCasts());
      if (function != nullptr) {
        by_priority.emplace(llvm::cast<llvm::ConstantInt>(row->getOperand(0))->getZExtValue(),
                            function);
      }
    }
  }
  std::vector<llvm::Function*> functions;
  for (const auto& [priority, function] : by_priority) {
    functions.push_back(function);
  }
  return functions;
}

/// A kernel of one thread that calls the functions, for the plugin to launch.
void make_kernel(llvm::Module& module, const char* name, llvm::CallingConv::ID convention,
                 const std::vector<llvm::Function*>& functions) {
  if (functions.empty()) {
    return;
  }
  llvm::LLVMContext& context = module.getContext();
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto* kernel = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  kernel->setCallingConv(convention);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", kernel));
  builder.CreateCall(module.getOrInsertFunction("__gantry_begin_alone", type));
  for (llvm::Function* function : functions) {
    builder.CreateCall(function);
  }
  builder.CreateRetVoid();
}

/// Makes two kernels of the constructors and destructors of variables (gantry/gpu_image.h), because
/// no loader runs them on the device.
void make_kernels_of_variables(llvm::Module& module, llvm::CallingConv::ID convention) {
  std::vector<llvm::Function*> last = functions_in_order(module, "llvm.global_dtors");
  std::ranges::reverse(last);
  make_kernel(module, "__gantry_construct", convention,
              functions_in_order(module, "llvm.global_ctors"));
  make_kernel(module, "__gantry_destroy", convention, last);
  for (const char* array : {"llvm.global_ctors", "llvm.global_dtors"}) {
    if (llvm::GlobalVariable* variable = module.getGlobalVariable(array)) {
      variable->eraseFromParent();
    }
  }
}

/// Runs a pass over a module.
template <typename Pass>
void run_pass(llvm::Module& module, Pass pass) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  pass.run(module, modules);
}

/// Runs LLVM's OpenMP optimisations (OpenMPOpt) on the program without the runtime, which they know
/// by name. On a large module that includes the runtime they do not terminate, and they mistake
/// reductions over the teams of generic kernels for reductions in one team. The module flags of
/// OpenMP go, so that LLVM's own pipeline does not run them again.
void optimize_openmp(llvm::Module& module, unsigned level) {
  if (level > 0) {
    run_pass(module, llvm::OpenMPOptPass(llvm::ThinOrFullLTOPhase::FullLTOPostLink));
  }
  llvm::SmallVector<llvm::Module::ModuleFlagEntry> flags;
  module.getModuleFlagsMetadata(flags);
  if (llvm::NamedMDNode* const metadata = module.getModuleFlagsMetadata()) {
    metadata->clearOperands();
  }
  for (const llvm::Module::ModuleFlagEntry& flag : flags) {
    if (!flag.Key->getString().starts_with("openmp")) {
      module.addModuleFlag(flag.Behavior, flag.Key->getString(), flag.Val);
    }
  }
}

/// What mentions an alias of a function mentions the function, so that no pass has to know of
/// aliases: nothing replaces a symbol of the whole program any more, not even a weak one.
void name_functions_themselves(llvm::Module& module) {
  for (llvm::GlobalAlias& alias : module.aliases()) {
    if (auto* const function = llvm::dyn_cast_or_null<llvm::Function>(alias.getAliaseeObject())) {
      alias.replaceAllUsesWith(function);
    }
  }
}

/// A function such as glibc's toupper or one of an `extern template` has a copy in a header, to be
/// inlined, and its definition in a library. A GPU has no such library, so the copy becomes the
/// definition.
void define_inline_functions(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.hasAvailableExternallyLinkage()) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  }
}

} // namespace

Status check_bitcode(const DeviceGroup& group) {
  for (const DeviceInput* input : group.inputs) {
    if (format::identify(input->contents) != format::FileKind::kBitcode) {
      return fail("'{}' has device code for {} that is not bitcode; compile it with -foffload-lto",
                  input->origin, group.name());
    }
  }
  return {};
}

void prepare_program(llvm::Module& module, unsigned level, llvm::CallingConv::ID of_kernels) {
  name_functions_themselves(module);
  open_distribute_loops(module);
  share_lastprivate_copies(module);
  optimize_openmp(module, level);
  wait_before_guarded_regions(module);
  mark_open_teams(module);
  make_kernels_of_variables(module, of_kernels);
  unify_parallel_regions(module);
  define_inline_functions(module);
}

Status link_libraries(llvm::Module& module,
                      std::initializer_list<std::filesystem::path> libraries) {
  for (const std::filesystem::path& library : libraries) {
    if (llvm::Error error = pass::link_library(module, library.string())) {
      return fail("{}; Gantry's installation at '{}' is not complete",
                  llvm::toString(std::move(error)), installation_root().string());
    }
  }
  return {};
}

void specialize_runtime(llvm::Module& module, unsigned warp_size) {
  const RuntimeAnswers answers(module);
  run_pass(module, llvm::AlwaysInlinerPass());
  answers.fold(module);
  make_room_for_main_threads(module, warp_size);
}

std::set<std::string> undefined_symbols(const llvm::Module& module,
                                        std::span<const std::string_view> of_driver) {
  std::set<std::string> undefined;
  for (const llvm::GlobalObject& symbol : module.global_objects()) {
    const auto* function = llvm::dyn_cast<llvm::Function>(&symbol);
    if (symbol.isDeclaration() && !symbol.use_empty() &&
        symbol.getAddressSpace() != pass::kSharedSpace && // memory that comes with a launch
        !(function != nullptr && function->isIntrinsic()) &&
        std::ranges::find(of_driver, std::string_view(symbol.getName())) == of_driver.end()) {
      undefined.insert(symbol.getName().str());
    }
  }
  return undefined;
}

Status refuse_undefined(const DeviceGroup& group, const std::set<std::string>& undefined,
                        const CompiledBitcode& compiled) {
  if (undefined.empty()) {
    return {};
  }
  std::string text;
  for (const std::string& symbol : undefined) {
    const auto users = compiled.references.find(symbol);
    text += fmt::format("\n  {} ({})", symbol,
                        users == compiled.references.end()
                            ? group.name()
                            : fmt::format("{}", fmt::join(users->second, ", ")));
  }
  return fail("device code for {} uses what nobody defines for it:{}", group.name(), text);
}

Status check_entries(const DeviceGroup& group, const llvm::Module& module) {
  std::unordered_set<std::string_view> defined;
  for (const llvm::GlobalObject& symbol : module.global_objects()) {
    if (!symbol.isDeclaration()) {
      defined.insert(symbol.getName());
    }
  }
  return check_entries(group, defined);
}

} // namespace gantry::link
