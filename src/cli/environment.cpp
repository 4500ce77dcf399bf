// `gantry env`: the environment variables that the runtime reads.

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/json_text.h"
#include "cli/runtime_library.h"

#include <cstdlib>

#include <CLI/CLI.hpp>

namespace gantry::cli {
namespace {

using Json = nlohmann::ordered_json;

void append(const gantry_environment_variable* variable, void* list) {
  const char* value = std::getenv(variable->name);
  static_cast<Json*>(list)->push_back({{"name", variable->name},
                                       {"value", value == nullptr ? "" : value},
                                       {"default", variable->default_value},
                                       {"meaning", variable->meaning}});
}

/// "NAME=value (set)" or "NAME=default", and what it means below.
std::string text_of(const Json& variables) {
  std::string text;
  for (const Json& variable : variables) {
    const std::string value = variable["value"];
    text += fmt::format("{}={}{}\n    {}\n", variable["name"].get<std::string>(),
                        value.empty() ? variable["default"].get<std::string>() : printable(value),
                        value.empty() ? "" : "  (set)", variable["meaning"].get<std::string>());
  }
  return text;
}

} // namespace

Result<int> run_environment(int argc, char** argv) {
  bool json = false;
  CLI::App app("Lists the environment variables that programs built with Gantry read, with their\n"
               "values here, or their defaults.",
               "gantry env");
  app.add_flag("--json", json, "Print JSON for programs to read");
  app.footer(
      "Examples:\n"
      "  gantry env                               every variable, its value and its meaning\n"
      "  GANTRY_INFO=map,transfer ./app           show what a program maps and copies");
  if (const std::optional<int> status = parse(app, argc, argv)) {
    return *status;
  }
  const auto library = GANTRY_TRY(load_runtime_library());
  Json variables = Json::array();
  visit_environment(library, append, &variables);
  if (json) {
    fmt::print("{}", json_text(Json{{"variables", variables}}));
  } else {
    fmt::print("{}", text_of(variables));
  }
  return 0;
}

} // namespace gantry::cli
