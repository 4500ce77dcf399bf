#include "simt/ptx/parser.h"

#include "simt/ptx/module_parser.h"

#include <algorithm>

#include <fmt/format.h>

namespace gantry::simt::ptx {
namespace {

constexpr std::size_t kMaxText = 1ULL << 31U;
/// What a module may declare without writing it out, apart from what its length gives.
constexpr std::uint64_t kBudget = 1ULL << 20U;

} // namespace

std::string ParseError::text(std::string_view module_name) const {
  const std::string_view severity = kind == Kind::kVersion ? "fatal  " : "error  ";
  if (location.line == 0) {
    return fmt::format("ptxas {}; {} : {}", module_name, severity, message);
  }
  return fmt::format("ptxas {}, line {}:{}; {} : {}", module_name, location.line, location.column,
                     severity, message);
}

tl::expected<std::unique_ptr<Module>, ParseError> parse(std::string text, std::string name) {
  auto module = std::make_unique<Module>();
  module->text = std::move(text);
  module->text.resize(std::min(module->text.find('\0'), module->text.size()));
  module->name = std::move(name);
  if (module->text.size() > kMaxText) {
    return tl::unexpected(ParseError{{}, {}, "The text is too long"});
  }
  ParseContext context{Cursor(module->text.c_str()), *module, {}, kBudget + module->text.size()};
  if (!ModuleParser(context).parse()) {
    return tl::unexpected(std::move(context.cursor.error()));
  }
  return module;
}

std::optional<std::uint32_t> Module::find(std::string_view symbol) const {
  const auto found = std::ranges::find(symbols, symbol, &Symbol::name);
  return found != symbols.end() ? std::optional(static_cast<std::uint32_t>(found - symbols.begin()))
                                : std::nullopt;
}

std::string_view Module::file_named(std::uint32_t number) const {
  const auto found = std::ranges::find(files, number, [](const auto& file) { return file.first; });
  return found != files.end() ? found->second : std::string_view();
}

} // namespace gantry::simt::ptx
