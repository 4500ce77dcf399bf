#include "cli/inspect_report.h"
#include "cli/printable.h"
#include "cli/text_table.h"
#include "format/names.h"

#include <algorithm>

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
    text += "no device code\n";
    return text;
  }
  if (report.registers_itself) {
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
