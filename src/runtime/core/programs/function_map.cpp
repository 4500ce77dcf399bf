#include "runtime/core/programs/function_map.h"

#include <cstdint>
#include <map>

namespace gantry::core {

std::vector<FunctionPair> merge_functions(std::span<const std::vector<FunctionPair>* const> lists) {
  std::map<std::int64_t, FunctionPair> merged; // of those with one host address the first counts
  for (const std::vector<FunctionPair>* list : lists) {
    for (const FunctionPair& function : *list) {
      merged.try_emplace(function.host_ptr, function);
    }
  }
  std::vector<FunctionPair> table;
  table.reserve(merged.size());
  for (const auto& [host, function] : merged) {
    table.push_back(function);
  }
  return table;
}

} // namespace gantry::core
