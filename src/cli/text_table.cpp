#include "cli/text_table.h"

#include "cli/printable.h"

#include <algorithm>
#include <fmt/format.h>

namespace gantry::cli {

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

void TextTable::add_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) {
    cell = printable(cell);
  }
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_string() const {
  std::vector<std::string> lines(rows_.size() + 1, " ");
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const auto cell_of = [&](const std::vector<std::string>& row) -> const std::string& {
      return row[column];
    };
    if (std::ranges::all_of(rows_, &std::string::empty, cell_of)) {
      continue;
    }
    std::size_t width = columns_[column].heading.size();
    for (const auto& row : rows_) {
      width = std::max(width, row[column].size());
    }
    const auto append = [&](std::string& line, std::string_view cell) {
      line += columns_[column].align == Align::kLeft ? fmt::format(" {:<{}} ", cell, width)
                                                     : fmt::format(" {:>{}} ", cell, width);
    };
    append(lines.front(), columns_[column].heading);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const std::string& cell = rows_[row][column];
      append(lines[row + 1], cell.empty() ? "-" : std::string_view(cell));
    }
  }
  std::string text;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

} // namespace gantry::cli
