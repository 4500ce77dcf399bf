#include "link/arguments.h"

#include "base/response_file.h"
#include "link/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <functional>
#include <optional>

#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

namespace gantry::link {
namespace {

/// How an option takes its value.
enum class Value {
  kNone,
  kJoined,           ///< --option=value; the name in the table ends with '='
  kSeparate,         ///< --option value
  kJoinedOrSeparate, ///< -Lvalue or -L value
};

/// What becomes of an option: `kWrapper` options are taken out, `kHost` ones are also read here.
enum class Owner { kWrapper, kHost };

/// Positional switches in force while the command line is read.
struct Position {
  bool whole_archive = false;
  bool allow_shared = true;
  unsigned group = 0;
  unsigned groups_seen = 0;
  bool lazy = false;
  bool as_needed = false;
  std::vector<Position> saved; // --push-state
};

struct Parser {
  Arguments result;
  Position position;
};

struct Option {
  std::string_view name; // without dashes
  Value value;
  Owner owner;
  Status (*apply)(Parser&, std::string_view value);
};

void add_input(Parser& parser, std::string_view name, bool is_library) {
  const Position& position = parser.position;
  parser.result.inputs.push_back({.name = std::string(name),
                                  .is_library = is_library,
                                  .whole_archive = position.whole_archive,
                                  .allow_shared = position.allow_shared,
                                  .group = position.group,
                                  .lazy = position.lazy,
                                  .as_needed = position.as_needed});
}

/// `TRIPLE=ARGUMENT` when what stands before the first '=' is a triple of an architecture LLVM
/// knows, otherwise an argument for every target (which may itself hold a '=').
TargetArgument parse_target_argument(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, equals);
    const llvm::Triple triple{llvm::StringRef(prefix)};
    if (!prefix.starts_with('-') && triple.getArch() != llvm::Triple::UnknownArch) {
      return {.triple = std::string(prefix), .value = std::string(text.substr(equals + 1))};
    }
  }
  return {.triple = "", .value = std::string(text)};
}

Status ignore(Parser&, std::string_view) {
  return {};
}

/// -z takes many keywords; none concerns the wrapper, but each must not be taken for an input.
constexpr auto kSkipValue = ignore;

/// A positive number, as the value of `option`.
Result<unsigned> parse_number(std::string_view option, std::string_view value,
                              std::string_view alternative) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number == 0) {
    return fail("--{}={} is not understood; give a positive number{}", option, value, alternative);
  }
  return number;
}

Status set_jobs(Parser& parser, std::string_view value) {
  if (value == "jobserver") {
    return {};
  }
  return parse_number("wrapper-jobs", value, " or 'jobserver'").map([&](unsigned jobs) {
    parser.result.jobs = jobs;
  });
}

Status set_time_trace_granularity(Parser& parser, std::string_view value) {
  return parse_number("wrapper-time-trace-granularity", value, "").map([&](unsigned microseconds) {
    parser.result.time_trace_granularity = microseconds;
  });
}

Status set_override_image(Parser& parser, std::string_view value) {
  constexpr std::string_view kOpenMp = "openmp=";
  if (!value.starts_with(kOpenMp)) {
    return fail("--override-image={} is not understood; give openmp=FILE", value);
  }
  parser.result.override_images.emplace_back(value.substr(kOpenMp.size()));
  return {};
}

Status pop_state(Parser& parser, std::string_view) {
  if (!parser.position.saved.empty()) {
    Position saved = std::move(parser.position.saved.back());
    saved.groups_seen = parser.position.groups_seen;
    parser.position = std::move(saved);
  }
  return {};
}

Status push_state(Parser& parser, std::string_view) {
  Position copy = parser.position;
  parser.position.saved.push_back(std::move(copy));
  return {};
}

template <bool Arguments::* member>
Status set_flag(Parser& parser, std::string_view) {
  parser.result.*member = true;
  return {};
}

template <std::string Arguments::* member>
Status set_string(Parser& parser, std::string_view value) {
  parser.result.*member = value;
  return {};
}

/// A file, which has to have a name.
template <std::string Arguments::* member>
Status set_file(Parser& parser, std::string_view value) {
  if (value.empty()) {
    return fail("--libdevice= and --ptxas= take the path of a file, and none is given");
  }
  return set_string<member>(parser, value);
}

template <std::vector<std::string> Arguments::* member>
Status append(Parser& parser, std::string_view value) {
  (parser.result.*member).emplace_back(value);
  return {};
}

template <std::vector<TargetArgument> Arguments::* member>
Status append_target(Parser& parser, std::string_view value) {
  (parser.result.*member).push_back(parse_target_argument(value));
  return {};
}

template <auto member, bool state>
Status set_position(Parser& parser, std::string_view) {
  parser.position.*member = state;
  return {};
}

Status set_static(Parser& parser, std::string_view) {
  parser.position.allow_shared = false;
  return {};
}

/// Clang 19 passes the device's level as --opt-level=O2 where Clang 22 says --device-compiler=-O2.
Status set_opt_level(Parser& parser, std::string_view value) {
  parser.result.device_compiler.push_back({.triple = "", .value = fmt::format("-{}", value)});
  return {};
}

Status set_device_debug(Parser& parser, std::string_view) {
  parser.result.device_compiler.push_back({.triple = "", .value = "-g"});
  return {};
}

Status start_group(Parser& parser, std::string_view) {
  parser.position.group = ++parser.position.groups_seen;
  return {};
}

Status end_group(Parser& parser, std::string_view) {
  parser.position.group = 0;
  return {};
}

Status add_library(Parser& parser, std::string_view value) {
  add_input(parser, value, true);
  return {};
}

/// A script of -T may name inputs and symbols like one among the inputs.
Status add_script(Parser& parser, std::string_view value) {
  add_input(parser, value, false);
  return {};
}

/// --defsym=NAME=EXPRESSION: an expression that is a name refers to it. (NAME is not known as
/// defined: lld takes members for it nevertheless.)
Status add_assignment(Parser& parser, std::string_view value) {
  if (const std::size_t equals = value.find('='); equals != std::string_view::npos) {
    parser.result.undefined_symbols.emplace_back(value.substr(equals + 1));
  }
  return {};
}

/// -R is -rpath, except that GNU ld takes a file after it for --just-symbols.
Status add_run_path(Parser& parser, std::string_view value) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(value, ignored)) {
    parser.result.run_paths.emplace_back(value);
  }
  return {};
}

Status reject_fatbin_only(Parser&, std::string_view) {
  return fail(
      "--emit-fatbin-only makes CUDA and HIP files, which Gantry does not; link without it");
}

constexpr Value kNone = Value::kNone;
constexpr Value kJoined = Value::kJoined;
constexpr Value kSeparate = Value::kSeparate;
constexpr Value kEither = Value::kJoinedOrSeparate;
constexpr Owner kWrapper = Owner::kWrapper;
constexpr Owner kHost = Owner::kHost;

// One row an option. The wrapper's own come first; then those of the host linker that tell what it
// links; last those that take a separate value, so that the value is not mistaken for an input.
constexpr auto kOptions = std::to_array<Option>({
    {"host-triple=", kJoined, kWrapper, set_string<&Arguments::host_triple>},
    {"linker-path=", kJoined, kWrapper, set_string<&Arguments::linker_path>},
    {"device-linker=", kJoined, kWrapper, append_target<&Arguments::device_linker>},
    {"device-compiler=", kJoined, kWrapper, append_target<&Arguments::device_compiler>},
    {"opt-level=", kJoined, kWrapper, set_opt_level},
    {"device-debug", kNone, kWrapper, set_device_debug},
    {"mllvm", kSeparate, kWrapper, append<&Arguments::llvm_options>},
    {"mllvm=", kJoined, kWrapper, append<&Arguments::llvm_options>},
    {"offload-opt=", kJoined, kWrapper, append<&Arguments::llvm_options>},
    {"override-image=", kJoined, kWrapper, set_override_image},
    {"libdevice=", kJoined, kWrapper, set_file<&Arguments::libdevice>},
    {"ptxas=", kJoined, kWrapper, set_file<&Arguments::ptxas>},
    {"ptxas-arg=", kJoined, kWrapper, append<&Arguments::ptxas_arguments>},
    {"wrapper-jobs=", kJoined, kWrapper, set_jobs},
    {"wrapper-time-trace=", kJoined, kWrapper, set_string<&Arguments::time_trace>},
    {"wrapper-time-trace-granularity=", kJoined, kWrapper, set_time_trace_granularity},
    {"dry-run", kNone, kWrapper, set_flag<&Arguments::dry_run>},
    {"wrapper-verbose", kNone, kWrapper, set_flag<&Arguments::verbose>},
    {"save-temps", kNone, kWrapper, set_flag<&Arguments::save_temps>},
    {"print-wrapped-module", kNone, kWrapper, set_flag<&Arguments::print_wrapped_module>},
    {"skip-unsupported-images", kNone, kWrapper, set_flag<&Arguments::skip_unsupported>},
    {"help-hidden", kNone, kWrapper, set_flag<&Arguments::help>},
    {"emit-fatbin-only", kNone, kWrapper, reject_fatbin_only},
    // Accepted: they concern GPUs, the stock wrapper's child processes or its time trace's detail.
    {"cuda-path=", kJoined, kWrapper, ignore},
    {"should-extract=", kJoined, kWrapper, ignore},
    {"bitcode-library=", kJoined, kWrapper, ignore},
    {"builtin-bitcode=", kJoined, kWrapper, ignore},
    {"clang-backend", kNone, kWrapper, ignore},
    {"embed-bitcode", kNone, kWrapper, ignore},
    {"compress", kNone, kWrapper, ignore},
    {"compression-level=", kJoined, kWrapper, ignore},
    {"pass-remarks=", kJoined, kWrapper, ignore},
    {"pass-remarks-missed=", kJoined, kWrapper, ignore},
    {"pass-remarks-analysis=", kJoined, kWrapper, ignore},

    {"help", kNone, kHost, set_flag<&Arguments::help>},
    {"version", kNone, kHost, set_flag<&Arguments::version>},
    {"v", kNone, kHost, set_flag<&Arguments::verbose>},
    {"output=", kJoined, kHost, set_string<&Arguments::output>},
    {"output", kSeparate, kHost, set_string<&Arguments::output>},
    {"sysroot=", kJoined, kHost, set_string<&Arguments::sysroot>},
    {"library-path=", kJoined, kHost, append<&Arguments::search_paths>},
    {"library-path", kSeparate, kHost, append<&Arguments::search_paths>},
    {"library=", kJoined, kHost, add_library},
    {"library", kSeparate, kHost, add_library},
    {"rpath=", kJoined, kHost, append<&Arguments::run_paths>},
    {"rpath", kSeparate, kHost, append<&Arguments::run_paths>},
    {"rpath-link=", kJoined, kHost, append<&Arguments::run_paths>},
    {"rpath-link", kSeparate, kHost, append<&Arguments::run_paths>},
    {"whole-archive", kNone, kHost, set_position<&Position::whole_archive, true>},
    {"no-whole-archive", kNone, kHost, set_position<&Position::whole_archive, false>},
    {"Bstatic", kNone, kHost, set_static},
    {"dn", kNone, kHost, set_static},
    {"non_shared", kNone, kHost, set_static},
    {"Bdynamic", kNone, kHost, set_position<&Position::allow_shared, true>},
    {"dy", kNone, kHost, set_position<&Position::allow_shared, true>},
    {"call_shared", kNone, kHost, set_position<&Position::allow_shared, true>},
    {"as-needed", kNone, kHost, set_position<&Position::as_needed, true>},
    {"no-as-needed", kNone, kHost, set_position<&Position::as_needed, false>},
    {"push-state", kNone, kHost, push_state},
    {"pop-state", kNone, kHost, pop_state},
    {"start-group", kNone, kHost, start_group},
    {"(", kNone, kHost, start_group},
    {"end-group", kNone, kHost, end_group},
    {")", kNone, kHost, end_group},
    {"start-lib", kNone, kHost, set_position<&Position::lazy, true>},
    {"end-lib", kNone, kHost, set_position<&Position::lazy, false>},
    {"relocatable", kNone, kHost, set_flag<&Arguments::relocatable>},
    {"r", kNone, kHost, set_flag<&Arguments::relocatable>},
    {"i", kNone, kHost, set_flag<&Arguments::relocatable>},
    {"shared", kNone, kHost, set_flag<&Arguments::shared>},
    {"Bshareable", kNone, kHost, set_flag<&Arguments::shared>},
    {"gc-sections", kNone, kHost, set_flag<&Arguments::gc_sections>},
    {"static", kNone, kHost,
     [](Parser& parser, std::string_view value) -> Status {
       parser.result.static_link = true;
       return set_static(parser, value);
     }},
    {"undefined=", kJoined, kHost, append<&Arguments::undefined_symbols>},
    {"undefined", kSeparate, kHost, append<&Arguments::undefined_symbols>},
    {"require-defined=", kJoined, kHost, append<&Arguments::undefined_symbols>},
    {"require-defined", kSeparate, kHost, append<&Arguments::undefined_symbols>},
    {"entry=", kJoined, kHost, append<&Arguments::undefined_symbols>},
    {"entry", kSeparate, kHost, append<&Arguments::undefined_symbols>},

    {"dynamic-linker", kSeparate, kHost, kSkipValue},
    {"soname", kSeparate, kHost, kSkipValue},
    {"plugin", kSeparate, kHost, kSkipValue},
    {"plugin-opt", kSeparate, kHost, kSkipValue},
    {"Map", kSeparate, kHost, kSkipValue},
    {"script", kSeparate, kHost, add_script},
    {"script=", kJoined, kHost, add_script},
    {"version-script", kSeparate, kHost, kSkipValue},
    {"dynamic-list", kSeparate, kHost, kSkipValue},
    {"retain-symbols-file", kSeparate, kHost, kSkipValue},
    {"exclude-libs", kSeparate, kHost, kSkipValue},
    {"defsym", kSeparate, kHost, add_assignment},
    {"defsym=", kJoined, kHost, add_assignment},
    {"section-start", kSeparate, kHost, kSkipValue},
    {"wrap", kSeparate, kHost, append<&Arguments::wrapped_symbols>},
    {"wrap=", kJoined, kHost, append<&Arguments::wrapped_symbols>},
    {"trace-symbol", kSeparate, kHost, kSkipValue},
    {"hash-style", kSeparate, kHost, kSkipValue},
    {"init", kSeparate, kHost, kSkipValue},
    {"fini", kSeparate, kHost, kSkipValue},
    {"auxiliary", kSeparate, kHost, kSkipValue},
    {"filter", kSeparate, kHost, kSkipValue},
    {"format", kSeparate, kHost, kSkipValue},
    {"Ttext", kSeparate, kHost, kSkipValue},
    {"Tdata", kSeparate, kHost, kSkipValue},
    {"Tbss", kSeparate, kHost, kSkipValue},
    {"Ttext-segment", kSeparate, kHost, kSkipValue},
    {"Trodata-segment", kSeparate, kHost, kSkipValue},
    {"assert", kSeparate, kHost, kSkipValue},
    {"just-symbols", kSeparate, kHost, kSkipValue},
    {"default-script", kSeparate, kHost, add_script},
    {"default-script=", kJoined, kHost, add_script},
    {"dT", kSeparate, kHost, add_script},
    {"mri-script", kSeparate, kHost, kSkipValue},
    {"export-dynamic-symbol", kSeparate, kHost, kSkipValue},
    {"export-dynamic-symbol-list", kSeparate, kHost, kSkipValue},
    {"undefined-glob", kSeparate, kHost, append<&Arguments::undefined_globs>},
    {"undefined-glob=", kJoined, kHost, append<&Arguments::undefined_globs>},
    {"ignore-unresolved-symbol", kSeparate, kHost, kSkipValue},
    {"unresolved-symbols", kSeparate, kHost, kSkipValue},
    {"oformat", kSeparate, kHost, kSkipValue},
    {"target", kSeparate, kHost, kSkipValue},
    {"architecture", kSeparate, kHost, kSkipValue},
    {"sort-section", kSeparate, kHost, kSkipValue},
    {"section-ordering-file", kSeparate, kHost, kSkipValue},
    {"symbol-ordering-file", kSeparate, kHost, kSkipValue},
    {"call-graph-ordering-file", kSeparate, kHost, kSkipValue},
    {"orphan-handling", kSeparate, kHost, kSkipValue},
    {"keep-unique", kSeparate, kHost, kSkipValue},
    {"icf", kSeparate, kHost, kSkipValue},
    {"audit", kSeparate, kHost, kSkipValue},
    {"depaudit", kSeparate, kHost, kSkipValue},
    {"image-base", kSeparate, kHost, kSkipValue},
    {"dependency-file", kSeparate, kHost, kSkipValue},
    {"out-implib", kSeparate, kHost, kSkipValue},
    {"reproduce", kSeparate, kHost, kSkipValue},
    {"chroot", kSeparate, kHost, kSkipValue},
    {"error-handling-script", kSeparate, kHost, kSkipValue},
    {"warn-backrefs-exclude", kSeparate, kHost, kSkipValue},
    {"print-symbol-order", kSeparate, kHost, kSkipValue},
    {"opt-remarks-filename", kSeparate, kHost, kSkipValue},
    {"opt-remarks-passes", kSeparate, kHost, kSkipValue},
    {"opt-remarks-format", kSeparate, kHost, kSkipValue},
    {"error-limit", kSeparate, kHost, kSkipValue},
    {"hash-size", kSeparate, kHost, kSkipValue},
    {"max-cache-size", kSeparate, kHost, kSkipValue},
    {"spare-dynamic-tags", kSeparate, kHost, kSkipValue},
    {"task-link", kSeparate, kHost, kSkipValue},
    {"version-exports-section", kSeparate, kHost, kSkipValue},
});

// Options of one letter, whose value may be joined.
constexpr auto kShortOptions = std::to_array<Option>({
    {"o", kEither, kHost, set_string<&Arguments::output>},
    {"L", kEither, kHost, append<&Arguments::search_paths>},
    {"l", kEither, kHost, add_library},
    {"u", kEither, kHost, append<&Arguments::undefined_symbols>},
    {"e", kEither, kHost, append<&Arguments::undefined_symbols>},
    {"m", kEither, kHost, kSkipValue},
    {"z", kEither, kHost, kSkipValue},
    {"h", kEither, kHost, kSkipValue},
    {"T", kEither, kHost, add_script},
    {"y", kEither, kHost, kSkipValue},
    {"Y", kEither, kHost, kSkipValue},
    {"b", kEither, kHost, kSkipValue},
    {"A", kEither, kHost, kSkipValue},
    {"F", kEither, kHost, kSkipValue},
    {"f", kEither, kHost, kSkipValue},
    {"c", kEither, kHost, kSkipValue},
    {"G", kEither, kHost, kSkipValue},
    {"I", kEither, kHost, kSkipValue},
    {"R", kEither, kHost, add_run_path},
    {"P", kEither, kHost, kSkipValue},
    {"a", kEither, kHost, kSkipValue},
});

/// A match of one argument with the tables; `value` is set when it stands in the same argument.
struct Match {
  const Option* option;
  std::optional<std::string_view> value;
};

/// Long options take one dash or two, except that one dash and a letter with a joined value
/// (-lfoo, -omain) goes first where GNU ld reads it so: a single-dash argument starting with 'o'
/// is -o, as ld documents.
std::optional<Match> find_option(std::string_view argument) {
  const bool two_dashes = argument.starts_with("--");
  const std::string_view text = argument.substr(two_dashes ? 2 : 1);
  if (two_dashes || !text.starts_with('o')) {
    for (const Option& option : kOptions) {
      if (option.value == kJoined ? text.starts_with(option.name) : text == option.name) {
        if (option.value == kJoined) {
          return Match{&option, text.substr(option.name.size())};
        }
        return Match{&option, std::nullopt};
      }
    }
  }
  if (two_dashes) {
    return std::nullopt;
  }
  for (const Option& option : kShortOptions) {
    if (text == option.name) {
      return Match{&option, std::nullopt};
    }
    // Only these may be joined. -e is, though -eh-frame-hdr is another option: all that it does
    // here is to make 'h-frame-hdr' a root, which nothing defines.
    if (contains("oLlmzueRT", option.name) && text.starts_with(option.name)) {
      return Match{&option, text.substr(1)};
    }
  }
  return std::nullopt;
}

Status parse_expanded(Parser& parser, const std::vector<std::string>& arguments) {
  Arguments& result = parser.result;
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    const std::string_view argument = arguments[index];
    if (argument == "--") { // Clang 16 separates its own arguments from the linker's
      continue;
    }
    if (argument.size() < 2 || argument.front() != '-') {
      if (!argument.empty()) {
        add_input(parser, argument, false);
      }
      result.host_arguments.emplace_back(argument);
      continue;
    }
    const std::optional<Match> match = find_option(argument);
    if (!match) {
      result.host_arguments.emplace_back(argument);
      continue;
    }
    const Option& option = *match->option;
    if (option.owner == kHost) {
      result.host_arguments.emplace_back(argument);
    }
    std::string_view value = match->value.value_or("");
    if (!match->value && option.value != kNone) {
      if (index + 1 == arguments.size()) {
        return fail("the option '{}' needs a value and is the last argument", argument);
      }
      value = arguments[++index];
      if (option.owner == kHost) {
        result.host_arguments.emplace_back(value);
      }
    }
    if (Status status = option.apply(parser, value); !status) {
      return status;
    }
  }
  return {};
}

} // namespace

Result<Arguments> parse_arguments(std::span<const char* const> arguments) {
  const Result<std::vector<std::string>> expanded = expand_response_files(arguments);
  if (!expanded) {
    return tl::unexpected(expanded.error());
  }
  Parser parser;
  if (Status status = parse_expanded(parser, *expanded); !status) {
    return tl::unexpected(std::move(status).error());
  }
  if (parser.result.host_triple.empty()) {
    parser.result.host_triple = llvm::sys::getDefaultTargetTriple();
  }
  return std::move(parser.result);
}

std::vector<std::string> arguments_for(std::span<const TargetArgument> arguments,
                                       std::string_view triple) {
  const llvm::Triple wanted(llvm::Triple::normalize(llvm::StringRef(triple)));
  std::vector<std::string> result;
  for (const TargetArgument& argument : arguments) {
    if (argument.triple.empty() ||
        wanted.isCompatibleWith(llvm::Triple(llvm::Triple::normalize(argument.triple)))) {
      result.push_back(argument.value);
    }
  }
  return result;
}

} // namespace gantry::link
