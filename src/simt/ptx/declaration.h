// Declarations of variables: what stands between a state space and `;`.
#pragma once

#include "simt/ptx/constant.h"
#include "simt/ptx/cursor.h"
#include "simt/ptx/module.h"
#include "simt/ptx/names.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gantry::simt::ptx {

/// What the parts of the parser share.
struct ParseContext {
  Cursor cursor;
  Module& module;
  std::unordered_map<std::string_view, std::uint32_t> symbols; ///< indices in Module::symbols
  /// How many more things may be declared that are not written out one by one (%r<1000>, elements
  /// left out between braces), so that a short text cannot take all memory.
  std::uint64_t budget = 0;

  /// What the function that is being parsed has and the parser does not know: directives, types. It
  /// is refused, for the first of them, where a kernel that is launched reaches it.
  struct Skipped {
    std::string_view text;
    Location location;
  };
  std::vector<Skipped> skipped = {};
  bool in_function = false;
  /// Notes the word that is next, a directive or a type, and goes past it.
  void skip_word();

  /// Takes from the budget; an error if there is not so much.
  [[nodiscard]] bool charge(std::uint64_t count, Location location);
  [[nodiscard]] std::optional<std::uint32_t> find_symbol(std::string_view name) const;
};

/// A declared name, with the dimensions of its array.
struct Declarator {
  Variable variable;
  std::vector<std::uint64_t> dimensions; ///< the first is 0 for `x[]`
  std::uint32_t range = 0;               ///< n of `x<n>`
  bool is_range = false;
};

/// .global, .shared … as a space; nothing for any other directive.
[[nodiscard]] std::optional<Space> space_of(Directive directive);

/// Parses attributes and type, in whatever order: `.align 8 .v2 .u32`, `.u64 .ptr .global .align
/// 4`.
[[nodiscard]] bool parse_type(ParseContext& context, Variable& variable);

/// Parses `name`, `name[2][3]` or `name<10>` for a variable of the type; space and linkage are set.
[[nodiscard]] bool parse_declarator(ParseContext& context, const Variable& type,
                                    Declarator& declarator);

/// Parses `= …` if it is there, and checks that the variable is complete.
[[nodiscard]] bool parse_initial_value(ParseContext& context, Declarator& declarator);

/// Parses `(.param .u32 a, .reg .f32 b)`: parameters or results. Names may be missing where
/// `unnamed`.
[[nodiscard]] bool parse_parameters(ParseContext& context, std::vector<Variable>& parameters,
                                    bool unnamed);

} // namespace gantry::simt::ptx
