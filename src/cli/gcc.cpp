// `gantry gcc`, `gantry g++` and `gantry gfortran`: the stock compiler with a few more options, and
// nothing that a user could not write on a command line (docs/gcc.md).

#include "base/installation.h"
#include "base/response_file.h"
#include "cli/command.h"
#include "cli/subprocess.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gantry::cli {
namespace {

constexpr std::string_view kTargetsOption = "-foffload=";
/// The user's name of the CPU device, and GCC's of AMD's GPUs. GCC calls for the tools of kinds
/// that it was configured for, which the CPU is not: Gantry's tool for AMD's GPUs makes the image
/// for the CPU, if an option tells it to.
constexpr std::string_view kCpu = "cpu";
constexpr std::string_view kAmd = "amdgcn-amdhsa";
constexpr std::string_view kCpuAlone = "-foffload-options=amdgcn-amdhsa=-Wa,--gantry=cpu";
constexpr std::string_view kCpuToo = "-foffload-options=amdgcn-amdhsa=-Wa,--gantry=cpu+amdgcn";
/// The processor that GCC compiles for by itself is older than any that Gantry has.
constexpr std::string_view kProcessorOfAmd = "-foffload-options=amdgcn-amdhsa=-march=gfx906";

/// What the user's options -foffload= name.
class Targets {
public:
  /// The list of such an option as GCC understands it.
  std::string add(std::string_view list) {
    std::string result(kTargetsOption);
    for (const char* separator = ""; !list.empty(); separator = ",") {
      std::string_view target = list.substr(0, list.find(','));
      list.remove_prefix(std::min(list.size(), target.size() + 1));
      has_cpu_ |= target == kCpu;
      has_amd_ |= target == kAmd || target.starts_with("amdgcn-amdhsa=");
      target = target == kCpu ? kAmd : target;
      if (target == kAmd && std::exchange(named_amd_, true)) {
        continue; // GCC makes it once
      }
      result += fmt::format("{}{}", separator, target);
    }
    return result == kTargetsOption ? "" : result;
  }

  /// Options for Gantry's tools and for GCC's, of which two processors confuse GCC.
  void append_options(const std::vector<std::string>& given,
                      std::vector<std::string>& arguments) const {
    const bool has_processor = std::ranges::any_of(given, [](const std::string& argument) {
      return argument.starts_with("-foffload") && (argument.find("-march=gfx") != argument.npos ||
                                                   argument.find("-march=fiji") != argument.npos);
    });
    if (has_amd_ && !has_processor) {
      arguments.emplace_back(kProcessorOfAmd);
    }
    if (has_cpu_) {
      arguments.emplace_back(has_amd_ ? kCpuToo : kCpuAlone);
    }
  }

private:
  bool has_cpu_ = false;
  bool has_amd_ = false;
  bool named_amd_ = false;
};

/// With one of these the user has chosen how addresses are formed.
bool chooses_code_model(std::string_view argument) {
  constexpr auto kOptions =
      std::to_array<std::string_view>({"-fPIC", "-fpic", "-fPIE", "-fpie", "-fno-PIC", "-fno-pic",
                                       "-fno-PIE", "-fno-pie", "-static"});
  return std::ranges::find(kOptions, argument) != kOptions.end();
}

/// Why a program that is linked with these would run on no device; empty if it is not so.
std::string_view what_hinders_devices(const std::vector<std::string>& given) {
  constexpr auto kNoLink =
      std::to_array<std::string_view>({"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r"});
  if (std::ranges::find_first_of(given, kNoLink) != given.end()) {
    return "";
  }
  const auto has = [&](std::string_view option) {
    return std::ranges::find(given, option) != given.end();
  };
  if (has("-static") || has("-static-pie")) {
    return "a program that is linked statically cannot load devices; leave -static out";
  }
  if (has("-fuse-ld=lld")) {
    return "lld does not run GCC's linker plugin, which brings the device code into the program; "
           "leave -fuse-ld=lld out, or use bfd or gold";
  }
  return "";
}

/// The output is an object again (-r), so it keeps the device code for the program's link.
std::vector<std::string> merge_of_objects(const char* program,
                                          const std::vector<std::string>& given) {
  std::vector<std::string> arguments = {program, "-fno-lto", "-foffload=disable"};
  std::ranges::copy_if(given, std::back_inserter(arguments), [](std::string_view argument) {
    return !argument.starts_with(kTargetsOption);
  });
  return arguments;
}

bool is_libomp(std::string_view argument) {
  return argument == "-lomp" || argument.substr(argument.rfind('/') + 1).starts_with("libomp.so");
}

std::vector<std::string> arguments_of(const char* program, const std::filesystem::path& root,
                                      const std::vector<std::string>& given) {
  if (std::ranges::find(given, "-r") != given.end()) {
    return merge_of_objects(program, given);
  }
  const std::string library = (root / "lib").string();
  std::vector<std::string> arguments = {
      program,
      "-fopenmp",
      fmt::format("-B{}/libexec/gcc", root.string()),
      // libgantry precedes libgomp, which has functions of the same names; --no-as-needed keeps it
      // in any case.
      "-L" + library,
      "-Wl,--push-state,--no-as-needed",
      "-lgantry",
  };
  // With objects of Clang's. libomp offers what GCC's host code calls, and libgomp not what Clang's
  // does: omp_get_thread_num has to be libomp's for both.
  std::ranges::copy_if(given, std::back_inserter(arguments), is_libomp);
  const std::string others[] = {
      "-lgomp",
      "-Wl,--pop-state",
      "-Wl,-rpath," + library,
      // Exports the program's symbols, because the image for the CPU contains host code, which uses
      // other objects.
      "-rdynamic",
      // Keeps GCC's assembler from running a ptxas on PATH as a check: new ones do not know the
      // architectures that GCC 12 emits.
      "-foffload-options=nvptx-none=-Wa,--no-verify",
  };
  std::ranges::copy(others, std::back_inserter(arguments));
  if (std::ranges::none_of(given, chooses_code_model)) {
    arguments.emplace_back("-fPIC"); // as an image for the CPU device has to be
  }
  Targets targets;
  std::vector<std::string> of_user;
  for (const std::string& argument : given) {
    if (!argument.starts_with(kTargetsOption)) {
      of_user.push_back(argument);
    } else if (std::string named = targets.add(argument.substr(kTargetsOption.size()));
               !named.empty()) {
      of_user.push_back(std::move(named));
    }
  }
  if (std::ranges::none_of(
          given, [](std::string_view argument) { return argument.starts_with(kTargetsOption); })) {
    arguments.push_back(targets.add(kCpu));
  }
  targets.append_options(given, arguments);
  std::ranges::copy(of_user, std::back_inserter(arguments));
  return arguments;
}

Result<int> run_compiler(int argc, char** argv, const char* program) {
  const std::span given(argv + 1, static_cast<std::size_t>(argc - 1));
  const auto expanded = GANTRY_TRY(expand_response_files(given));
  const std::filesystem::path root = GANTRY_TRY(find_installation());
  if (const std::string_view hindrance = what_hinders_devices(expanded); !hindrance.empty()) {
    return fail("{}", hindrance);
  }
  return replace_process(arguments_of(program, root, expanded),
                         fmt::format("install Debian's package {}",
                                     std::filesystem::path(program).filename().string()));
}

} // namespace

Result<int> run_gcc(int argc, char** argv) {
  return run_compiler(argc, argv, GANTRY_GCC);
}
Result<int> run_gxx(int argc, char** argv) {
  return run_compiler(argc, argv, GANTRY_GXX);
}
Result<int> run_gfortran(int argc, char** argv) {
  return run_compiler(argc, argv, GANTRY_GFORTRAN);
}

} // namespace gantry::cli
