// The reports of `gantry inspect` as JSON, for programs; docs/tools.md has the fields.

#include "cli/inspect_report.h"
#include "cli/json_text.h"
#include "format/file_kind.h"
#include "format/names.h"

#include <nlohmann/json.hpp>

namespace gantry::cli {
namespace {

using Json = nlohmann::ordered_json;

Json entry_json(const format::OffloadEntry& entry) {
  return {{"what", format::to_string(entry.role)},
          {"name", entry.name},
          {"model", format::to_string(static_cast<format::OffloadKind>(entry.kind))},
          {"size", entry.size},
          {"flags", entry.flags},
          {"data", entry.data},
          {"symbol", entry.symbol},
          {"address", entry.address}};
}

Json tables_json(const std::vector<format::EntryTable>& tables) {
  Json result = Json::array();
  for (const format::EntryTable& table : tables) {
    Json entries = Json::array();
    for (const format::OffloadEntry& entry : table.entries) {
      entries.push_back(entry_json(entry));
    }
    result.push_back({{"section", table.section},
                      {"entry_size", format::entry_size(table.layout)},
                      {"entries", std::move(entries)}});
  }
  return result;
}

Json image_json(const ImageReport& report) {
  Json strings = Json::object();
  for (const auto& [key, value] : report.image.strings) {
    strings[std::string(key)] = value;
  }
  return {{"section", report.section},
          {"linked", report.linked},
          {"kind", format::to_string(report.image.image_kind)},
          {"model", format::to_string(report.image.offload_kind)},
          {"triple", report.image.triple()},
          {"arch", report.image.arch()},
          {"strings", std::move(strings)},
          {"flags", report.image.flags},
          {"size", report.image.contents.size()},
          {"contents", report.contents},
          {"producer", report.producer},
          {"entry_tables", tables_json(report.entry_tables)}};
}

Json openmp_target_json(const format::OpenmpTargetTable& found) {
  Json pairs = Json::array();
  for (const format::OpenmpTargetPair& pair : found.host) {
    pairs.push_back({{"symbol", pair.symbol}, {"address", pair.address}, {"size", pair.size}});
  }
  Json targets = Json::array();
  for (const format::OpenmpTargetBlob& target : found.targets) {
    targets.push_back({{"size", target.contents.size()},
                       {"contents", format::describe(target.contents)},
                       {"addresses", target.addresses},
                       {"names", target.names}});
  }
  return {{"version", found.version}, {"pairs", std::move(pairs)}, {"targets", std::move(targets)}};
}

} // namespace

std::string to_json(const std::vector<PartReport>& reports) {
  Json files = Json::array();
  for (const PartReport& report : reports) {
    Json images = Json::array();
    for (const ImageReport& image : report.images) {
      images.push_back(image_json(image));
    }
    Json file = {{"file", report.path},
                 {"member", report.member},
                 {"contents", report.contents},
                 {"producer", report.producer},
                 {"registers_itself", report.registers_itself.value_or(false)},
                 {"images", std::move(images)},
                 {"entry_tables", tables_json(report.entry_tables)}};
    if (report.openmp_target) {
      file["openmp_target"] = openmp_target_json(*report.openmp_target);
    }
    files.push_back(std::move(file));
  }
  return json_text({{"files", std::move(files)}});
}

} // namespace gantry::cli
