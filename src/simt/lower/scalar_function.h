// A PTX function as LLVM IR for one thread.
//
// PTX registers become variables of their width, which LLVM's passes then turn into values; a
// register holds bits, and each instruction reads them as its type says (PTX ISA 9.0, 5.2).
// Parameters and results of functions are passed as words: a scalar is one word of its own width,
// an array words of 64 bits. An entry has none: it reads its parameters from the launch's buffer.
#pragma once

#include "simt/exec/arithmetic/matrix.h"
#include "simt/exec/warp/async_operation.h"
#include "simt/exec/warp/warp.h"
#include "simt/lower/operations.h"
#include "simt/ptx/call_interface.h"
#include "simt/ptx/program.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <vector>

namespace gantry::simt::lower {

/// What the processor that the code is for can do; the rest goes through Services::arithmetic.
struct TargetFacts {
  bool fma = false;
  bool f16c = false;
};

[[nodiscard]] inline unsigned width_of(ptx::Type type) {
  return ptx::size_of(type) * 8;
}

/// The types of the words that arguments or results are passed in.
[[nodiscard]] std::vector<llvm::Type*> words_of(llvm::LLVMContext& context,
                                                llvm::ArrayRef<ptx::PassedValue> values);

/// Where an access of memory comes from, carried through LLVM's passes as a debug location, which
/// they keep when they replace an instruction by another: the line is the index of the PTX
/// instruction plus one, the column says which part of a vector access it is.
struct AccessOrigin {
  std::uint32_t instruction = 0;
  unsigned vector_size = 1; ///< bytes of the whole access, a power of two: its alignment
  unsigned offset = 0;      ///< of this part in it

  [[nodiscard]] unsigned column() const { return llvm::Log2_32(vector_size) << 8 | offset; }
  /// Nothing for an instruction that has lost its place.
  [[nodiscard]] static std::optional<AccessOrigin> of(const llvm::Instruction& access);
};

class ScalarFunction {
public:
  ScalarFunction(const ptx::Program& program, std::uint32_t function, const TargetFacts& target,
                 llvm::Module& module);

  /// Adds the function to the module. Its name is "scalar".
  llvm::Function* build();

private:
  using Value = llvm::Value;
  using LlvmType = llvm::Type;

  // scalar_function.cpp: frame, operands, guards.
  void declare();
  void make_blocks();
  void make_variables();
  void lower_all();
  void lower(const ptx::Instruction& instruction);
  void lower_guarded(const ptx::Instruction& instruction, std::uint32_t index);
  [[nodiscard]] LlvmType* bits(unsigned width) { return llvm::IntegerType::get(context_, width); }
  [[nodiscard]] LlvmType* register_type(ptx::Type type);
  [[nodiscard]] LlvmType* value_type(ptx::Type type);
  [[nodiscard]] Value* slot_of(const ptx::Operand& operand);
  /// The operand as a value of the type: an integer of its width, i1, half, float or double.
  [[nodiscard]] Value* get(const ptx::Operand& operand, ptx::Type type);
  /// The operand as an integer of so many bits.
  [[nodiscard]] Value* get_bits(const ptx::Operand& operand, unsigned width);
  [[nodiscard]] Value* get_predicate(const ptx::Operand& operand);
  /// Writes a value of the type: to a wider register zero- or sign-extended as the type says.
  void set(const ptx::Operand& operand, Value* value, ptx::Type type);
  void set_bits(const ptx::Operand& operand, Value* value, bool sign_extend = false);
  [[nodiscard]] Value* as_bits(Value* value);
  [[nodiscard]] Value* special(const ptx::Operand& operand);
  [[nodiscard]] Value* address_of(const ptx::Operand& operand);
  [[nodiscard]] llvm::ConstantInt* number(std::uint64_t value, unsigned width = 32);
  [[nodiscard]] Value* site();
  /// From here on, instructions come from this part of the current one.
  void set_origin(unsigned vector_size = 1, unsigned offset = 0);
  Value* operation(LaneOperation operation, LlvmType* result, llvm::ArrayRef<Value*> arguments) {
    return call_operation(builder_, operation, result, arguments);
  }

  // scalar_integer.cpp
  bool lower_integer(const ptx::Instruction& instruction);
  void lower_carry(const ptx::Instruction& instruction);
  void lower_multiply(const ptx::Instruction& instruction);
  void lower_divide(const ptx::Instruction& instruction);
  void lower_shift(const ptx::Instruction& instruction);
  void lower_bits(const ptx::Instruction& instruction);
  bool lower_video(const ptx::Instruction& instruction);
  [[nodiscard]] Value* permute_bytes(Value* a, Value* b, Value* selector,
                                     const ptx::Instruction& how);

  // scalar_float.cpp
  bool lower_float(const ptx::Instruction& instruction);
  void lower_convert(const ptx::Instruction& instruction);
  [[nodiscard]] Value* to_tf32(Value* single, exec::Rounding rounding,
                               const ptx::Instruction& instruction);
  void lower_compare(const ptx::Instruction& instruction);
  [[nodiscard]] Value* compare(const ptx::Instruction& instruction, Value* a, Value* b,
                               ptx::Type type);
  [[nodiscard]] Value* flushed(Value* value, const ptx::Instruction& instruction);
  [[nodiscard]] Value* saturated(Value* value, const ptx::Instruction& instruction);
  // scalar_approximate.cpp: of a float.
  [[nodiscard]] Value* polynomial(Value* x, llvm::ArrayRef<double> coefficients);
  [[nodiscard]] Value* reciprocal_root(Value* a);
  [[nodiscard]] Value* power_of_two(Value* a);
  [[nodiscard]] Value* binary_logarithm(Value* a);
  [[nodiscard]] Value* by_service(const ptx::Instruction& instruction, unsigned operation,
                                  llvm::ArrayRef<Value*> operands, ptx::Type type,
                                  ptx::Type source = ptx::Type::kNone);

  // scalar_memory.cpp
  bool lower_memory(const ptx::Instruction& instruction);
  void lower_access(const ptx::Instruction& instruction, bool loads);
  void lower_atomic(const ptx::Instruction& instruction);
  void lower_cvta(const ptx::Instruction& instruction);
  void lower_move(const ptx::Instruction& instruction);
  void lower_copy_async(const ptx::Instruction& instruction);
  [[nodiscard]] Value* pointer(const ptx::Operand& address, ptx::Space space, unsigned offset = 0);
  [[nodiscard]] Value* cast_pointer(Value* address, ptx::Space space);
  [[nodiscard]] Value* is_in_space(Value* address, ptx::Space space);
  [[nodiscard]] Value* atomic_add_packed(Value* pointer, Value* value, ptx::Type type);
  void fence(const ptx::Instruction& instruction);

  // scalar_matrix.cpp
  bool lower_matrix(const ptx::Instruction& instruction);
  /// The words that the warp gives back for `words`, each of a lane's.
  [[nodiscard]] std::vector<Value*> exchange_matrices(const exec::MatrixOperation& operation,
                                                      llvm::ArrayRef<Value*> words);
  void lower_multiply_matrices(const ptx::Instruction& instruction);
  void lower_load_matrices(const ptx::Instruction& instruction);
  void lower_store_matrices(const ptx::Instruction& instruction);
  /// The address of a matrix's row, in a lane that gives one.
  [[nodiscard]] Value* row_pointer(const ptx::Instruction& instruction, unsigned operand);
  /// `body` in the lanes that give the rows of so many matrices: the first 8 of each.
  void in_lanes_of_rows(unsigned matrices, llvm::function_ref<void()> body);

  // scalar_async.cpp
  bool lower_async(const ptx::Instruction& instruction);
  void lower_mbarrier(const ptx::Instruction& instruction);
  void lower_bulk(const ptx::Instruction& instruction);
  [[nodiscard]] static exec::AsyncReduction reduction_of(const ptx::Instruction& instruction);
  // scalar_cluster.cpp
  bool lower_cluster(const ptx::Instruction& instruction);
  void lower_map_address(const ptx::Instruction& instruction);
  void lower_remote_store(const ptx::Instruction& instruction);
  [[nodiscard]] Value* cluster_rank(ptx::SpecialRegister which);
  /// How far into the shared memory of the cluster's first block, and those behind it, an address
  /// is; an offset in the block's own if it is_offset.
  [[nodiscard]] Value* from_first_block(Value* address, bool is_offset);
  [[nodiscard]] Value* is_in_cluster(Value* address);
  /// An address operand as a generic address.
  [[nodiscard]] Value* generic_address(const ptx::Operand& address, ptx::Space space);
  Value* async(exec::AsyncOperation what, llvm::ArrayRef<Value*> words);

  // scalar_control.cpp
  bool lower_control(const ptx::Instruction& instruction);
  void lower_call(const ptx::Instruction& instruction);
  bool lower_warp(const ptx::Instruction& instruction);
  void lower_shuffle(const ptx::Instruction& instruction);
  void lower_vote(const ptx::Instruction& instruction);
  void lower_barrier(const ptx::Instruction& instruction);
  void branch_to(llvm::BasicBlock* block);
  void trap(exec::Trap reason);
  /// The words of a value, from the bytes of a variable of this function.
  [[nodiscard]] std::vector<Value*> load_words(const ptx::PassedValue& value,
                                               std::uint32_t variable);
  /// The words of a value, from an operand of a call.
  [[nodiscard]] std::vector<Value*> argument_words(const ptx::PassedValue& value,
                                                   const ptx::Operand& operand);
  /// Writes the words of a value to a variable of this function: all of its bytes.
  void store_words(const ptx::PassedValue& value, std::uint32_t variable,
                   llvm::ArrayRef<Value*> words);

  const ptx::Program& program_;
  const std::uint32_t index_;
  const ptx::Function& source_;
  const std::uint32_t module_index_;
  const TargetFacts target_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  llvm::Function* function_ = nullptr;
  llvm::DISubprogram* places_ = nullptr;

  std::vector<Value*> registers_; ///< variables, by index in Function::registers
  std::vector<std::vector<Value*>> vector_registers_; ///< their elements, for .v2 and .v4 ones
  std::vector<Value*> variables_; ///< .param and .local ones: their storage; null for the others
  Value* carry_ = nullptr;        ///< CC.CF
  llvm::BasicBlock* return_ = nullptr;
  std::vector<llvm::BasicBlock*> starts_; ///< by instruction: the block that begins there, or null
  std::uint32_t current_ = 0;             ///< index of the instruction being lowered
};

} // namespace gantry::simt::lower
