// Forms of instructions made concrete: one name for each choice of types and modifiers.
#pragma once

#include "simt/exec/verifier/forms.h"
#include "simt/ptx/module.h"

#include <functional>
#include <string>
#include <vector>

namespace gantry::simt::instructions {

/// An instruction's name, apart: "add.rn.ftz.f32".
struct Instance {
  ptx::Opcode opcode = ptx::Opcode::kUnknown;
  const exec::verifier::Form* form = nullptr;
  std::vector<ptx::Type> types;
  exec::verifier::Modifiers modifiers;

  [[nodiscard]] bool has(ptx::Modifier modifier) const {
    return modifiers.test(static_cast<std::size_t>(modifier));
  }
  template <typename... Modifier>
  [[nodiscard]] bool has_any(Modifier... modifier) const {
    return (has(modifier) || ...);
  }
  [[nodiscard]] ptx::Type type(std::size_t index = 0) const {
    return index < types.size() ? types[index] : ptx::Type::kNone;
  }
  /// Of the instruction's modifiers the first that is one of those.
  [[nodiscard]] ptx::Modifier first_of(std::initializer_list<ptx::Modifier> modifiers) const;
  [[nodiscard]] std::string name() const;
};

using Accepts = std::function<bool(const Instance&)>;

/// Every instance of every form of the opcode that `accepts` accepts.
[[nodiscard]] std::vector<Instance> all_instances(ptx::Opcode opcode, const Accepts& accepts = {});

/// Instances in which every two choices that a form offers (a type, a space, a hint …) and that go
/// together at all meet at least once: for instructions with so many words that all combinations
/// would be millions.
[[nodiscard]] std::vector<Instance> pairwise_instances(ptx::Opcode opcode,
                                                       const Accepts& accepts = {});

} // namespace gantry::simt::instructions
