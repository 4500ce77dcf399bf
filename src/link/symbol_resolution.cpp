#include "link/symbol_resolution.h"

#include "format/elf.h"
#include "link/device_diagnostics.h"

#include <cstring>

namespace gantry::link {
namespace {

/// For each section of an object the name of the COMDAT group it is in, which is the name of the
/// group's signature symbol.
std::vector<std::string> comdats_of(const format::ElfFile& file,
                                    const std::vector<format::ElfSymbol>& symbols) {
  std::vector<std::string> comdats(file.sections().size());
  for (const format::ElfSection& section : file.sections()) {
    const std::size_t signature = section.header.sh_info;
    if (section.header.sh_type != SHT_GROUP || signature >= symbols.size()) {
      continue;
    }
    std::vector<std::uint32_t> words(section.contents.size() / sizeof(std::uint32_t));
    std::memcpy(words.data(), section.contents.data(), words.size() * sizeof(std::uint32_t));
    if (words.empty() || (words.front() & GRP_COMDAT) == 0) {
      continue;
    }
    for (std::size_t index = 1; index < words.size(); ++index) {
      if (words[index] < comdats.size()) {
        comdats[words[index]] = symbols[signature].name;
      }
    }
  }
  return comdats;
}

Strength strength_of(const format::ElfSymbol& symbol) {
  if (symbol.is_common()) {
    return Strength::kCommon;
  }
  return symbol.binding == STB_GLOBAL ? Strength::kStrong : Strength::kWeak;
}

} // namespace

Result<std::vector<Definition>> elf_definitions(Bytes contents) {
  const format::ElfFile file = GANTRY_TRY(format::ElfFile::read(contents));
  const auto symbols = GANTRY_TRY(file.symbols());
  const std::vector<std::string> comdats = comdats_of(file, symbols);
  std::vector<Definition> definitions;
  for (const format::ElfSymbol& symbol : symbols) {
    if (symbol.is_local() || symbol.is_undefined() || symbol.name.empty()) {
      continue;
    }
    const bool in_section = !symbol.reserved && symbol.section < comdats.size();
    definitions.push_back({.name = std::string(symbol.name),
                           .strength = strength_of(symbol),
                           .common_size = symbol.size,
                           .comdat = in_section ? comdats[symbol.section] : ""});
  }
  return definitions;
}

std::vector<Definition> bitcode_definitions(const llvm::lto::InputFile& file) {
  std::vector<Definition> definitions;
  for (const llvm::lto::InputFile::Symbol& symbol : file.symbols()) {
    if (symbol.isUndefined()) {
      continue;
    }
    Definition definition{.name = symbol.getName().str()};
    if (symbol.isCommon()) {
      definition.strength = Strength::kCommon;
      definition.common_size = symbol.getCommonSize();
    } else if (symbol.isWeak()) {
      definition.strength = Strength::kWeak;
    }
    if (symbol.getComdatIndex() >= 0) {
      const auto index = static_cast<std::size_t>(symbol.getComdatIndex());
      definition.comdat = file.getComdatTable()[index].first.str();
    }
    definitions.push_back(std::move(definition));
  }
  return definitions;
}

void SymbolResolution::add(const DeviceInput& input, const std::vector<Definition>& definitions) {
  for (const Definition& definition : definitions) {
    if (definition.comdat.empty() ||
        comdats_.try_emplace(definition.comdat, &input).first->second == &input) {
      add(input, definition);
    }
  }
}

void SymbolResolution::add(const DeviceInput& input, const Definition& definition) {
  const Prevailing candidate{
      .input = &input, .strength = definition.strength, .common_size = definition.common_size};
  const auto [place, is_new] = symbols_.try_emplace(definition.name, candidate);
  Prevailing& prevailing = place->second;
  if (is_new) {
    return;
  }
  if (prevailing.strength == Strength::kStrong && candidate.strength == Strength::kStrong) {
    std::vector<std::string>& definers = duplicates_[definition.name];
    if (definers.empty()) {
      definers.push_back(prevailing.input->origin);
    }
    definers.push_back(input.origin);
    return;
  }
  const bool is_larger =
      candidate.strength == Strength::kCommon && candidate.common_size > prevailing.common_size;
  if (candidate.strength > prevailing.strength ||
      (candidate.strength == prevailing.strength && is_larger)) {
    prevailing = candidate;
  }
}

bool SymbolResolution::prevails(const DeviceInput& input, const std::string& name) const {
  const auto found = symbols_.find(name);
  return found != symbols_.end() && found->second.input == &input;
}

Status SymbolResolution::check_duplicates() const {
  std::string problems;
  for (const auto& [name, definers] : duplicates_) {
    problems +=
        fmt::format("{}{}", problems.empty() ? "" : "\n", several_definitions(name, definers));
  }
  if (!problems.empty()) {
    return tl::unexpected(Error{std::move(problems)});
  }
  return {};
}

} // namespace gantry::link
