// The meanings of instructions as the compiler has them: the executor's own source, as LLVM's IR.
#pragma once

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Module.h>
#include <memory>
#include <string>
#include <string_view>

namespace gantry::simt::amdgcn::lower {

/// A function that says of a lane that its case is not the usual one.
constexpr llvm::StringRef kUnusual = "unusual";

/// Meaning::Lane of an instruction, to be inlined. Its operations of floats are those of numbers,
/// or marked (is_exact).
struct LaneFunction {
  /// Has all bits right, whatever the operands are.
  llvm::Function* exact = nullptr;
  /// Likewise, unless an operation that is not marked has a result that is no number, or kUnusual
  /// is called with true; or the same.
  llvm::Function* numeric = nullptr;
  [[nodiscard]] bool is_numeric() const { return numeric != exact; }
  bool has_floats = false; ///< operations of them
  /// `numeric` is one case of several, which may hand on an operand.
  bool has_cases = false;
};

/// Whether the operation is of an exact meaning.
[[nodiscard]] bool is_exact(const llvm::Instruction& operation);

/// Of one compilation, whose module has the meanings, and gets the code.
class Meanings {
public:
  /// Null, with a text in `error`, if what the build has put into the library is damaged.
  [[nodiscard]] static std::unique_ptr<Meanings> read(llvm::LLVMContext& context,
                                                      std::string& error);

  [[nodiscard]] llvm::Module& module() const { return *module_; }
  /// Null if the meaning has none that vectors can be made of.
  [[nodiscard]] const LaneFunction* lane(std::string_view mnemonic);
  /// Meaning::run of what has to do with the wave's scalars alone; null if that cannot be inlined.
  [[nodiscard]] llvm::Function* run(std::string_view mnemonic);
  /// Meaning::is_taken of a branch.
  [[nodiscard]] llvm::Function* is_taken(std::string_view mnemonic);

private:
  struct Entry {
    llvm::Function* run = nullptr;
    llvm::Function* lane = nullptr;
    llvm::Function* is_taken = nullptr;
    bool is_known = false; ///< whether the rest has been found out
    LaneFunction of_lane;
    bool is_inlinable = false;
  };
  explicit Meanings(std::unique_ptr<llvm::Module> module);
  void read_table(const llvm::GlobalVariable& table);
  /// Null if the mnemonic has no entry.
  [[nodiscard]] Entry* find(std::string_view mnemonic);

  std::unique_ptr<llvm::Module> module_;
  llvm::StringMap<Entry> entries_;
};

} // namespace gantry::simt::amdgcn::lower
