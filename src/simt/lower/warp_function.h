// A function for a warp: the one-lane form (scalar_function.h), widened to 32 lanes.
//
// The result has the signature of exec::Code and executes the function for the lanes of a mask.
// Each value takes the cheapest form that its shape allows (divergence.h): a scalar, a scalar base
// with a stride, or a vector of 32.
//
// Control flow. A block that all lanes execute together keeps its branches. The blocks of a
// divergent region are laid out one after the other. Each has a variable with the lanes that are to
// execute it, is skipped while that is empty, and adds its lanes to its successors' variables. A
// loop of such blocks repeats until no lane is left in it. Values that are used in other blocks
// than their own are in variables, so that blocks can be skipped; LLVM turns variables into
// registers.
//
// Suspension. A call, a barrier or a warp-level operation may return in a copy of the warp that has
// fewer lanes, or none, of those that are active here (exec/warp/warp.h). After each, the mask is
// cut down to the lanes that are left, and if none are, control goes on behind the block.
#pragma once

#include "simt/exec/code/code.h"
#include "simt/lower/divergence.h"
#include "simt/lower/operations.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace gantry::simt::lower {

struct WarpOptions {
  exec::Geometry geometry = exec::Geometry::kLinear;
  bool check_memory = true;
  bool watch_accesses = false; ///< as in CompileRequest
  bool watch_exchanges = false;
  bool local_addresses = false; ///< as for DivergenceAnalysis
  bool is_entry = false;
  bool lanes_may_part = false; ///< loops may run lane by lane (lane_loops.h)
  bool one_lane = false; ///< a loop of lane_loops.h: widened to one lane, whatever is in the mask
  /// The functions that the calls of lane loops become.
  const llvm::DenseMap<const llvm::Function*, llvm::Function*>* lane_loops = nullptr;
  exec::Site first_site = 0; ///< of the function's first instruction; later ones follow
  unsigned first_range = 0;  ///< of the known ranges that accesses in loops look at
};

class WarpFunction {
public:
  WarpFunction(llvm::Function& scalar, const WarpOptions& options);

  /// Adds the function to the module of the scalar one. Its name is "code"; that of one lane has
  /// the scalar function's arguments behind a warp and a mask, and its result.
  llvm::Function* build();
  /// Whether the code may suspend.
  [[nodiscard]] bool may_suspend() const { return may_suspend_; }
  /// Behind the known ranges that it looks at.
  [[nodiscard]] unsigned next_range() const { return next_range_; }

private:
  using Value = llvm::Value;
  using Type = llvm::Type;

  /// A value in the form that its shape has. Pointers are numbers of 64 bits.
  struct WarpValue {
    Value* scalar = nullptr;     ///< uniform: the value; affine: the base
    Value* guard = nullptr;      ///< guarded affine: whether lane i has base + i * stride …
    Value* correction = nullptr; ///< … and, as a vector, each lane's difference from that
    Value* vector = nullptr;     ///< varying; of the others, once it has been asked for
    Value* row_stride = nullptr; ///< affine with a row stride
  };
  struct Slots {
    llvm::AllocaInst* scalar = nullptr;
    llvm::AllocaInst* row_stride = nullptr;
    llvm::AllocaInst* guard = nullptr;
    llvm::AllocaInst* correction = nullptr;
    llvm::AllocaInst* vector = nullptr;
  };

  // warp_function.cpp: frame and control flow.
  void scan();
  void make_frame();
  /// Traps on a condition, before anything of the function runs.
  void trap_in_front(Value* condition, exec::Trap trap);
  void emit_block(llvm::BasicBlock& block);
  void emit_terminator(llvm::BasicBlock& block);
  void emit_branch(llvm::BasicBlock& block, const llvm::BranchInst& branch);
  void emit_return(const llvm::ReturnInst& terminator);
  void leave_block(llvm::BasicBlock& block);
  void go_back(llvm::BasicBlock* header, llvm::BasicBlock* otherwise);
  [[nodiscard]] bool loop_may_wait(const llvm::BasicBlock* header) const;
  [[nodiscard]] llvm::BasicBlock* new_block(const char* name);
  /// After what may have suspended: cuts the mask down, and leaves the block if no lane is left.
  void resume();
  /// Whether lanes of this copy of the warp may be pending in another block or function, so that
  /// what waits here may go on in a copy without those that are active here. In a kernel's blocks
  /// of all lanes together there are none.
  [[nodiscard]] bool lanes_may_be_elsewhere() const {
    return !options_.is_entry || divergence_.is_divergent(block_);
  }
  void set_mask(Value* mask);
  llvm::AllocaInst* variable(Type* type, const char* name);
  Value* field(std::size_t offset, Type* type, bool constant);
  Value* service(std::size_t offset);
  Value* call_service(std::size_t offset, Type* result, llvm::ArrayRef<Value*> arguments);

  // warp_phis.cpp
  void emit_phis(llvm::BasicBlock& block);
  void pass_phi_values(llvm::BasicBlock& from,
                       llvm::ArrayRef<std::pair<llvm::BasicBlock*, Value*>> edges, bool all_taken);

  // warp_values.cpp: values and plain instructions; warp_affine.cpp.
  [[nodiscard]] Type* scalar_type(Type* type);
  [[nodiscard]] Type* vector_type(Type* type);
  [[nodiscard]] Shape shape(const Value* value) const { return divergence_.shape(value); }
  [[nodiscard]] const WarpValue& warp_value(const Value* value);
  [[nodiscard]] Value* scalar(const Value* value);
  [[nodiscard]] Value* vector(const Value* value);
  [[nodiscard]] Value* splat(Value* value);
  [[nodiscard]] Value* lane_numbers(Type* type);
  void define(const llvm::Instruction& instruction, const WarpValue& form);
  void define_vector(const llvm::Instruction& instruction, Value* value) {
    define(instruction, {nullptr, nullptr, nullptr, value});
  }
  void define_scalar(const llvm::Instruction& instruction, Value* value) {
    define(instruction, {value, nullptr, nullptr, nullptr});
  }
  void emit(const llvm::Instruction& instruction);
  void emit_plain(const llvm::Instruction& instruction);
  void emit_affine(const llvm::Instruction& instruction);
  /// The value in the form of a guarded affine shape, whatever its own is.
  [[nodiscard]] WarpValue as_guarded(const Value* value, const Shape& wanted);
  [[nodiscard]] WarpValue selected(const llvm::SelectInst& select);
  /// A quotient or remainder of an affine value by a uniform one.
  [[nodiscard]] WarpValue divided(const llvm::BinaryOperator& division);
  [[nodiscard]] Value* correction_of(const llvm::Instruction& instruction, const WarpValue& made);
  [[nodiscard]] Value* correction_of_operand(const Value* operand);
  [[nodiscard]] Value* row_stride_of(const llvm::Instruction& instruction);
  [[nodiscard]] Value* row_stride_of_operand(const Value* operand);
  /// What a linear operation makes of a part of its operands, constants left out.
  [[nodiscard]] Value* linear_part(const llvm::Instruction& instruction,
                                   llvm::function_ref<Value*(const Value*)> part, bool wide);
  /// Whether no lane of an affine number, before it is widened, wraps around.
  [[nodiscard]] Value* fits_everywhere(const llvm::Instruction& widening, const WarpValue& made);
  /// All lanes of an affine value; `row_stride` may be null.
  [[nodiscard]] Value* lanes_from(Value* base, Value* row_stride, std::int64_t stride);
  /// The base of a row.
  [[nodiscard]] Value* row_from(Value* base, Value* row_stride, unsigned row);
  [[nodiscard]] Value* joined_rows(llvm::ArrayRef<Value*> rows);
  /// The value, in a way that keeps what is computed of it in this block.
  [[nodiscard]] Value* here(Value* value);
  [[nodiscard]] Value* build_plain(const llvm::Instruction& instruction,
                                   llvm::ArrayRef<Value*> operands, bool wide);
  [[nodiscard]] Value* address(const llvm::GetElementPtrInst& instruction, bool wide);
  [[nodiscard]] Value* mask_bits(Value* lanes);
  [[nodiscard]] Value* lane_mask() { return lanes_of(mask_); }
  [[nodiscard]] Value* lanes_of(Value* bits);
  [[nodiscard]] Value* first_lane();
  [[nodiscard]] Value* any_lane(const Value* value); ///< scalar, or the first active lane's
  /// A loop over the lanes of a mask; `body` gets the lane's number (i64).
  void for_each_lane(Value* mask, llvm::function_ref<void(Value* lane)> body);
  [[nodiscard]] llvm::ConstantInt* number(std::uint64_t value, unsigned width = 32);

  [[nodiscard]] unsigned rows() const { return exec::kLanes / width_; }

  // warp_memory.cpp, warp_checks.cpp, warp_atomics.cpp
  void emit_load(const llvm::LoadInst& load);
  void emit_store(const llvm::StoreInst& store);
  void emit_atomic(const llvm::Instruction& instruction);
  struct MemoryAccess {
    const Value* pointer;
    unsigned space;
    unsigned size;      ///< bytes
    unsigned alignment; ///< that the hardware asks for of the whole access …
    unsigned offset;    ///< … in which this part begins so many bytes later
    exec::AccessKind kind;
    Value* site;
    unsigned range; ///< the known range that it looks at; exec::kKnownRanges: none, but the shadow
  };
  Value* atomic_sum(const MemoryAccess& access, Type* type, Value* address, Value* old,
                    Value* addend);
  /// One lane's: the old value. All numbers are their bits; `expected` is a comparison's.
  Value* atomic_of_lane(const llvm::Instruction& instruction, const MemoryAccess& access,
                        Value* address, Value* value, Value* expected);
  Value* atomic_add_floating(const MemoryAccess& access, Type* type, Value* address, Value* value,
                             bool own);
  [[nodiscard]] MemoryAccess access_of(const llvm::Instruction& instruction, const Value* pointer,
                                       unsigned size, exec::AccessKind kind);
  [[nodiscard]] Value* is_aligned(const MemoryAccess& access, Value* address);
  /// A base in a block's window, which has 32 bits and a sign.
  [[nodiscard]] Value* in_window(const MemoryAccess& access, Value* base);
  [[nodiscard]] bool by_rows(const MemoryAccess& access) const;
  [[nodiscard]] Value* addresses_by_rows(const MemoryAccess& access);
  [[nodiscard]] Value* row_pointer(const MemoryAccess& access, unsigned row);
  [[nodiscard]] Value* load_rows(const MemoryAccess& access, Type* type);
  void store_rows(const MemoryAccess& access, Value* values);
  [[nodiscard]] Value* host_scalar(const MemoryAccess& access, Value* address);
  [[nodiscard]] Value* host_vector(const MemoryAccess& access, Value* addresses);
  [[nodiscard]] Value* host_pointer(const MemoryAccess& access, Value* address);
  [[nodiscard]] Value* host_pointers(const MemoryAccess& access, Value* addresses);
  /// The lanes' addresses; a generic one of local memory is each lane's own.
  [[nodiscard]] Value* addresses_of(const MemoryAccess& access);
  /// Of generic addresses, each lane's offset in the window of local memory that its address is in;
  /// beyond all windows if it is in none. `local` becomes the lanes whose address is in one.
  [[nodiscard]] Value* offsets_in_local(Value* addresses, Value** local);
  [[nodiscard]] bool may_be_own(const MemoryAccess& access) const {
    return access.space == kLocal || (access.space == kGeneric && options_.local_addresses);
  }
  /// `addresses` gives all lanes' addresses, for check_access.
  void check_uniform(const MemoryAccess& access, Value* address,
                     llvm::function_ref<Value*()> addresses);
  void check_consecutive(const MemoryAccess& access, Value* base,
                         llvm::function_ref<Value*()> addresses);
  void check_lanes(const MemoryAccess& access, Value* addresses);
  /// Addresses that grow from lane to lane by `stride`, which is 0 or the access's size.
  struct AddressRow {
    Value* first = nullptr;
    unsigned stride = 0;
  };
  [[nodiscard]] Value* ends_inside(Value* offset, Value* size, std::uint64_t bytes);
  /// Whether `bytes` from an offset on are in the window of shared or local memory; or from an
  /// address on in the access's known range. Scalar or for all lanes.
  [[nodiscard]] Value* in_window_of(const MemoryAccess& access, Value* offset, std::uint64_t bytes);
  [[nodiscard]] Value* in_known_range(const MemoryAccess& access, Value* address,
                                      std::uint64_t bytes);
  void check(const MemoryAccess& access, Value* good, llvm::function_ref<Value*()> addresses,
             const AddressRow& row);
  [[nodiscard]] Value* in_own_windows(const MemoryAccess& access, Value* addresses);
  /// A branch, and the phi of the values of its sides; null if they give none.
  Value* two_ways(Value* condition, llvm::function_ref<Value*()> yes,
                  llvm::function_ref<Value*()> no);
  Value* if_all_lanes(llvm::function_ref<Value*()> all, llvm::function_ref<Value*()> some);
  /// An access by lanes to different addresses: `together` to consecutive elements from a
  /// pointer on, those of the active lanes; `by_row` to those of each row; `scattered` otherwise.
  Value* access_lanes(const MemoryAccess& access,
                      llvm::function_ref<Value*(Value* pointer)> together,
                      llvm::function_ref<Value*()> by_row,
                      llvm::function_ref<Value*(Value* addresses)> scattered);
  [[nodiscard]] Value* load_lanes(const MemoryAccess& access, Type* type);
  [[nodiscard]] Value* gather_lanes(const MemoryAccess& access, Type* type, Value* addresses);
  [[nodiscard]] Value* gather_or_one(const MemoryAccess& access, Type* type, Value* addresses);
  void store_lanes(const MemoryAccess& access, Value* values);
  void compiler_fence();
  [[nodiscard]] bool consecutive(const MemoryAccess& access) const;
  [[nodiscard]] bool one_place_mostly(const MemoryAccess& access) const;

  // warp_lane_loops.cpp
  void emit_lane_loop(const llvm::CallInst& call, llvm::Function* code);

  // warp_operations.cpp, warp_calls.cpp, warp_exchange.cpp
  void emit_operation(const llvm::CallInst& call, LaneOperation operation);
  void emit_special(const llvm::CallInst& call);
  void emit_barrier(const llvm::CallInst& call);
  /// The barrier and count that an operation's lanes name.
  struct NamedBarrier {
    Value *id, *threads;
  };
  NamedBarrier barrier_of(const llvm::CallInst& call);
  void emit_call(const llvm::CallInst& call, bool direct);
  /// A call of a service that takes words and gives one: call_system, start_async, await_async.
  void emit_words_call(const llvm::CallInst& call, std::size_t service);
  void emit_shuffle(const llvm::CallInst& call);
  void emit_match(const llvm::CallInst& call);
  void emit_redux(const llvm::CallInst& call);
  void emit_matrix(const llvm::CallInst& call);
  void emit_alloca(const llvm::CallInst& call);
  [[nodiscard]] Value* source_lanes(const llvm::CallInst& call, Value** valid);
  /// The values of all lanes that a warp-level operation is for, given those of the active ones;
  /// and in `present` a mask with which of a lane's mask have taken part.
  [[nodiscard]] Value* exchange(Value* values, const Value* masks, exec::Exchange kind, Value* site,
                                Value** present = nullptr);
  void call_code(Value* code, Value* mask);
  /// The words of a call's arguments from `first` to `end`, to words_in_; and its results.
  void store_words(const llvm::CallInst& call, unsigned first, unsigned end);
  [[nodiscard]] Value* load_words(const llvm::CallInst& call);

  llvm::Function& scalar_;
  const WarpOptions options_;
  const unsigned width_; ///< of a row; a warp has rows() of them
  DivergenceAnalysis divergence_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* frame_ = nullptr;  ///< variables and what is read once
  llvm::BasicBlock* return_ = nullptr; ///< restores the frame and returns
  llvm::Argument* warp_ = nullptr;

  bool may_suspend_ = false;
  bool lanes_may_end_ = false; ///< `live` can change while the function runs
  bool uses_local_ = false;
  /// Blocks that all lanes execute together, but that some may not reach any more.
  llvm::DenseSet<const llvm::BasicBlock*> reconvergence_points_;
  unsigned next_range_; ///< of an access in a loop
  unsigned argument_words_ = 0;
  unsigned result_words_ = 0;

  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> heads_;   ///< where a block begins
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> ends_;    ///< divergent: behind it
  llvm::DenseMap<const llvm::BasicBlock*, llvm::AllocaInst*> pending_; ///< divergent: its lanes
  llvm::AllocaInst* together_ = nullptr; ///< the lanes of the call, for the other blocks
  llvm::AllocaInst* words_in_ = nullptr;
  llvm::AllocaInst* words_out_ = nullptr;
  llvm::AllocaInst* scratch_[4] = {}; ///< 32 words of 64 bits
  Value* saved_local_ = nullptr;
  llvm::DenseMap<const llvm::AllocaInst*, std::uint64_t> local_offsets_;
  Value* local_frame_ = nullptr;

  llvm::DenseMap<const Value*, Slots> slots_;
  llvm::DenseMap<const llvm::PHINode*, Slots> phi_slots_;
  llvm::DenseMap<const Value*, WarpValue> warp_values_; ///< in the block being emitted
  llvm::DenseMap<std::size_t, Value*> fields_;
  const llvm::BasicBlock* block_ = nullptr;
  Value* mask_ = nullptr;             ///< i32: the lanes that execute what is being emitted
  llvm::BasicBlock* leave_ = nullptr; ///< where to go when no lane is left
};

} // namespace gantry::simt::lower
