#include "simt/ptx/scope_table.h"

#include <algorithm>

namespace gantry::simt::ptx {
namespace {

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

/// Where the digits at the end of a name begin, as a range writes them: no zero before others.
std::size_t digits_of(std::string_view name) {
  std::size_t at = name.size();
  while (at > 1 && is_digit(name[at - 1])) {
    --at;
  }
  while (at + 1 < name.size() && name[at] == '0') {
    ++at;
  }
  return at;
}

std::uint32_t number_of(std::string_view digits) {
  std::uint64_t number = 0;
  for (const char digit : digits) {
    number = std::min<std::uint64_t>(number * 10 + static_cast<unsigned>(digit - '0'), UINT32_MAX);
  }
  return static_cast<std::uint32_t>(number);
}

} // namespace

void ScopeTable::leave() {
  const std::size_t begin = scopes_.back().undo_begin;
  scopes_.pop_back();
  while (undo_.size() > begin) {
    const Undo& change = undo_.back();
    Map& map = change.is_prefix ? prefixes_ : names_;
    if (change.previous) {
      map[change.name] = *change.previous;
    } else {
      map.erase(change.name);
    }
    undo_.pop_back();
  }
}

ScopeTable::Binding& ScopeTable::own(std::string_view name, bool is_prefix, bool& is_new) {
  const auto [entry, inserted] = (is_prefix ? prefixes_ : names_).try_emplace(name);
  Binding& binding = entry->second;
  is_new = inserted || binding.depth != depth();
  if (is_new) {
    const std::optional<std::size_t> hides = inserted ? std::nullopt : std::optional(undo_.size());
    undo_.push_back({name, is_prefix, inserted ? std::nullopt : std::optional(binding)});
    binding = Binding{.what = {}, .depth = depth(), .count = 0, .hides = hides};
  }
  return binding;
}

bool ScopeTable::declare(std::string_view name, Name what) {
  bool is_new = false;
  const std::size_t digits = digits_of(name);
  if (digits < name.size()) {
    const std::string_view prefix = name.substr(0, digits);
    const std::uint32_t number = number_of(name.substr(digits));
    const auto range = prefixes_.find(prefix);
    if (range != prefixes_.end() && range->second.depth == depth() &&
        number < range->second.count) {
      return false;
    }
    const auto [lowest, inserted] =
        lowest_single_.try_emplace(ScopedPrefix{prefix, scopes_.back().serial}, number);
    lowest->second = std::min(lowest->second, number);
  }
  Binding& binding = own(name, false, is_new);
  binding.what = what;
  return is_new;
}

bool ScopeTable::declare_range(std::string_view prefix, std::uint32_t count, Name what) {
  bool is_new = false;
  Binding& binding = own(prefix, true, is_new);
  const auto lowest = lowest_single_.find({prefix, scopes_.back().serial});
  if (!is_new || (lowest != lowest_single_.end() && lowest->second < count)) {
    return false;
  }
  binding.what = what;
  binding.count = count;
  prefix_ends_with_digit_ |= is_digit(prefix.back());
  return true;
}

const ScopeTable::Binding* ScopeTable::binding_in_range(std::string_view name,
                                                        std::uint32_t& number) const {
  const Binding* best = nullptr;
  for (std::size_t at = digits_of(name); at < name.size(); ++at) {
    if (name[at] != '0' || at + 1 == name.size()) {
      const auto found = prefixes_.find(name.substr(0, at));
      const std::uint32_t candidate = number_of(name.substr(at));
      const Binding* range = found != prefixes_.end() ? &found->second : nullptr;
      while (range != nullptr && candidate >= range->count) {
        range = range->hides ? &*undo_[*range->hides].previous : nullptr;
      }
      if (range != nullptr && (best == nullptr || range->depth > best->depth)) {
        best = range;
        number = candidate;
      }
    }
    if (!prefix_ends_with_digit_) {
      break;
    }
  }
  return best;
}

std::optional<ScopeTable::Binding> ScopeTable::find_binding(std::string_view name) const {
  std::uint32_t number = 0;
  const Binding* range = binding_in_range(name, number);
  const auto single = names_.find(name);
  if (single != names_.end() && (range == nullptr || single->second.depth >= range->depth)) {
    return single->second;
  }
  if (range == nullptr) {
    return std::nullopt;
  }
  Binding binding = *range;
  binding.what.index += number;
  return binding;
}

std::optional<ScopeTable::Name> ScopeTable::find(std::string_view name) const {
  const std::optional<Binding> binding = find_binding(name);
  return binding ? std::optional(binding->what) : std::nullopt;
}

std::optional<ScopeTable::Name> ScopeTable::find_innermost(std::string_view name) const {
  const std::optional<Binding> binding = find_binding(name);
  return binding && binding->depth == depth() ? std::optional(binding->what) : std::nullopt;
}

} // namespace gantry::simt::ptx
