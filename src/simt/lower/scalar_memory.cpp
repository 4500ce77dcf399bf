// Loads, stores, atomics, addresses and moves (PTX ISA 9.0, 9.7.9, 9.7.13.4 to 9.7.13.6).
#include "simt/exec/arithmetic/arithmetic.h"
#include "simt/lower/scalar_function.h"
#include "simt/ptx/instruction.h"

namespace gantry::simt::lower {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

namespace {

unsigned address_space_of(Space space) {
  switch (space) {
  case Space::kGlobal:
    return kGlobal;
  case Space::kShared:
    return kShared;
  case Space::kConst:
    return kConst;
  case Space::kLocal:
    return kLocal;
  default:
    return kGeneric;
  }
}

// The order of an access: plain, or atomic with what it promises. On the host all scopes are one.
llvm::AtomicOrdering ordering_of(const ptx::Instruction& instruction) {
  if (instruction.has(Modifier::kAcquire)) {
    return llvm::AtomicOrdering::Acquire;
  }
  if (instruction.has(Modifier::kRelease)) {
    return llvm::AtomicOrdering::Release;
  }
  if (instruction.has(Modifier::kRelaxed) || instruction.has(Modifier::kVolatile) ||
      instruction.has(Modifier::kMmio) || instruction.has(Modifier::kCv)) {
    return llvm::AtomicOrdering::Monotonic;
  }
  return llvm::AtomicOrdering::NotAtomic;
}

} // namespace

llvm::Value* ScalarFunction::cast_pointer(Value* address, Space space) {
  return builder_.CreateIntToPtr(address,
                                 llvm::PointerType::get(context_, address_space_of(space)));
}

llvm::Value* ScalarFunction::pointer(const Operand& address, Space space, unsigned offset) {
  const Operand& base = address.kind == Operand::Kind::kAddress ? address.members[0] : address;
  const std::int64_t added = (address.kind == Operand::Kind::kAddress ? address.value : 0) + offset;
  Value* pointer = nullptr;
  if (space == Space::kParam && base.kind == Operand::Kind::kVariable) {
    pointer = variables_[base.index];
    return builder_.CreateGEP(bits(8), pointer,
                              number(static_cast<std::uint64_t>(added + base.value), 64));
  }
  if (base.kind == Operand::Kind::kVariable && variables_[base.index] != nullptr &&
      space == Space::kLocal) {
    return builder_.CreateGEP(bits(8), variables_[base.index],
                              number(static_cast<std::uint64_t>(added + base.value), 64));
  }
  // Addresses in the shared and local windows may come in registers of 32 bits, and sums of them
  // wrap around there. With a sign the sum of 64 bits is in the window in the same cases.
  const bool narrow =
      base.kind == Operand::Kind::kRegister && width_of(source_.registers[base.index].type) == 32;
  const bool is_window = space == Space::kShared || space == Space::kLocal;
  Value* number_of = !narrow     ? get_bits(base, 64)
                     : is_window ? builder_.CreateSExt(get_bits(base, 32), bits(64))
                                 : builder_.CreateZExt(get_bits(base, 32), bits(64));
  pointer = cast_pointer(number_of, space);
  return added == 0
             ? pointer
             : builder_.CreateGEP(bits(8), pointer, number(static_cast<std::uint64_t>(added), 64));
}

bool ScalarFunction::lower_memory(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
  case Opcode::k_ld:
  case Opcode::k_ldu:
    lower_access(instruction, true);
    return true;
  case Opcode::k_st:
    lower_access(instruction, false);
    return true;
  case Opcode::k_atom:
  case Opcode::k_red:
    lower_atomic(instruction);
    return true;
  case Opcode::k_cvta:
    lower_cvta(instruction);
    return true;
  case Opcode::k_isspacep: {
    Value* address = get_bits(instruction.operands[1], 64);
    set_bits(instruction.operands[0], instruction.has(Modifier::kSharedCluster)
                                          ? is_in_cluster(address)
                                          : is_in_space(address, ptx::accessed_space(instruction)));
    return true;
  }
  case Opcode::k_mov:
    lower_move(instruction);
    return true;
  case Opcode::k_cp:
    lower_copy_async(instruction);
    return true;
  case Opcode::k_prefetch:
  case Opcode::k_prefetchu:
  case Opcode::k_discard:
  case Opcode::k_applypriority:
    return true; // hints
  case Opcode::k_createpolicy:
    set_bits(instruction.operands[0], number(0, 64)); // of hints, too
    return true;
  case Opcode::k_fence:
  case Opcode::k_membar:
    fence(instruction);
    return true;
  case Opcode::k_alloca: {
    const Type type = instruction.type();
    Value* alignment =
        instruction.operands.size() > 2 ? get_bits(instruction.operands[2], 64) : number(8, 64);
    set(instruction.operands[0],
        operation(LaneOperation::kAlloca, bits(64),
                  {builder_.CreateZExtOrTrunc(get(instruction.operands[1], type), bits(64)),
                   alignment, site()}),
        type);
    return true;
  }
  case Opcode::k_stacksave:
    set_bits(instruction.operands[0], operation(LaneOperation::kStackSave, bits(64), {}));
    return true;
  case Opcode::k_stackrestore:
    operation(LaneOperation::kStackRestore, builder_.getVoidTy(),
              {get_bits(instruction.operands[0], 64)});
    return true;
  default:
    return false;
  }
}

void ScalarFunction::lower_access(const ptx::Instruction& instruction, bool loads) {
  const Type type = instruction.type();
  const Space space = ptx::accessed_space(instruction);
  const unsigned size = ptx::size_of(type);
  const std::vector<Operand> elements =
      ptx::elements_of(instruction.operands[loads ? 0 : 1], source_);
  const llvm::AtomicOrdering ordering = ordering_of(instruction);
  const auto set_ordering = [&](auto* access) {
    if (space != Space::kParam && ordering != llvm::AtomicOrdering::NotAtomic) {
      access->setAtomic(ordering);
      access->setVolatile(instruction.has(Modifier::kVolatile));
    }
  };
  Value* first = pointer(instruction.operands[loads ? 1 : 0], space);
  for (unsigned i = 0; i < elements.size(); ++i) {
    set_origin(static_cast<unsigned>(llvm::PowerOf2Ceil(size * elements.size())), i * size);
    Value* address =
        i == 0 ? first : builder_.CreateConstGEP1_64(bits(8), first, std::uint64_t{i} * size);
    const llvm::Align alignment(size);
    if (!loads) {
      set_ordering(
          builder_.CreateAlignedStore(get_bits(elements[i], size * 8), address, alignment));
      continue;
    }
    llvm::LoadInst* load = builder_.CreateAlignedLoad(bits(size * 8), address, alignment);
    set_ordering(load);
    if (elements[i].kind != Operand::Kind::kSink) {
      set_bits(elements[i], load, ptx::is_signed(type));
    }
  }
}

// f16x2 and bf16x2 add: a compare-and-swap loop would need blocks of its own; the halves are added
// one after the other, which PTX allows (each element is atomic, not the pair).
llvm::Value* ScalarFunction::atomic_add_packed(Value* pointer, Value* value, Type type) {
  Value* result = number(0);
  auto* element =
      type == Type::kF16x2 ? llvm::Type::getHalfTy(context_) : llvm::Type::getBFloatTy(context_);
  for (unsigned half = 0; half < 2; ++half) {
    Value* part = builder_.CreateBitCast(
        builder_.CreateTrunc(builder_.CreateLShr(value, std::uint64_t{16} * half), bits(16)),
        element);
    Value* address = builder_.CreateConstGEP1_64(bits(8), pointer, std::uint64_t{2} * half);
    set_origin(4, 2 * half);
    auto* added =
        builder_.CreateAtomicRMW(llvm::AtomicRMWInst::FAdd, address, part, llvm::MaybeAlign(2),
                                 llvm::AtomicOrdering::SequentiallyConsistent);
    added->setVolatile(true); // as below
    Value* old = builder_.CreateZExt(builder_.CreateBitCast(added, bits(16)), bits(32));
    result = builder_.CreateOr(result, builder_.CreateShl(old, std::uint64_t{16} * half));
  }
  return result;
}

void ScalarFunction::lower_atomic(const ptx::Instruction& instruction) {
  using llvm::AtomicRMWInst;
  const bool returns = instruction.opcode == Opcode::k_atom;
  const std::vector<Operand>& operands = instruction.operands;
  const unsigned first = returns ? 1 : 0;
  const Type type = instruction.type();
  const Space space = ptx::accessed_space(instruction);
  Value* address = pointer(operands[first], space);
  // Stronger than what was asked for costs nothing on the host.
  constexpr auto kOrdering = llvm::AtomicOrdering::SequentiallyConsistent;
  Value* old = nullptr;
  if (instruction.has(Modifier::kCas)) {
    const unsigned width = width_of(type);
    auto* exchange = builder_.CreateAtomicCmpXchg(
        address, get_bits(operands[first + 1], width), get_bits(operands[first + 2], width),
        llvm::MaybeAlign(width / 8), kOrdering, kOrdering);
    old = builder_.CreateExtractValue(exchange, 0);
  } else if (type == Type::kF16x2 || type == Type::kBf16x2) {
    old = atomic_add_packed(address, get_bits(operands[first + 1], 32), type);
  } else {
    struct Row {
      Modifier modifier;
      AtomicRMWInst::BinOp of_unsigned, of_signed, of_float;
    };
    static constexpr auto kNone = AtomicRMWInst::BAD_BINOP;
    static constexpr Row kRows[] = {
        {Modifier::kAdd, AtomicRMWInst::Add, AtomicRMWInst::Add, AtomicRMWInst::FAdd},
        {Modifier::kMin, AtomicRMWInst::UMin, AtomicRMWInst::Min, kNone},
        {Modifier::kMax, AtomicRMWInst::UMax, AtomicRMWInst::Max, kNone},
        {Modifier::kAnd, AtomicRMWInst::And, AtomicRMWInst::And, kNone},
        {Modifier::kOr, AtomicRMWInst::Or, AtomicRMWInst::Or, kNone},
        {Modifier::kXor, AtomicRMWInst::Xor, AtomicRMWInst::Xor, kNone},
        {Modifier::kExch, AtomicRMWInst::Xchg, AtomicRMWInst::Xchg, kNone},
        {Modifier::kInc, AtomicRMWInst::UIncWrap, AtomicRMWInst::UIncWrap, kNone},
        {Modifier::kDec, AtomicRMWInst::UDecWrap, AtomicRMWInst::UDecWrap, kNone},
    };
    for (const Row& row : kRows) {
      if (!instruction.has(row.modifier)) {
        continue;
      }
      Value* value = get_bits(operands[first + 1], width_of(type));
      if (ptx::is_float(type)) {
        auto* element = type == Type::kBf16 ? llvm::Type::getBFloatTy(context_) : value_type(type);
        value = builder_.CreateBitCast(value, element);
      }
      auto* update =
          builder_.CreateAtomicRMW(ptx::is_float(type)    ? row.of_float
                                   : ptx::is_signed(type) ? row.of_signed
                                                          : row.of_unsigned,
                                   address, value, llvm::MaybeAlign(ptx::size_of(type)), kOrdering);
      // LLVM would make an exchange of the addition of a NaN and a load of that of -0, but sums are
      // canonical NaNs, and flushed.
      update->setVolatile(ptx::is_float(type));
      old = as_bits(update);
      break;
    }
  }
  if (returns && old != nullptr) {
    set_bits(operands[0], old, ptx::is_signed(type));
  }
}

void ScalarFunction::lower_cvta(const ptx::Instruction& instruction) {
  const Space space = ptx::accessed_space(instruction);
  const Operand& operand = instruction.operands[1];
  const unsigned width = width_of(instruction.type());
  Value* address = builder_.CreateZExt(get_bits(operand, width), bits(64));
  const bool to_space = instruction.has(Modifier::kTo);
  if (space == Space::kLocal && to_space) {
    address = operation(LaneOperation::kLocalOffset, bits(64), {address});
  } else if (space == Space::kShared || space == Space::kLocal) {
    Value* base =
        operation(space == Space::kShared ? LaneOperation::kSharedBase : LaneOperation::kLocalBase,
                  bits(64), {});
    address = to_space ? builder_.CreateSub(address, base) : builder_.CreateAdd(address, base);
  }
  set_bits(instruction.operands[0], address);
}

void ScalarFunction::lower_move(const ptx::Instruction& instruction) {
  const Operand& to = instruction.operands[0];
  const Operand& from = instruction.operands[1];
  const Type type = instruction.type();
  const unsigned width = type == Type::kPred ? 1 : width_of(type);
  const unsigned vector = ptx::vector_length(instruction);
  if (vector > 1) {
    const std::vector<Operand> target = ptx::elements_of(to, source_);
    const std::vector<Operand> source = ptx::elements_of(from, source_);
    std::vector<Value*> values;
    for (const Operand& element : source) {
      values.push_back(get_bits(element, width));
    }
    for (unsigned i = 0; i < target.size() && i < values.size(); ++i) {
      set_bits(target[i], values[i]);
    }
    return;
  }
  // {a,b} or a vector register on one side: its elements, the first lowest.
  const std::vector<Operand> into = ptx::elements_of(to, source_);
  const std::vector<Operand> out_of = ptx::elements_of(from, source_);
  if (into.size() > 1) {
    Value* whole = get_bits(from, width);
    const unsigned part = width / static_cast<unsigned>(into.size());
    for (unsigned i = 0; i < into.size(); ++i) {
      set_bits(into[i], builder_.CreateTrunc(builder_.CreateLShr(whole, std::uint64_t{i} * part),
                                             bits(part)));
    }
    return;
  }
  if (out_of.size() > 1) {
    Value* whole = number(0, width);
    const unsigned part = width / static_cast<unsigned>(out_of.size());
    for (unsigned i = 0; i < out_of.size(); ++i) {
      Value* piece = builder_.CreateZExt(get_bits(out_of[i], part), bits(width));
      whole = builder_.CreateOr(whole, builder_.CreateShl(piece, std::uint64_t{i} * part));
    }
    set_bits(to, whole);
    return;
  }
  if (type == Type::kPred) {
    set_bits(to, get_predicate(from));
    return;
  }
  set_bits(to, get_bits(from, width));
}

// cp.async: the copy is made at once, so groups are always complete when they are waited for.
// Windows have addresses of their own; constants are among the variables.
llvm::Value* ScalarFunction::is_in_space(Value* address, Space space) {
  const auto in_window = [&](unsigned window) {
    return operation(LaneOperation::kInWindow, bits(1), {number(window), address});
  };
  if (space == Space::kShared || space == Space::kLocal) {
    return in_window(address_space_of(space));
  }
  if (space == Space::kParam) {
    return in_window(kTrusted);
  }
  Value* constant = builder_.getFalse();
  for (std::uint32_t i = 0; i < program_.variables.size(); ++i) {
    const ptx::ProgramVariable& variable = program_.variables[i];
    if (variable.space == Space::kConst && variable.variable->size() != 0) {
      Value* start = operation(LaneOperation::kVariable, bits(64), {number(i)});
      constant = builder_.CreateOr(constant,
                                   builder_.CreateICmpULT(builder_.CreateSub(address, start),
                                                          number(variable.variable->size(), 64)));
    }
  }
  return space == Space::kConst
             ? constant
             : builder_.CreateAnd(in_window(kGlobal), builder_.CreateNot(builder_.CreateOr(
                                                          constant, is_in_cluster(address))));
}

void ScalarFunction::lower_copy_async(const ptx::Instruction& instruction) {
  if (!instruction.has(Modifier::kShared) && !instruction.has(Modifier::kSharedCta) &&
      !instruction.has(Modifier::kSharedCluster)) {
    return; // commit_group, wait_group, wait_all
  }
  const std::vector<Operand>& operands = instruction.operands;
  const bool limited = operands.size() > (instruction.has(Modifier::kL2CacheHint) ? 4 : 3);
  const auto size = static_cast<unsigned>(operands[2].value);
  const unsigned step = std::min(size, 8U);
  Value* to = pointer(operands[0], Space::kShared);
  // With a source size, what is loaded may be what is written (below), which is shared memory.
  Value* from = pointer(operands[1], limited ? Space::kGeneric : Space::kGlobal);
  // Bytes beyond the given source size are zero; all are if the source is to be ignored.
  Value* limit = nullptr;
  if (limited) {
    const bool ignores = operands[3].kind == Operand::Kind::kRegister &&
                         source_.registers[operands[3].index].type == Type::kPred;
    limit = ignores ? builder_.CreateSelect(get_predicate(operands[3]), number(0), number(size))
                    : get_bits(operands[3], 32);
  }
  for (unsigned offset = 0; offset < size; offset += step) {
    const llvm::Align alignment(step);
    set_origin(size, offset);
    Value* source = builder_.CreateConstGEP1_64(bits(8), from, offset);
    Value* left = nullptr;
    if (limit != nullptr) {
      // What is not read need not be there: the place that is written is.
      left = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, limit, number(offset));
      Value* place = builder_.CreateAdd(
          operation(LaneOperation::kSharedBase, bits(64), {}),
          builder_.CreatePtrToInt(builder_.CreateConstGEP1_64(bits(8), to, offset), bits(64)));
      source = builder_.CreateSelect(builder_.CreateIsNull(left),
                                     builder_.CreateIntToPtr(place, source->getType()), source);
    }
    auto* load = builder_.CreateAlignedLoad(bits(step * 8), source, alignment);
    Value* value = load;
    if (limit != nullptr) {
      // Of each piece the bytes below the limit.
      Value* all = builder_.CreateICmpUGE(left, number(step));
      Value* shift = builder_.CreateSelect(all, number(0), builder_.CreateShl(left, 3));
      Value* mask =
          builder_.CreateSub(builder_.CreateShl(number(1, step * 8),
                                                builder_.CreateZExtOrTrunc(shift, bits(step * 8))),
                             number(1, step * 8));
      value = builder_.CreateSelect(all, value, builder_.CreateAnd(value, mask));
    }
    builder_.CreateAlignedStore(value, builder_.CreateConstGEP1_64(bits(8), to, offset), alignment);
  }
}

void ScalarFunction::fence(const ptx::Instruction& instruction) {
  // There is one way to memory alone, and so nothing to order between several.
  if (instruction.has(Modifier::kProxy) && !instruction.has(Modifier::kAcquire) &&
      !instruction.has(Modifier::kRelease)) {
    return;
  }
  // Acquire-release is what every access of the host has; only sequential consistency needs more.
  const bool strong = instruction.opcode == Opcode::k_membar || instruction.has(Modifier::kSc);
  create_fence(builder_,
               strong ? llvm::AtomicOrdering::SequentiallyConsistent
                      : llvm::AtomicOrdering::AcquireRelease,
               !instruction.has(Modifier::kCta));
}

} // namespace gantry::simt::lower
