// The reports of `gantry inspect` as text, for a reader.

#include "cli/inspect_report.h"
#include "cli/printable.h"
#include "cli/text_table.h"
#include "format/file_kind.h"
#include "format/names.h"

namespace gantry::cli {
namespace {

using Align = TextTable::Align;

std::string hexadecimal(std::uint64_t value) {
  return value == 0 ? std::string() : fmt::format("{:#x}", value);
}

/// The keys that have no column of their own.
std::string other_strings(const format::OffloadImage& image) {
  std::string text;
  for (const auto& [key, value] : image.strings) {
    if (key != "triple" && key != "arch") {
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
    }
  }
  return text;
}

std::string images_table(const std::vector<ImageReport>& images) {
  TextTable table({{"#", Align::kRight},
                   {"section"},
                   {"model"},
                   {"kind"},
                   {"triple"},
                   {"arch"},
                   {"size", Align::kRight},
                   {"contents"},
                   {"strings"},
                   {"producer"}});
  for (std::size_t index = 0; index < images.size(); ++index) {
    const ImageReport& report = images[index];
    table.add_row({std::to_string(index), std::string(report.section),
                   std::string(format::to_string(report.image.offload_kind)),
                   std::string(format::to_string(report.image.image_kind)),
                   std::string(report.image.triple()), std::string(report.image.arch()),
                   std::to_string(report.image.contents.size()), report.contents,
                   other_strings(report.image), report.producer});
  }
  return table.to_string();
}

std::string entries_table(const std::vector<format::OffloadEntry>& entries) {
  TextTable table({{"what"},
                   {"name"},
                   {"size", Align::kRight},
                   {"flags", Align::kRight},
                   {"data", Align::kRight},
                   {"address", Align::kRight},
                   {"symbol"}});
  for (const format::OffloadEntry& entry : entries) {
    const auto model = format::to_string(static_cast<format::OffloadKind>(entry.kind));
    table.add_row(
        {entry.role == format::EntryRole::kForeign ? fmt::format("{} entry", model)
                                                   : std::string(format::to_string(entry.role)),
         std::string(entry.name), std::to_string(entry.size), fmt::format("{:#x}", entry.flags),
         hexadecimal(entry.data), hexadecimal(entry.address), std::string(entry.symbol)});
  }
  return table.to_string();
}

void append_entries(std::string& text, std::string_view whose,
                    const std::vector<format::EntryTable>& tables) {
  for (const format::EntryTable& table : tables) {
    text += fmt::format("{} in {} ({}, {} bytes each)\n", whose, printable(table.section),
                        table.entries.size(), format::entry_size(table.layout));
    if (!table.entries.empty()) {
      text += entries_table(table.entries);
    }
  }
}

void append_kernels(std::string& text, std::string_view of, const format::AmdCodeObject& object) {
  text += fmt::format("kernels{} for {} ({}, code object version {})\n", of,
                      text_of(object.processor), object.kernels.size(), object.processor.version);
  if (object.kernels.empty()) {
    return;
  }
  TextTable table({{"name"},
                   {"VGPRs", Align::kRight},
                   {"AGPRs", Align::kRight},
                   {"SGPRs", Align::kRight},
                   {"spilled VGPRs", Align::kRight},
                   {"spilled SGPRs", Align::kRight},
                   {"LDS", Align::kRight},
                   {"private", Align::kRight},
                   {"arguments", Align::kRight},
                   {"wave", Align::kRight},
                   {"work-items", Align::kRight}});
  const auto number = [](std::optional<std::uint64_t> value) {
    return value ? std::to_string(*value) : std::string();
  };
  const auto unless_zero = [&](std::optional<std::uint64_t> value) {
    return value.value_or(0) == 0 ? std::string() : number(value);
  };
  for (const format::AmdKernel& kernel : object.kernels) {
    table.add_row({std::string(kernel.name), number(kernel.vector_registers),
                   unless_zero(kernel.accumulation_registers), number(kernel.scalar_registers),
                   unless_zero(kernel.spilled_vector_registers),
                   unless_zero(kernel.spilled_scalar_registers), number(kernel.group_bytes),
                   number(kernel.private_bytes) + (kernel.uses_dynamic_stack ? "+" : ""),
                   number(kernel.argument_bytes), number(kernel.wave_size),
                   number(kernel.most_work_items)});
  }
  text += table.to_string();
}

/// Where a pair's function or variable is in a target's code.
std::string place_in(const format::OpenmpTargetBlob& target, std::size_t pair) {
  if (pair < target.addresses.size()) {
    return hexadecimal(target.addresses[pair]);
  }
  return pair < target.names.size() ? std::string(target.names[pair]) : "missing";
}

void append_openmp_target(std::string& text, const format::OpenmpTargetTable& found) {
  text += found.version == 0
              ? fmt::format("pairs in {} ({})\n", format::kOpenmpTargetSection, found.host.size())
              : fmt::format("__OPENMP_TARGET__ in {}: version {}, {} pairs\n",
                            format::kOpenmpTargetSection, found.version, found.host.size());
  std::vector<TextTable::Column> columns = {
      {"what"}, {"symbol"}, {"address", Align::kRight}, {"size", Align::kRight}};
  std::vector<std::string> headings;
  for (std::size_t i = 0; i < found.targets.size(); ++i) {
    headings.push_back(fmt::format("in target {}", i));
  }
  for (std::size_t i = 0; i < found.targets.size(); ++i) {
    const Bytes contents = found.targets[i].contents;
    text +=
        fmt::format("target {}: {}, {} bytes\n", i, format::describe(contents), contents.size());
    columns.push_back({headings[i], Align::kRight});
  }
  TextTable table(columns);
  for (std::size_t i = 0; i < found.host.size(); ++i) {
    const format::OpenmpTargetPair& pair = found.host[i];
    std::vector<std::string> row = {pair.size == 0 ? "function" : "variable",
                                    std::string(pair.symbol), hexadecimal(pair.address),
                                    std::to_string(pair.size)};
    for (const format::OpenmpTargetBlob& target : found.targets) {
      row.push_back(place_in(target, i));
    }
    table.add_row(row);
  }
  text += table.to_string();
}

std::string part_text(const PartReport& report) {
  std::string text = printable(report.path);
  if (!report.member.empty()) {
    text += fmt::format("({})", printable(report.member));
  }
  text += fmt::format(": {}", report.contents);
  if (!report.producer.empty()) {
    text += fmt::format(", made by {}", printable(report.producer));
  }
  text += '\n';
  if (report.is_bitcode) {
    text += "device code inside bitcode is seen by the linker only\n";
    return text;
  }
  if (!report.has_device_code()) {
    text += report.of_gcc ? "device code of GCC's, which is not shown\n" : "no device code\n";
    return text;
  }
  // Neither does device code by itself, nor a program of GCC's in Gantry's way.
  const bool may_register = report.code_objects.empty() || report.registers_itself.value_or(false);
  if (report.registers_itself && may_register) {
    text += *report.registers_itself ? "registers its device images when it is loaded\n"
                                     : "does not register itself\n";
  }
  if (!report.images.empty()) {
    text += fmt::format("images ({})\n{}", report.images.size(), images_table(report.images));
  }
  append_entries(text, "entries", report.entry_tables);
  for (std::size_t index = 0; index < report.images.size(); ++index) {
    append_entries(text, fmt::format("entries of image {}", index),
                   report.images[index].entry_tables);
  }
  for (std::size_t index = 0; index < report.images.size(); ++index) {
    if (const auto& object = report.images[index].code_object) {
      append_kernels(text, fmt::format(" of image {}", index), *object);
    }
  }
  for (const format::AmdCodeObject& object : report.code_objects) {
    append_kernels(text, report.of_gcc ? " of GCC's device code" : "", object);
  }
  if (report.openmp_target) {
    append_openmp_target(text, *report.openmp_target);
  }
  return text;
}

} // namespace

std::string to_table(const std::vector<PartReport>& reports) {
  std::string text;
  std::size_t members_without = 0;
  for (const PartReport& report : reports) {
    if (!report.member.empty() && !report.has_device_code() && !report.is_bitcode) {
      ++members_without; // an archive may have thousands
      continue;
    }
    text += (text.empty() ? "" : "\n") + part_text(report);
  }
  if (members_without != 0) {
    text += fmt::format("{}{} archive member{} without device code\n", text.empty() ? "" : "\n",
                        members_without, members_without == 1 ? "" : "s");
  }
  return text;
}

} // namespace gantry::cli
