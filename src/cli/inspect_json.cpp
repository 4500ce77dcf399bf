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

Json number_json(std::optional<std::uint64_t> number) {
  return number ? Json(*number) : Json();
}

Json code_object_json(const format::AmdCodeObject& object) {
  Json kernels = Json::array();
  for (const format::AmdKernel& kernel : object.kernels) {
    kernels.push_back({{"name", kernel.name},
                       {"vgprs", number_json(kernel.vector_registers)},
                       {"agprs", number_json(kernel.accumulation_registers)},
                       {"sgprs", number_json(kernel.scalar_registers)},
                       {"spilled_vgprs", number_json(kernel.spilled_vector_registers)},
                       {"spilled_sgprs", number_json(kernel.spilled_scalar_registers)},
                       {"lds", number_json(kernel.group_bytes)},
                       {"private", number_json(kernel.private_bytes)},
                       {"dynamic_stack", kernel.uses_dynamic_stack},
                       {"arguments", number_json(kernel.argument_bytes)},
                       {"wave_size", number_json(kernel.wave_size)},
                       {"most_work_items", number_json(kernel.most_work_items)}});
  }
  return {{"processor", text_of(object.processor)},
          {"version", object.processor.version},
          {"kernels", std::move(kernels)}};
}

Json image_json(const ImageReport& report) {
  Json strings = Json::object();
  for (const auto& [key, value] : report.image.strings) {
    strings[std::string(key)] = value;
  }
  Json image = {{"section", report.section},
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
  if (report.code_object) {
    image["code_object"] = code_object_json(*report.code_object);
  }
  return image;
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
    for (const format::AmdCodeObject& object : report.code_objects) {
      file["code_objects"].push_back(code_object_json(object));
    }
    if (report.openmp_target) {
      file["openmp_target"] = openmp_target_json(*report.openmp_target);
    }
    files.push_back(std::move(file));
  }
  return json_text({{"files", std::move(files)}});
}

} // namespace gantry::cli
