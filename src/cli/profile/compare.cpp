#include "cli/profile/compare.h"

#include "base/mapped_file.h"
#include "cli/printable.h"
#include "cli/profile/in_order.h"
#include "cli/profile/page.h"
#include "cli/profile/report.h"
#include "cli/text_table.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

namespace gantry::cli::profile {

namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

constexpr std::size_t kRowsOnScreen = 12;

/// A number before and after; neither if it was not there.
struct Pair {
  std::int64_t before = 0;
  std::int64_t after = 0;
  [[nodiscard]] std::int64_t change() const { return after - before; }
};
using Pairs = std::map<std::string, Pair>;

/// Missing members are 0 or empty: a report may be of another version.
std::int64_t number(const Json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_number() ? found->get<std::int64_t>() : 0;
}
std::string text(const Json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

template <typename Visitor>
void for_each_row(const Json& report, const char* table, Visitor visit) {
  for (const Json& process : report["processes"]) {
    const auto rows = process.find(table);
    for (const Json& row : rows != process.end() && rows->is_array() ? *rows : Json::array()) {
      if (row.is_object()) {
        visit(row);
      }
    }
  }
}

/// Rows of both reports by what names them; lines may have moved, so the function counts where it
/// is known.
template <typename Key>
Pairs pairs_of(const Json& before, const Json& after, const char* table, const char* member,
               Key key) {
  Pairs pairs;
  for_each_row(before, table,
               [&](const Json& row) { pairs[key(row)].before += number(row, member); });
  for_each_row(after, table,
               [&](const Json& row) { pairs[key(row)].after += number(row, member); });
  return pairs;
}

std::string ratio(const Pair& pair) {
  if (pair.before == 0) {
    return pair.after == 0 ? "" : "new";
  }
  return pair.after == 0 ? "gone"
                         : fmt::format("{:.2f}x", static_cast<double>(pair.after) /
                                                      static_cast<double>(pair.before));
}

template <typename Show>
std::string table_of(const Pairs& pairs, std::string_view title, std::string_view what, bool all,
                     Show show) {
  std::vector<std::pair<std::string, Pair>> rows;
  for (const auto& [name, pair] : pairs) {
    if (pair.before != 0 || pair.after != 0) {
      rows.emplace_back(name, pair);
    }
  }
  if (rows.empty()) {
    return "";
  }
  put_in_order(
      rows, [](const auto& row) { return std::abs(row.second.change()); }, std::greater<>());
  const std::string heading = fmt::format("{} before", title);
  TextTable table(
      {{heading, Align::kRight}, {"after", Align::kRight}, {"ratio", Align::kRight}, {what}});
  const std::size_t count = all ? rows.size() : std::min(rows.size(), kRowsOnScreen);
  for (const auto& [name, pair] : std::span(rows).first(count)) {
    table.add_row({pair.before == 0 ? "" : show(pair.before),
                   pair.after == 0 ? "" : show(pair.after), ratio(pair), name});
  }
  std::string result = table.to_string();
  if (count < rows.size()) {
    result += fmt::format("  and {} more (--all)\n", rows.size() - count);
  }
  return result;
}

std::string time_text(std::int64_t time) {
  return duration_text(time);
}
std::string size_text(std::int64_t bytes) {
  return bytes_text(static_cast<std::uint64_t>(bytes));
}

} // namespace

Result<Json> read_report(const std::string& file) {
  const auto mapped = GANTRY_TRY(MappedFile::open(file));
  const std::string_view whole = as_text(mapped.bytes());
  const std::string_view in_page = report_in_page(whole);
  Json report = Json::parse(in_page.empty() ? whole : in_page, nullptr, false);
  const bool is_report = report.is_object() && report.contains("processes") &&
                         report["processes"].is_array() &&
                         std::ranges::all_of(report["processes"], &Json::is_object);
  if (!is_report) {
    return fail("'{}' is neither a report of `gantry profile --json` nor a page of `--html`", file);
  }
  return report;
}

std::string comparison(const Json& before, const Json& after, bool all) {
  Pairs totals;
  for (const auto& [member, name] :
       {std::pair("total_ns", "whole run"), std::pair("in_constructs_ns", "in constructs"),
        std::pair("kernel_ns", "kernels"), std::pair("copy_ns", "copies"),
        std::pair("wait_ns", "waiting"), std::pair("runtime_ns", "runtime")}) {
    for (const Json& process : before["processes"]) {
      totals[name].before += number(process, member);
    }
    for (const Json& process : after["processes"]) {
      totals[name].after += number(process, member);
    }
  }
  const auto regions = pairs_of(before, after, "regions", "ns", [](const Json& row) {
    const std::string position = text(row, "position");
    return fmt::format("{} {}", text(row, "construct"),
                       position.empty() ? text(row, "function") : position);
  });
  const auto copies = pairs_of(before, after, "copies", "bytes", [](const Json& row) {
    const std::string variable = text(row, "variable");
    return fmt::format("{} {} device", variable.empty() ? text(row, "kind") : variable,
                       row.value("to_device", false) ? "to" : "from");
  });
  const auto advice = pairs_of(before, after, "advice", "saves_ns", [](const Json& row) {
    const std::string variable = text(row, "variable");
    return fmt::format("{} {}{}", text(row, "id"), text(row, "position"),
                       variable.empty() ? variable : fmt::format(" '{}'", variable));
  });
  std::string result = table_of(totals, "TOTALS", "what", all, time_text) +
                       table_of(regions, "REGIONS", "construct", all, time_text) +
                       table_of(copies, "COPIES", "variable", all, size_text) +
                       table_of(advice, "ADVICE", "finding", all, time_text);
  return result.empty() ? "Both reports are empty.\n" : result;
}

} // namespace gantry::cli::profile
