#include "pass/flang/kernel.h"

#include "pass/flang/constructs.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace gantry::pass {
namespace {

/// Fields of a kernel's environment, in the first of its structures.
constexpr unsigned kHasStateMachine = 0;
constexpr unsigned kMode = 2;
constexpr std::uint64_t kGeneric = 1;     ///< the mode in which one thread runs
constexpr std::uint64_t kGenericSpmd = 3; ///< all run, and wait for each other before regions

llvm::ConstantStruct* with(const llvm::ConstantStruct& structure, unsigned field,
                           llvm::Constant* content) {
  llvm::SmallVector<llvm::Constant*> fields;
  for (const llvm::Use& operand : structure.operands()) {
    fields.push_back(llvm::cast<llvm::Constant>(operand));
  }
  fields[field] = content;
  return llvm::cast<llvm::ConstantStruct>(llvm::ConstantStruct::get(structure.getType(), fields));
}

/// Where an address is kept: so many bytes from the begin of a local variable.
struct Place {
  llvm::AllocaInst* variable = nullptr; ///< null for any other memory
  std::uint64_t offset = 0;
};

Place place_of(llvm::Value* address, const llvm::DataLayout& layout) {
  llvm::APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
  llvm::Value* const base =
      address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  return {llvm::dyn_cast<llvm::AllocaInst>(base), offset.getZExtValue()};
}

using Visitor = llvm::function_ref<bool(llvm::LoadInst& load)>;

/// The number of structures through which an address is followed before it counts as unknown.
constexpr unsigned kMostSteps = 100;

/// Visits the loads of an address that is stored at `offset` of an argument structure, also in the
/// bodies of regions and loops that get the structure. False if a visit returns false, or if the
/// structure escapes.
bool visit_loads(llvm::Value& structure, std::uint64_t offset, Visitor visit) {
  const llvm::DataLayout& layout =
      llvm::isa<llvm::Argument>(structure)
          ? llvm::cast<llvm::Argument>(structure).getParent()->getParent()->getDataLayout()
          : llvm::cast<llvm::Instruction>(structure).getModule()->getDataLayout();
  const auto visit_body = [&](llvm::CallInst& call, std::uint64_t position) {
    llvm::Function* const body = body_of(call);
    return body != nullptr && !body->isDeclaration() && position < body->arg_size() &&
           visit_loads(*body->getArg(position), offset, visit);
  };
  llvm::SmallVector<std::pair<llvm::Value*, std::uint64_t>> places = {{&structure, 0}};
  while (!places.empty()) {
    const auto [place, at] = places.pop_back_val();
    for (llvm::User* user : place->users()) {
      if (auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
        llvm::APInt bytes(layout.getIndexTypeSizeInBits(step->getType()), 0);
        if (!step->accumulateConstantOffset(layout, bytes)) {
          return false;
        }
        places.push_back({step, at + bytes.getZExtValue()});
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        if (at == offset && !visit(*load)) {
          return false;
        }
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        if (store->getPointerOperand() == place) {
          continue; // an address is put into the structure
        }
        const Place list = place_of(store->getPointerOperand(), layout);
        bool is_list = false;
        for (llvm::User* list_user :
             list.variable == nullptr ? structure.users() : list.variable->users()) {
          if (list.variable != nullptr && is_region(list_user)) {
            is_list = true;
            if (!visit_body(*llvm::cast<llvm::CallInst>(list_user),
                            kOwnParameters + list.offset / sizeof(std::uint64_t))) {
              return false;
            }
          }
        }
        if (!is_list) {
          return false;
        }
      } else if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) {
        const bool harmless = llvm::isa<llvm::LifetimeIntrinsic>(call);
        if (!harmless && !(is_loop(call) && body_of(*call) != nullptr &&
                           visit_body(*call, body_of(*call)->arg_size() - 1))) {
          return false;
        }
      } else {
        return false;
      }
    }
  }
  return true;
}

enum class Access : std::uint8_t { kRead, kWrite };

/// Whether an address is only read through, or only written through, also in the regions and loops
/// that get it.
bool only(Access access, llvm::Value& address, unsigned steps = 0) {
  if (steps == kMostSteps) {
    return false;
  }
  return llvm::all_of(address.users(), [&](llvm::User* user) {
    if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(user)) {
      return only(access, *user, steps + 1);
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (store->getValueOperand() != &address) {
        return access == Access::kWrite;
      }
      const Place place = place_of(store->getPointerOperand(), store->getModule()->getDataLayout());
      return place.variable != nullptr &&
             visit_loads(*place.variable, place.offset,
                         [&](llvm::LoadInst& load) { return only(access, load, steps + 1); });
    }
    const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user);
    return access == Access::kRead && (llvm::isa<llvm::LoadInst, llvm::ICmpInst>(user) ||
                                       (copy != nullptr && copy->getRawDest() != &address));
  });
}

bool is_list(const llvm::AllocaInst& variable) {
  return llvm::any_of(variable.users(), is_region);
}

/// Whether regions that get the address of a kernel's variable only access it in that way; if they
/// write, the kernel itself must not read. Argument structures do not count as variables.
bool regions_only(Access access, llvm::AllocaInst& variable) {
  llvm::SmallSetVector<llvm::Value*, 8> addresses;
  addresses.insert(&variable);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    llvm::Value* const address = addresses[i];
    for (llvm::User* user : address->users()) {
      if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(user)) {
        addresses.insert(user);
        continue;
      }
      if (access == Access::kWrite && llvm::isa<llvm::LoadInst>(user)) {
        return false;
      }
      auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      if (llvm::isa<llvm::LoadInst, llvm::CallInst, llvm::ICmpInst>(user) ||
          (store != nullptr && store->getValueOperand() != address)) {
        continue; // the kernel's own doing
      }
      if (store == nullptr) {
        return false; // into a descriptor, say
      }
      const Place place = place_of(store->getPointerOperand(), store->getModule()->getDataLayout());
      if (place.variable != nullptr && is_list(*place.variable)) {
        continue;
      }
      const auto visit = [&](llvm::LoadInst& load) {
        if (load.getFunction() != variable.getFunction()) {
          return only(access, load);
        }
        addresses.insert(&load);
        return true;
      };
      if (place.variable == nullptr || !visit_loads(*place.variable, place.offset, visit)) {
        return false;
      }
    }
  }
  return true;
}

bool is_own(const llvm::Value* address) {
  return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address));
}

bool is_copy_to_own(const llvm::CallInst& call) {
  const auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&call);
  return copy != nullptr && is_own(copy->getRawDest());
}

} // namespace

std::optional<Kernel> Kernel::of(llvm::CallInst& init) {
  auto* environment =
      llvm::dyn_cast<llvm::GlobalVariable>(init.getArgOperand(0)->stripPointerCasts());
  auto* value = environment == nullptr || !environment->hasInitializer()
                    ? nullptr
                    : llvm::dyn_cast<llvm::ConstantStruct>(environment->getInitializer());
  auto* configuration =
      value == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantStruct>(value->getOperand(0));
  for (llvm::User* user : init.users()) {
    auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(user);
    if (configuration == nullptr || comparison == nullptr ||
        comparison->getPredicate() != llvm::CmpInst::ICMP_EQ) {
      continue;
    }
    for (llvm::User* condition : comparison->users()) {
      if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(condition)) {
        return Kernel(*environment, *value, *configuration, *branch->getSuccessor(0));
      }
    }
  }
  return std::nullopt;
}

bool Kernel::all_run() const {
  return llvm::cast<llvm::ConstantInt>(configuration_->getOperand(kMode))->getZExtValue() !=
         kGeneric;
}

void Kernel::make_generic() {
  set_field(kHasStateMachine, 1);
  set_mode(kGeneric);
}

void Kernel::make_wait_for_regions() {
  set_mode(kGenericSpmd);
}

void Kernel::set_mode(std::uint64_t number) {
  set_field(kMode, number);
  environment_->setInitializer(value_);
  llvm::GlobalVariable* const mode =
      function().getParent()->getNamedGlobal((function().getName() + "_exec_mode").str());
  if (mode != nullptr) {
    mode->setInitializer(llvm::ConstantInt::get(mode->getValueType(), number));
  }
}

void Kernel::set_field(unsigned field, std::uint64_t content) {
  auto* type = configuration_->getOperand(field)->getType();
  configuration_ = with(*configuration_, field, llvm::ConstantInt::get(type, content));
  value_ = with(*value_, 0, configuration_);
}

bool may_all_run(llvm::Function& function) {
  return llvm::all_of(llvm::instructions(function), [](llvm::Instruction& instruction) {
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      return regions_only(Access::kRead, *variable) || regions_only(Access::kWrite, *variable);
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      return is_own(store->getPointerOperand());
    }
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
      if (is_loop(call)) {
        llvm::Function* const body = body_of(*call);
        return body != nullptr && may_all_run(*body);
      }
      const llvm::Function* const callee = call->getCalledFunction();
      const llvm::StringRef name = callee == nullptr ? "" : callee->getName();
      return is_region(call) || name == "__kmpc_target_init" || name == "__kmpc_target_deinit" ||
             name == "__kmpc_global_thread_num" || name.starts_with("omp_get_") ||
             name.starts_with("llvm.lifetime.") || name.starts_with("llvm.stack") ||
             !call->mayWriteToMemory() || is_copy_to_own(*call);
    }
    return !instruction.mayWriteToMemory();
  });
}

bool reads_outside(llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](llvm::Instruction& instruction) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      return !is_own(load->getPointerOperand());
    }
    return llvm::isa<llvm::MemTransferInst>(instruction) || is_loop(&instruction);
  });
}

} // namespace gantry::pass
