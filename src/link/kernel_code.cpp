// A function's code is its bytes and what its relocations refer to. A global symbol counts by its
// name. Local functions, strings and floating-point constants count by their contents: assemblers
// refer to them by section and offset, so the symbol or mergeable constant at that place is looked
// up. Other constants, such as the tables of a switch, have no known size and are left out. Calls
// and jumps inside a section have no relocation; their opcodes, with a target that is the start of
// a function, identify them.
//
// Whole sections cannot be compared instead: a section also holds the other kernels of its object,
// in which two objects that share one function may differ.

#include "link/kernel_code.h"

#include "format/elf.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace gantry::link {
namespace {

/// A place in an object.
struct Place {
  std::uint32_t section;
  std::uint64_t offset;
};

/// Bytes that may be the relative target of a call or jump.
struct Branch {
  std::size_t at;    ///< the first byte of the distance
  std::size_t width; ///< how many it has
  std::int64_t distance;
};

std::optional<Branch> branch_before(Bytes code, std::size_t at) {
  const auto byte = [&](std::size_t back) {
    return at < back ? 0U : std::to_integer<unsigned>(code[at - back]);
  };
  // jmp, jcc with a distance of one byte
  if (byte(1) == 0xEB || (byte(1) & 0xF0U) == 0x70) {
    return Branch{at, 1, load<std::int8_t>(code, at).value_or(0)};
  }
  // call, jmp; jcc; lea from the instruction pointer
  if (byte(1) == 0xE8 || byte(1) == 0xE9 || (byte(2) == 0x0F && (byte(1) & 0xF0U) == 0x80) ||
      (byte(2) == 0x8D && (byte(1) & 0xC7U) == 0x05)) {
    return Branch{at, sizeof(std::int32_t), load<std::int32_t>(code, at).value_or(0)};
  }
  return std::nullopt;
}

/// The four bytes of such a field count from their own end, which the addend makes up for.
bool is_relative_to_the_field(std::uint32_t relocation_type) {
  return relocation_type == R_X86_64_PC32 || relocation_type == R_X86_64_PLT32;
}

class CodeWriter {
public:
  CodeWriter(const format::ElfFile& file, const std::vector<format::ElfSymbol>& symbols)
      : file_(file), symbols_(symbols) {}

  Status add(const format::ElfSymbol& symbol) {
    visited_.emplace(&symbol, visited_.size());
    pending_.push_back(&symbol);
    // A list rather than a recursion: how deep functions call each other is up to the object.
    for (std::size_t next = 0; next < pending_.size(); ++next) {
      GANTRY_TRY(write(*pending_[next]));
    }
    return {};
  }

  std::string take() { return std::move(text_); }

private:
  Status write(const format::ElfSymbol& symbol) {
    const format::ElfSection& section = file_.sections()[symbol.section];
    const Bytes bytes = slice(section.contents, symbol.value, symbol.size).value_or(Bytes{});
    std::string code(as_text(bytes));
    std::string references;
    const auto relocations = GANTRY_TRY(file_.relocations_of(symbol.section));
    std::set<std::uint64_t> relocated;
    for (const format::ElfRelocation& relocation : relocations) {
      const std::uint64_t offset = relocation.offset - symbol.value;
      if (offset < symbol.size && relocation.symbol < symbols_.size()) {
        relocated.insert(offset);
        references += fmt::format("\n{}:{}:{}", offset, relocation.type, target_of(relocation));
      }
    }
    if (symbol.type == STT_FUNC) {
      for (std::size_t at = 1; at < bytes.size(); ++at) {
        const auto branch = relocated.contains(at) ? std::nullopt : branch_before(bytes, at);
        const format::ElfSymbol* function =
            branch ? function_at(symbol, at + branch->width + branch->distance) : nullptr;
        if (function != nullptr) {
          code.replace(at, branch->width, branch->width, '\0');
          references += fmt::format("\n{}:#{}", at, number_of(*function));
        }
      }
    }
    text_ += fmt::format("\n{} bytes:{}{}", symbol.size, code, references);
    return {};
  }

  /// The other function whose start is `offset` bytes after that of `from` in the same section.
  [[nodiscard]] const format::ElfSymbol* function_at(const format::ElfSymbol& from,
                                                     std::uint64_t offset) const {
    if (offset < from.size) { // most branches: no need to search
      return nullptr;
    }
    const auto found = std::ranges::find_if(symbols_, [&](const format::ElfSymbol& symbol) {
      return symbol.type == STT_FUNC && !symbol.reserved && symbol.section == from.section &&
             symbol.value == from.value + offset;
    });
    return found == symbols_.end() ? nullptr : &*found;
  }

  /// Numbers functions and variables in the order of their first use, which equal code has in
  /// common.
  std::size_t number_of(const format::ElfSymbol& symbol) {
    const auto [known, is_new] = visited_.emplace(&symbol, visited_.size());
    if (is_new) {
      pending_.push_back(&symbol);
    }
    return known->second;
  }

  std::string target_of(const format::ElfRelocation& relocation) {
    const format::ElfSymbol& symbol = symbols_[relocation.symbol];
    const bool is_place = symbol.is_local() && !symbol.is_undefined() && !symbol.reserved &&
                          symbol.section < file_.sections().size();
    if (!is_place) {
      return fmt::format("{}+{}", symbol.name, relocation.addend);
    }
    const std::int64_t adjustment = is_relative_to_the_field(relocation.type) ? 4 : 0;
    const Place place{.section = symbol.section,
                      .offset = symbol.value + static_cast<std::uint64_t>(relocation.addend) +
                                static_cast<std::uint64_t>(adjustment)};
    if (const auto constant = mergeable_constant(place)) {
      return std::string(*constant);
    }
    if (const format::ElfSymbol* target = symbol_at(place)) {
      return fmt::format("#{}+{}", number_of(*target), place.offset - target->value);
    }
    return std::string(file_.sections()[place.section].name);
  }

  /// The string, or the constant of the section's size of entries, at `place`.
  [[nodiscard]] std::optional<std::string_view> mergeable_constant(const Place& place) const {
    const format::ElfSection& section = file_.sections()[place.section];
    const std::uint64_t size = section.header.sh_entsize;
    if ((section.header.sh_flags & SHF_MERGE) == 0 || size == 0) {
      return std::nullopt;
    }
    if ((section.header.sh_flags & SHF_STRINGS) != 0) {
      return size == 1 ? c_string(section.contents, place.offset) : std::nullopt;
    }
    // The addend also subtracts the size of an immediate operand that follows the field.
    const std::uint64_t last = place.offset + size - 1;
    const auto constant = slice(section.contents, last - last % size, size);
    return constant ? std::optional(as_text(*constant)) : std::nullopt;
  }

  [[nodiscard]] const format::ElfSymbol* symbol_at(const Place& place) const {
    const auto found = std::ranges::find_if(symbols_, [&](const format::ElfSymbol& symbol) {
      return (symbol.type == STT_FUNC || symbol.type == STT_OBJECT) && !symbol.reserved &&
             symbol.section == place.section && place.offset - symbol.value < symbol.size;
    });
    return found == symbols_.end() ? nullptr : &*found;
  }

  const format::ElfFile& file_;
  const std::vector<format::ElfSymbol>& symbols_;
  std::map<const format::ElfSymbol*, std::size_t> visited_;
  std::vector<const format::ElfSymbol*> pending_;
  std::string text_;
};

} // namespace

Result<std::string> kernel_code(Bytes object, std::string_view name) {
  const format::ElfFile file = GANTRY_TRY(format::ElfFile::read(object));
  const auto symbols = GANTRY_TRY(file.symbols());
  const auto symbol = std::ranges::find_if(symbols, [&](const format::ElfSymbol& candidate) {
    return candidate.name == name && !candidate.is_undefined() && !candidate.reserved &&
           candidate.section < file.sections().size();
  });
  if (symbol == symbols.end()) {
    return fail("the symbol table does not define '{}'", name);
  }
  CodeWriter writer(file, symbols);
  return writer.add(*symbol).map([&] { return writer.take(); });
}

} // namespace gantry::link
