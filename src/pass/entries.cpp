#include "pass/entries.h"

#include "pass/translation.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Frontend/Offloading/Utility.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace gantry::pass {

namespace {

constexpr std::uint32_t kIndirectFunction = 0x8;
constexpr std::uint32_t kIndirectTable = 0x20;
/// A function of the device library: prints that the named member is not for devices, and ends the
/// program.
constexpr char kNotOnDevice[] = "__gantry_virtual_member_not_on_device";
/// What the names of virtual tables begin with, those of objects under construction included.
constexpr llvm::StringRef kTablePrefixes[] = {"_ZTV", "_ZTC"};

/// A line of the marker: a symbol that is to have an entry.
struct MarkedSymbol {
  char kind;
  llvm::StringRef symbol;
  llvm::StringRef entry;
};

llvm::SmallVector<MarkedSymbol> marked_symbols(const llvm::GlobalVariable& marker) {
  llvm::SmallVector<MarkedSymbol> symbols;
  const auto* text = llvm::dyn_cast<llvm::ConstantDataArray>(marker.getInitializer());
  if (text == nullptr || !text->isString()) {
    return symbols;
  }
  llvm::StringRef rest = text->getAsString().rtrim('\0');
  while (!rest.empty()) {
    const auto [line, after] = rest.split('\n');
    const auto [kind, names] = line.split(' ');
    const auto [symbol, entry] = names.split(' ');
    if (kind.size() == 1) {
      symbols.push_back({kind.front(), symbol, entry});
    }
    rest = after;
  }
  return symbols;
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

/// If several modules may define the function, as with inline functions, each of them defines this
/// constant.
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

void make_entry(llvm::Module& module, const MarkedSymbol& marked) {
  llvm::GlobalValue* symbol = module.getNamedValue(marked.symbol);
  if (symbol == nullptr || symbol->isDeclaration() || symbol->hasAvailableExternallyLinkage()) {
    return;
  }
  if (is_device_module(module)) {
    make_device_constant(module, *symbol, marked.entry);
  } else if (marked.kind == kMarkedFunction) {
    make_host_entry(module, *symbol, marked.entry, sizeof(void*), kIndirectFunction);
  } else {
    const std::uint64_t size = module.getDataLayout().getTypeAllocSize(symbol->getValueType());
    make_host_entry(module, *symbol, marked.entry, size, kIndirectTable);
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

/// A function that reports that the virtual member of that symbol is not for devices.
llvm::Function* make_complaint(llvm::Module& module, llvm::StringRef member) {
  llvm::LLVMContext& context = module.getContext();
  auto* nothing = llvm::Type::getVoidTy(context);
  const llvm::FunctionCallee complain =
      module.getOrInsertFunction(kNotOnDevice, nothing, llvm::PointerType::getUnqual(context));
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(nothing, false),
                             llvm::GlobalValue::InternalLinkage, member + ".on_host", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  builder.CreateCall(complain, builder.CreateGlobalString(llvm::demangle(member)));
  builder.CreateUnreachable();
  return function;
}

/// Replaces virtual members that are not for devices in the device's tables, and removes what was
/// emitted only for the tables.
void leave_on_host(llvm::Module& module, llvm::ModuleAnalysisManager& analyses,
                   llvm::ArrayRef<MarkedSymbol> symbols) {
  Replacements replacements;
  for (const MarkedSymbol& marked : symbols) {
    llvm::GlobalValue* member =
        marked.kind == kMarkedHostMember ? module.getNamedValue(marked.symbol) : nullptr;
    if (member != nullptr) {
      replacements[member] = make_complaint(module, marked.symbol);
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

/// Clang 22 makes such a constant itself for the classes of mapped objects, with external linkage:
/// two modules that include one header with a target construct could not be linked.
void share_constants(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.hasExternalLinkage() && variable.getName().starts_with("__omp_offloading_") &&
        variable.hasInitializer() && is_table(*variable.getInitializer())) {
      variable.setLinkage(llvm::GlobalValue::WeakODRLinkage);
    }
  }
}

/// Clang's plugin rejects dynamic_cast and typeid in declared device code; this rejects them in
/// functions that are device code only because device code calls them.
void refuse_type_information(llvm::Module& module) {
  for (const char* name : {"__dynamic_cast", "__cxa_bad_typeid"}) {
    const llvm::Function* used = module.getFunction(name);
    if (used == nullptr) {
      continue;
    }
    for (const llvm::User* user : used->users()) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (call != nullptr && !call->getFunction()->hasAvailableExternallyLinkage()) {
        module.getContext().diagnose(llvm::DiagnosticInfoUnsupported(
            *call->getFunction(),
            "'dynamic_cast' and 'typeid' are not supported in code for a device; call a virtual "
            "function of the object instead",
            call->getDebugLoc()));
      }
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
    refuse_type_information(module);
  }
  llvm::GlobalVariable* marker = find_marker(module);
  if (marker == nullptr) {
    return llvm::PreservedAnalyses::all();
  }
  const llvm::SmallVector<MarkedSymbol> symbols = marked_symbols(*marker);
  for (const MarkedSymbol& marked : symbols) {
    if (marked.kind != kMarkedHostMember) {
      make_entry(module, marked);
    }
  }
  if (is_device_module(module)) {
    leave_on_host(module, analyses, symbols);
  }
  llvm::removeFromUsedLists(
      module, [&](llvm::Constant* constant) { return constant->stripPointerCasts() == marker; });
  marker->eraseFromParent();
  return llvm::PreservedAnalyses::none();
}

} // namespace gantry::pass
