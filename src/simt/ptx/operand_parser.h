// Operands of instructions, their names resolved.
#pragma once

#include "simt/ptx/declaration.h"
#include "simt/ptx/scope_table.h"

#include <string_view>
#include <vector>

namespace gantry::simt::ptx {

class OperandParser {
public:
  OperandParser(ParseContext& context, ScopeTable& scopes, Function& function)
      : context_(context), cursor_(context.cursor), scopes_(scopes), function_(function) {}

  /// Any operand but a label.
  [[nodiscard]] bool parse(Operand& operand);
  /// `(a, b)`: results or arguments of a call.
  [[nodiscard]] bool parse_call_list(std::vector<Operand>& operands);
  /// What is called: a function's symbol or a register.
  [[nodiscard]] bool parse_call_target(Operand& operand);
  [[nodiscard]] bool parse_guard(Guard& guard);

  /// Whether an operand since the last reset() was one that PTX has and the executor does not.
  [[nodiscard]] bool unsupported() const { return unsupported_; }
  void reset() { unsupported_ = false; }
  /// Whether the last operand parsed ended with a subscript, as in `a[3]`.
  [[nodiscard]] bool subscripted() const { return subscripted_; }

private:
  bool parse_bracketed(Operand& operand);
  bool parse_simple(Operand& operand);
  bool parse_name(Operand& operand);
  bool parse_offset(std::int64_t& offset);
  bool parse_subscript(Operand& operand);
  bool parse_address(Operand& operand);
  bool parse_vector(Operand& operand);
  bool parse_constant_operand(Operand& operand, char sign);
  bool parse_signed(Operand& operand, char sign);
  bool finish_constant(const Constant& constant, Operand& operand);
  bool parse_selector(const Register& reg, Operand& operand);
  bool parse_special(const SpecialName& special, Operand& operand);
  /// Finds the register or variable of the function, or the symbol of the module.
  bool resolve(std::string_view name, Location location, Operand& operand);
  bool resolve_local(ScopeTable::Name local, std::string_view name, Location location,
                     Operand& operand);
  bool resolve_symbol(std::string_view name, Location location, Operand& operand);

  ParseContext& context_;
  Cursor& cursor_;
  ScopeTable& scopes_;
  Function& function_;
  bool unsupported_ = false;
  bool subscripted_ = false;
};

} // namespace gantry::simt::ptx
