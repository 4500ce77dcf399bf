// Kernels of one name in two objects.
//
// A kernel is named __omp_offloading_<device>_<inode>_<function>_l<line>: by the source file that
// the region stands in and by its function. Two objects share such a name legally when the function
// is inline or a template in a header: the definitions mean the same, though they may be compiled
// differently. By accident they do when one source file is compiled twice, with other macros, say,
// and the function is static: the program then has two functions and the image one kernel, and one
// of them runs the other's code. Clang and the linkers do not notice.
//
// It is an accident when the definitions differ, both objects were compiled from source files of
// the same name (a header's kernel would be in objects of different sources), and the function is
// local: _ZL… and names in the anonymous namespace for C++, any unmangled name for C.
//
// In machine code, definitions differ if the bytes of the kernel or of a function outlined from it
// do, or the names that they refer to; in bitcode, if their texts do (link/kernel_text.h). Bitcode
// cannot be compared with machine code, so that these count as different.

#include "link/kernel_check.h"

#include "format/elf.h"
#include "format/file_kind.h"
#include "link/bitcode.h"
#include "link/kernel_text.h"
#include "link/text.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <unordered_map>

namespace gantry::link {
namespace {

constexpr std::string_view kKernelPrefix = "__omp_offloading_";

/// A function of machine code. Views into the object.
struct Piece {
  std::string_view name;
  Bytes code = {};
  std::vector<std::pair<std::uint64_t, std::string_view>> references = {}; ///< by relocation

  bool operator==(const Piece& other) const {
    return name == other.name && std::ranges::equal(code, other.code) &&
           references == other.references;
  }
};

/// A kernel as one object defines it.
struct Kernel {
  const DeviceInput* input;
  std::string source;             ///< the file name of what the object was compiled from
  std::vector<Piece> pieces = {}; ///< of machine code: the kernel and what was outlined from it
};

using Kernels = std::map<std::string, Kernel, std::less<>>;

bool is_bitcode(const DeviceInput& input) {
  return format::identify(input.contents) == format::FileKind::kBitcode;
}

/// The kernel that the function `name` is or was outlined from: "<kernel>.omp_outlined",
/// "<kernel>_debug__", "<kernel>_debug__.omp_outlined".
std::string_view kernel_of(std::string_view name) {
  constexpr std::string_view kDebug = "_debug__";
  name = name.substr(0, name.find('.'));
  return name.ends_with(kDebug) ? name.substr(0, name.size() - kDebug.size()) : name;
}

/// The function that the region of `kernel` stands in: what is between the two hexadecimal numbers
/// and the line.
std::string_view function_of(std::string_view kernel) {
  kernel.remove_prefix(kKernelPrefix.size());
  for (int number = 0; number < 2; ++number) {
    const std::size_t end = kernel.find('_');
    kernel.remove_prefix(end == std::string_view::npos ? kernel.size() : end + 1);
  }
  return kernel.substr(0, kernel.rfind("_l"));
}

bool is_local_function(std::string_view function) {
  if (!function.starts_with("_Z")) {
    return true; // C: static or, with external linkage, unique on the host anyway
  }
  return function.starts_with("_ZL") || contains(function, "_GLOBAL__N_");
}

Result<Piece> read_piece(const format::ElfFile& file, const std::vector<format::ElfSymbol>& symbols,
                         const format::ElfSymbol& symbol) {
  const Bytes section = file.sections()[symbol.section].contents;
  Piece piece{.name = symbol.name,
              .code = slice(section, symbol.value, symbol.size).value_or(Bytes{})};
  const auto relocations = file.relocations_of(symbol.section);
  if (!relocations) {
    return tl::unexpected(relocations.error());
  }
  for (const format::ElfRelocation& relocation : *relocations) {
    if (relocation.offset - symbol.value < symbol.size && relocation.symbol < symbols.size()) {
      piece.references.emplace_back(relocation.offset - symbol.value,
                                    symbols[relocation.symbol].name);
    }
  }
  return piece;
}

Result<Kernels> kernels_in_object(const DeviceInput& input) {
  const Result<format::ElfFile> file = format::ElfFile::read(input.contents);
  if (!file) {
    return tl::unexpected(file.error());
  }
  const auto symbols = file->symbols();
  if (!symbols) {
    return tl::unexpected(symbols.error());
  }
  Kernels kernels;
  std::vector<Piece> outlined;
  std::string_view source;
  for (const format::ElfSymbol& symbol : *symbols) {
    if (symbol.type == STT_FILE) {
      source = symbol.name;
    }
    if (symbol.type != STT_FUNC || symbol.is_undefined() ||
        !symbol.name.starts_with(kKernelPrefix) || symbol.section >= file->sections().size()) {
      continue;
    }
    Result<Piece> piece = read_piece(*file, *symbols, symbol);
    if (!piece) {
      return tl::unexpected(std::move(piece).error());
    }
    if (symbol.is_local()) {
      outlined.push_back(std::move(*piece));
    } else {
      kernels.emplace(
          symbol.name,
          Kernel{.input = &input, .source = std::string(source), .pieces = {std::move(*piece)}});
    }
  }
  for (Piece& piece : outlined) {
    if (const auto kernel = kernels.find(kernel_of(piece.name)); kernel != kernels.end()) {
      kernel->second.pieces.push_back(std::move(piece));
    }
  }
  return kernels;
}

Result<Kernels> kernels_in_bitcode(const DeviceInput& input) {
  const auto file = open_bitcode(input.contents, input.origin);
  if (!file) {
    return tl::unexpected(file.error());
  }
  const std::filesystem::path source((*file)->getSourceFileName().str());
  Kernels kernels;
  for (const llvm::lto::InputFile::Symbol& symbol : (*file)->symbols()) {
    if (!symbol.isUndefined() && symbol.isExecutable() &&
        symbol.getName().starts_with(llvm::StringRef(kKernelPrefix))) {
      kernels.emplace(symbol.getName().str(),
                      Kernel{.input = &input, .source = source.filename().string()});
    }
  }
  return kernels;
}

Result<bool> same_code(std::string_view name, const Kernel& first, const Kernel& second) {
  if (is_bitcode(*first.input) != is_bitcode(*second.input)) {
    return false;
  }
  if (!is_bitcode(*first.input)) {
    return first.pieces == second.pieces;
  }
  const Result<std::string> text = kernel_text(first.input->contents, name);
  if (!text) {
    return with_context(text.error(), first.input->origin);
  }
  return kernel_text(second.input->contents, name).map([&](const std::string& other) {
    return other == *text;
  });
}

Status check_pair(std::string_view name, const Kernel& first, const Kernel& second) {
  if (first.source != second.source || !is_local_function(function_of(name))) {
    return {};
  }
  const Result<bool> same = same_code(name, first, second);
  if (!same) {
    return tl::unexpected(same.error());
  }
  if (*same) {
    return {};
  }
  return fail("'{}' and '{}' define the same kernel '{}' with different code: both come from "
              "the source file '{}', compiled twice, and only one would be kept; give the "
              "function around the target region another name in each, or external linkage",
              first.input->origin, second.input->origin, name, first.source);
}

} // namespace

Status check_kernels(const DeviceGroup& group) {
  std::unordered_map<std::string, Kernel> seen;
  for (const DeviceInput* input : group.inputs) {
    Result<Kernels> kernels =
        is_bitcode(*input) ? kernels_in_bitcode(*input) : kernels_in_object(*input);
    if (!kernels) {
      return with_context(kernels.error(), input->origin);
    }
    for (auto& [name, kernel] : *kernels) {
      const auto [place, is_new] = seen.try_emplace(name, kernel);
      if (is_new) {
        continue;
      }
      if (Status status = check_pair(name, place->second, kernel); !status) {
        return status;
      }
    }
  }
  return {};
}

} // namespace gantry::link
