#include "link/sized_heap.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace gantry::link {
namespace {

/// What the driver's heap cannot do.
constexpr auto kSized = std::to_array<std::string_view>(
    {"realloc", "aligned_alloc", "posix_memalign", "malloc_usable_size"});
/// Functions that have to use the same heap, because programs pass blocks from one to another.
constexpr auto kOthers =
    std::to_array<std::string_view>({"malloc", "free", "calloc", "strdup", "strndup"});

bool is_used(const llvm::Module& module, std::string_view name) {
  const llvm::Function* const function = module.getFunction(name);
  return function != nullptr && function->isDeclaration() && !function->use_empty();
}

void rename(llvm::Module& module, std::string_view name) {
  if (is_used(module, name)) {
    module.getFunction(name)->setName("__gantry_sized_" + std::string(name));
  }
}

} // namespace

void choose_heap(llvm::Module& module) {
  if (std::ranges::any_of(kSized, [&](std::string_view name) { return is_used(module, name); })) {
    std::ranges::for_each(kSized, [&](std::string_view name) { rename(module, name); });
    std::ranges::for_each(kOthers, [&](std::string_view name) { rename(module, name); });
  }
}

} // namespace gantry::link
