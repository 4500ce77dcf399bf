// Kernels of one name in two objects.
//
// A kernel is named __omp_offloading_<device>_<inode>_<function>_l<line>: by the source file that
// the region stands in and by its function. Two objects share such a name legally when the function
// is inline or a template in a header: the definitions mean the same, though they may be compiled
// differently. By accident they do when the function is local to each object and
//
// - one source file is compiled twice, with other macros, say,
// - or a header has a static function that depends on who includes it,
// - or a generated source file got the inode number of one that was deleted.
//
// The program then has two functions and the image one kernel, and one of them runs the other's
// code. Clang and the linkers do not notice. Here it is an error unless the definitions are the
// same: in machine code, if the code and what it reaches are (link/kernel_code.h); in bitcode, if
// their texts are (link/kernel_text.h). Bitcode cannot be compared with machine code.

#include "link/kernel_check.h"

#include "format/elf.h"
#include "format/file_kind.h"
#include "link/bitcode.h"
#include "link/kernel_code.h"
#include "link/kernel_text.h"
#include "link/text.h"

#include <filesystem>
#include <map>
#include <optional>
#include <unordered_map>

#include <llvm/Demangle/Demangle.h>

namespace gantry::link {
namespace {

constexpr std::string_view kKernelPrefix = "__omp_offloading_";

/// A kernel as one object defines it.
struct Kernel {
  const DeviceInput* input;
  std::string source; ///< the file name of what the object was compiled from
};

using Kernels = std::map<std::string, Kernel, std::less<>>;

bool is_bitcode(const DeviceInput& input) {
  return format::identify(input.contents) == format::FileKind::kBitcode;
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

/// In a mangled name, an L before a name marks it as static, and an L before a template argument
/// begins a literal. Removing an L of the first kind does not change the demangled name.
bool has_static_part(std::string_view mangled) {
  if (!mangled.starts_with("_Z")) {
    return false;
  }
  const std::string demangled = llvm::demangle(mangled);
  for (std::size_t at = mangled.find('L'); at != std::string_view::npos;
       at = mangled.find('L', at + 1)) {
    std::string without(mangled);
    if (llvm::demangle(without.erase(at, 1)) == demangled) {
      return true;
    }
  }
  return false;
}

/// The binding of the function of that name in the host object of `kernel`; nothing where the
/// function was inlined everywhere and is gone.
std::optional<unsigned char> binding_on_host(const Kernel& kernel, std::string_view function) {
  const auto symbols =
      format::ElfFile::read(kernel.input->host_object).and_then([](const auto& file) {
        return file.symbols();
      });
  if (symbols) {
    for (const format::ElfSymbol& symbol : *symbols) {
      if (symbol.name == function && !symbol.is_undefined()) {
        return symbol.binding;
      }
    }
  }
  return std::nullopt;
}

/// True if the function is local to the host object of `kernel`. A function that was inlined
/// everywhere has no symbol: with a C name it is static if the source is C, because an inline
/// function that objects share would have a symbol, and inline if the source is C++.
bool is_local_in(const Kernel& kernel, std::string_view function) {
  const auto binding = binding_on_host(kernel, function);
  return binding ? *binding == STB_LOCAL
                 : !function.starts_with("_Z") && kernel.source.ends_with(".c");
}

/// True if a function of that name in `first` and one in `second` are two functions to the host.
bool is_local_function(std::string_view function, const Kernel& first, const Kernel& second) {
  // "$_0" is a closure that no other object can name. Names of operators say nothing.
  return has_static_part(function) || contains(function, "_GLOBAL__N_") ||
         contains(function, "$_") || is_local_in(first, function) || is_local_in(second, function);
}

Result<Kernels> kernels_in_object(const DeviceInput& input) {
  const format::ElfFile file = GANTRY_TRY(format::ElfFile::read(input.contents));
  const auto symbols = GANTRY_TRY(file.symbols());
  Kernels kernels;
  std::string_view source;
  for (const format::ElfSymbol& symbol : symbols) {
    if (symbol.type == STT_FILE) {
      source = symbol.name;
    }
    if (symbol.type == STT_FUNC && !symbol.is_undefined() && !symbol.is_local() &&
        symbol.name.starts_with(kKernelPrefix)) {
      kernels.emplace(symbol.name, Kernel{.input = &input, .source = std::string(source)});
    }
  }
  return kernels;
}

Result<Kernels> kernels_in_bitcode(const DeviceInput& input) {
  const auto file = GANTRY_TRY(open_bitcode(input.contents, input.origin));
  const std::filesystem::path source(file->getSourceFileName().str());
  Kernels kernels;
  for (const llvm::lto::InputFile::Symbol& symbol : file->symbols()) {
    if (!symbol.isUndefined() && symbol.isExecutable() &&
        symbol.getName().starts_with(llvm::StringRef(kKernelPrefix))) {
      kernels.emplace(symbol.getName().str(),
                      Kernel{.input = &input, .source = source.filename().string()});
    }
  }
  return kernels;
}

Result<std::string> code_of(std::string_view name, const Kernel& kernel) {
  Result<std::string> code = is_bitcode(*kernel.input) ? kernel_text(kernel.input->contents, name)
                                                       : kernel_code(kernel.input->contents, name);
  return code ? code : with_context(code.error(), kernel.input->origin);
}

/// How two objects came to have kernels of one name.
std::string cause_of(const Kernel& first, const Kernel& second) {
  if (first.source == second.source) {
    return fmt::format("both come from the source file '{}', compiled twice", first.source);
  }
  return fmt::format("'{}' and '{}' include it from the same line of one header, or were generated "
                     "one after the other with the same inode number",
                     first.source, second.source);
}

Status check_pair(std::string_view name, const Kernel& first, const Kernel& second) {
  if (!is_local_function(function_of(name), first, second)) {
    return {};
  }
  const bool comparable = is_bitcode(*first.input) == is_bitcode(*second.input);
  if (comparable) {
    const std::string code = GANTRY_TRY(code_of(name, first));
    const std::string other = GANTRY_TRY(code_of(name, second));
    if (code == other) {
      return {};
    }
  }
  return fail("'{}' and '{}' define the same kernel '{}' with different code{}: {}, and only one "
              "would be kept; give the function around the target region another name in each, or "
              "external linkage",
              first.input->origin, second.input->origin, name,
              comparable ? "" : " (bitcode and machine code, which cannot be compared)",
              cause_of(first, second));
}

} // namespace

Status check_kernels(const DeviceGroup& group) {
  std::unordered_map<std::string, Kernel> seen;
  for (const DeviceInput* input : group.inputs) {
    Kernels kernels = GANTRY_TRY_CONTEXT(
        is_bitcode(*input) ? kernels_in_bitcode(*input) : kernels_in_object(*input), input->origin);
    for (auto& [name, kernel] : kernels) {
      const auto [place, is_new] = seen.try_emplace(name, kernel);
      if (is_new) {
        continue;
      }
      GANTRY_TRY(check_pair(name, place->second, kernel));
    }
  }
  return {};
}

} // namespace gantry::link
