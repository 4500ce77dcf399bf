#include "base/nearest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

namespace gantry {
namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// The number of changes, other than of a letter's case, that make `left` of `right` (optimal
/// string alignment).
std::size_t changes_between(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before, last(right.size() + 1), row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) {
    last[j] = j;
  }
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced =
          last[j - 1] + (lower(left[i - 1]) == lower(right[j - 1]) ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && lower(left[i - 1]) == lower(right[j - 2]) &&
          lower(left[i - 2]) == lower(right[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = last;
    last = row;
  }
  return last[right.size()];
}

} // namespace

std::string_view nearest(std::string_view given, std::span<const std::string_view> known) {
  constexpr std::size_t kLongest = 64; // nobody mistypes more
  std::string_view best;
  std::size_t fewest = given.size() / 4 + 1;
  for (const std::string_view word : given.size() > kLongest ? std::span(known.data(), 0) : known) {
    if (const std::size_t changes = changes_between(given, word); changes < fewest) {
      best = word;
      fewest = changes;
    }
  }
  return best;
}

std::string suggestion(std::string_view given, std::span<const std::string_view> known) {
  const std::string_view meant = nearest(given, known);
  return meant.empty() ? std::string() : fmt::format(" (did you mean '{}'?)", meant);
}

} // namespace gantry
