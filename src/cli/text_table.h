// Columns of text for a terminal or a log.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry::cli {

/// Rows of cells, made printable, with each column as wide as its widest cell. Not thread-safe.
class TextTable {
public:
  enum class Align : unsigned char { kLeft, kRight };
  struct Column {
    std::string_view heading;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns);

  /// One cell for each column; an empty one is shown as "-".
  void add_row(std::vector<std::string> cells);

  /// Headings and rows, each line with two blanks in front. Columns without any value are left out.
  [[nodiscard]] std::string to_string() const;

private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace gantry::cli
