// `gantry devices`: what this machine offers, and why the rest is of no use.

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/json_text.h"
#include "cli/runtime_library.h"
#include "cli/text_table.h"

#include <CLI/CLI.hpp>

namespace gantry::cli {
namespace {

using Json = nlohmann::ordered_json;

/// One kind of device, in JSON's fields.
void append(const gantry_device_offer* offer, void* list) {
  const bool usable = offer->reason == nullptr;
  static_cast<Json*>(list)->push_back({{"name", offer->name},
                                       {"usable", usable},
                                       {"devices", offer->devices},
                                       {"description", offer->description},
                                       {"reason", usable ? "" : offer->reason}});
}

std::string table_of(const Json& kinds) {
  TextTable table({{"device"}, {"usable"}, {"number", TextTable::Align::kRight}, {"what it is"}});
  for (const Json& kind : kinds) {
    const bool usable = kind["usable"];
    table.add_row({kind["name"], usable ? "yes" : "no", fmt::to_string(kind["devices"].get<int>()),
                   usable ? kind["description"] : kind["reason"]});
  }
  return table.to_string();
}

} // namespace

Result<int> run_devices(int argc, char** argv) {
  bool json = false;
  CLI::App app(
      "Lists the kinds of devices that GANTRY_DEVICES can name on this machine, each with\n"
      "what it is or why it cannot be used.",
      "gantry devices");
  app.add_flag("--json", json, "Print JSON for programs to read");
  app.footer(
      "Examples:\n"
      "  gantry devices                           what can be used here\n"
      "  GANTRY_DEVICES=cpu:2,worker ./app        run a program on three devices of two kinds");
  if (const std::optional<int> status = parse(app, argc, argv)) {
    return *status;
  }
  const auto library = GANTRY_TRY(load_runtime_library());
  Json kinds = Json::array();
  library.visit_devices(append, &kinds);
  if (json) {
    fmt::print("{}", json_text(Json{{"devices", kinds}}));
  } else {
    fmt::print("{}", table_of(kinds));
  }
  return 0;
}

} // namespace gantry::cli
