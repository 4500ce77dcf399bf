#include "runtime/abi/clang/own_variables.h"

#include "format/elf.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace gantry::abi::clang {

namespace {

using namespace std::string_view_literals;

/// In names of what is no variable of the program's.
constexpr std::array kNotTheProgramsOwn = {
    ".offloading."sv,
    "__omp_offloading_"sv,
    "__omp_rtl_"sv,
    "__tgt_"sv,
    "DW.ref."sv,             // pointers for exceptions
    "gomp_critical_user_"sv, // locks, which nobody has between regions
    "gantry"sv,              // the device routines'
};

/// Whether code may write to what is in the section.
bool holds_variables(const format::ElfSection& section) {
  constexpr std::array kNames = {".data"sv, ".bss"sv, ".tdata"sv, ".tbss"sv, ".ldata"sv, ".lbss"sv};
  return !section.name.starts_with(".data.rel.ro") &&
         std::ranges::any_of(kNames, [&](auto name) { return section.name.starts_with(name); });
}

bool is_own(const format::ElfFile& file, const format::ElfSymbol& symbol) {
  return (symbol.type == STT_OBJECT || symbol.type == STT_TLS) && symbol.size != 0 &&
         !symbol.reserved && symbol.section < file.sections().size() &&
         holds_variables(file.sections()[symbol.section]) &&
         std::ranges::none_of(
             kNotTheProgramsOwn,
             [&](std::string_view part) {
               return symbol.name.find(part) != std::string_view::npos;
             });
}

} // namespace

bool has_own_variables(std::span<const std::byte> image) {
  constexpr std::string_view kMagic = ELFMAG;
  if (image.size() < kMagic.size() ||
      std::string_view(reinterpret_cast<const char*>(image.data()), kMagic.size()) != kMagic) {
    return false;
  }
  const auto file = format::ElfFile::read(image);
  if (!file) {
    return true;
  }
  const auto symbols = file->symbols();
  return !symbols || symbols->empty() ||
         std::ranges::any_of(*symbols, [&](const auto& symbol) { return is_own(*file, symbol); });
}

} // namespace gantry::abi::clang
