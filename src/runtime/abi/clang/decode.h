// From the arrays that Clang passes to the core's MapItems.
#pragma once

#include "base/result.h"
#include "runtime/abi/clang/layouts.h"
#include "runtime/core/data/data_environment.h"
#include "runtime/core/data/map_item.h"
#include "runtime/core/reports/diagnostics.h"

#include <cstdint>
#include <string_view>

namespace gantry::abi::clang {

using core::MapItems;

/// The six parallel arrays of a call; `names` and `mappers` may be null.
struct MapArrays {
  std::uint32_t count = 0;
  void** bases = nullptr;
  void** begins = nullptr;
  const std::int64_t* sizes = nullptr;
  const std::int64_t* types = nullptr;
  void** names = nullptr;
  void** mappers = nullptr;
};

/// Appends the items that the arrays stand for, in order: one an entry, or what its mapper pushes,
/// or the pieces of a non-contiguous entry.
[[nodiscard]] Status decode_maps(const MapArrays& arrays, MapItems& items);

/// Appends what one entry stands for, unless it has a mapper.
[[nodiscard]] Status decode_entry(void* base, void* begin, std::int64_t size, std::uint64_t type,
                                  void* name, std::size_t list_begin, MapItems& items);

/// Appends what `mapper` pushes for an entry (mapper.cpp).
[[nodiscard]] Status expand_mapper(MapperFunction mapper, void* base, void* begin,
                                   std::int64_t size, std::uint64_t type, void* name,
                                   MapItems& items);

/// Appends the contiguous pieces of a non-contiguous entry of target update (noncontiguous.cpp).
[[nodiscard]] Status expand_noncontiguous(const core::MapItem& whole, const void* descriptor,
                                          std::uint64_t dimensions, MapItems& items);

/// `caller` is where the entry point returns to.
[[nodiscard]] inline core::Construct construct(std::string_view name, const Ident* location,
                                               const void* caller) {
  return {name, location == nullptr ? nullptr : location->psource, caller};
}

} // namespace gantry::abi::clang
