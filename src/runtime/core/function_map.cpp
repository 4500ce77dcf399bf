#include "runtime/core/function_map.h"

#include <algorithm>

namespace gantry::core {

std::vector<FunctionPair> merge_functions(std::span<const std::vector<FunctionPair>* const> lists) {
  std::vector<FunctionPair> table;
  for (const std::vector<FunctionPair>* list : lists) {
    table.insert(table.end(), list->begin(), list->end());
  }
  std::ranges::stable_sort(table, {}, &FunctionPair::host_ptr);
  const auto repeated = std::ranges::unique(table, {}, &FunctionPair::host_ptr);
  table.erase(repeated.begin(), repeated.end());
  return table;
}

} // namespace gantry::core
