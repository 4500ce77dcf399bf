// `gantry plugin-check`: tests a plugin against the contract of gantry/plugin.h.

#include "base/installation.h"
#include "base/mapped_file.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/json_text.h"
#include "cli/runtime_library.h"
#include "plugins/check/suite.h"

#include <algorithm>
#include <filesystem>

#include <CLI/CLI.hpp>

namespace gantry::cli {
namespace {

using Json = nlohmann::ordered_json;
using plugin_check::Case;
using plugin_check::Outcome;
using plugin_check::Subject;

struct Request {
  std::string plugin;
  std::string options;
  std::int32_t index = 0;
  std::string image;
  std::string only;
  int seconds = 60;
  bool json = false;
  bool list = false;
};

/// A plugin that hangs in every call is not waited for in each case.
constexpr int kMostHung = 3;

Result<std::vector<std::byte>> read(const std::filesystem::path& path) {
  auto file = GANTRY_TRY(MappedFile::open(path.string()));
  return std::vector<std::byte>(file.bytes().begin(), file.bytes().end());
}

/// The first of the installation's images that the plugin accepts; empty if it accepts none.
Result<std::vector<std::byte>> choose_image(const gantry_plugin& plugin) {
  const std::filesystem::path root = GANTRY_TRY(find_installation());
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(root / "share/gantry/plugin-check", ignored)) {
    auto bytes = read(entry.path());
    if (bytes && plugin.accepts_image(bytes->data(), bytes->size()) == 1) {
      return bytes;
    }
  }
  return {};
}

/// Loads the plugin, in the process of a case.
std::string load(const Request& request, Subject& subject) {
  const auto library = load_runtime_library();
  if (!library) {
    return library.error().message;
  }
  const char* reason = nullptr;
  subject.plugin = library->find_plugin(request.plugin.c_str(), &reason);
  if (subject.plugin == nullptr) {
    return reason;
  }
  subject.index = request.index;
  subject.options = request.options;
  auto image = request.image.empty() ? choose_image(*subject.plugin) : read(request.image);
  if (!image) {
    return image.error().message;
  }
  subject.image = std::move(*image);
  return "";
}

std::string_view name_of(Outcome::Kind kind) {
  switch (kind) {
  case Outcome::Kind::kPassed:
    return "passed";
  case Outcome::Kind::kFailed:
    return "FAILED";
  case Outcome::Kind::kSkipped:
    return "skipped";
  }
  return "";
}

/// Runs the cases, and says each as it ends.
class Report {
public:
  Report(const Request& request, std::span<const Case> cases) : request_(request) {
    for (const Case& each : cases) {
      rule_width_ = std::max(rule_width_, std::string_view(each.rule).size());
    }
  }

  void add(const Case& tested, const Outcome& outcome) {
    ++counts_[static_cast<std::size_t>(outcome.kind)];
    if (request_.json) {
      rows_.push_back(
          {{"subject", tested.subject},
           {"rule", tested.rule},
           {"result", outcome.kind == Outcome::Kind::kFailed ? std::string_view("failed")
                                                             : name_of(outcome.kind)},
           {"text", outcome.text}});
      return;
    }
    fmt::print("{:<10} {:<{}}  {}", tested.subject, tested.rule, rule_width_,
               name_of(outcome.kind));
    if (!outcome.text.empty()) {
      fmt::print(": {}", outcome.text);
    }
    fmt::print("\n");
    std::fflush(stdout); // cases take a while
  }

  /// The exit status.
  int end() const {
    const int passed = counts_[static_cast<std::size_t>(Outcome::Kind::kPassed)];
    const int failed = counts_[static_cast<std::size_t>(Outcome::Kind::kFailed)];
    const int skipped = counts_[static_cast<std::size_t>(Outcome::Kind::kSkipped)];
    if (request_.json) {
      fmt::print("{}", json_text(Json{{"plugin", request_.plugin},
                                      {"passed", passed},
                                      {"failed", failed},
                                      {"skipped", skipped},
                                      {"cases", rows_}}));
    } else {
      fmt::print("plugin-check: {}: {} passed, {} failed, {} skipped\n", request_.plugin, passed,
                 failed, skipped);
    }
    return failed == 0 && passed > 0 ? 0 : 1;
  }

private:
  const Request& request_;
  std::size_t rule_width_ = 0;
  std::array<int, 3> counts_ = {};
  Json rows_ = Json::array();
};

/// "faults, images, …"
std::string subjects_of(std::span<const Case> cases) {
  std::vector<std::string_view> subjects;
  for (const Case& each : cases) {
    if (std::ranges::find(subjects, each.subject) == subjects.end()) {
      subjects.emplace_back(each.subject);
    }
  }
  return fmt::format("{}", fmt::join(subjects, ", "));
}

} // namespace

Result<int> run_plugin_check(int argc, char** argv) {
  Request request;
  CLI::App app(
      "Tests a plugin against the contract of gantry/plugin.h: each rule in a process of its own,\n"
      "so that a plugin that crashes, hangs or exits is told by the rule. Exits with 0 if every\n"
      "rule holds that the plugin can be held to, and with 1 otherwise.",
      "gantry plugin-check");
  app.add_option("PLUGIN", request.plugin,
                 "A name as in GANTRY_DEVICES, or the path of a library, with a '/'");
  app.add_option("--options", request.options,
                 "Options of the device, separated by '+', as behind its name in GANTRY_DEVICES");
  app.add_option("--device", request.index, "The plugin's number of the device to test")
      ->check(CLI::NonNegativeNumber);
  app.add_option(
      "--image", request.image,
      "An image made of share/gantry/plugin-check/kernels.c; by default, the one of those\n"
      "that Gantry brings which the plugin accepts");
  app.add_option("--only", request.only,
                 "The rules of one subject, such as memory, or one rule as it is listed");
  app.add_option("--timeout", request.seconds, "Seconds that a rule may take (60)")
      ->check(CLI::PositiveNumber);
  app.add_flag("--list", request.list, "List the rules, and test nothing");
  app.add_flag("--json", request.json, "Print JSON for programs to read");
  app.footer("Examples:\n"
             "  gantry plugin-check worker --options memory=1G\n"
             "  gantry plugin-check ./libgantry-plugin-mine.so --image kernels.bin");
  if (const std::optional<int> status = parse(app, argc, argv)) {
    return *status;
  }
  std::vector<Case> cases = plugin_check::all_cases();
  const std::string subjects = subjects_of(cases);
  std::erase_if(cases, [&](const Case& each) {
    return !request.only.empty() && request.only != each.subject && request.only != each.rule;
  });
  if (cases.empty()) {
    return fail("--only: there are no rules of '{}'; the subjects are: {}", request.only, subjects);
  }
  if (request.list) {
    for (const Case& each : cases) {
      fmt::print("{:<10} {}\n", each.subject, each.rule);
    }
    return 0;
  }
  if (request.plugin.empty()) {
    return fail("name a plugin, as in `gantry plugin-check worker`");
  }
  // Loads the plugin in a process of its own as well, because loading runs its code.
  const Case loads = {"loading", "the plugin is found and loads", [] {}};
  Report outcomes(request, cases);
  const auto load_subject = [&](Subject& subject) { return load(request, subject); };
  const std::chrono::seconds limit(request.seconds);
  const Outcome loaded = plugin_check::run(loads, load_subject, limit);
  if (loaded.kind == Outcome::Kind::kFailed) {
    outcomes.add(loads, loaded);
    return outcomes.end();
  }
  int hung = 0;
  for (const Case& each : cases) {
    if (hung == kMostHung) {
      outcomes.add(each, {Outcome::Kind::kSkipped, "too many cases have not ended"});
      continue;
    }
    const Outcome outcome = plugin_check::run(each, load_subject, limit);
    hung += outcome.hung ? 1 : 0;
    outcomes.add(each, outcome);
  }
  return outcomes.end();
}

} // namespace gantry::cli
