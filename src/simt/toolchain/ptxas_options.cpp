#include "simt/toolchain/ptxas_options.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

namespace gantry::simt::toolchain {

namespace {

enum class Effect : std::uint8_t {
  kNone, ///< on the code that is made: there is none
  kOutput,
  kTarget,
  kMachine,
  kStrings,
  kOptionsFile,
  kRelocatable,
  kVerbose,
  kVersion,
  kHelp,
};

struct Option {
  std::string_view name;  ///< after --
  std::string_view brief; ///< after -
  bool has_value;
  Effect effect = Effect::kNone;
};

constexpr Option kOptions[] = {
    {"Ofast-compile", "Ofc", true},
    {"allow-expensive-optimizations", "allow-expensive-optimizations", true},
    {"compile-as-tools-patch", "astoolspatch", false},
    {"compile-only", "c", false, Effect::kRelocatable},
    {"compiler-annotations", "annotate", false},
    {"def-load-cache", "dlcm", true},
    {"def-store-cache", "dscm", true},
    {"device-debug", "g", false},
    {"device-function-maxrregcount", "func-maxrregcount", true},
    {"device-stack-protector", "device-stack-protector", true},
    {"disable-optimizer-constants", "disable-optimizer-consts", false},
    {"disable-warnings", "w", false},
    {"dont-merge-basicblocks", "no-bb-merge", false},
    {"entry", "e", true},
    {"extensible-whole-program", "ewp", false, Effect::kRelocatable},
    {"fmad", "fmad", true},
    {"force-load-cache", "flcm", true},
    {"force-store-cache", "fscm", true},
    {"generate-line-info", "lineinfo", false},
    {"gpu-name", "arch", true, Effect::kTarget},
    {"help", "h", false, Effect::kHelp},
    {"input-as-string", "ias", true, Effect::kStrings},
    {"legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior", false},
    {"machine", "m", true, Effect::kMachine},
    {"make-errors-visible-at-exit", "make-errors-visible-at-exit", false},
    {"maxntid", "maxntid", true},
    {"maxrregcount", "maxrregcount", true},
    {"minnctapersm", "minnctapersm", true},
    {"opt-level", "O", true},
    {"optimize-float-atomics", "opt-fp-atomics", false},
    {"options-file", "optf", true, Effect::kOptionsFile},
    {"output-file", "o", true, Effect::kOutput},
    {"override-directive-values", "override-directive-values", false},
    {"position-independent-code", "pic", true},
    {"preserve-relocs", "preserve-relocs", false},
    {"register-usage-level", "regUsageLevel", true},
    {"return-at-end", "ret-end", false},
    {"sanitize", "sanitize", true},
    {"sp-bounds-check", "sp-bounds-check", false},
    {"split-compile", "split-compile", true},
    {"suppress-async-bulk-multicast-advisory-warning",
     "suppress-async-bulk-multicast-advisory-warning", false},
    {"suppress-debug-info", "suppress-debug-info", false},
    {"suppress-double-demote-warning", "suppress-double-demote-warning", false},
    {"suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", false},
    {"suppress-stack-size-warning", "suppress-stack-size-warning", false},
    {"verbose", "v", false, Effect::kVerbose},
    {"version", "V", false, Effect::kVersion},
    {"warn-on-double-precision-use", "warn-double-usage", false},
    {"warn-on-local-memory-usage", "warn-lmem-usage", false},
    {"warn-on-spills", "warn-spills", false},
    {"warning-as-error", "Werror", false},
};

/// An option as it is written: its row, and the value if that stands in the same word.
struct Word {
  const Option* option = nullptr;
  std::optional<std::string> value;
};

Word word_of(std::string_view text) {
  const bool is_long = text.starts_with("--");
  text.remove_prefix(is_long ? 2 : 1);
  Word word;
  const std::size_t equal = text.find('=');
  const std::string_view name = text.substr(0, equal);
  // Names are known by one dash as well.
  const auto* found = std::ranges::find_if(kOptions, [&](const Option& option) {
    return name == option.name || (!is_long && name == option.brief);
  });
  if (found != std::end(kOptions)) {
    word.option = found;
    if (equal != std::string_view::npos) {
      word.value = text.substr(equal + 1);
    }
    return word;
  }
  // -O3 and -m64.
  found = std::ranges::find_if(kOptions, [&](const Option& option) {
    return !is_long && option.has_value && option.brief.size() == 1 && option.brief != "e" &&
           text.starts_with(option.brief);
  });
  if (found != std::end(kOptions)) {
    word.option = found;
    word.value = text.substr(1);
  }
  return word;
}

class Parser {
public:
  tl::expected<void, std::string> parse(const std::vector<std::string>& arguments,
                                        unsigned depth = 0) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string& text = arguments[i];
      if (!text.starts_with('-') || text == "-") {
        options.inputs.push_back(text);
        continue;
      }
      Word word = word_of(text);
      if (word.option == nullptr) {
        return tl::unexpected(fmt::format("Unknown option '{}'", text));
      }
      if (word.option->has_value && !word.value) {
        if (i + 1 == arguments.size()) {
          return tl::unexpected(fmt::format("Option '{}' needs a value", text));
        }
        word.value = arguments[++i];
      } else if (!word.option->has_value && word.value) {
        return tl::unexpected(fmt::format("Option '{}' has no value", text));
      }
      if (auto done = apply(*word.option, word.value.value_or(""), depth); !done) {
        return done;
      }
    }
    return {};
  }

  PtxasOptions options;

private:
  tl::expected<void, std::string> apply(const Option& option, const std::string& value,
                                        unsigned depth) {
    switch (option.effect) {
    case Effect::kNone:
      break;
    case Effect::kOutput:
      options.output = value;
      break;
    case Effect::kTarget:
      options.target = value;
      break;
    case Effect::kMachine:
      if (value != "64") {
        return tl::unexpected(fmt::format("Value '{}' is not defined for option 'machine'", value));
      }
      break;
    case Effect::kStrings:
      options.strings.push_back(value);
      break;
    case Effect::kOptionsFile:
      return read(value, depth);
    case Effect::kRelocatable:
      options.relocatable = true;
      break;
    case Effect::kVerbose:
      options.verbose = true;
      break;
    case Effect::kVersion:
      options.version = true;
      break;
    case Effect::kHelp:
      options.help = true;
      break;
    }
    return {};
  }

  tl::expected<void, std::string> read(const std::string& path, unsigned depth) {
    std::ifstream file(path);
    if (!file || depth > 8) {
      return tl::unexpected(fmt::format("Options file '{}' could not be read", path));
    }
    const std::vector<std::string> words{std::istream_iterator<std::string>(file), {}};
    return parse(words, depth + 1);
  }
};

} // namespace

tl::expected<PtxasOptions, std::string>
parse_ptxas_options(const std::vector<std::string>& arguments) {
  Parser parser;
  if (auto done = parser.parse(arguments); !done) {
    return tl::unexpected(done.error());
  }
  return std::move(parser.options);
}

} // namespace gantry::simt::toolchain
