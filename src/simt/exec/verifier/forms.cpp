#include "simt/exec/verifier/forms.h"

#include <algorithm>
#include <array>
#include <string>

namespace gantry::simt::exec::verifier {

namespace {

using ptx::Opcode;

struct Row {
  Opcode opcode;
  std::string_view types, modifiers, operands;
};

constexpr Row kRows[] = {
#define GANTRY_PTX_FORM(opcode, types, modifiers, operands)                                        \
  {Opcode::k_##opcode, types, modifiers, operands},
#include "simt/exec/verifier/forms.def"
#undef GANTRY_PTX_FORM
};

constexpr std::pair<std::string_view, std::string_view> kGroups[] = {
    {"rnd", "rn|rz|rm|rp"},
    {"integer_rnd", "rni|rzi|rmi|rpi"},
    {"bool", "and|or|xor"},
    {"compare", "eq|ne|lt|le|gt|ge"},
    {"compare_float", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"window", "global|shared|shared::cta|shared::cluster|local|const|param|param::entry"},
    {"space",
     "global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func"},
    {"store_space", "global|shared|shared::cta|shared::cluster|local|param|param::func"},
    {"load_cache", "ca|cg|cs|lu|cv"},
    {"store_cache", "wb|cg|cs|wt"},
    {"evict",
     "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    {"evict2", "L2::evict_normal|L2::evict_first|L2::evict_last"},
    {"prefetch", "L2::64B|L2::128B|L2::256B"},
    {"vector", "v2|v4|v8"},
    {"load_hints", "?$evict ?$evict2 ?L2::cache_hint ?$prefetch ?$vector"},
    {"store_hints", "?$evict ?$evict2 ?L2::cache_hint ?$vector"},
    {"scope", "cta|cluster|gpu|sys"},
    {"atomic_space", "global|shared|shared::cta|shared::cluster"},
    {"mbarrier_space", "shared|shared::cta|shared::cluster"},
    {"atomic", "?relaxed|acquire|release|acq_rel ?$scope ?$atomic_space ?L2::cache_hint"},
    {"reduction", "?relaxed|release ?$scope ?$atomic_space ?L2::cache_hint"},
};

constexpr std::pair<std::string_view, std::string_view> kTypeGroups[] = {
    {"int", "u16|u32|u64|s16|s32|s64"},
    {"i32", "u32|s32"},
    {"i3264", "u32|s32|u64|s64"},
    {"bits", "b16|b32|b64"},
    {"word", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"},
    {"memory", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    {"convertible", "u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16|f32|f64"},
};

constexpr std::string_view kWords[] = {
#define GANTRY_PTX_MODIFIER(name, word) word,
#include "simt/ptx/modifiers.def"
#undef GANTRY_PTX_MODIFIER
};

constexpr std::string_view kOpcodeNames[] = {
    "",
#define GANTRY_PTX_OPCODE(name) #name,
#include "simt/ptx/opcodes.def"
#undef GANTRY_PTX_OPCODE
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end != 0) {
      parts.push_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

Types types_of(std::string_view alternatives) {
  Types types = 0;
  for (const std::string_view name : split(alternatives, '|')) {
    const auto* group =
        std::ranges::find(kTypeGroups, name, &std::pair<std::string_view, std::string_view>::first);
    if (group != std::end(kTypeGroups)) {
      types |= types_of(group->second);
    } else {
      types |= 1U << static_cast<unsigned>(ptx::type_named(name).value());
    }
  }
  return types;
}

std::string with_groups(std::string_view modifiers) {
  std::string text(modifiers);
  for (std::size_t at = 0; (at = text.find('$')) != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(" |", at), text.size());
    const std::string_view name = std::string_view(text).substr(at + 1, end - at - 1);
    const auto* group =
        std::ranges::find(kGroups, name, &std::pair<std::string_view, std::string_view>::first);
    text.replace(at, end - at, group->second);
  }
  return text;
}

Slot slot_of(std::string_view text) {
  using Role = Slot::Role;
  static constexpr std::pair<char, Role> kRoles[] = {
      {'d', Role::kResult},           {'D', Role::kWideResult},    {'P', Role::kPredicateResult},
      {'a', Role::kSource},           {'x', Role::kAddressSource}, {'p', Role::kPredicate},
      {'q', Role::kBooleanPredicate}, {'i', Role::kInteger},       {'m', Role::kAddress},
      {'v', Role::kLoaded},           {'V', Role::kStored},        {'L', Role::kLabel},
      {'T', Role::kLabelList},        {'h', Role::kCachePolicy},   {'f', Role::kMatrixResult},
      {'F', Role::kMatrixSource},
  };
  Slot slot;
  slot.role = std::ranges::find(kRoles, text[0], &std::pair<char, Role>::first)->second;
  text.remove_prefix(1);
  if (text.ends_with('?')) {
    slot.optional = true;
    text.remove_suffix(1);
  }
  if (text.ends_with("|P") || text.ends_with("&P")) {
    slot.may_be_pair = true;
    slot.must_be_pair = text.ends_with("&P");
    text.remove_suffix(2);
  }
  if (text == "w") {
    slot.doubled = true;
  } else if (text.starts_with(':')) {
    slot.type = ptx::type_named(text.substr(1)).value();
  } else if (!text.empty()) {
    slot.type_index = static_cast<unsigned>(text[0] - '0');
  }
  return slot;
}

Form form_of(const Row& row) {
  Form form;
  if (row.types != "-") {
    for (const std::string_view alternatives : split(row.types, ' ')) {
      form.types.push_back(types_of(alternatives));
    }
  }
  const std::string modifiers = with_groups(row.modifiers);
  for (std::string_view token : split(modifiers, ' ')) {
    Form::Group group;
    group.required = !token.starts_with('?');
    token.remove_prefix(group.required ? 0 : 1);
    for (const std::string_view word : split(token, '|')) {
      group.members.set(
          static_cast<std::size_t>(std::ranges::find(kWords, word) - std::begin(kWords)));
    }
    form.allowed |= group.members;
    form.groups.push_back(group);
  }
  for (const std::string_view token : split(row.operands, ' ')) {
    form.slots.push_back(slot_of(token));
  }
  return form;
}

using FormTable = std::array<std::vector<Form>, std::size(kOpcodeNames)>;

} // namespace

const std::vector<Form>& forms_of(Opcode opcode) {
  // Never destroyed: runtimes launch kernels from their last destructors.
  static const FormTable* const table = [] {
    auto* const built = new FormTable();
    for (const Row& row : kRows) {
      (*built)[static_cast<std::size_t>(row.opcode)].push_back(form_of(row));
    }
    return built;
  }();
  return (*table)[static_cast<std::size_t>(opcode)];
}

std::string_view name_of(Opcode opcode) {
  return kOpcodeNames[static_cast<std::size_t>(opcode)];
}

std::string_view word_of(std::size_t modifier) {
  return kWords[modifier];
}

} // namespace gantry::simt::exec::verifier
