// Entry points: functions by name. They can be called at any time.
#include "simt/driver/api.h"
#include "simt/driver/export_table.h"

#include <algorithm>
#include <string_view>

using namespace gantry::simt::driver;

namespace {

// The table that this library shares with those who import it is complete here: each of its entries
// is defined, or the library does not link.
#define GANTRY_CUDA_ADDRESS(result, name, parameters) reinterpret_cast<void (*)()>(name),
[[gnu::used]] void (*const kEntries[])() = {GANTRY_CUDA_ENTRIES(GANTRY_CUDA_ADDRESS)};
#undef GANTRY_CUDA_ADDRESS

struct Found {
  void (*function)() = nullptr;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
};

/// The newest function of the name that is not newer than the version.
Found find(std::span<const Export> table, std::string_view name, int version) {
  const auto rows = std::ranges::equal_range(
      table, name, {}, [](const Export& row) { return std::string_view(row.name); });
  Found found;
  for (const Export& row : rows) {
    if (row.version <= version) {
      found = {row.function, CU_GET_PROC_ADDRESS_SUCCESS};
    } else if (found.function == nullptr) {
      found.status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    }
  }
  return found;
}

} // namespace

GANTRY_CUDA_API cuGetProcAddress_v2(const char* symbol, void** function, int version,
                                    uint64_t flags, CUdriverProcAddressQueryResult* status) {
  constexpr std::uint64_t kKnown =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (symbol == nullptr || function == nullptr || (flags & ~kKnown) != 0 || flags == kKnown) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  Found found;
  if (flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) {
    found = find(per_thread_exports(), symbol, version);
  }
  if (found.function == nullptr) {
    found = find(exports(), symbol, version);
  }
  give(status, found.status);
  *function = reinterpret_cast<void*>(found.function);
  return found.function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

GANTRY_CUDA_API cuGetProcAddress(const char* symbol, void** function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}
