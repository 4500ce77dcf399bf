// The decoder translates instruction by instruction and leaves nothing out but moves: what only
// renames a value (casts, zero extension) makes no step, and a variable is read where it is unless
// it is written before the value is used.
#include "simt/lower/decode.h"

#include "simt/lower/operations.h"
#include "simt/lower/scalar_function.h"

#include <algorithm>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <map>

namespace gantry::simt::lower {

namespace {

using exec::LaneInstruction;
using exec::LaneOperand;
using exec::LaneStep;
using exec::OneLaneCode;
using Llvm = llvm::Instruction;

using Operands = llvm::SmallVector<LaneOperand, 2>;

constexpr unsigned kWord = 64;
/// After the last position in a block.
constexpr unsigned kInOtherBlocks = ~0U;

#define GANTRY_LANE_FLOAT GANTRY_LANE_INTEGER
#define GANTRY_LANE_TO_FLOAT GANTRY_LANE_INTEGER
#define GANTRY_LANE_INTEGER(name, kind, llvm, value) GANTRY_ROW_##kind(name, llvm)
#define GANTRY_ROW_None(name, llvm)

std::optional<LaneInstruction> instruction_of(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
#define GANTRY_ROW_Intrinsic(name, llvm)
#define GANTRY_ROW_Opcode(name, llvm)                                                              \
  case Llvm::llvm:                                                                                 \
    return LaneInstruction::k##name;
#include "simt/exec/one_lane.def"
#undef GANTRY_ROW_Intrinsic
#undef GANTRY_ROW_Opcode
  default:
    return std::nullopt;
  }
}

#define GANTRY_LANE_FLOAT GANTRY_LANE_INTEGER
#define GANTRY_LANE_TO_FLOAT GANTRY_LANE_INTEGER
#define GANTRY_LANE_INTEGER(name, kind, llvm, value) GANTRY_ROW_##kind(name, llvm)

std::optional<LaneInstruction> instruction_of(const llvm::CallInst& call) {
  switch (call.getIntrinsicID()) {
#define GANTRY_ROW_Opcode(name, llvm)
#define GANTRY_ROW_Intrinsic(name, id)                                                             \
  case llvm::Intrinsic::id:                                                                        \
    return LaneInstruction::k##name;
#include "simt/exec/one_lane.def"
#undef GANTRY_ROW_Intrinsic
#undef GANTRY_ROW_Opcode
#undef GANTRY_ROW_None
  default:
    return std::nullopt;
  }
}

std::optional<exec::Update> update_of(const llvm::AtomicRMWInst& update) {
  switch (update.getOperation()) {
#define GANTRY_LANE_UPDATE(name, id, value)                                                        \
  case llvm::AtomicRMWInst::id:                                                                    \
    return exec::Update::k##name;
#include "simt/exec/one_lane.def"
  default:
    return std::nullopt;
  }
}

unsigned compare_bits(llvm::CmpInst::Predicate predicate) {
  using llvm::CmpInst;
  switch (predicate) {
  case CmpInst::ICMP_EQ:
    return exec::kIsEqual;
  case CmpInst::ICMP_NE:
    return exec::kIsGreater | exec::kIsLess;
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_SGT:
    return exec::kIsGreater;
  case CmpInst::ICMP_UGE:
  case CmpInst::ICMP_SGE:
    return exec::kIsGreater | exec::kIsEqual;
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_SLT:
    return exec::kIsLess;
  case CmpInst::ICMP_ULE:
  case CmpInst::ICMP_SLE:
    return exec::kIsLess | exec::kIsEqual;
  default:
    return predicate; // LLVM's numbers of fcmp's are these bits
  }
}

/// What is to be known of an operation.
enum Facts : unsigned { kNothing = 0, kDetail = 1, kSite = 2, kMoves = 4 };
bool has(Operation operation, Facts fact) {
  static constexpr unsigned kFacts[] = {
#define GANTRY_LANE_OPERATION(name, function, facts) facts,
#include "simt/exec/one_lane.def"
  };
  return (kFacts[static_cast<unsigned>(operation)] & fact) != 0;
}

unsigned width_of(const llvm::Type& type) {
  return type.isPointerTy() ? kWord : static_cast<unsigned>(type.getPrimitiveSizeInBits());
}

class Decoder {
public:
  Decoder(const llvm::Function& function, std::uint32_t index, OneLaneCode& code)
      : function_(function), layout_(function.getParent()->getDataLayout()), code_(code) {
    code_.index = index;
  }

  bool run(std::string& error) {
    for (const llvm::BasicBlock& block : function_) {
      blocks_.push_back(&block);
    }
    find_variables();
    code_.zeroed = code_.columns;
    take_arguments();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      starts_[blocks_[i]] = static_cast<std::uint32_t>(code_.steps.size());
      decode_block(*blocks_[i], i);
    }
    for (const auto& [step, targets] : jumps_) {
      for (const llvm::BasicBlock* target : targets) {
        code_.steps[step].targets.push_back(starts_[target]);
      }
    }
    error = error_;
    return error_.empty();
  }

private:
  void fail(const llvm::Value& value) {
    if (error_.empty()) {
      llvm::raw_string_ostream stream(error_);
      stream << "internal error: the evaluator does not know" << value;
    }
  }

  // Variables.

  /// Of an alloca: its accesses, each with its offset in bytes, and what computes their addresses.
  struct Accesses {
    std::vector<std::pair<const llvm::Instruction*, std::uint64_t>> list;
    std::vector<const llvm::Instruction*> addresses;
  };
  /// False if its address is used in another way.
  bool collect(const llvm::Value& pointer, std::uint64_t offset, Accesses& accesses) const {
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

  /// A variable is one whose words of 64 bits are each loaded and stored in one piece.
  void find_variables() {
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

  std::optional<std::uint32_t> variable_of(const llvm::Instruction& access) const {
    const auto found = variables_.find(&access);
    return found == variables_.end() ? std::nullopt : std::optional(found->second);
  }

  void take_arguments() {
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

  // Values.

  LaneOperand constant(std::uint64_t value) {
    const auto [place, is_new] = constants_.try_emplace(value, nullptr);
    if (is_new) {
      code_.constants.emplace_back().fill(value);
      place->second = code_.constants.back().data();
    }
    return {place->second, 0};
  }

  Operands constant_operands(const llvm::Constant& value) {
    if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
      const llvm::APInt& bits = integer->getValue();
      Operands words;
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
        return constant_operands(*expression->getOperand(0));
      }
      llvm::APInt offset(kWord, 0);
      const auto* element = llvm::dyn_cast<llvm::GEPOperator>(expression);
      if (element != nullptr && element->accumulateConstantOffset(layout_, offset)) {
        const Operands base = constant_operands(*expression->getOperand(0));
        return {constant(*base[0].constant + offset.getZExtValue())};
      }
      fail(value);
    }
    return {constant(0)}; // null, and what may be anything
  }

  Operands operands_of(const llvm::Value& value) {
    if (const auto* known = llvm::dyn_cast<llvm::Constant>(&value)) {
      return constant_operands(*known);
    }
    const auto found = values_.find(&value);
    if (found == values_.end()) {
      fail(value);
      return {constant(0)};
    }
    return found->second;
  }
  LaneOperand operand_of(const llvm::Value& value) { return operands_of(value)[0]; }

  /// Its value is that of its first operand, or a part of it.
  bool renames(const llvm::Instruction& instruction) const {
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

  // Blocks.

  /// Finds out where the values of a block are used last, and which loads of variables need no
  /// copy.
  void look_at(const llvm::BasicBlock& block) {
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
        end = at == order_.end()
                  ? kInOtherBlocks
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
        const bool is_written = llvm::any_of(
            writes[column], [&](unsigned place) { return place > load && place < end; });
        if (end != kInOtherBlocks && !is_written) {
          aliases_.insert(instructions[load]);
        }
      }
    }
  }

  /// A column for a result of `instruction`.
  std::uint32_t new_column(const llvm::Instruction& instruction) {
    const unsigned end = ends_[&instruction];
    if (end == kInOtherBlocks || free_.empty()) {
      free_.push_back(code_.columns++);
    }
    const std::uint32_t column = free_.back();
    free_.pop_back();
    if (end != kInOtherBlocks) {
      in_use_.emplace_back(end, column);
    }
    return column;
  }

  LaneStep& step(LaneInstruction what, const llvm::Instruction& source,
                 std::initializer_list<LaneOperand> operands = {}) {
    LaneStep& made = code_.steps.emplace_back();
    made.instruction = what;
    std::ranges::copy(operands, made.operands.begin());
    if (source.getNumOperands() > 0) {
      made.width = static_cast<std::uint8_t>(std::min(
          kWord,
          width_of(
              *source.getOperand(source.getNumOperands() > 1 && what == LaneInstruction::kSelect)
                   ->getType())));
    }
    return made;
  }

  /// A step whose result is the value of the instruction, or one more word of it.
  LaneStep& define(LaneInstruction what, const llvm::Instruction& source,
                   std::initializer_list<LaneOperand> operands) {
    const std::uint32_t column = new_column(source);
    values_[&source].push_back({nullptr, column});
    LaneStep& made = step(what, source, operands);
    made.result = column;
    return made;
  }

  void decode_block(const llvm::BasicBlock& block, std::size_t number) {
    look_at(block);
    for (const llvm::Instruction& instruction : block) {
      const unsigned here = order_[&instruction];
      std::erase_if(in_use_, [&](const auto& used) {
        if (used.first < here) {
          free_.push_back(used.second);
        }
        return used.first < here;
      });
      if (instruction.isTerminator()) {
        decode_end(instruction, number);
      } else if (!done_.contains(&instruction)) {
        decode(instruction);
      }
    }
    for (const auto& [end, column] : in_use_) {
      free_.push_back(column);
    }
    in_use_.clear();
  }

  bool follows(const llvm::BasicBlock* block, std::size_t number) const {
    return number < blocks_.size() && blocks_[number] == block;
  }

  /// A block that some lanes execute before all go on behind it, and in which none waits.
  bool is_passage(std::size_t number, const llvm::BasicBlock* to) const {
    const llvm::BasicBlock& block = *blocks_[number];
    return block.getSinglePredecessor() != nullptr && block.getSingleSuccessor() == to &&
           follows(to, number + 1) && llvm::none_of(block, [](const llvm::Instruction& each) {
             const std::optional<Operation> operation = operation_of(each);
             return operation && has(*operation, kMoves);
           });
  }

  void jump(LaneInstruction what, const llvm::Instruction& source,
            std::initializer_list<LaneOperand> operands,
            llvm::SmallVector<const llvm::BasicBlock*> targets) {
    jumps_.emplace_back(code_.steps.size(), std::move(targets));
    step(what, source, operands);
  }

  void decode_end(const llvm::Instruction& end, std::size_t number) {
    switch (end.getOpcode()) {
    case Llvm::Br: {
      if (end.getNumSuccessors() == 1) {
        if (!passages_.contains(end.getParent())) {
          jump(LaneInstruction::kJump, end, {}, {end.getSuccessor(0)});
        }
        return;
      }
      const llvm::BasicBlock* yes = end.getSuccessor(0);
      const llvm::BasicBlock* no = end.getSuccessor(1);
      const LaneOperand condition = operand_of(*end.getOperand(0));
      if (follows(yes, number + 1) && is_passage(number + 1, no)) {
        passages_.insert(yes);
        jump(LaneInstruction::kIf, end, {condition}, {no});
      } else {
        jump(LaneInstruction::kBranch, end, {condition}, {yes, no});
      }
      return;
    }
    case Llvm::Switch: {
      const auto& choice = llvm::cast<llvm::SwitchInst>(end);
      llvm::SmallVector<const llvm::BasicBlock*> targets = {choice.getDefaultDest()};
      for (const auto& each : choice.cases()) {
        if (each.getCaseValue()->getZExtValue() + 1 != targets.size()) {
          fail(end);
        }
        targets.push_back(each.getCaseSuccessor());
      }
      jump(LaneInstruction::kSwitch, end, {operand_of(*choice.getCondition())}, std::move(targets));
      return;
    }
    case Llvm::Ret: {
      LaneStep& made = step(LaneInstruction::kReturn, end);
      made.site = exec::site_of(code_.index, place_of(end));
      if (end.getNumOperands() != 0) {
        const Operands words = operands_of(*end.getOperand(0));
        made.words.assign(words.begin(), words.end());
      }
      return;
    }
    default:
      fail(end);
    }
  }

  static std::uint32_t place_of(const llvm::Instruction& instruction) {
    const std::optional<AccessOrigin> origin = AccessOrigin::of(instruction);
    return origin ? origin->instruction : 0;
  }

  void decode(const llvm::Instruction& instruction) {
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
      if (const std::optional<Operation> operation = operation_of(instruction)) {
        decode_operation(*call, *operation);
      } else {
        decode_intrinsic(*call);
      }
      return;
    }
    if (const std::optional<std::uint32_t> variable = variable_of(instruction)) {
      decode_variable(instruction, *variable);
      return;
    }
    switch (instruction.getOpcode()) {
    case Llvm::Alloca:
      decode_local(llvm::cast<llvm::AllocaInst>(instruction));
      return;
    case Llvm::Load:
    case Llvm::Store:
    case Llvm::AtomicRMW:
    case Llvm::AtomicCmpXchg:
      decode_access(instruction);
      return;
    case Llvm::Fence:
      step(LaneInstruction::kFence, instruction);
      return;
    case Llvm::GetElementPtr:
      decode_element(llvm::cast<llvm::GetElementPtrInst>(instruction));
      return;
    case Llvm::ExtractValue:
      values_[&instruction] = {operands_of(*instruction.getOperand(
          0))[llvm::cast<llvm::ExtractValueInst>(instruction).getIndices()[0]]};
      return;
    case Llvm::InsertValue: {
      Operands words = operands_of(*instruction.getOperand(0));
      words[llvm::cast<llvm::InsertValueInst>(instruction).getIndices()[0]] =
          operand_of(*instruction.getOperand(1));
      values_[&instruction] = words;
      return;
    }
    case Llvm::ICmp:
    case Llvm::FCmp: {
      const auto& compare = llvm::cast<llvm::CmpInst>(instruction);
      const LaneInstruction what = !compare.isIntPredicate() ? LaneInstruction::kFCompare
                                   : compare.isSigned()      ? LaneInstruction::kCompareSigned
                                                             : LaneInstruction::kCompare;
      const LaneOperand a = operand_of(*instruction.getOperand(0));
      const LaneOperand b = operand_of(*instruction.getOperand(1));
      define(what, instruction, {a, b}).detail = compare_bits(compare.getPredicate());
      return;
    }
    default:
      break;
    }
    if (width_of(*instruction.getType()) > kWord ||
        width_of(*instruction.getOperand(0)->getType()) > kWord) {
      decode_wide(instruction);
      return;
    }
    if (renames(instruction)) {
      values_[&instruction] = {operand_of(*instruction.getOperand(0))};
      return;
    }
    decode_plain(instruction, instruction_of(instruction));
  }

  /// Of operands and a result of one word each.
  void decode_plain(const llvm::Instruction& instruction, std::optional<LaneInstruction> what) {
    if (!what) {
      fail(instruction);
      return;
    }
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const unsigned count = call != nullptr ? call->arg_size() : instruction.getNumOperands();
    std::array<LaneOperand, 4> operands;
    for (unsigned i = 0; i < count && i < operands.size(); ++i) {
      operands[i] = operand_of(*instruction.getOperand(i));
    }
    LaneStep& made = define(*what, instruction, {});
    made.operands = operands;
    made.to = static_cast<std::uint8_t>(width_of(*instruction.getType()));
  }

  void decode_intrinsic(const llvm::CallInst& call) {
    const llvm::Intrinsic::ID id = call.getIntrinsicID();
    const bool adds = id == llvm::Intrinsic::uadd_with_overflow;
    if (adds || id == llvm::Intrinsic::usub_with_overflow) {
      const LaneOperand a = operand_of(*call.getArgOperand(0));
      const LaneOperand b = operand_of(*call.getArgOperand(1));
      define(adds ? LaneInstruction::kAdd : LaneInstruction::kSub, call, {a, b});
      define(adds ? LaneInstruction::kAddOverflows : LaneInstruction::kSubOverflows, call, {a, b});
      return;
    }
    decode_plain(call, instruction_of(call));
  }

  /// Numbers of 128 bits, of which products are made.
  void decode_wide(const llvm::Instruction& instruction) {
    const Operands a = operands_of(*instruction.getOperand(0));
    switch (instruction.getOpcode()) {
    case Llvm::ZExt:
      values_[&instruction] = {a[0], constant(0)};
      return;
    case Llvm::SExt:
      values_[&instruction] = {a[0]};
      define(LaneInstruction::kSignWord, instruction, {a[0]});
      return;
    case Llvm::Mul: {
      const Operands b = operands_of(*instruction.getOperand(1));
      define(LaneInstruction::kMul, instruction, {a[0], b[0]});
      define(LaneInstruction::kMulHigh, instruction, {a[0], a[1], b[0], b[1]});
      return;
    }
    case Llvm::LShr:
      if (const auto* by = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
          by != nullptr && by->getZExtValue() == kWord) {
        values_[&instruction] = {a[1], constant(0)};
        return;
      }
      break;
    case Llvm::Trunc:
      if (width_of(*instruction.getType()) == kWord) {
        values_[&instruction] = {a[0]};
        return;
      }
      break;
    default:
      break;
    }
    fail(instruction);
  }

  void decode_element(const llvm::GetElementPtrInst& element) {
    llvm::APInt offset(kWord, 0);
    if (!element.accumulateConstantOffset(layout_, offset)) {
      fail(element);
      return;
    }
    const LaneOperand base = operand_of(*element.getPointerOperand());
    if (offset == 0) {
      values_[&element] = {base};
      return;
    }
    define(LaneInstruction::kAdd, element, {base, constant(offset.getZExtValue())});
  }

  void decode_local(const llvm::AllocaInst& variable) {
    const auto alignment = static_cast<std::uint32_t>(variable.getAlign().value());
    code_.local_bytes = llvm::alignTo(code_.local_bytes, alignment);
    code_.local_alignment = std::max(code_.local_alignment, alignment);
    define(LaneInstruction::kLocalAddress, variable, {}).detail =
        static_cast<std::uint32_t>(code_.local_bytes);
    code_.local_bytes += variable.getAllocationSize(layout_)->getFixedValue();
  }

  void decode_variable(const llvm::Instruction& access, std::uint32_t variable) {
    if (aliases_.contains(&access)) {
      values_[&access] = {{nullptr, variable}};
      return;
    }
    if (llvm::isa<llvm::LoadInst>(access)) {
      define(LaneInstruction::kCopy, access, {{nullptr, variable}});
      return;
    }
    const auto* zero = llvm::dyn_cast<llvm::Constant>(access.getOperand(0));
    const bool is_first = access.getParent() == &function_.getEntryBlock();
    if (zero == nullptr || !zero->isNullValue() || !is_first) { // it begins as zero
      const LaneOperand value = operand_of(*access.getOperand(0));
      step(LaneInstruction::kCopy, access, {value}).result = variable;
    }
  }

  void decode_access(const llvm::Instruction& access) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&access);
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&access);
    const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&access);
    const llvm::Value& pointer = *access.getOperand(store != nullptr ? 1 : 0);
    const llvm::Value& value = *access.getOperand(store != nullptr || load != nullptr ? 0 : 1);
    const LaneOperand address = operand_of(pointer);
    const auto width =
        static_cast<std::uint8_t>(width_of(load != nullptr ? *load->getType() : *value.getType()));
    LaneStep* made = nullptr;
    if (load != nullptr) {
      made = &define(LaneInstruction::kLoad, access, {address});
      made->acquires = llvm::isAcquireOrStronger(load->getOrdering());
    } else if (store != nullptr) {
      const LaneOperand given = operand_of(value);
      made = &step(LaneInstruction::kStore, access, {address, given});
      made->releases = llvm::isReleaseOrStronger(store->getOrdering());
    } else if (update != nullptr) {
      const std::optional<exec::Update> what = update_of(*update);
      if (!what) {
        fail(access);
        return;
      }
      const LaneOperand given = operand_of(value);
      made = &define(LaneInstruction::kUpdate, access, {address, given});
      made->detail = static_cast<std::uint32_t>(*what);
      made->is_bfloat = value.getType()->isBFloatTy();
    } else {
      const LaneOperand expected = operand_of(value);
      const LaneOperand replacement = operand_of(*access.getOperand(2));
      made = &define(LaneInstruction::kExchange, access, {address, expected, replacement});
    }
    const unsigned bytes = std::max(1, width / 8);
    made->width = width;
    made->space = static_cast<std::uint8_t>(pointer.getType()->getPointerAddressSpace());
    made->whole = static_cast<std::uint8_t>(bytes);
    made->site = exec::site_of(code_.index, 0);
    if (const std::optional<AccessOrigin> origin = AccessOrigin::of(access)) {
      made->site = exec::site_of(code_.index, origin->instruction);
      if (origin->vector_size > bytes) {
        made->whole = static_cast<std::uint8_t>(origin->vector_size);
        made->offset = static_cast<std::uint8_t>(origin->offset);
      }
    }
  }

  void decode_operation(const llvm::CallInst& call, Operation operation) {
    const auto known = [&](unsigned index) {
      return llvm::cast<llvm::ConstantInt>(call.getArgOperand(index))->getZExtValue();
    };
    const bool calls = operation == Operation::kDirectCall || operation == Operation::kIndirectCall;
    unsigned first = has(operation, kDetail) ? 1 : 0;
    const unsigned end = call.arg_size() - (has(operation, kSite) ? 1 : 0);
    std::vector<LaneOperand> operands;
    if (operation == Operation::kIndirectCall) {
      operands.push_back(operand_of(*call.getArgOperand(0)));
    }
    const std::size_t fixed = operands.size();
    for (unsigned i = calls ? 3 : first; i < end; ++i) {
      operands.push_back(operand_of(*call.getArgOperand(i)));
    }
    std::vector<std::uint32_t> results;
    if (const auto* type = llvm::dyn_cast<llvm::StructType>(call.getType())) {
      for (unsigned i = 0; i < type->getNumElements(); ++i) {
        results.push_back(new_column(call));
        values_[&call].push_back({nullptr, results.back()});
      }
    } else if (!call.getType()->isVoidTy()) {
      results.push_back(new_column(call));
      values_[&call].push_back({nullptr, results.back()});
    }
    LaneStep& made = code_.steps.emplace_back();
    made.operation = operation;
    made.detail = first != 0 ? static_cast<std::uint32_t>(known(0)) : 0;
    if (calls) {
      made.site = known(1);
      made.signature = known(2);
      made.results = std::move(results);
    } else {
      made.site = has(operation, kSite) ? known(end) : 0;
      made.result = results.empty() ? LaneStep::kNoResult : results[0];
      made.width =
          static_cast<std::uint8_t>(call.getType()->isVoidTy() ? 0 : width_of(*call.getType()));
    }
    if (calls || operation == Operation::kSystemCall) {
      made.words.assign(operands.begin() + static_cast<std::ptrdiff_t>(fixed), operands.end());
      operands.resize(fixed);
    }
    std::ranges::copy(operands, made.operands.begin());
  }

  const llvm::Function& function_;
  const llvm::DataLayout& layout_;
  OneLaneCode& code_;
  std::string error_;
  std::vector<const llvm::BasicBlock*> blocks_;
  llvm::DenseMap<const llvm::BasicBlock*, std::uint32_t> starts_;
  std::vector<std::pair<std::size_t, llvm::SmallVector<const llvm::BasicBlock*>>> jumps_;
  llvm::DenseSet<const llvm::BasicBlock*> passages_;
  llvm::DenseMap<const llvm::Instruction*, std::uint32_t> variables_; ///< columns, by access
  llvm::DenseSet<const llvm::Instruction*> done_;                     ///< make no step
  std::map<std::uint64_t, const std::uint64_t*> constants_;
  llvm::DenseMap<const llvm::Value*, Operands> values_;
  // Of the block being decoded.
  llvm::DenseMap<const llvm::Instruction*, unsigned> order_;
  llvm::DenseMap<const llvm::Instruction*, unsigned> ends_; ///< positions of last uses
  llvm::DenseSet<const llvm::Instruction*> aliases_;        ///< loads without a copy
  std::vector<std::pair<unsigned, std::uint32_t>> in_use_;  ///< until when, column
  std::vector<std::uint32_t> free_;
};

} // namespace

bool decode(const llvm::Function& function, std::uint32_t index, OneLaneCode& code,
            std::string& error) {
  return Decoder(function, index, code).run(error);
}

} // namespace gantry::simt::lower
