// The image for NVIDIA's GPUs is PTX text, which the driver compiles for the GPU it finds.
//
// All inputs are bitcode (-foffload-lto), linked into one module. Between the steps that all GPUs
// have in common (gpu_module.h) stands what is NVIDIA's: names that PTX can write, the heap and the
// mathematics under CUDA's names, the device runtime's library, the architecture.
//
// Clang writes into each function the newest PTX version of the CUDA toolkit that it believes to
// have. A driver refuses PTX newer than itself, so that is taken out again, and the oldest
// version is chosen that has the architecture and what Clang and the device runtime may need.
#include "link/nvptx_target.h"

#include "base/mapped_file.h"
#include "link/fat_binary.h"
#include "link/gpu_module.h"
#include "link/installation.h"
#include "link/kernel_check.h"
#include "link/libdevice.h"
#include "link/lto.h"
#include "link/mathematics_names.h"
#include "link/private_atomics.h"
#include "link/sized_heap.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include <llvm/IR/AutoUpgrade.h>
#include <llvm/IR/Module.h>

namespace gantry::link {
namespace {

/// What the driver provides: PTX ISA and the CUDA C++ Programming Guide, "system calls".
constexpr auto kOfDriver =
    std::to_array<std::string_view>({"malloc", "free", "vprintf", "__assertfail"});

/// The oldest architecture with independent thread scheduling.
constexpr int kOldest = 70;

Status check_inputs(const DeviceGroup& group) {
  int number = 0;
  const std::string_view arch = group.arch;
  std::from_chars(arch.data() + arch.find('_') + 1, arch.data() + arch.size(), number);
  if (number < kOldest) {
    return fail("{} is too old: device code needs sm_{} or a newer architecture", group.name(),
                kOldest);
  }
  return check_bitcode(group);
}

/// The PTX version for architectures that older PTX has: 7.3 (CUDA 11.3), the first with stack
/// allocation at run time.
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

/// PTX allows no dots in names. LLVM renames internal symbols only; so Flang's locks of critical
/// constructs, which are common symbols, become internal: this module is the whole image.
void hide_names_with_dots(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.hasCommonLinkage() && variable.getName().contains('.')) {
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  }
}

/// From the compiler's module to what LLVM optimises: see the head of this file.
Status prepare(llvm::Module& module, const std::string& arch, unsigned level,
               const std::string& libdevice) {
  // Clang 19 says by metadata which functions are kernels.
  llvm::UpgradeNVVMAnnotations(module);
  prepare_program(module, level, llvm::CallingConv::PTX_Kernel);
  hide_names_with_dots(module);
  choose_heap(module);
  use_libdevice_names(module);
  if (!libdevice.empty()) {
    GANTRY_TRY(link_libdevice(module, libdevice, arch));
  }
  GANTRY_TRY(link_libraries(module, {nvptx_mathematics_library(), nvptx_device_library()}));
  choose_architecture(module, arch);
  constexpr unsigned kWarpSize = 32;
  specialize_runtime(module, kWarpSize);
  return {};
}

} // namespace

Result<LinkedImage> link_for_nvptx(const DeviceGroup& group, const DeviceLinkContext& context) {
  GANTRY_TRY(check_inputs(group));
  GANTRY_TRY(check_kernels(group));
  std::set<std::string> undefined;
  const CompiledBitcode compiled = GANTRY_TRY(
      compile_bitcode(group, context,
                      {.cpu = group.arch,
                       .feature = feature_for(group.arch),
                       .whole_image = true,
                       .assembly = true,
                       .before =
                           [&](llvm::Module& module, unsigned level) {
                             return prepare(module, group.arch, level, context.arguments.libdevice);
                           },
                       .after =
                           [&](llvm::Module& module) {
                             undefined = undefined_symbols(module, kOfDriver);
                             lower_private_atomics(module);
                             return check_entries(group, module);
                           }}));
  GANTRY_TRY(refuse_undefined(group, undefined, compiled));
  if (!context.arguments.ptxas.empty()) {
    auto container = GANTRY_TRY(make_fat_binary(compiled.files.front(), group.arch, context));
    return LinkedImage{.kind = format::ImageKind::kFatbinary,
                       .triple = group.triple,
                       .arch = group.arch,
                       .contents = std::move(container)};
  }
  const auto text = GANTRY_TRY(MappedFile::open(compiled.files.front()));
  const Bytes bytes = text.bytes();
  return LinkedImage{.kind = format::ImageKind::kPtx,
                     .triple = group.triple,
                     .arch = group.arch,
                     .contents = {bytes.begin(), bytes.end()}};
}

} // namespace gantry::link
