#include "simt/lower/columns.h"

#include <algorithm>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>

namespace gantry::simt::lower {

namespace {

using exec::LaneOperand;
using Llvm = llvm::Instruction;

constexpr unsigned kWord = 64;
/// After the last position in a block.
constexpr unsigned kInOtherBlocks = ~0U;

} // namespace

unsigned width_of(const llvm::Type& type) {
  return type.isPointerTy() ? kWord : static_cast<unsigned>(type.getPrimitiveSizeInBits());
}

Columns::Columns(const llvm::Function& function, exec::OneLaneCode& code)
    : function_(function), layout_(function.getParent()->getDataLayout()), code_(code) {
  find_variables();
  code_.zeroed = code_.columns;
  take_arguments();
}

bool Columns::collect(const llvm::Value& pointer, std::uint64_t offset, Accesses& accesses) const {
  for (const llvm::User* user : pointer.users()) {
    if (const auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      accesses.addresses.push_back(element);
      llvm::APInt added(kWord, 0);
      if (!element->accumulateConstantOffset(layout_, added) ||
          !collect(*element, offset + added.getZExtValue(), accesses)) {
        return false;
      }
      continue;
    }
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (!llvm::isa<llvm::LoadInst>(user) &&
        (store == nullptr || store->getValueOperand() == &pointer)) {
      return false;
    }
    accesses.list.emplace_back(llvm::cast<llvm::Instruction>(user), offset);
  }
  return true;
}

void Columns::find_variables() {
  for (const llvm::Instruction& instruction : function_.getEntryBlock()) {
    const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    Accesses accesses;
    if (alloca == nullptr || !collect(*alloca, 0, accesses)) {
      continue;
    }
    const std::uint64_t size = alloca->getAllocationSize(layout_)->getFixedValue();
    std::map<std::uint64_t, unsigned> widths;
    const bool fits = std::ranges::all_of(accesses.list, [&](const auto& access) {
      const unsigned width = width_of(*llvm::getLoadStoreType(access.first));
      return access.second % 8 == 0 && access.second + (width + 7) / 8 <= size &&
             widths.try_emplace(access.second, width).first->second == width;
    });
    if (!fits) {
      continue;
    }
    for (const auto& [access, offset] : accesses.list) {
      variables_[access] = code_.columns + static_cast<std::uint32_t>(offset / 8);
    }
    code_.columns += static_cast<std::uint32_t>((size + 7) / 8);
    done_.insert(alloca);
    done_.insert(accesses.addresses.begin(), accesses.addresses.end());
  }
}

std::optional<std::uint32_t> Columns::variable_of(const llvm::Instruction& access) const {
  const auto found = variables_.find(&access);
  return found == variables_.end() ? std::nullopt : std::optional(found->second);
}

void Columns::take_arguments() {
  for (const llvm::Argument& argument : function_.args()) {
    const auto* store =
        argument.hasOneUse() ? llvm::dyn_cast<llvm::StoreInst>(*argument.user_begin()) : nullptr;
    if (store != nullptr && variable_of(*store)) {
      done_.insert(store);
      code_.parameters.push_back(*variable_of(*store));
    } else {
      code_.parameters.push_back(code_.columns++);
    }
    values_[&argument] = {{nullptr, code_.parameters.back()}};
  }
}

LaneOperand Columns::constant(std::uint64_t value) {
  const auto [place, is_new] = constants_.try_emplace(value, nullptr);
  if (is_new) {
    code_.constants.emplace_back().fill(value);
    place->second = code_.constants.back().data();
  }
  return {place->second, 0};
}

LaneOperands Columns::words_of(const llvm::Constant& value) {
  if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
    const llvm::APInt& bits = integer->getValue();
    LaneOperands words;
    for (unsigned i = 0; i < bits.getNumWords(); ++i) {
      words.push_back(constant(bits.getRawData()[i]));
    }
    return words;
  }
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&value)) {
    return {constant(number->getValueAPF().bitcastToAPInt().getZExtValue())};
  }
  if (const auto* type = llvm::dyn_cast<llvm::StructType>(value.getType())) {
    return {type->getNumElements(), constant(0)};
  }
  if (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&value)) {
    if (expression->isCast()) {
      return words_of(*expression->getOperand(0));
    }
    llvm::APInt offset(kWord, 0);
    const auto* element = llvm::dyn_cast<llvm::GEPOperator>(expression);
    if (element != nullptr && element->accumulateConstantOffset(layout_, offset)) {
      const LaneOperands base = words_of(*expression->getOperand(0));
      return {constant(*base[0].constant + offset.getZExtValue())};
    }
    unknown_ = &value;
  }
  return {constant(0)}; // null, and what may be anything
}

LaneOperands Columns::operands_of(const llvm::Value& value) {
  if (const auto* known = llvm::dyn_cast<llvm::Constant>(&value)) {
    return words_of(*known);
  }
  const auto found = values_.find(&value);
  if (found == values_.end()) {
    unknown_ = &value;
    return {constant(0)};
  }
  return found->second;
}
bool Columns::renames(const llvm::Instruction& instruction) const {
  switch (instruction.getOpcode()) {
  case Llvm::BitCast:
  case Llvm::PtrToInt:
  case Llvm::IntToPtr:
  case Llvm::Freeze:
  case Llvm::ZExt:
  case Llvm::ExtractValue:
  case Llvm::InsertValue:
    return true;
  case Llvm::SExt:
    return width_of(*instruction.getType()) > kWord;
  case Llvm::GetElementPtr:
    return llvm::cast<llvm::GEPOperator>(instruction).hasAllZeroIndices();
  case Llvm::Trunc:
  case Llvm::LShr:
    return width_of(*instruction.getOperand(0)->getType()) > kWord;
  case Llvm::Load:
    return aliases_.contains(&instruction);
  default:
    return false;
  }
}

void Columns::find_last_uses(const llvm::BasicBlock& block) {
  order_.clear();
  llvm::SmallVector<const llvm::Instruction*> instructions;
  for (const llvm::Instruction& instruction : block) {
    order_[&instruction] = static_cast<unsigned>(instructions.size());
    instructions.push_back(&instruction);
  }
  aliases_.clear();
  ends_.clear();
  for (const llvm::Instruction* instruction : llvm::reverse(instructions)) {
    unsigned end = order_[instruction];
    for (const llvm::User* user : instruction->users()) {
      const auto* reader = llvm::cast<llvm::Instruction>(user);
      const auto at = order_.find(reader);
      end = at == order_.end() ? kInOtherBlocks
                               : std::max({end, at->second, renames(*reader) ? ends_[reader] : 0});
    }
    ends_[instruction] = end;
  }
  // Of each variable, where it is loaded and where it is written.
  llvm::DenseMap<std::uint32_t, llvm::SmallVector<unsigned>> loads;
  llvm::DenseMap<std::uint32_t, llvm::SmallVector<unsigned>> writes;
  for (const llvm::Instruction* instruction : instructions) {
    if (const std::optional<std::uint32_t> variable = variable_of(*instruction)) {
      auto& list = llvm::isa<llvm::LoadInst>(instruction) ? loads : writes;
      list[*variable].push_back(order_[instruction]);
    }
  }
  for (const auto& [column, places] : loads) {
    for (const unsigned load : places) {
      const unsigned end = ends_[instructions[load]];
      const bool is_written =
          llvm::any_of(writes[column], [&](unsigned place) { return place > load && place < end; });
      if (end != kInOtherBlocks && !is_written) {
        aliases_.insert(instructions[load]);
      }
    }
  }
}

void Columns::begin(const llvm::BasicBlock& block) {
  for (const auto& [end, column] : in_use_) {
    free_.push_back(column);
  }
  in_use_.clear();
  find_last_uses(block);
}

void Columns::come_to(const llvm::Instruction& instruction) {
  const unsigned here = order_[&instruction];
  std::erase_if(in_use_, [&](const auto& used) {
    if (used.first < here) {
      free_.push_back(used.second);
    }
    return used.first < here;
  });
}

std::uint32_t Columns::add_word(const llvm::Instruction& instruction) {
  const unsigned end = ends_[&instruction];
  if (end == kInOtherBlocks || free_.empty()) {
    free_.push_back(code_.columns++);
  }
  const std::uint32_t column = free_.back();
  free_.pop_back();
  if (end != kInOtherBlocks) {
    in_use_.emplace_back(end, column);
  }
  values_[&instruction].push_back({nullptr, column});
  return column;
}

} // namespace gantry::simt::lower
