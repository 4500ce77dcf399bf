#include "simt/ptx/names.h"

#include "simt/ptx/name_table.h"

#include <charconv>

namespace gantry::simt::ptx {
namespace {

constexpr auto kOpcodes = std::to_array<NamedValue<Opcode>>({
#define GANTRY_PTX_OPCODE(name) {#name, Opcode::k_##name},
#include "simt/ptx/opcodes.def"
#undef GANTRY_PTX_OPCODE
});

constexpr auto kModifiers = std::to_array<NamedValue<Modifier>>({
#define GANTRY_PTX_MODIFIER(name, word) {word, Modifier::k##name},
#include "simt/ptx/modifiers.def"
#undef GANTRY_PTX_MODIFIER
});

constexpr auto kTypeNames = std::to_array<std::string_view>({
    "",
#define GANTRY_PTX_TYPE(name, word, bytes) word,
#include "simt/ptx/types.def"
#undef GANTRY_PTX_TYPE
});

constexpr auto kInstructionWords = [] {
  std::array<NamedValue<InstructionWord>, kModifiers.size() + kTypeNames.size() - 1> words;
  std::size_t count = 0;
  for (const NamedValue<Modifier>& modifier : kModifiers) {
    words[count++] = {modifier.name, {Type::kNone, modifier.value}};
  }
  for (std::size_t type = 1; type < kTypeNames.size(); ++type) {
    words[count++] = {kTypeNames[type], {static_cast<Type>(type)}};
  }
  return words;
}();

constexpr auto kDirectives = std::to_array<NamedValue<Directive>>({
#define GANTRY_PTX_DIRECTIVE(name, word) {word, Directive::k##name},
#include "simt/ptx/directives.def"
#undef GANTRY_PTX_DIRECTIVE
    {"maxnctapersm", Directive::kMinnctapersm},
    {"abi_preserve", Directive::kPerformance},
    {"abi_preserve_control", Directive::kPerformance},
});

constexpr SpecialName plain(SpecialRegister which) {
  return {which};
}
constexpr SpecialName three(SpecialRegister first) {
  return {first, SpecialName::Elements::kRegisters};
}
constexpr SpecialName indexed(SpecialRegister which) {
  return {which, SpecialName::Elements::kElements};
}
constexpr SpecialName unsupported() {
  return {SpecialRegister::kTidX, SpecialName::Elements::kNone, 0, true};
}

using enum SpecialRegister;
constexpr auto kSpecials = std::to_array<NamedValue<SpecialName>>({
#define GANTRY_PTX_SPECIAL_XYZ(name, word) {word, three(k##name##X)},
#define GANTRY_PTX_SPECIAL(name, word, elements) {word, elements(k##name)},
#include "simt/ptx/special_registers.def"
    {"%current_graph_exec", unsupported()},
    {"%reserved_smem_offset_begin", unsupported()},
    {"%reserved_smem_offset_end", unsupported()},
    {"%reserved_smem_offset_cap", unsupported()},
    {"%reserved_smem_offset_0", unsupported()},
    {"%reserved_smem_offset_1", unsupported()},
});

constexpr NameTable kOpcodeTable(kOpcodes);
constexpr NameTable kInstructionWordTable(kInstructionWords);
constexpr NameTable kDirectiveTable(kDirectives);
constexpr NameTable kSpecialTable(kSpecials);

/// The number of "%envreg7", if it is one of the first `count`.
std::optional<std::uint8_t> numbered(std::string_view name, std::string_view prefix,
                                     unsigned count) {
  if (!name.starts_with(prefix)) {
    return std::nullopt;
  }
  name.remove_prefix(prefix.size());
  unsigned number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number >= count ||
      (name.size() > 1 && name[0] == '0')) {
    return std::nullopt;
  }
  return static_cast<std::uint8_t>(number);
}

} // namespace

Opcode opcode_named(std::string_view name) {
  const Opcode* found = kOpcodeTable.find(name);
  return found != nullptr ? *found : Opcode::kUnknown;
}

InstructionWord instruction_word(std::string_view name) {
  const InstructionWord* found = kInstructionWordTable.find(name);
  return found != nullptr ? *found : InstructionWord{};
}

Directive directive_named(std::string_view name) {
  const Directive* found = kDirectiveTable.find(name);
  return found != nullptr ? *found : Directive::kUnknown;
}

std::optional<SpecialName> special_named(std::string_view name) {
  if (const SpecialName* found = kSpecialTable.find(name)) {
    return *found;
  }
  if (const auto number = numbered(name, "%envreg", 32)) {
    return SpecialName{kEnvreg, SpecialName::Elements::kNone, *number};
  }
  const bool wide = name.ends_with("_64");
  if (const auto number = numbered(wide ? name.substr(0, name.size() - 3) : name, "%pm", 8)) {
    return SpecialName{kPm, SpecialName::Elements::kNone, *number};
  }
  return std::nullopt;
}

std::optional<Type> type_named(std::string_view name) {
  const Type type = instruction_word(name).type;
  return type != Type::kNone ? std::optional(type) : std::nullopt;
}

std::string_view name_of(Type type) {
  return kTypeNames[static_cast<std::size_t>(type)];
}

} // namespace gantry::simt::ptx
