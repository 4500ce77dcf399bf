// The names of a function's body. `{ }` opens a scope that may declare names of outer ones again.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gantry::simt::ptx {

class ScopeTable {
public:
  enum class Kind : std::uint8_t {
    kRegister,
    kVariable,
    kLabel,
    kBranchTargets,
    kCallTargets,
    kPrototype,
  };
  struct Name {
    Kind kind = Kind::kRegister;
    std::uint32_t index = 0;
  };

  /// How many scopes are open.
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(scopes_.size()); }
  void enter() { scopes_.push_back({undo_.size(), ++entered_}); }
  void leave();

  /// False if the innermost scope has the name already.
  [[nodiscard]] bool declare(std::string_view name, Name what);
  /// Declares prefix0 … prefix(count-1) with indices from what.index on.
  [[nodiscard]] bool declare_range(std::string_view prefix, std::uint32_t count, Name what);

  [[nodiscard]] std::optional<Name> find(std::string_view name) const;
  /// The name, if the innermost scope is what declares it.
  [[nodiscard]] std::optional<Name> find_innermost(std::string_view name) const;

private:
  struct Binding {
    Name what;
    std::uint32_t depth = 0;
    std::uint32_t count = 0;          ///< of a range
    std::optional<std::size_t> hides; ///< in undo_: the binding of an outer scope
  };
  struct Undo {
    std::string_view name;
    bool is_prefix = false;
    std::optional<Binding> previous;
  };
  struct Scope {
    std::size_t undo_begin = 0;
    std::uint32_t serial = 0; ///< unique in the function
  };
  struct ScopedPrefix {
    std::string_view prefix;
    std::uint32_t serial = 0;
    bool operator==(const ScopedPrefix&) const = default;
  };
  struct HashOfScopedPrefix {
    std::size_t operator()(const ScopedPrefix& key) const {
      return std::hash<std::string_view>()(key.prefix) ^ key.serial * 0x9E3779B97F4A7C15ULL;
    }
  };
  using Map = std::unordered_map<std::string_view, Binding>;

  /// The binding of the name in the innermost scope; made, remembering the outer one, if need be.
  Binding& own(std::string_view name, bool is_prefix, bool& is_new);
  [[nodiscard]] const Binding* binding_in_range(std::string_view name, std::uint32_t& number) const;
  [[nodiscard]] std::optional<Binding> find_binding(std::string_view name) const;

  Map names_;
  Map prefixes_;
  /// Single names of a scope that a range might contain: those with the prefix, the lowest number.
  std::unordered_map<ScopedPrefix, std::uint32_t, HashOfScopedPrefix> lowest_single_;
  bool prefix_ends_with_digit_ = false;
  std::vector<Undo> undo_;
  std::vector<Scope> scopes_;
  std::uint32_t entered_ = 0;
};

} // namespace gantry::simt::ptx
