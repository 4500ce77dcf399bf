#include "link/arguments.h"

#include "base/response_file.h"
#include "link/text.h"

#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

namespace gantry::link {
namespace {

/// How an option takes its value.
enum class Value {
  kNone,
  kJoined, ///< --option=value
  kEither, ///< --option=value or --option value; of one letter -Lvalue or -L value
};

/// What becomes of an option: `kWrapper` options are taken out, `kHost` ones are also read here.
enum class Owner { kWrapper, kHost };

struct Parser {
  Arguments result;
  HostInput position;                     ///< the positional switches in force, for the next input
  std::vector<HostInput> saved_positions; ///< --push-state
  unsigned groups_seen = 0;
};

struct Option {
  std::string_view name; // without dashes
  Value value;
  Owner owner;
  Status (*apply)(Parser&, std::string_view value);
};

template <bool is_library>
Status add_input(Parser& parser, std::string_view name) {
  HostInput& input = parser.result.inputs.emplace_back(parser.position);
  input.name = name;
  input.is_library = is_library;
  return {};
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
  if (!parser.saved_positions.empty()) {
    parser.position = parser.saved_positions.back();
    parser.saved_positions.pop_back();
  }
  return {};
}

Status push_state(Parser& parser, std::string_view) {
  parser.saved_positions.push_back(parser.position);
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

/// The path of a file; an empty one is an error.
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

template <bool HostInput::* member, bool state>
Status set_position(Parser& parser, std::string_view) {
  parser.position.*member = state;
  return {};
}
constexpr auto kSetStatic = set_position<&HostInput::allow_shared, false>;
constexpr auto kSetDynamic = set_position<&HostInput::allow_shared, true>;

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
  parser.position.group = ++parser.groups_seen;
  return {};
}

Status end_group(Parser& parser, std::string_view) {
  parser.position.group = 0;
  return {};
}

constexpr auto kAddLibrary = add_input<true>;
/// A script of -T may name inputs and symbols like one among the inputs.
constexpr auto kAddScript = add_input<false>;

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
constexpr Value kEither = Value::kEither;
constexpr Owner kWrapper = Owner::kWrapper;
constexpr Owner kHost = Owner::kHost;

// One row an option: the wrapper's own come first, then those of the host linker that tell what it
// links.
constexpr auto kOptions = std::to_array<Option>({
    {"host-triple", kJoined, kWrapper, set_string<&Arguments::host_triple>},
    {"linker-path", kJoined, kWrapper, set_string<&Arguments::linker_path>},
    {"device-linker", kJoined, kWrapper, append_target<&Arguments::device_linker>},
    {"device-compiler", kJoined, kWrapper, append_target<&Arguments::device_compiler>},
    {"opt-level", kJoined, kWrapper, set_opt_level},
    {"device-debug", kNone, kWrapper, set_device_debug},
    {"mllvm", kEither, kWrapper, append<&Arguments::llvm_options>},
    {"offload-opt", kJoined, kWrapper, append<&Arguments::llvm_options>},
    {"override-image", kJoined, kWrapper, set_override_image},
    {"libdevice", kJoined, kWrapper, set_file<&Arguments::libdevice>},
    {"ptxas", kJoined, kWrapper, set_file<&Arguments::ptxas>},
    {"ptxas-arg", kJoined, kWrapper, append<&Arguments::ptxas_arguments>},
    {"wrapper-jobs", kJoined, kWrapper, set_jobs},
    {"wrapper-time-trace", kJoined, kWrapper, set_string<&Arguments::time_trace>},
    {"wrapper-time-trace-granularity", kJoined, kWrapper, set_time_trace_granularity},
    {"dry-run", kNone, kWrapper, set_flag<&Arguments::dry_run>},
    {"wrapper-verbose", kNone, kWrapper, set_flag<&Arguments::verbose>},
    {"save-temps", kNone, kWrapper, set_flag<&Arguments::save_temps>},
    {"print-wrapped-module", kNone, kWrapper, set_flag<&Arguments::print_wrapped_module>},
    {"skip-unsupported-images", kNone, kWrapper, set_flag<&Arguments::skip_unsupported>},
    {"help-hidden", kNone, kWrapper, set_flag<&Arguments::help>},
    {"emit-fatbin-only", kNone, kWrapper, reject_fatbin_only},
    // Accepted: they concern GPUs, the stock wrapper's child processes or its time trace's detail.
    {"cuda-path", kJoined, kWrapper, ignore},
    {"should-extract", kJoined, kWrapper, ignore},
    {"bitcode-library", kJoined, kWrapper, ignore},
    {"builtin-bitcode", kJoined, kWrapper, ignore},
    {"clang-backend", kNone, kWrapper, ignore},
    {"embed-bitcode", kNone, kWrapper, ignore},
    {"compress", kNone, kWrapper, ignore},
    {"compression-level", kJoined, kWrapper, ignore},
    {"pass-remarks", kJoined, kWrapper, ignore},
    {"pass-remarks-missed", kJoined, kWrapper, ignore},
    {"pass-remarks-analysis", kJoined, kWrapper, ignore},

    {"help", kNone, kHost, set_flag<&Arguments::help>},
    {"version", kNone, kHost, set_flag<&Arguments::version>},
    {"v", kNone, kHost, set_flag<&Arguments::verbose>},
    {"output", kEither, kHost, set_string<&Arguments::output>},
    {"sysroot", kJoined, kHost, set_string<&Arguments::sysroot>},
    {"library-path", kEither, kHost, append<&Arguments::search_paths>},
    {"library", kEither, kHost, kAddLibrary},
    {"rpath", kEither, kHost, append<&Arguments::run_paths>},
    {"rpath-link", kEither, kHost, append<&Arguments::run_paths>},
    {"whole-archive", kNone, kHost, set_position<&HostInput::whole_archive, true>},
    {"no-whole-archive", kNone, kHost, set_position<&HostInput::whole_archive, false>},
    {"Bstatic", kNone, kHost, kSetStatic},
    {"dn", kNone, kHost, kSetStatic},
    {"non_shared", kNone, kHost, kSetStatic},
    {"Bdynamic", kNone, kHost, kSetDynamic},
    {"dy", kNone, kHost, kSetDynamic},
    {"call_shared", kNone, kHost, kSetDynamic},
    {"as-needed", kNone, kHost, set_position<&HostInput::as_needed, true>},
    {"no-as-needed", kNone, kHost, set_position<&HostInput::as_needed, false>},
    {"push-state", kNone, kHost, push_state},
    {"pop-state", kNone, kHost, pop_state},
    {"start-group", kNone, kHost, start_group},
    {"(", kNone, kHost, start_group},
    {"end-group", kNone, kHost, end_group},
    {")", kNone, kHost, end_group},
    {"start-lib", kNone, kHost, set_position<&HostInput::lazy, true>},
    {"end-lib", kNone, kHost, set_position<&HostInput::lazy, false>},
    {"relocatable", kNone, kHost, set_flag<&Arguments::relocatable>},
    {"r", kNone, kHost, set_flag<&Arguments::relocatable>},
    {"i", kNone, kHost, set_flag<&Arguments::relocatable>},
    {"shared", kNone, kHost, set_flag<&Arguments::shared>},
    {"Bshareable", kNone, kHost, set_flag<&Arguments::shared>},
    {"gc-sections", kNone, kHost, set_flag<&Arguments::gc_sections>},
    {"static", kNone, kHost,
     [](Parser& parser, std::string_view value) -> Status {
       parser.result.static_link = true;
       return kSetStatic(parser, value);
     }},
    {"undefined", kEither, kHost, append<&Arguments::undefined_symbols>},
    {"require-defined", kEither, kHost, append<&Arguments::undefined_symbols>},
    {"entry", kEither, kHost, append<&Arguments::undefined_symbols>},

    {"script", kEither, kHost, kAddScript},
    {"defsym", kEither, kHost, add_assignment},
    {"wrap", kEither, kHost, append<&Arguments::wrapped_symbols>},
    {"default-script", kEither, kHost, kAddScript},
    {"dT", kEither, kHost, kAddScript},
    {"undefined-glob", kEither, kHost, append<&Arguments::undefined_globs>},
});

// Options of one letter, whose value may be joined.
constexpr auto kShortOptions = std::to_array<Option>({
    {"o", kEither, kHost, set_string<&Arguments::output>},
    {"L", kEither, kHost, append<&Arguments::search_paths>},
    {"l", kEither, kHost, kAddLibrary},
    {"u", kEither, kHost, append<&Arguments::undefined_symbols>},
    {"e", kEither, kHost, append<&Arguments::undefined_symbols>},
    {"T", kEither, kHost, kAddScript},
    {"R", kEither, kHost, add_run_path},
});

// Options of the host linker whose value, in an argument of its own, must not be taken for an
// input.
constexpr std::string_view kWithSkippedValue =
    " dynamic-linker soname plugin plugin-opt Map version-script dynamic-list "
    "retain-symbols-file exclude-libs section-start trace-symbol hash-style init fini "
    "auxiliary filter format Ttext Tdata Tbss Ttext-segment Trodata-segment assert "
    "just-symbols mri-script export-dynamic-symbol export-dynamic-symbol-list "
    "ignore-unresolved-symbol unresolved-symbols oformat target architecture sort-section "
    "section-ordering-file symbol-ordering-file call-graph-ordering-file orphan-handling "
    "keep-unique icf audit depaudit image-base dependency-file out-implib reproduce chroot "
    "error-handling-script warn-backrefs-exclude print-symbol-order opt-remarks-filename "
    "opt-remarks-passes opt-remarks-format error-limit hash-size max-cache-size "
    "spare-dynamic-tags task-link version-exports-section ";
constexpr std::string_view kLettersWithSkippedValue = "mzhyYbAFfcGIPa";
constexpr Option kSkippedValue = {"", kEither, kHost, ignore};

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
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    for (const Option& option : kOptions) {
      if (text == option.name && option.value != kJoined) {
        return Match{&option, std::nullopt};
      }
      if (name == option.name && name != text && option.value != kNone) {
        return Match{&option, text.substr(equals + 1)};
      }
    }
    if (contains(kWithSkippedValue, fmt::format(" {} ", text))) {
      return Match{&kSkippedValue, std::nullopt};
    }
  }
  if (two_dashes) {
    return std::nullopt;
  }
  for (const Option& option : kShortOptions) {
    if (text == option.name) {
      return Match{&option, std::nullopt};
    }
    // -eh-frame-hdr, another option, is read as -e here: that makes a root of 'h-frame-hdr', which
    // nothing defines, so it does no harm.
    if (text.starts_with(option.name)) {
      return Match{&option, text.substr(1)};
    }
  }
  if (text.size() == 1 && contains(kLettersWithSkippedValue, text)) {
    return Match{&kSkippedValue, std::nullopt};
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
        (void)add_input<false>(parser, argument);
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
    GANTRY_TRY(option.apply(parser, value));
  }
  return {};
}

} // namespace

Result<Arguments> parse_arguments(std::span<const char* const> arguments) {
  const std::vector<std::string> expanded = GANTRY_TRY(expand_response_files(arguments));
  Parser parser;
  GANTRY_TRY(parse_expanded(parser, expanded));
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
