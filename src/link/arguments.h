// The command line of the linker wrapper: what Clang 19 and 22 pass, plus what users add with -Wl,.
//
// The wrapper stands in front of the host linker, so its command line is the host linker's with a
// few options of its own in between, each of which it takes out. Everything else belongs to the
// host linker and keeps its order. Some of the host linker's arguments are also read here (inputs,
// search paths, positional switches), because finding the device code means finding what the host
// link will take.
#pragma once

#include "base/result.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::link {

/// `--device-linker=[TRIPLE=]VALUE` and the like. An empty triple means every target.
struct TargetArgument {
  std::string triple;
  std::string value;
};

/// A file or a library of the host link, with the positional switches in force where it stands.
struct HostInput {
  std::string name; ///< a path, or what follows -l
  bool is_library = false;
  bool whole_archive = false;
  bool allow_shared = true; ///< cleared by -Bstatic and -static: only lib*.a is searched
  unsigned group = 0;       ///< inputs of one --start-group … --end-group share a number; 0: none
  bool lazy = false;        ///< an object between --start-lib and --end-lib
  bool as_needed = false;   ///< a shared library counts only if it is used
};

struct Arguments {
  // The wrapper's own options.
  std::string host_triple;
  std::string linker_path;
  std::vector<TargetArgument> device_linker;
  std::vector<TargetArgument> device_compiler;
  std::vector<std::string> llvm_options;
  std::vector<std::string> override_images; ///< paths, for OpenMP
  std::string libdevice;                    ///< bitcode in place of Gantry's mathematics for NVPTX
  std::string ptxas;                        ///< NVIDIA's assembler; empty: images are PTX alone
  std::vector<std::string> ptxas_arguments;
  unsigned jobs = 0; ///< 0: as many as the machine has processors
  std::string time_trace;
  unsigned time_trace_granularity = 500; ///< microseconds
  bool dry_run = false;
  bool verbose = false;
  bool save_temps = false;
  bool print_wrapped_module = false;
  bool skip_unsupported = false;
  bool help = false;
  bool version = false;

  // Read from the host linker's arguments.
  std::string output = "a.out";
  std::string sysroot;
  std::vector<std::string> search_paths;
  std::vector<std::string>
      run_paths; ///< -rpath and -rpath-link, for the device link of CPU targets
  std::vector<HostInput> inputs;
  std::vector<std::string> undefined_symbols; ///< -u, --require-defined, -e: roots of the host link
  std::vector<std::string> undefined_globs;   ///< --undefined-glob: roots by pattern
  std::vector<std::string> wrapped_symbols;   ///< --wrap
  bool relocatable = false;
  bool static_link = false;
  bool shared = false; ///< the output is a shared library
  bool gc_sections = false;

  /// The host linker's arguments, in the order given.
  std::vector<std::string> host_arguments;
};

/// Parses the arguments after the program's name. @file arguments are expanded first.
[[nodiscard]] Result<Arguments> parse_arguments(std::span<const char* const> arguments);

/// The values of those `arguments` that are for `triple`.
[[nodiscard]] std::vector<std::string> arguments_for(std::span<const TargetArgument> arguments,
                                                     std::string_view triple);

/// The text of --help.
[[nodiscard]] std::string_view help_text();

} // namespace gantry::link
