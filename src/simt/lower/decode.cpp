// The decoder translates instruction by instruction. It omits only instructions that rename a value
// (casts, zero extension).
#include "simt/lower/decode.h"

#include "simt/lower/columns.h"
#include "simt/lower/operations.h"
#include "simt/lower/scalar_function.h"

#include <algorithm>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

namespace gantry::simt::lower {

namespace {

using exec::LaneInstruction;
using exec::LaneOperand;
using exec::LaneStep;
using exec::OneLaneCode;
using Llvm = llvm::Instruction;

constexpr unsigned kWord = 64;

std::uint8_t narrow(unsigned number) {
  return static_cast<std::uint8_t>(number);
}

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
#include "simt/exec/code/one_lane.def"
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
#include "simt/exec/code/one_lane.def"
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
#include "simt/exec/code/one_lane.def"
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
bool has(LaneOperation operation, Facts fact) {
  static constexpr unsigned kFacts[] = {
#define GANTRY_LANE_OPERATION(name, function, facts) facts,
#include "simt/exec/code/one_lane.def"
  };
  return (kFacts[static_cast<unsigned>(operation)] & fact) != 0;
}

class Decoder {
public:
  Decoder(const llvm::Function& function, std::uint32_t index, OneLaneCode& code)
      : function_(function), divergence_(function.getParent()->getDataLayout()), code_(code),
        columns_(function, code) {
    code_.index = index;
  }

  bool run(std::string& error) {
    for (const llvm::BasicBlock& block : function_) {
      blocks_.push_back(&block);
    }
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

  LaneStep& step(LaneInstruction what, const llvm::Instruction& source,
                 std::initializer_list<LaneOperand> operands = {}) {
    LaneStep& made = code_.steps.emplace_back();
    made.instruction = what;
    made.site = exec::site_of(code_.index, 0);
    if (const std::optional<AccessOrigin> origin = AccessOrigin::of(source)) {
      made.site = exec::site_of(code_.index, origin->instruction);
      made.whole = static_cast<std::uint8_t>(origin->vector_size);
      made.offset = static_cast<std::uint8_t>(origin->offset);
    }
    std::ranges::copy(operands, made.operands.begin());
    if (source.getNumOperands() > 0) {
      made.width = narrow(width_of(*source.getOperand(0)->getType()));
    }
    return made;
  }

  /// A step whose result is the value of the instruction, or one more word of it.
  LaneStep& define(LaneInstruction what, const llvm::Instruction& source,
                   std::initializer_list<LaneOperand> operands) {
    const std::uint32_t column = columns_.add_word(source);
    LaneStep& made = step(what, source, operands);
    made.result = column;
    return made;
  }

  void decode_block(const llvm::BasicBlock& block, std::size_t number) {
    columns_.begin(block);
    for (const llvm::Instruction& instruction : block) {
      columns_.come_to(instruction);
      if (instruction.isTerminator()) {
        decode_end(instruction, number);
      } else if (!columns_.makes_no_step(instruction)) {
        decode(instruction);
      }
    }
    if (columns_.unknown() != nullptr) {
      fail(*columns_.unknown());
    }
  }

  bool follows(const llvm::BasicBlock* block, std::size_t number) const {
    return number < blocks_.size() && blocks_[number] == block;
  }

  /// A block that some lanes execute before all go on behind it, and in which none waits.
  bool is_passage(std::size_t number, const llvm::BasicBlock* to) const {
    const llvm::BasicBlock& block = *blocks_[number];
    return block.getSinglePredecessor() != nullptr && block.getSingleSuccessor() == to &&
           follows(to, number + 1) && llvm::none_of(block, [](const llvm::Instruction& each) {
             const std::optional<LaneOperation> operation = operation_of(each);
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
      const LaneOperand condition = columns_.operand_of(*end.getOperand(0));
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
      jump(LaneInstruction::kSwitch, end, {columns_.operand_of(*choice.getCondition())},
           std::move(targets));
      return;
    }
    case Llvm::Ret: {
      LaneStep& made = step(LaneInstruction::kReturn, end);
      if (end.getNumOperands() != 0) {
        const LaneOperands words = columns_.operands_of(*end.getOperand(0));
        made.words.assign(words.begin(), words.end());
      }
      return;
    }
    default:
      fail(end);
    }
  }

  void decode(const llvm::Instruction& instruction) {
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
      if (const std::optional<LaneOperation> operation = operation_of(instruction)) {
        decode_operation(*call, *operation);
      } else {
        decode_intrinsic(*call);
      }
      return;
    }
    if (const std::optional<std::uint32_t> variable = columns_.variable_of(instruction)) {
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
      step(LaneInstruction::kFence, instruction).detail =
          is_beyond_block(llvm::cast<llvm::FenceInst>(instruction)) ? 1 : 0;
      return;
    case Llvm::GetElementPtr:
      decode_element(llvm::cast<llvm::GetElementPtrInst>(instruction));
      return;
    case Llvm::ExtractValue:
      columns_.set(instruction,
                   {columns_.operands_of(*instruction.getOperand(
                       0))[llvm::cast<llvm::ExtractValueInst>(instruction).getIndices()[0]]});
      return;
    case Llvm::InsertValue: {
      LaneOperands words = columns_.operands_of(*instruction.getOperand(0));
      words[llvm::cast<llvm::InsertValueInst>(instruction).getIndices()[0]] =
          columns_.operand_of(*instruction.getOperand(1));
      columns_.set(instruction, words);
      return;
    }
    case Llvm::ICmp:
    case Llvm::FCmp: {
      const auto& compare = llvm::cast<llvm::CmpInst>(instruction);
      const LaneInstruction what = !compare.isIntPredicate() ? LaneInstruction::kFCompare
                                   : compare.isSigned()      ? LaneInstruction::kCompareSigned
                                                             : LaneInstruction::kCompare;
      const LaneOperand a = columns_.operand_of(*instruction.getOperand(0));
      const LaneOperand b = columns_.operand_of(*instruction.getOperand(1));
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
    if (columns_.renames(instruction)) {
      columns_.set(instruction, {columns_.operand_of(*instruction.getOperand(0))});
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
      operands[i] = columns_.operand_of(*instruction.getOperand(i));
    }
    LaneStep& made = define(*what, instruction, {});
    made.operands = operands;
    made.to = narrow(width_of(*instruction.getType()));
  }

  void decode_intrinsic(const llvm::CallInst& call) {
    const llvm::Intrinsic::ID id = call.getIntrinsicID();
    const bool adds = id == llvm::Intrinsic::uadd_with_overflow;
    if (adds || id == llvm::Intrinsic::usub_with_overflow) {
      const LaneOperand a = columns_.operand_of(*call.getArgOperand(0));
      const LaneOperand b = columns_.operand_of(*call.getArgOperand(1));
      define(adds ? LaneInstruction::kAdd : LaneInstruction::kSub, call, {a, b});
      define(adds ? LaneInstruction::kAddOverflows : LaneInstruction::kSubOverflows, call, {a, b});
      return;
    }
    decode_plain(call, instruction_of(call));
  }

  /// Numbers of 128 bits, of which products are made.
  void decode_wide(const llvm::Instruction& instruction) {
    const LaneOperands a = columns_.operands_of(*instruction.getOperand(0));
    switch (instruction.getOpcode()) {
    case Llvm::ZExt:
      columns_.set(instruction, {a[0], columns_.constant(0)});
      return;
    case Llvm::SExt:
      columns_.set(instruction, {a[0]});
      define(LaneInstruction::kSignWord, instruction, {a[0]});
      return;
    case Llvm::Mul: {
      const LaneOperands b = columns_.operands_of(*instruction.getOperand(1));
      define(LaneInstruction::kMul, instruction, {a[0], b[0]}).width = kWord;
      define(LaneInstruction::kMulHigh, instruction, {a[0], a[1], b[0], b[1]});
      return;
    }
    case Llvm::LShr:
      if (const auto* by = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
          by != nullptr && by->getZExtValue() == kWord) {
        columns_.set(instruction, {a[1], columns_.constant(0)});
        return;
      }
      break;
    case Llvm::Trunc:
      if (width_of(*instruction.getType()) == kWord) {
        columns_.set(instruction, {a[0]});
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
    if (!element.accumulateConstantOffset(divergence_, offset)) {
      fail(element);
      return;
    }
    const LaneOperand base = columns_.operand_of(*element.getPointerOperand());
    if (offset == 0) {
      columns_.set(element, {base});
      return;
    }
    define(LaneInstruction::kAdd, element, {base, columns_.constant(offset.getZExtValue())});
  }

  void decode_local(const llvm::AllocaInst& variable) {
    const auto alignment = static_cast<std::uint32_t>(variable.getAlign().value());
    code_.local_bytes = llvm::alignTo(code_.local_bytes, alignment);
    code_.local_alignment = std::max(code_.local_alignment, alignment);
    define(LaneInstruction::kLocalAddress, variable, {}).detail =
        static_cast<std::uint32_t>(code_.local_bytes);
    code_.local_bytes += variable.getAllocationSize(divergence_)->getFixedValue();
  }

  void decode_variable(const llvm::Instruction& access, std::uint32_t variable) {
    if (columns_.needs_no_copy(access)) {
      columns_.set(access, {{nullptr, variable}});
      return;
    }
    if (llvm::isa<llvm::LoadInst>(access)) {
      define(LaneInstruction::kCopy, access, {{nullptr, variable}});
      return;
    }
    const auto* zero = llvm::dyn_cast<llvm::Constant>(access.getOperand(0));
    const bool is_first = access.getParent() == &function_.getEntryBlock();
    if (zero == nullptr || !zero->isNullValue() || !is_first) { // it begins as zero
      const LaneOperand value = columns_.operand_of(*access.getOperand(0));
      step(LaneInstruction::kCopy, access, {value}).result = variable;
    }
  }

  void decode_access(const llvm::Instruction& access) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&access);
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&access);
    const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&access);
    const llvm::Value& pointer = *access.getOperand(store != nullptr ? 1 : 0);
    const llvm::Value& value = *access.getOperand(store != nullptr || load != nullptr ? 0 : 1);
    const llvm::Type& type = load != nullptr ? *load->getType() : *value.getType();
    const LaneOperand address = columns_.operand_of(pointer);
    const LaneOperand given =
        columns_.operand_of(value); // of a load its address, which is not read
    LaneStep* made = nullptr;
    if (load != nullptr) {
      made = &define(LaneInstruction::kLoad, access, {address});
      made->acquires = llvm::isAcquireOrStronger(load->getOrdering());
    } else if (store != nullptr) {
      made = &step(LaneInstruction::kStore, access, {address, given});
      made->releases = llvm::isReleaseOrStronger(store->getOrdering());
    } else if (update != nullptr) {
      made = &define(LaneInstruction::kUpdate, access, {address, given});
      made->is_bfloat = type.isBFloatTy();
      if (const std::optional<exec::Update> what = update_of(*update)) {
        made->detail = static_cast<std::uint32_t>(*what);
      } else {
        fail(access);
      }
    } else {
      const LaneOperand replacement = columns_.operand_of(*access.getOperand(2));
      made = &define(LaneInstruction::kExchange, access, {address, given, replacement});
    }
    made->width = narrow(width_of(type));
    made->space = narrow(pointer.getType()->getPointerAddressSpace());
    if (made->whole <= made->width / 8) {
      made->whole = made->width / 8;
      made->offset = 0;
    }
  }

  void decode_operation(const llvm::CallInst& call, LaneOperation operation) {
    const auto known = [&](unsigned index) {
      return llvm::cast<llvm::ConstantInt>(call.getArgOperand(index))->getZExtValue();
    };
    const bool is_direct = operation == LaneOperation::kDirectCall;
    const bool is_indirect = operation == LaneOperation::kIndirectCall;
    const bool calls = is_direct || is_indirect;
    std::array<LaneOperand, 4> operands;
    std::vector<LaneOperand> words;
    if (is_indirect) {
      operands[0] = columns_.operand_of(*call.getArgOperand(0));
    }
    const unsigned first = calls ? 3 : has(operation, kDetail) ? 1 : 0;
    const unsigned end = call.arg_size() - (has(operation, kSite) ? 1 : 0);
    for (unsigned i = first; i < end; ++i) {
      const LaneOperand operand = columns_.operand_of(*call.getArgOperand(i));
      if (calls || operation == LaneOperation::kSystemCall || operation == LaneOperation::kMatrix ||
          operation == LaneOperation::kAsync || operation == LaneOperation::kAsyncWait) {
        words.push_back(operand);
      } else {
        operands[i - first] = operand;
      }
    }
    const auto* several = llvm::dyn_cast<llvm::StructType>(call.getType());
    const unsigned results = several != nullptr           ? several->getNumElements()
                             : call.getType()->isVoidTy() ? 0
                                                          : 1;
    LaneStep& made = step(LaneInstruction::kOperation, call);
    made.operation = operation;
    made.operands = operands;
    made.words = std::move(words);
    made.detail = has(operation, kDetail) ? static_cast<std::uint32_t>(known(0)) : 0;
    made.signature = calls ? known(2) : 0;
    for (unsigned i = 0; i < results; ++i) {
      made.results.push_back(columns_.add_word(call));
    }
    if (results == 1) {
      made.result = made.results[0];
    }
  }

  const llvm::Function& function_;
  const llvm::DataLayout& divergence_;
  OneLaneCode& code_;
  Columns columns_;
  std::string error_;
  std::vector<const llvm::BasicBlock*> blocks_;
  llvm::DenseMap<const llvm::BasicBlock*, std::uint32_t> starts_;
  std::vector<std::pair<std::size_t, llvm::SmallVector<const llvm::BasicBlock*>>> jumps_;
  llvm::DenseSet<const llvm::BasicBlock*> passages_;
};

} // namespace

bool decode(const llvm::Function& function, std::uint32_t index, OneLaneCode& code,
            std::string& error) {
  return Decoder(function, index, code).run(error);
}

} // namespace gantry::simt::lower
