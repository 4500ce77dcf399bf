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

/// Missing members are 0 or empty: a report may be of another version.
std::int64_t number(const Json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_number() ? found->get<std::int64_t>() : 0;
}
std::string text(const Json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}
bool truth(const Json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

/// A number before and after; neither if it was not there.
struct Pair {
  std::string shown; ///< what it is of, as the later report says
  std::int64_t before = 0;
  std::int64_t after = 0;
  [[nodiscard]] std::int64_t change() const { return after - before; }
};
using Pairs = std::map<std::string, Pair>;

/// What names a row in both reports, and how it is shown.
struct RowName {
  std::string key;
  std::string shown;
};

/// The rows of a table, in the order of their lines: lines may have moved, their order has not.
std::vector<const Json*> rows_of(const Json& report, const char* table) {
  std::vector<const Json*> rows;
  for (const Json& process : report["processes"]) {
    const auto found = process.find(table);
    if (found != process.end() && found->is_array()) {
      for (const Json& row : *found) {
        if (row.is_object()) {
          rows.push_back(&row);
        }
      }
    }
  }
  const auto line = [](const Json* row) {
    const std::string position = text(*row, "position");
    return std::strtol(position.c_str() + position.rfind(':') + 1, nullptr, 10);
  };
  put_in_order(rows, line);
  return rows;
}

/// Rows with equal keys are the same ones in turn, or one together.
enum class Equal : bool { kInTurn, kTogether };

template <typename Name>
Pairs pairs_of(const Json& before, const Json& after, const char* table, const char* member,
               Equal equal, Name name) {
  Pairs pairs;
  for (const auto& [report, number_of] :
       {std::pair(&before, &Pair::before), std::pair(&after, &Pair::after)}) {
    std::map<std::string, int> seen;
    for (const Json* const row : rows_of(*report, table)) {
      const RowName named = name(*row);
      const int turn = equal == Equal::kInTurn ? ++seen[named.key] : 0;
      Pair& pair = pairs[fmt::format("{} {}", named.key, turn)];
      pair.shown = named.shown;
      pair.*number_of += number(*row, member);
    }
  }
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
  std::vector<Pair> rows;
  for (const auto& [key, pair] : pairs) {
    if (pair.before != 0 || pair.after != 0) {
      rows.push_back(pair);
    }
  }
  if (rows.empty()) {
    return "";
  }
  put_in_order(rows, [](const Pair& row) { return std::abs(row.change()); }, std::greater<>());
  const std::string heading = fmt::format("{} before", title);
  TextTable table(
      {{heading, Align::kRight}, {"after", Align::kRight}, {"ratio", Align::kRight}, {what}});
  const std::size_t count = all ? rows.size() : std::min(rows.size(), kRowsOnScreen);
  for (const Pair& pair : std::span(rows).first(count)) {
    table.add_row({pair.before == 0 ? "-" : show(pair.before),
                   pair.after == 0 ? "-" : show(pair.after), ratio(pair), pair.shown});
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
    Pair& pair = totals[name];
    pair.shown = name;
    for (const Json& process : before["processes"]) {
      pair.before += number(process, member);
    }
    for (const Json& process : after["processes"]) {
      pair.after += number(process, member);
    }
  }
  const auto regions =
      pairs_of(before, after, "regions", "ns", Equal::kInTurn, [](const Json& row) {
        const std::string position = text(row, "position");
        const std::string function = text(row, "function");
        const std::string file = position.substr(0, position.rfind(':'));
        return RowName{
            fmt::format("{} {}", text(row, "construct"), function.empty() ? file : function),
            fmt::format("{} {}", text(row, "construct"), position.empty() ? function : position)};
      });
  const auto copies =
      pairs_of(before, after, "copies", "bytes", Equal::kTogether, [](const Json& row) {
        const std::string variable = text(row, "variable");
        const std::string name =
            fmt::format("{} {} device", variable.empty() ? text(row, "kind") : variable,
                        truth(row, "to_device") ? "to" : "from");
        return RowName{name, name};
      });
  const auto advice_with = [&](const char* member) {
    return pairs_of(before, after, "advice", member, Equal::kInTurn, [&](const Json& row) {
      const std::string variable = text(row, "variable");
      const std::string quoted = variable.empty() ? variable : fmt::format(" '{}'", variable);
      return RowName{text(row, "id") + quoted,
                     fmt::format("{} {}{}", text(row, "id"), text(row, "position"), quoted)};
    });
  };
  std::string result = table_of(totals, "TOTALS", "what", all, time_text) +
                       table_of(regions, "REGIONS", "construct", all, time_text) +
                       table_of(copies, "COPIES", "variable", all, size_text) +
                       table_of(advice_with("saves_ns"), "ADVICE", "finding", all, time_text) +
                       table_of(advice_with("saves_bytes"), "MEMORY", "finding", all, size_text);
  return result.empty() ? "Both reports are empty.\n" : result;
}

} // namespace gantry::cli::profile
