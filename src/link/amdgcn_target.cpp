// The image for AMD's GPUs is a code object, a shared object of machine code for one processor
// (LLVM's "User Guide for AMDGPU Backend", "Code Object").
//
// All inputs are bitcode, linked into one module. Between the steps that all GPUs have in common
// (gpu_module.h) stands what is AMD's: the processor with its features, and what LLVM's code
// generator would end the process over. lld makes the code object of the one object that comes out.
#include "link/amdgcn_target.h"

#include "base/mapped_file.h"
#include "link/gpu_module.h"
#include "link/image_check.h"
#include "link/installation.h"
#include "link/kernel_check.h"
#include "link/lto.h"
#include "link/mathematics_names.h"
#include "link/merged_values.h"
#include "link/process.h"
#include "link/sized_heap.h"
#include "link/text.h"

#include <filesystem>
#include <set>

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/TargetParser.h>

namespace gantry::link {
namespace {

/// The generation of gfx900, the first with registers that say where shared memory is.
constexpr unsigned kOldest = 9;
/// Code objects whose kernels get their grid as arguments (machine_amdgcn.h), times 100.
constexpr std::uint64_t kOldestCodeObject = 500;

/// An architecture such as "gfx90a:sramecc+:xnack-" in LLVM's terms.
struct Processor {
  std::string name;
  std::string features; ///< "+sramecc,-xnack"
};

Result<Processor> read_processor(const DeviceGroup& group) {
  const llvm::StringRef arch = group.arch;
  llvm::SmallVector<llvm::StringRef> parts;
  arch.split(parts, ':');
  Processor processor{.name = parts.front().str()};
  if (llvm::AMDGPU::parseArchAMDGCN(parts.front()) == llvm::AMDGPU::GK_NONE) {
    return fail("'{}' is no processor of AMD's that LLVM {} knows", group.arch,
                GANTRY_LLVM_VERSION);
  }
  if (llvm::AMDGPU::getIsaVersion(parts.front()).Major < kOldest) {
    return fail("{} is too old: device code needs gfx900 or a newer processor", group.name());
  }
  for (const llvm::StringRef part : llvm::ArrayRef(parts).drop_front()) {
    const char sign = part.empty() ? '\0' : part.back();
    if (sign != '+' && sign != '-') {
      return fail("'{}' has a feature without + or - behind it: '{}'", group.arch, part.str());
    }
    processor.features +=
        fmt::format("{}{}{}", processor.features.empty() ? "" : ",", sign, part.drop_back().str());
  }
  return processor;
}

Status check_code_object_version(const llvm::Module& module) {
  const auto* const version = llvm::mdconst::extract_or_null<llvm::ConstantInt>(
      module.getModuleFlag("amdhsa_code_object_version"));
  if (version != nullptr && version->getZExtValue() < kOldestCodeObject) {
    return fail("the device code is compiled with -mcode-object-version={}; give 5 or 6",
                version->getZExtValue() / 100);
  }
  return {};
}

/// What the compiler wrote into the program's functions, which all are for one processor; it has
/// what options say beside the processor, the size of waves for one.
std::string features_of_program(const llvm::Module& module, const Processor& processor) {
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() && function.hasFnAttribute("target-features")) {
      return function.getFnAttribute("target-features").getValueAsString().str();
    }
  }
  return processor.features;
}

bool has_waves_of_32(std::string_view features) {
  return contains(features, "+wavefrontsize32");
}

void choose_processor(llvm::Module& module, const Processor& processor,
                      const std::string& features) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", processor.name);
      function.addFnAttr("target-features", features);
    }
  }
}

/// From the compiler's module to what LLVM optimises: see the head of this file.
Status prepare(llvm::Module& module, const Processor& processor, unsigned level) {
  GANTRY_TRY(check_code_object_version(module));
  const std::string features = features_of_program(module, processor);
  prepare_program(module, level, llvm::CallingConv::AMDGPU_KERNEL);
  choose_heap(module);
  use_libdevice_names(module);
  GANTRY_TRY(link_libraries(module, {amdgcn_mathematics_library(), amdgcn_device_library()}));
  choose_processor(module, processor, features);
  specialize_runtime(module, has_waves_of_32(features) ? 32 : 64);
  return {};
}

bool is_long_double(const llvm::Value& value) {
  const llvm::Type& type = *value.getType()->getScalarType();
  return type.isX86_FP80Ty() || type.isFP128Ty() || type.isPPC_FP128Ty();
}

/// A `long double` is what the host has for one, a type that LLVM has neither instructions nor
/// functions for on AMD's GPUs; comparing two of them would end the process.
Status check_types(const DeviceGroup& group, const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (is_long_double(instruction) ||
          llvm::any_of(instruction.operands(),
                       [](const llvm::Use& use) { return is_long_double(*use); })) {
        return fail("'{}' computes with long double, which device code for {} cannot; use double "
                    "there",
                    llvm::demangle(function.getName()), group.name());
      }
    }
  }
  return {};
}

Result<std::vector<std::string>> link_command(const DeviceGroup& group,
                                              const DeviceLinkContext& context,
                                              const std::vector<std::string>& objects,
                                              const std::filesystem::path& image) {
  const std::filesystem::path linker = preferred_device_linker();
  if (linker.empty()) {
    return fail("no linker for {} is there; install Debian's package lld-{}", group.triple,
                GANTRY_LLVM_VERSION);
  }
  std::vector<std::string> command = {linker.string(), "-m",         "elf64_amdgpu",
                                      "-shared",       "-Bsymbolic", "--no-undefined",
                                      "--gc-sections", "-o",         image.string()};
  command.insert(command.end(), objects.begin(), objects.end());
  for (const std::string& argument : arguments_for(context.arguments.device_linker, group.triple)) {
    // Clang asks for LLVM's device runtime; Gantry's is in the object.
    if (argument != "-lompdevice") {
      command.push_back(argument);
    }
  }
  return command;
}

} // namespace

Result<LinkedImage> link_for_amdgcn(const DeviceGroup& group, const DeviceLinkContext& context) {
  const Processor processor = GANTRY_TRY(read_processor(group));
  GANTRY_TRY(check_bitcode(group));
  GANTRY_TRY(check_kernels(group));
  std::set<std::string> undefined;
  const CompiledBitcode compiled = GANTRY_TRY(
      compile_bitcode(group, context,
                      {.cpu = processor.name,
                       .feature = processor.features,
                       .whole_image = true,
                       .before = [&](llvm::Module& module,
                                     unsigned level) { return prepare(module, processor, level); },
                       .after =
                           [&](llvm::Module& module) {
                             undefined = undefined_symbols(module, {});
                             hide_merged_values(module);
                             return check_types(group, module);
                           }}));
  GANTRY_TRY(refuse_undefined(group, undefined, compiled));
  const std::filesystem::path image = context.folder / "image.hsaco";
  const auto command = GANTRY_TRY(link_command(group, context, compiled.files, image));
  LinkedImage result{
      .kind = format::ImageKind::kObject, .triple = group.triple, .arch = group.arch};
  show_command(context.arguments, command);
  if (context.arguments.dry_run) {
    return result;
  }
  const ProcessResult linked = GANTRY_TRY(
      run_process(command, Capture::kDiagnostics, (context.folder / "arguments").string()));
  if (linked.exit_code != 0) {
    return fail("the code object for {} cannot be linked:{}", group.name(),
                continued(linked.captured));
  }
  const auto file = GANTRY_TRY(MappedFile::open(image));
  const Bytes bytes = file.bytes();
  result.contents = {bytes.begin(), bytes.end()};
  GANTRY_TRY(check_entries(group, result.contents));
  return result;
}

} // namespace gantry::link
