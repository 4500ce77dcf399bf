// Which functions a function or a variable mentions, and how.
#pragma once

#include <string_view>
#include <vector>

namespace llvm {
class Function;
class GlobalVariable;
} // namespace llvm

namespace gantry::link {

struct Mention {
  const llvm::Function* function;
  bool is_call;                 ///< it is called there
  std::string_view argument_of; ///< an argument of a call of this function …
  unsigned place = 0;           ///< … that many behind the first; empty and 0 otherwise
};

/// The functions that a function calls, or whose address it takes.
[[nodiscard]] std::vector<Mention> mentioned_by(const llvm::Function& function);

/// The functions whose addresses are in a variable from the start.
[[nodiscard]] std::vector<const llvm::Function*> mentioned_in(const llvm::GlobalVariable& variable);

} // namespace gantry::link
