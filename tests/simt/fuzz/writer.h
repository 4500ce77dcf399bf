// Writes the body of one function at random: statements over a fixed set of registers, each of
// which has a value from the start.
//
// That two engines can be compared, every result has to be specified. Threads write only what is
// their own, or to counters by operations that commute; they read what others have written only
// behind a barrier. Operations of a warp name the lanes that execute them, for which a Scope knows
// a register with exactly those lanes; where lanes go apart in a way that cannot be followed, it
// knows none, and there are no such operations.
#pragma once

#include "../instructions/instance.h"
#include "kernel.h"
#include "random.h"
#include "simt/ptx/type.h"

#include <optional>
#include <string>
#include <vector>

namespace gantry::simt::fuzz {

struct Register {
  std::string name;
  ptx::Type type = ptx::Type::kNone;
};

/// A function that statements may call. Its first parameters are `depth` (how often it may still
/// call itself), `input`, `own` and the mask of the lanes that call it together, or nothing.
struct Callee {
  std::string name;
  std::vector<unsigned> parameter_bytes; ///< of the others: 1, 2, 4 or 8, or 16 for an array
  unsigned result_bytes = 0;             ///< 0: it has none
  bool needs_mask = false;
  bool needs_block = false; ///< has barriers
  [[nodiscard]] std::string prototype(const std::string& name_of_function) const;
};

/// What the functions of a module have in common.
struct ModuleFacts {
  Random random;
  Audience audience;
  Kernel& kernel;
  unsigned block_threads = 0;
  std::vector<Callee> callees;
  unsigned names = 0;
  /// "%t17": of nothing else.
  std::string fresh(const char* stem) { return stem + std::to_string(++names); }
};

/// Where a statement stands.
struct Scope {
  bool whole_block = false; ///< all threads of the block that have not ended are here together
  bool whole_warp = false;  ///< all 32 lanes are
  std::string mask;         ///< register with the lanes that are here together; empty: not known
  /// Loops that may be left from here, inner ones last. In a scope of the whole block, for all
  /// threads at once; in one with a mask, from its own statements; otherwise from anywhere in it.
  struct Loop {
    std::string leave, again; ///< labels; empty: must not go there
  };
  std::vector<Loop> loops;
  bool may_end = false;       ///< lanes may leave the function
  unsigned depth = 0;         ///< of statements in each other
  unsigned passes = 1;        ///< that loops make around this, at most
  std::vector<Register> more; ///< registers that may be read here and not be written
  /// Numbers that are known to be smaller than kSmall, to be used in addresses.
  std::vector<std::string> small;
};
inline constexpr unsigned kSmall = 16;

class Writer {
public:
  enum class Kind { kKernel, kFunction };
  Writer(ModuleFacts& facts, Kind kind, unsigned budget);

  /// Declares the registers, and gives each a value: as in an own function, where nothing is known
  /// of lanes, or in a kernel.
  void write_prologue(Node& parent);
  /// Fills a block with statements.
  void write_block(Node& parent, Scope& scope, unsigned count);
  /// A call of the function itself, as long as its `depth` says so.
  void write_recursion(Node& parent, const Callee& self, const Scope& scope);
  [[nodiscard]] std::vector<Register> results() const;
  [[nodiscard]] std::string declarations() const { return declarations_; }

  // For whoever writes what is around the body.
  [[nodiscard]] std::string source(ptx::Type type, const Scope& scope);
  [[nodiscard]] std::string destination(ptx::Type type, bool may_be_wider = false);
  [[nodiscard]] std::string declared(const char* stem, ptx::Type type);

private:
  using Type = ptx::Type;
  using Instance = instructions::Instance;

  // writer.cpp
  [[nodiscard]] bool for_hardware() const { return facts_.audience == Audience::kHardware; }
  /// The type that a register for values of one has.
  [[nodiscard]] Type register_type(Type type) const;
  [[nodiscard]] bool may_be_literal(Type type) const;
  void declare(std::vector<Register>& registers, const char* stem, unsigned count,
               const std::vector<Type>& types);
  [[nodiscard]] std::string initial_value(const Register& target, unsigned index);
  void write_statement(Node& parent, Scope& scope);
  /// A register with a value that may be read as one of the type; empty if there is none.
  [[nodiscard]] std::string any_register(Type type, const Scope& scope, bool may_be_wider);
  [[nodiscard]] std::string literal(Type type);
  /// "@%p1 " or nothing.
  [[nodiscard]] std::string guard(unsigned percent = 12);
  /// A predicate, and in `code` what computes it: of lanes that differ, or the same in all threads.
  [[nodiscard]] std::string condition(std::string& code, const Scope& scope);
  [[nodiscard]] std::string uniform_condition(std::string& code);
  /// A 32-bit register with a number below a power of two.
  [[nodiscard]] std::string bounded(std::string& code, const Scope& scope, unsigned bound);

  // writer_values.cpp
  [[nodiscard]] std::string value_statement(const Scope& scope);
  [[nodiscard]] std::string value_of(const Instance& instance, const Scope& scope);
  [[nodiscard]] std::string uniform_statement(const Scope& scope);
  [[nodiscard]] std::string affine_statement(const Scope& scope);
  [[nodiscard]] std::string carry_statement(const Scope& scope);
  [[nodiscard]] std::string pack_statement(const Scope& scope);
  [[nodiscard]] std::string special_statement(const Scope& scope);

  // writer_memory.cpp
  struct Access {
    Type type = Type::kNone;
    unsigned length = 1; ///< elements
    [[nodiscard]] unsigned bytes() const { return length * ptx::size_of(type); }
  };
  [[nodiscard]] Access random_access(unsigned largest = 16);
  [[nodiscard]] std::string load(const char* words, const Access& access,
                                 const std::string& address);
  [[nodiscard]] std::string store(const char* words, const Access& access,
                                  const std::string& address, const Scope& scope);
  [[nodiscard]] std::string read_statement(const Scope& scope);
  [[nodiscard]] std::string own_statement(const Scope& scope);
  [[nodiscard]] std::string local_statement(const Scope& scope);
  [[nodiscard]] std::string constant_statement(const Scope& scope);
  [[nodiscard]] std::string slot_statement(const Scope& scope);
  [[nodiscard]] std::string own_atomic_statement(const Scope& scope);
  [[nodiscard]] std::string other_statement(const Scope& scope);
  [[nodiscard]] std::string counter_statement(const Scope& scope);
  /// Address in what is the thread's own, aligned for an access.
  [[nodiscard]] std::string own_address(std::string& code, const Scope& scope, unsigned bytes);
  [[nodiscard]] std::string input_address(std::string& code, const Scope& scope, unsigned bytes);
  /// A register with base + offset, of a 32-bit register.
  [[nodiscard]] std::string moved(std::string& code, const std::string& base,
                                  const std::string& offset, unsigned scale);

  // writer_warp.cpp
  [[nodiscard]] std::string warp_statement(const Scope& scope);
  [[nodiscard]] std::string shuffle_statement(const Scope& scope);
  [[nodiscard]] std::string matrix_statement(const Scope& scope);
  [[nodiscard]] std::string block_statement(const Scope& scope);
  [[nodiscard]] std::string exchange_statement(const Scope& scope);

  // writer_control.cpp
  void write_if(Node& parent, Scope& scope);
  void write_loop(Node& parent, Scope& scope);
  void write_switch(Node& parent, Scope& scope);
  void write_tangle(Node& parent, Scope& scope);
  [[nodiscard]] std::string jump_in_tangle(unsigned from, const std::vector<std::string>& labels,
                                           const std::string& fuel, const Scope& scope);
  void write_leave(Node& parent, Scope& scope);
  void write_long_loop(Node& parent, Scope& scope);
  void write_row_loop(Node& parent, Scope& scope);
  [[nodiscard]] Scope inside(const Scope& scope) const;
  [[nodiscard]] Scope apart(const Scope& scope) const; ///< of lanes nobody knows which
  [[nodiscard]] std::string trips(std::string& code, const Scope& scope, bool uniform);
  struct Induction {
    std::string start, step;
    Scope scope;
  };
  [[nodiscard]] Induction induction(const Scope& scope, const std::string& counter);

  // writer_calls.cpp
  [[nodiscard]] bool may_call(const Callee& callee, const Scope& scope) const;
  [[nodiscard]] std::string call_statement(const Scope& scope);
  /// A call of it, or of any of those like it by an address that depends on the lane.
  [[nodiscard]] std::string call_of(const Callee& callee, const std::vector<const Callee*>& alike,
                                    const std::string& depth, const Scope& scope);

  ModuleFacts& facts_;
  Random& random_;
  const Kind kind_;
  unsigned budget_; ///< statements that may still be written
  std::string declarations_;
  std::vector<Register> predicates_;
  std::vector<Register> plain_;   ///< integers, bits and floating point of every size
  std::vector<Register> uniform_; ///< in kernels: the same in all threads where the block is whole
  std::vector<Register> affine_;  ///< mostly such as grow by a step from lane to lane
};

} // namespace gantry::simt::fuzz
