// The image for NVIDIA's GPUs is PTX text, which the driver compiles for the GPU it finds.
//
// All inputs are bitcode (-foffload-lto). They are linked into one module, of which only what the
// host may ask for by name stays visible: kernels, their environments and declare target variables
// are protected, Clang's helpers hidden. Then come, in this order: LLVM's OpenMP optimisations,
// which see the whole program; what they lack (guarded_regions.h), here and in Clang, which has run
// them over each source; the device runtime and the mathematics; what is known of each kernel alone
// (runtime_questions.h); LLVM's optimiser.
//
// Clang writes into each function the newest PTX version of the CUDA toolkit that it believes to
// have. A driver refuses PTX newer than itself, so that is taken out again, and the oldest
// version is chosen that has the architecture and what Clang and the device runtime may need.
#include "link/nvptx_target.h"

#include "base/mapped_file.h"
#include "format/file_kind.h"
#include "link/fat_binary.h"
#include "link/guarded_regions.h"
#include "link/image_check.h"
#include "link/installation.h"
#include "link/kernel_check.h"
#include "link/kernel_environment.h"
#include "link/libdevice.h"
#include "link/lto.h"
#include "link/mathematics_names.h"
#include "link/parallel_regions.h"
#include "link/runtime_questions.h"
#include "link/sized_heap.h"
#include "pass/library.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include <llvm/IR/AutoUpgrade.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/OpenMPOpt.h>

namespace gantry::link {
namespace {

constexpr unsigned kSharedSpace = 3;

/// What the driver provides: PTX ISA and the CUDA C++ Programming Guide, "system calls".
constexpr auto kOfDriver =
    std::to_array<std::string_view>({"malloc", "free", "vprintf", "__assertfail"});

/// The oldest architecture whose threads wait for each other one by one.
constexpr int kOldest = 70;

Status check_inputs(const DeviceGroup& group) {
  int number = 0;
  const std::string_view arch = group.arch;
  std::from_chars(arch.data() + arch.find('_') + 1, arch.data() + arch.size(), number);
  if (number < kOldest) {
    return fail("{} is too old: device code needs sm_{} or a newer architecture", group.name(),
                kOldest);
  }
  for (const DeviceInput* input : group.inputs) {
    if (format::identify(input->contents) != format::FileKind::kBitcode) {
      return fail("'{}' has device code for {} that is not bitcode; compile it with -foffload-lto",
                  input->origin, group.name());
    }
  }
  return {};
}

/// The PTX version for architectures that older ones have: the first that can allocate on the stack
/// at run time, of CUDA 11.3.
std::string feature_for(std::string_view arch) {
  constexpr auto kOld = std::to_array<std::string_view>(
      {"sm_70", "sm_72", "sm_75", "sm_80", "sm_86"}); // from PTX 6.0 to 7.1 on
  return std::ranges::find(kOld, arch) != kOld.end() ? "+ptx73" : "";
}

void choose_architecture(llvm::Module& module, const std::string& arch) {
  for (llvm::Function& function : module) {
    function.removeFnAttr("target-features");
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", arch);
      function.addFnAttr("target-features", feature_for(arch));
    }
  }
}

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
void make_kernel(llvm::Module& module, const char* name,
                 const std::vector<llvm::Function*>& functions) {
  if (functions.empty()) {
    return;
  }
  llvm::LLVMContext& context = module.getContext();
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto* kernel = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  kernel->setCallingConv(llvm::CallingConv::PTX_Kernel);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", kernel));
  builder.CreateCall(module.getOrInsertFunction("__gantry_begin_alone", type));
  for (llvm::Function* function : functions) {
    builder.CreateCall(function);
  }
  builder.CreateRetVoid();
}

/// Constructors and destructors of variables, which there is no loader for on the device, as two
/// kernels (src/plugins/cuda/image.cpp).
void make_kernels_of_variables(llvm::Module& module) {
  std::vector<llvm::Function*> last = functions_in_order(module, "llvm.global_dtors");
  std::ranges::reverse(last);
  make_kernel(module, "__gantry_construct", functions_in_order(module, "llvm.global_ctors"));
  make_kernel(module, "__gantry_destroy", last);
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

/// LLVM's OpenMP optimisations, of the program alone: of the runtime they know the names. Over a
/// module that has the runtime they do not come to an end if it is large, and take sums over the
/// teams of kernels that stay generic for those of single teams. So LLVM's own pipeline, which
/// would do it once more, is not to see that this is OpenMP.
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

/// Functions of which a library outside has the definition, and the header a copy to inline
/// (glibc's toupper, `extern template`). On a GPU there is no such library: the copy is the
/// definition.
void define_inline_functions(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.hasAvailableExternallyLinkage()) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  }
}

/// PTX has no dots in names. LLVM renames what only its module sees; Flang's locks of critical
/// constructs are common symbols, and this module is all there is of the image.
void hide_names_with_dots(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.hasCommonLinkage() && variable.getName().contains('.')) {
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  }
}

/// From what the compiler made to what LLVM is to optimise: see above.
Status prepare(llvm::Module& module, const std::string& arch, unsigned level,
               const std::string& libdevice) {
  // Clang 19 says by metadata which functions are kernels.
  llvm::UpgradeNVVMAnnotations(module);
  optimize_openmp(module, level);
  wait_before_guarded_regions(module);
  make_kernels_of_variables(module);
  unify_parallel_regions(module);
  define_inline_functions(module);
  hide_names_with_dots(module);
  choose_heap(module);
  use_libdevice_names(module);
  if (!libdevice.empty()) {
    GANTRY_TRY(link_libdevice(module, libdevice, arch));
  }
  for (const auto& library : {nvptx_mathematics_library(), nvptx_device_library()}) {
    if (llvm::Error error = pass::link_library(module, library.string())) {
      return fail("{}; Gantry's installation at '{}' is not complete",
                  llvm::toString(std::move(error)), installation_root().string());
    }
  }
  choose_architecture(module, arch);
  run_pass(module, llvm::AlwaysInlinerPass());
  answer_runtime_questions(module);
  make_room_for_main_threads(module);
  return {};
}

/// What is still used and nobody defines.
std::set<std::string> undefined_symbols(const llvm::Module& module) {
  std::set<std::string> undefined;
  for (const llvm::GlobalObject& symbol : module.global_objects()) {
    const auto* function = llvm::dyn_cast<llvm::Function>(&symbol);
    if (symbol.isDeclaration() && !symbol.use_empty() &&
        symbol.getAddressSpace() != kSharedSpace && // memory that comes with a launch
        !(function != nullptr && function->isIntrinsic()) &&
        std::ranges::find(kOfDriver, std::string_view(symbol.getName())) == kOfDriver.end()) {
      undefined.insert(symbol.getName().str());
    }
  }
  return undefined;
}

Status check_module(const llvm::Module& module, const DeviceGroup& group) {
  std::unordered_set<std::string_view> defined;
  for (const llvm::GlobalObject& symbol : module.global_objects()) {
    if (!symbol.isDeclaration()) {
      defined.insert(symbol.getName());
    }
  }
  return check_entries(group, defined);
}

} // namespace

Result<LinkedImage> link_for_nvptx(const DeviceGroup& group, const DeviceLinkContext& context) {
  GANTRY_TRY(check_inputs(group));
  GANTRY_TRY(check_kernels(group));
  std::set<std::string> undefined;
  const Result<CompiledBitcode> compiled =
      compile_bitcode(group, context,
                      {.cpu = group.arch,
                       .feature = feature_for(group.arch),
                       .whole_image = true,
                       .before =
                           [&](llvm::Module& module, unsigned level) {
                             return prepare(module, group.arch, level, context.arguments.libdevice);
                           },
                       .after =
                           [&](const llvm::Module& module) {
                             undefined = undefined_symbols(module);
                             return check_module(module, group);
                           }});
  if (!compiled) {
    return tl::unexpected(compiled.error());
  }
  if (!undefined.empty()) {
    std::string text;
    for (const std::string& symbol : undefined) {
      const auto users = compiled->references.find(symbol);
      text += fmt::format("\n  {} ({})", symbol,
                          users == compiled->references.end()
                              ? group.name()
                              : fmt::format("{}", fmt::join(users->second, ", ")));
    }
    return fail("device code for {} uses what nobody defines for it:{}", group.name(), text);
  }
  if (!context.arguments.ptxas.empty()) {
    auto container = GANTRY_TRY(make_fat_binary(compiled->files.front(), group.arch, context));
    return LinkedImage{.kind = format::ImageKind::kFatbinary,
                       .triple = group.triple,
                       .arch = group.arch,
                       .contents = std::move(container)};
  }
  const auto text = GANTRY_TRY(MappedFile::open(compiled->files.front()));
  const Bytes bytes = text.bytes();
  return LinkedImage{.kind = format::ImageKind::kPtx,
                     .triple = group.triple,
                     .arch = group.arch,
                     .contents = {bytes.begin(), bytes.end()}};
}

} // namespace gantry::link
