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

#include "link/image_check.h"

#include "format/elf.h"
#include "format/file_kind.h"
#include "link/text.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace gantry::link {
namespace {

constexpr std::string_view kKernelPrefix = "__omp_offloading_";

/// A kernel as one object defines it. Views into the object.
struct Kernel {
  const DeviceInput* input;
  std::string_view source; ///< the object's STT_FILE symbol
  Bytes code;
  std::vector<std::pair<std::uint64_t, std::string_view>> references; ///< by relocation
};

bool same_code(const Kernel& left, const Kernel& right) {
  return std::ranges::equal(left.code, right.code) && left.references == right.references;
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

Result<std::vector<std::pair<std::string_view, Kernel>>> kernels_of(const DeviceInput& input) {
  const Result<format::ElfFile> file = format::ElfFile::read(input.contents);
  if (!file) {
    return with_context(file.error(), input.origin);
  }
  const auto symbols = file->symbols();
  if (!symbols) {
    return with_context(symbols.error(), input.origin);
  }
  std::vector<std::pair<std::string_view, Kernel>> kernels;
  std::string_view source;
  for (const format::ElfSymbol& symbol : *symbols) {
    if (symbol.type == STT_FILE) {
      source = symbol.name;
    }
    if (symbol.type != STT_FUNC || symbol.is_undefined() || symbol.is_local() ||
        !symbol.name.starts_with(kKernelPrefix) || symbol.section >= file->sections().size()) {
      continue;
    }
    const Bytes section = file->sections()[symbol.section].contents;
    Kernel kernel{.input = &input,
                  .source = source,
                  .code = slice(section, symbol.value, symbol.size).value_or(Bytes{}),
                  .references = {}};
    const auto relocations = file->relocations_of(symbol.section);
    if (!relocations) {
      return with_context(relocations.error(), input.origin);
    }
    for (const format::ElfRelocation& relocation : *relocations) {
      if (relocation.offset - symbol.value < symbol.size && relocation.symbol < symbols->size()) {
        kernel.references.emplace_back(relocation.offset - symbol.value,
                                       (*symbols)[relocation.symbol].name);
      }
    }
    kernels.emplace_back(symbol.name, std::move(kernel));
  }
  return kernels;
}

bool is_accident(std::string_view name, const Kernel& first, const Kernel& second) {
  return first.source == second.source && is_local_function(function_of(name)) &&
         !same_code(first, second);
}

} // namespace

Status check_entries(const DeviceGroup& group, const std::vector<std::byte>& image) {
  const auto file = format::ElfFile::read(image);
  if (!file) {
    return with_context(file.error(), "the linked image");
  }
  const auto symbols = file->dynamic_symbols();
  if (!symbols) {
    return with_context(symbols.error(), "the linked image");
  }
  std::unordered_set<std::string_view> defined;
  for (const format::ElfSymbol& symbol : *symbols) {
    if (!symbol.is_undefined() && !symbol.is_local()) {
      defined.insert(symbol.name);
    }
  }
  for (const DeviceInput* input : group.inputs) {
    for (const std::string& entry : *input->entries) {
      if (!defined.contains(entry)) {
        return fail("'{}' has the offload entry '{}', and its device code does not define it; "
                    "compile the object again, host and device together",
                    input->origin, entry);
      }
    }
  }
  return {};
}

Status check_kernels(const DeviceGroup& group) {
  std::unordered_map<std::string_view, Kernel> seen;
  for (const DeviceInput* input : group.inputs) {
    if (format::identify(input->contents) != format::FileKind::kElfRelocatable) {
      continue; // bitcode has no bytes to compare before it is compiled
    }
    const auto kernels = kernels_of(*input);
    if (!kernels) {
      return tl::unexpected(kernels.error());
    }
    for (const auto& [name, kernel] : *kernels) {
      const auto [place, is_new] = seen.try_emplace(name, kernel);
      if (!is_new && is_accident(name, place->second, kernel)) {
        return fail("'{}' and '{}' define the same kernel '{}' with different code: both come from "
                    "the source file '{}', compiled twice, and only one would be kept; give the "
                    "function around the target region another name in each, or external linkage",
                    place->second.input->origin, input->origin, name, kernel.source);
      }
    }
  }
  return {};
}

} // namespace gantry::link
