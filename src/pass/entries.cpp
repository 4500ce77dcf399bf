#include "pass/entries.h"

#include "pass/translation.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Frontend/Offloading/Utility.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace gantry::pass {

namespace {

constexpr std::uint32_t kIndirectFunction = 0x8;
constexpr std::uint32_t kIndirectTable = 0x20;
/// In the device library: says that a virtual member is not for devices, and ends the program.
constexpr char kNotOnDevice[] = "__gantry_virtual_member_not_on_device";
/// What the names of virtual tables begin with, those of objects under construction included.
constexpr llvm::StringRef kTablePrefixes[] = {"_ZTV", "_ZTC"};

struct Line {
  char kind;
  llvm::StringRef symbol;
  llvm::StringRef entry;
};

llvm::SmallVector<Line> lines_of(const llvm::GlobalVariable& marker) {
  llvm::SmallVector<Line> lines;
  const auto* text = llvm::dyn_cast<llvm::ConstantDataArray>(marker.getInitializer());
  if (text == nullptr || !text->isString()) {
    return lines;
  }
  llvm::StringRef rest = text->getAsString().rtrim('\0');
  while (!rest.empty()) {
    const auto [line, after] = rest.split('\n');
    const auto [kind, names] = line.split(' ');
    const auto [symbol, entry] = names.split(' ');
    if (kind.size() == 1) {
      lines.push_back({kind.front(), symbol, entry});
    }
    rest = after;
  }
  return lines;
}

void make_host_entry(llvm::Module& module, llvm::GlobalValue& address, llvm::StringRef name,
                     std::uint64_t size, std::uint32_t flags) {
#if LLVM_VERSION_MAJOR >= 20
  llvm::offloading::emitOffloadingEntry(module, llvm::object::OFK_OpenMP, &address, name, size,
                                        flags, 0);
#else
  llvm::offloading::emitOffloadingEntry(
      module, &address, name, size, static_cast<std::int32_t>(flags), 0, "omp_offloading_entries");
#endif
}

/// Of a function that several modules may define, as of an inline function, each has this constant.
void make_device_constant(llvm::Module& module, llvm::GlobalValue& address, llvm::StringRef name) {
  if (module.getNamedValue(name) != nullptr) {
    return;
  }
  const auto linkage = address.hasLocalLinkage() ? llvm::GlobalValue::ExternalLinkage
                                                 : llvm::GlobalValue::WeakODRLinkage;
  auto* constant =
      new llvm::GlobalVariable(module, address.getType(), true, linkage, &address, name);
  constant->setVisibility(llvm::GlobalValue::ProtectedVisibility);
}

void make_entry(llvm::Module& module, const Line& line) {
  llvm::GlobalValue* symbol = module.getNamedValue(line.symbol);
  if (symbol == nullptr || symbol->isDeclaration() || symbol->hasAvailableExternallyLinkage()) {
    return;
  }
  if (is_device_module(module)) {
    make_device_constant(module, *symbol, line.entry);
  } else if (line.kind == kMarkedFunction) {
    make_host_entry(module, *symbol, line.entry, sizeof(void*), kIndirectFunction);
  } else {
    const std::uint64_t size = module.getDataLayout().getTypeAllocSize(symbol->getValueType());
    make_host_entry(module, *symbol, line.entry, size, kIndirectTable);
  }
}

bool is_table(const llvm::Value& value) {
  return llvm::any_of(kTablePrefixes,
                      [&](llvm::StringRef prefix) { return value.getName().starts_with(prefix); });
}

using Replacements = llvm::DenseMap<llvm::Constant*, llvm::Constant*>;

llvm::Constant* replaced(llvm::Constant* constant, const Replacements& replacements) {
  if (llvm::Constant* replacement = replacements.lookup(constant)) {
    return replacement;
  }
  auto* aggregate = llvm::dyn_cast<llvm::ConstantAggregate>(constant);
  if (aggregate == nullptr) {
    return constant;
  }
  llvm::SmallVector<llvm::Constant*> operands;
  for (const llvm::Use& operand : aggregate->operands()) {
    operands.push_back(replaced(llvm::cast<llvm::Constant>(operand.get()), replacements));
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(constant->getType())) {
    return llvm::ConstantArray::get(array, operands);
  }
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(constant->getType())) {
    return llvm::ConstantStruct::get(structure, operands);
  }
  return constant;
}

/// Takes the virtual members that are not for devices out of the device's tables, and with them
/// what was emitted for the tables alone.
void leave_on_host(llvm::Module& module, llvm::ModuleAnalysisManager& analyses,
                   llvm::ArrayRef<Line> lines) {
  Replacements replacements;
  for (const Line& line : lines) {
    llvm::GlobalValue* member =
        line.kind == kMarkedHostMember ? module.getNamedValue(line.symbol) : nullptr;
    if (member != nullptr) {
      auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), false);
      replacements[member] =
          llvm::cast<llvm::Constant>(module.getOrInsertFunction(kNotOnDevice, type).getCallee());
    }
  }
  if (replacements.empty()) {
    return;
  }
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (is_table(variable) && variable.hasInitializer()) {
      variable.setInitializer(replaced(variable.getInitializer(), replacements));
    }
  }
  // Clang makes one destructor an alias of another one that it does not define for a device.
  for (llvm::GlobalAlias& alias : llvm::make_early_inc_range(module.aliases())) {
    const llvm::GlobalObject* target = alias.getAliaseeObject();
    if (replacements.contains(&alias) && target != nullptr && target->isDeclaration()) {
      alias.replaceAllUsesWith(replacements.lookup(&alias));
      alias.eraseFromParent();
    }
  }
  llvm::GlobalDCEPass().run(module, analyses);
}

/// Clang 22 makes such a constant itself for the classes of mapped objects, and lets no other
/// module have it: then two that include one header with a target construct cannot be linked.
void share_constants(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.hasExternalLinkage() && variable.getName().starts_with("__omp_offloading_") &&
        variable.hasInitializer() && is_table(*variable.getInitializer())) {
      variable.setLinkage(llvm::GlobalValue::WeakODRLinkage);
    }
  }
}

llvm::GlobalVariable* find_marker(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.getName().ends_with(kMarker) && variable.hasInitializer()) {
      return &variable;
    }
  }
  return nullptr;
}

} // namespace

llvm::PreservedAnalyses Entries::run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
  if (is_device_module(module)) {
    share_constants(module);
  }
  llvm::GlobalVariable* marker = find_marker(module);
  if (marker == nullptr) {
    return llvm::PreservedAnalyses::all();
  }
  const llvm::SmallVector<Line> lines = lines_of(*marker);
  for (const Line& line : lines) {
    if (line.kind != kMarkedHostMember) {
      make_entry(module, line);
    }
  }
  if (is_device_module(module)) {
    leave_on_host(module, analyses, lines);
  }
  llvm::removeFromUsedLists(
      module, [&](llvm::Constant* constant) { return constant->stripPointerCasts() == marker; });
  marker->eraseFromParent();
  return llvm::PreservedAnalyses::none();
}

} // namespace gantry::pass
