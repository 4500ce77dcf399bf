#include "link/mathematics_names.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
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
    {llvm::Intrinsic::ldexp, "ldexp"},
    {llvm::Intrinsic::llrint, "llrint"},
    {llvm::Intrinsic::llround, "llround"},
    {llvm::Intrinsic::log, "log"},
    {llvm::Intrinsic::log10, "log10"},
    {llvm::Intrinsic::log2, "log2"},
    {llvm::Intrinsic::lrint, "llrint"}, // a long is a long long
    {llvm::Intrinsic::lround, "llround"},
    {llvm::Intrinsic::pow, "pow"},
    {llvm::Intrinsic::powi, "powi"},
    {llvm::Intrinsic::sin, "sin"},
    {llvm::Intrinsic::sinh, "sinh"},
    {llvm::Intrinsic::tan, "tan"},
    {llvm::Intrinsic::tanh, "tanh"},
});

/// C's functions of double; those of float have an f behind their names.
constexpr auto kOfC = std::to_array<std::string_view>({
    "acos",      "acosh",  "asin",   "asinh", "atan",   "atan2",  "atanh",     "cbrt",      "ceil",
    "copysign",  "cos",    "cosh",   "erf",   "erfc",   "exp",    "exp10",     "exp2",      "expm1",
    "fabs",      "fdim",   "floor",  "fma",   "fmax",   "fmin",   "fmod",      "frexp",     "hypot",
    "ilogb",     "j0",     "j1",     "jn",    "ldexp",  "lgamma", "llrint",    "llround",   "log",
    "log10",     "log1p",  "log2",   "logb",  "modf",   "nan",    "nearbyint", "nextafter", "pow",
    "remainder", "remquo", "rint",   "round", "scalbn", "sin",    "sincos",    "sinh",      "sqrt",
    "tan",       "tanh",   "tgamma", "trunc", "y0",     "y1",     "yn",
});

bool is_of_c(std::string_view name) {
  const auto known = [](std::string_view word) {
    return std::ranges::find(kOfC, word) != kOfC.end();
  };
  return known(name) || (name.ends_with('f') && known(name.substr(0, name.size() - 1)));
}

std::string name_for(std::string_view name, const llvm::Type* type) {
  return fmt::format("__nv_{}{}", name, type->isFloatTy() ? "f" : "");
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
  if (function.arg_size() == 0) {
    return std::nullopt;
  }
  const llvm::Type* const result = function.getReturnType();
  const llvm::Type* const type = function.getArg(0)->getType();
  const auto* const known = std::ranges::find(kIntrinsics, function.getIntrinsicID(),
                                              &std::pair<ID, std::string_view>::first);
  if (known == kIntrinsics.end() || (!type->isDoubleTy() && !type->isFloatTy()) ||
      (result != type && !result->isIntegerTy(64))) {
    return std::nullopt;
  }
  return name_for(known->second, type);
}

/// Intrinsic functions with two results: libdevice's take pointers to one or both. Those that
/// `first_by_pointer` is true of return nothing.
struct TwoResults {
  ID intrinsic;
  std::string_view name;
  bool first_by_pointer;
};
constexpr auto kTwoResults = std::to_array<TwoResults>({
    {llvm::Intrinsic::frexp, "frexp", false},
    {llvm::Intrinsic::modf, "modf", false},
    {llvm::Intrinsic::sincos, "sincos", true},
});

void call_with_pointers(llvm::CallInst& call, const TwoResults& known) {
  auto* const type = llvm::cast<llvm::StructType>(call.getType());
  llvm::Module& module = *call.getModule();
  llvm::BasicBlock& entry = call.getFunction()->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.getFirstInsertionPt());
  llvm::IRBuilder<> builder(&call);
  auto* const pointer = builder.getPtrTy();
  const auto variable = [&](unsigned index) {
    auto* const place = at_entry.CreateAlloca(type->getElementType(index));
    return at_entry.CreateAddrSpaceCast(place, pointer);
  };
  std::vector<llvm::Value*> arguments = {call.getArgOperand(0)};
  if (known.first_by_pointer) {
    arguments.push_back(variable(0));
  }
  arguments.push_back(variable(1));
  std::vector<llvm::Type*> types;
  for (const llvm::Value* argument : arguments) {
    types.push_back(argument->getType());
  }
  llvm::Type* const returned =
      known.first_by_pointer ? builder.getVoidTy() : type->getElementType(0);
  llvm::Value* const result = builder.CreateCall(
      module.getOrInsertFunction(name_for(known.name, types.front()),
                                 llvm::FunctionType::get(returned, types, false)),
      arguments);
  llvm::Value* const first =
      known.first_by_pointer ? builder.CreateLoad(type->getElementType(0), arguments[1]) : result;
  llvm::Value* const second = builder.CreateLoad(type->getElementType(1), arguments.back());
  llvm::Value* both = builder.CreateInsertValue(llvm::PoisonValue::get(type), first, 0);
  both = builder.CreateInsertValue(both, second, 1);
  call.replaceAllUsesWith(both);
  call.eraseFromParent();
}

bool is_real(const llvm::Type* type) {
  return type->isFloatTy() || type->isDoubleTy();
}

/// The library function for an instruction that the code generator does not lower well or at all:
/// remainders, because its own, x - trunc(x / y) y, lose all precision to rounding, and conversions
/// of 128-bit integers. Empty for all others.
std::string function_for(const llvm::Instruction& instruction) {
  const llvm::Type* const to = instruction.getType();
  if (instruction.getOpcode() == llvm::Instruction::FRem) {
    return is_real(to) ? name_for("fmod", to) : "";
  }
  if (!llvm::isa<llvm::CastInst>(instruction)) {
    return {};
  }
  const llvm::Type* const from = instruction.getOperand(0)->getType();
  const bool is_wide = is_real(to) ? from->isIntegerTy(128) : is_real(from) && to->isIntegerTy(128);
  const char letter = (is_real(to) ? to : from)->isFloatTy() ? 's' : 'd';
  if (!is_wide) {
    return {};
  }
  switch (instruction.getOpcode()) {
  case llvm::Instruction::SIToFP:
    return fmt::format("__floatti{}f", letter);
  case llvm::Instruction::UIToFP:
    return fmt::format("__floatunti{}f", letter);
  case llvm::Instruction::FPToSI:
    return fmt::format("__fix{}fti", letter);
  case llvm::Instruction::FPToUI:
    return fmt::format("__fixuns{}fti", letter);
  default:
    return {};
  }
}

void call_instead(llvm::Instruction& instruction, const std::string& name) {
  llvm::IRBuilder<> builder(&instruction);
  const llvm::SmallVector<llvm::Value*> operands(instruction.operand_values());
  llvm::SmallVector<llvm::Type*> types;
  for (const llvm::Value* operand : operands) {
    types.push_back(operand->getType());
  }
  auto* const type = llvm::FunctionType::get(instruction.getType(), types, false);
  instruction.replaceAllUsesWith(
      builder.CreateCall(instruction.getModule()->getOrInsertFunction(name, type), operands));
  instruction.eraseFromParent();
}

/// Whether a call rounds to an integer that is not C's long: Flang's nint() has one of its own
/// kind.
bool rounds_to_other_integer(const llvm::IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::llrint:
  case llvm::Intrinsic::llround:
  case llvm::Intrinsic::lrint:
  case llvm::Intrinsic::lround:
    return !call.getType()->isIntegerTy(64) && is_real(call.getArgOperand(0)->getType());
  default:
    return false;
  }
}

void round_to_long(llvm::IntrinsicInst& call) {
  llvm::IRBuilder<> builder(&call);
  llvm::Value* const argument = call.getArgOperand(0);
  llvm::Value* const rounded = builder.CreateIntrinsic(
      call.getIntrinsicID(), {builder.getInt64Ty(), argument->getType()}, {argument});
  call.replaceAllUsesWith(builder.CreateSExtOrTrunc(rounded, call.getType()));
  call.eraseFromParent();
}

void expand_calls(llvm::Module& module) {
  std::vector<std::pair<llvm::CallInst*, const TwoResults*>> calls;
  std::vector<llvm::IntrinsicInst*> roundings;
  std::vector<std::pair<llvm::Instruction*, std::string>> others;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
        const auto* known =
            std::ranges::find(kTwoResults, call->getIntrinsicID(), &TwoResults::intrinsic);
        if (known != kTwoResults.end() && is_real(call->getArgOperand(0)->getType())) {
          calls.emplace_back(call, known);
        } else if (rounds_to_other_integer(*call)) {
          roundings.push_back(call);
        }
      } else if (std::string name = function_for(instruction); !name.empty()) {
        others.emplace_back(&instruction, std::move(name));
      }
    }
  }
  for (const auto& [call, known] : calls) {
    call_with_pointers(*call, *known);
  }
  for (llvm::IntrinsicInst* call : roundings) {
    round_to_long(*call);
  }
  for (const auto& [instruction, name] : others) {
    call_instead(*instruction, name);
  }
}

} // namespace

void use_libdevice_names(llvm::Module& module) {
  expand_calls(module);
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
