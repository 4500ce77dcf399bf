// `ptxas`: for toolchains that insist on a cubin. It checks PTX and puts it into an ELF file that
// the executor's driver takes instead of one; no GPU can execute it.
#include "simt/ptx/parser.h"
#include "simt/toolchain/assembly.h"
#include "simt/toolchain/ptxas_options.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

namespace {

using namespace gantry::simt;

/// What NVIDIA's assembler exits with after an error.
constexpr int kFailed = 255;

int fail(std::string_view reason) {
  fmt::print(stderr, "ptxas fatal   : {}\n", reason);
  return kFailed;
}

void print_version() {
  // Programs look for "release".
  fmt::print("ptxas: Gantry's assembler for its PTX executor\n"
             "Cuda compilation tools, release 13.0, V13.0.0\n"
             "PTX ISA up to {}.{}\n",
             ptx::kNewestMajor, ptx::kNewestMinor);
}

void print_help() {
  fmt::print(
      "Usage  : ptxas [options] <ptx file>,...\n\n"
      "Checks PTX and puts it into an ELF file that Gantry's libcuda.so.1 executes.\n\n"
      "--gpu-name <name>      (-arch)    sm_80 …; compute_80 …: checks only. Default: sm_75\n"
      "--output-file <file>   (-o)       Default: elf.o\n"
      "--compile-only         (-c)       what is not defined may be in another file\n"
      "--input-as-string <ptx> (-ias)    instead of a file\n"
      "--options-file <file>  (-optf)    more options\n"
      "--verbose              (-v)       what kernels take\n"
      "--version              (-V)\n"
      "--help                 (-h)\n\n"
      "The other options of NVIDIA's assembler are accepted and do nothing.\n");
}

/// What a function declares in a space; an assembler takes less or more.
std::uint64_t bytes_in(const std::vector<ptx::Variable>& variables, ptx::Space space) {
  std::uint64_t bytes = 0;
  for (const ptx::Variable& variable : variables) {
    bytes += variable.space == space ? variable.size() : 0;
  }
  return bytes;
}

// PTX has any number of registers; the number is what the driver says of the kernel.
void print_usage(const ptx::Module& module, std::string_view target) {
  fmt::print(stderr, "ptxas info    : {} bytes gmem\n",
             bytes_in(module.variables, ptx::Space::kGlobal));
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || !function.is_defined) {
      continue;
    }
    fmt::print(stderr,
               "ptxas info    : Compiling entry function '{0}' for '{1}'\n"
               "ptxas info    : Function properties for {0}\n"
               "    {2} bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
               "ptxas info    : Used {3} registers, {4} bytes smem\n",
               function.name, target, bytes_in(function.variables, ptx::Space::kLocal),
               std::clamp<std::size_t>(function.registers.size() / 4, 16, 128),
               bytes_in(function.variables, ptx::Space::kShared));
  }
}

int assemble(const toolchain::PtxasOptions& options) {
  const auto capability = toolchain::capability_named(options.target);
  if (!capability) {
    return fail(fmt::format("Value '{}' is not defined for option 'gpu-name'", options.target));
  }
  toolchain::Assembly assembly(*capability);
  bool failed = false;
  const auto add = [&](std::string text, const std::string& name) {
    if (const auto added = assembly.add(std::move(text), name); !added) {
      fmt::print(stderr, "{}", added.error());
      failed = true;
    } else if (options.verbose) {
      print_usage(*assembly.modules().back(), options.target);
    }
  };
  for (const std::string& path : options.inputs) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      return fail(fmt::format("Input file '{}' could not be opened", path));
    }
    add({std::istreambuf_iterator<char>(file), {}}, path);
  }
  for (const std::string& text : options.strings) {
    add(text, "<string>");
  }
  if (failed) {
    return fail("Ptx assembly aborted due to errors");
  }
  const auto image = assembly.finish(options.relocatable);
  if (!image) {
    fmt::print(stderr, "{}", image.error());
    return fail("Ptx assembly aborted due to errors");
  }
  if (options.target.starts_with("compute_")) {
    return 0;
  }
  std::ofstream file(options.output, std::ios::binary);
  file.write(reinterpret_cast<const char*>(image->data()),
             static_cast<std::streamsize>(image->size()));
  file.close();
  return file ? 0 : fail(fmt::format("Output file '{}' could not be written", options.output));
}

} // namespace

int main(int argc, char** argv) {
  const auto options = toolchain::parse_ptxas_options({argv + 1, argv + argc});
  if (!options) {
    return fail(options.error());
  }
  if (options->version) {
    print_version();
    return 0;
  }
  if (options->help || (options->inputs.empty() && options->strings.empty())) {
    print_help();
    return 0;
  }
  return assemble(*options);
}
