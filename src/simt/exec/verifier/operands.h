// Whether an instruction's operands are what a form of it takes.
#pragma once

#include "simt/exec/verifier/forms.h"
#include "simt/ptx/module.h"

namespace gantry::simt::exec::verifier {

/// Checks an instruction's operands one by one.
class OperandCheck {
public:
  OperandCheck(const ptx::Instruction& instruction, const ptx::Function& function)
      : instruction_(instruction), function_(function) {}

  /// Number and kinds of the operands are those of the form.
  [[nodiscard]] bool fits(const Form& form) const;
  [[nodiscard]] bool is_call() const;
  /// mov.b64 {a, b}, c, and mov.b64 c, {a, b}; instead of {a, b} a vector register.
  [[nodiscard]] bool is_unpacking() const;
  [[nodiscard]] bool is_packing() const;

  /// An address names a variable that is in another space than the instruction accesses.
  [[nodiscard]] bool is_in_wrong_space() const;

private:
  [[nodiscard]] bool has(ptx::Modifier modifier) const;
  [[nodiscard]] bool has_boolean() const;
  [[nodiscard]] ptx::Type type_of(const Slot& slot) const;
  [[nodiscard]] bool fits(const Slot& slot, const ptx::Operand& operand) const;
  [[nodiscard]] const ptx::Register* scalar_register(const ptx::Operand& operand) const;
  [[nodiscard]] bool is_result(const ptx::Operand& operand, ptx::Type type,
                               bool may_be_wider) const;
  [[nodiscard]] bool is_source(const ptx::Operand& operand, ptx::Type type) const;
  [[nodiscard]] static unsigned size_of_special(ptx::SpecialRegister special);
  [[nodiscard]] bool is_address_of(const ptx::Operand& operand, ptx::Type type) const;
  [[nodiscard]] bool is_address(const ptx::Operand& operand) const;
  [[nodiscard]] bool reads_only() const;
  [[nodiscard]] bool is_kernel_parameter(std::uint32_t variable) const;
  template <typename Fits>
  [[nodiscard]] bool is_moved(const ptx::Operand& operand, Fits fits) const;
  [[nodiscard]] bool can_pack(const std::vector<ptx::Operand>& parts) const;
  [[nodiscard]] ptx::Type part_type(std::size_t count) const;
  [[nodiscard]] bool is_passed(const ptx::Operand& operand, bool is_argument) const;

  const ptx::Instruction& instruction_;
  const ptx::Function& function_;
};

} // namespace gantry::simt::exec::verifier
