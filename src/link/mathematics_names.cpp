#include "link/mathematics_names.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

namespace gantry::link {
namespace {

using llvm::Intrinsic::ID;

/// Those that the code generator has no instructions for.
constexpr auto kIntrinsics = std::to_array<std::pair<ID, std::string_view>>({
    {llvm::Intrinsic::acos, "acos"},
    {llvm::Intrinsic::asin, "asin"},
    {llvm::Intrinsic::atan, "atan"},
    {llvm::Intrinsic::atan2, "atan2"},
    {llvm::Intrinsic::cos, "cos"},
    {llvm::Intrinsic::cosh, "cosh"},
    {llvm::Intrinsic::exp, "exp"},
    {llvm::Intrinsic::exp10, "exp10"},
    {llvm::Intrinsic::exp2, "exp2"},
    {llvm::Intrinsic::log, "log"},
    {llvm::Intrinsic::log10, "log10"},
    {llvm::Intrinsic::log2, "log2"},
    {llvm::Intrinsic::pow, "pow"},
    {llvm::Intrinsic::sin, "sin"},
    {llvm::Intrinsic::sinh, "sinh"},
    {llvm::Intrinsic::tan, "tan"},
    {llvm::Intrinsic::tanh, "tanh"},
});

/// C's functions of double; those of float have an f behind their names.
constexpr auto kOfC = std::to_array<std::string_view>({
    "acos",   "acosh",     "asin",      "asinh", "atan",      "atan2",  "atanh", "cbrt",
    "ceil",   "copysign",  "cos",       "cosh",  "erf",       "erfc",   "exp",   "exp10",
    "exp2",   "expm1",     "fabs",      "fdim",  "floor",     "fma",    "fmax",  "fmin",
    "fmod",   "frexp",     "hypot",     "ilogb", "j0",        "j1",     "jn",    "ldexp",
    "lgamma", "llrint",    "llround",   "log",   "log10",     "log1p",  "log2",  "logb",
    "modf",   "nearbyint", "nextafter", "pow",   "remainder", "remquo", "rint",  "round",
    "scalbn", "sin",       "sincos",    "sinh",  "sqrt",      "tan",    "tanh",  "tgamma",
    "trunc",  "y0",        "y1",        "yn",
});

bool is_of_c(std::string_view name) {
  const auto known = [](std::string_view word) {
    return std::ranges::find(kOfC, word) != kOfC.end();
  };
  return known(name) || (name.ends_with('f') && known(name.substr(0, name.size() - 1)));
}

/// The name in libdevice of what a declaration stands for.
std::optional<std::string> libdevice_name(const llvm::Function& function) {
  if (!function.isDeclaration()) {
    return std::nullopt;
  }
  if (!function.isIntrinsic()) {
    const std::string_view name = function.getName();
    return is_of_c(name) ? std::optional("__nv_" + std::string(name)) : std::nullopt;
  }
  const llvm::Type* const type = function.getReturnType();
  const auto* const known = std::ranges::find(kIntrinsics, function.getIntrinsicID(),
                                              &std::pair<ID, std::string_view>::first);
  if (known == kIntrinsics.end() || (!type->isDoubleTy() && !type->isFloatTy())) {
    return std::nullopt;
  }
  return "__nv_" + std::string(known->second) + (type->isFloatTy() ? "f" : "");
}

} // namespace

void use_libdevice_names(llvm::Module& module) {
  std::vector<std::pair<llvm::Function*, std::string>> renamed;
  for (llvm::Function& function : module) {
    if (auto name = libdevice_name(function)) {
      renamed.emplace_back(&function, *std::move(name));
    }
  }
  for (const auto& [function, name] : renamed) {
    llvm::FunctionCallee target = module.getOrInsertFunction(name, function->getFunctionType());
    function->replaceAllUsesWith(target.getCallee());
    function->eraseFromParent();
  }
}

} // namespace gantry::link
