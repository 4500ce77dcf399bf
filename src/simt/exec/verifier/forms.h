// The forms of instructions that the executor runs, as forms.def lists them.
#pragma once

#include "simt/ptx/module.h"

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gantry::simt::exec::verifier {

using Modifiers = std::bitset<static_cast<std::size_t>(ptx::Modifier::kCount)>;
using Types = std::uint32_t; ///< a bit for each Type
static_assert(static_cast<unsigned>(ptx::Type::kB1) < 32);

/// What an operand of a form may be.
struct Slot {
  enum class Role : std::uint8_t {
    kResult,
    kWideResult,
    kPredicateResult,
    kSource,
    kAddressSource,
    kPredicate,
    kBooleanPredicate,
    kInteger,
    kAddress,
    kLoaded,
    kStored,
    kLabel,
    kLabelList,
    kCachePolicy,
    kMatrixResult,
    kMatrixSource,
  };
  Role role = Role::kSource;
  unsigned type_index = 0;
  ptx::Type type = ptx::Type::kNone; ///< instead of the instruction's
  bool doubled = false;
  bool may_be_pair = false, must_be_pair = false;
  bool optional = false;
};

struct Form {
  std::vector<Types> types;
  struct Group {
    Modifiers members;
    bool required = false;
  };
  std::vector<Group> groups;
  Modifiers allowed;
  std::vector<Slot> slots;
};

/// Those of an opcode; any thread.
[[nodiscard]] const std::vector<Form>& forms_of(ptx::Opcode opcode);

[[nodiscard]] std::string_view name_of(ptx::Opcode opcode);
[[nodiscard]] std::string_view word_of(std::size_t modifier);

} // namespace gantry::simt::exec::verifier
