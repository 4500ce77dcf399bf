// What every GPU's image has in common on its way from the compiler's module, in which all objects
// are linked, to what LLVM is to optimise. What differs between vendors is in *_target.cpp.
#pragma once

#include "base/result.h"
#include "link/group.h"
#include "link/lto.h"

#include <filesystem>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <llvm/IR/CallingConv.h>

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// An error if an input is machine code: images for GPUs are linked as a whole.
[[nodiscard]] Status check_bitcode(const DeviceGroup& group);

/// Before the device runtime is linked in: LLVM's OpenMP optimisations, which see the whole program
/// here and one source in Clang, and what they lack (guarded_regions.h); kernels that construct and
/// destroy the program's variables, with the calling convention of the target's kernels; one way to
/// call parallel regions; inline functions of libraries that no device has.
void prepare_program(llvm::Module& module, unsigned level, llvm::CallingConv::ID of_kernels);

/// Links what the module needs of Gantry's own bitcode libraries into it, in their order.
[[nodiscard]] Status link_libraries(llvm::Module& module,
                                    std::initializer_list<std::filesystem::path> libraries);

/// With the device runtime in the module: inlines what it asks for, folds what is known of each
/// kernel (runtime_queries.h), and makes room for main threads.
void specialize_runtime(llvm::Module& module, unsigned warp_size);

/// What is used and not defined, other than what the device's driver has.
[[nodiscard]] std::set<std::string> undefined_symbols(const llvm::Module& module,
                                                      std::span<const std::string_view> of_driver);

/// An error that names the undefined symbols and who uses them, if there are some.
[[nodiscard]] Status refuse_undefined(const DeviceGroup& group,
                                      const std::set<std::string>& undefined,
                                      const CompiledBitcode& compiled);

/// An error if the module does not define what the host is going to ask for.
[[nodiscard]] Status check_entries(const DeviceGroup& group, const llvm::Module& module);

} // namespace gantry::link
