// Sorting that leaves equals as they are. (libstdc++'s std::stable_sort uses what is deprecated.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace gantry::cli::profile {

/// Sorts by what `key` says of each, equals in the order in which they were.
template <typename Record, typename Key, typename Less = std::less<>>
void put_in_order(std::vector<Record>& records, Key key, Less less = {}) {
  if (std::ranges::is_sorted(records, less, key)) {
    return;
  }
  using Value = std::decay_t<std::invoke_result_t<Key, const Record&>>;
  std::vector<std::pair<Value, std::uint32_t>> order;
  order.reserve(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    order.emplace_back(std::invoke(key, records[i]), static_cast<std::uint32_t>(i));
  }
  std::ranges::sort(order, [&](const auto& a, const auto& b) {
    return less(a.first, b.first) || (!less(b.first, a.first) && a.second < b.second);
  });
  std::vector<Record> sorted;
  sorted.reserve(records.size());
  for (const auto& [value, index] : order) {
    sorted.push_back(std::move(records[index]));
  }
  records = std::move(sorted);
}

} // namespace gantry::cli::profile
