// The body of a function.
#pragma once

#include "simt/ptx/operand_parser.h"

#include <string_view>
#include <vector>

namespace gantry::simt::ptx {

class FunctionParser {
public:
  FunctionParser(ParseContext& context, Function& function)
      : context_(context), cursor_(context.cursor), function_(function),
        operands_(context, scopes_, function) {}

  /// Parses from `{` to the `}` that belongs to it. The function's interface is complete.
  [[nodiscard]] bool parse_body();

private:
  /// A name that may be defined further on, looked up where its scope ends.
  struct PendingTarget {
    enum class Use : std::uint8_t { kBranch, kBranchList, kIndexedBranch, kCall };
    Use use = Use::kBranch;
    std::string_view name;
    Location location;
    std::uint32_t owner = 0;    ///< instruction, or label list for kBranchList
    std::uint32_t position = 0; ///< operand, or place in the list
  };

  bool declare(std::string_view name, ScopeTable::Kind kind, std::uint32_t index,
               Location location);
  bool declare_interface();
  bool enter_scope();
  bool leave_scope();
  bool resolve(const PendingTarget& target, ScopeTable::Name found);
  /// The last operand of a call as an array of the module that holds all functions it may call.
  bool resolve_jump_table(const PendingTarget& target);

  bool parse_statement();
  bool parse_directive();
  bool parse_labelled(std::string_view name, Location location);
  bool parse_branch_targets(std::string_view name, Location location);
  bool parse_call_targets(std::string_view name, Location location);
  bool parse_prototype(std::string_view name, Location location);
  bool parse_variables(Space space);
  bool declare_range(const Declarator& declarator);
  bool add_variable(Declarator& declarator);

  bool parse_guarded();
  bool parse_instruction(std::string_view opcode, Location location, std::optional<Guard> guard);
  void parse_modifiers(Instruction& instruction);
  bool parse_operands(Instruction& instruction);
  bool parse_call(Instruction& instruction);
  bool parse_target(Instruction& instruction, PendingTarget::Use use);

  ParseContext& context_;
  Cursor& cursor_;
  Function& function_;
  ScopeTable scopes_;
  OperandParser operands_;
  std::vector<PendingTarget> pending_;
  std::vector<std::size_t> pending_begin_; ///< by scope
  std::uint32_t source_ = 0;
};

} // namespace gantry::simt::ptx
