// Loads and stores of registers by all active lanes.
#pragma once

#include "simt/amdgcn/exec/addresses.h"
#include "simt/amdgcn/exec/report.h"
#include "simt/amdgcn/exec/watch.h"

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

/// Copies between a lane's bytes and `bytes`; false, with the wave's fault set, if it may not.
template <u32 kSize, AccessKind kKind>
bool copy_of_lane(Wave& wave, const Instruction& instruction, Space space, unsigned lane,
                  u64 address, void* bytes) {
  if (std::byte* const place = place_of(wave, instruction, space, lane, address, kSize, kKind)) {
    std::memcpy(kKind == AccessKind::kLoad ? bytes : place,
                kKind == AccessKind::kLoad ? place : bytes, kSize);
    return true;
  }
  if (!copy_in_pieces(wave, instruction, space, lane, address, static_cast<std::byte*>(bytes),
                      kSize, kKind)) {
    report_access(wave, instruction, lane, space, address, kSize, kKind);
    return false;
  }
  return true;
}

/// Calls `access(lane)` for the active lanes until it is false.
template <typename Access>
Next for_each_access(LaneMask active, Access access) {
  for (LaneMask rest = active; rest != 0; rest &= rest - 1) {
    if (!access(static_cast<unsigned>(std::countr_zero(rest)))) {
      return Next::kFault;
    }
  }
  return Next::kOn;
}

/// Tells checks of races and uninitialised memory, if there are any (watch.h).
inline bool passes_checks(Wave& wave, const Instruction& instruction, LaneMask active,
                          const Addresses& addresses, u32 size, AccessKind kind) {
  if (wave.place->checks == nullptr) [[likely]] {
    return true;
  }
  u64 all[kLanes];
  for_each_lane(active, [&](unsigned lane) { all[lane] = addresses[lane]; });
  return check_accesses(wave, instruction, addresses.space, active, all, size, kind);
}

namespace detail {

template <typename T>
T loaded(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return value;
}
template <typename T>
void put(std::byte* place, T value) {
  std::memcpy(place, &value, sizeof(T));
}

/// kDwords rows of registers, each of kCount lanes' beside each other in memory.
template <unsigned kDwords, unsigned kCount>
void load_row_of(u32 (*rows)[kLanes], const std::byte* first) {
#pragma clang loop vectorize(assume_safety)
  for (unsigned lane = 0; lane < kCount; ++lane) {
    for (unsigned i = 0; i < kDwords; ++i) {
      u32 value;
      std::memcpy(&value, first + std::size_t{4} * (lane * kDwords + i), 4);
      rows[i][lane] = value;
    }
  }
}
template <unsigned kDwords, unsigned kCount>
void store_row_of(const u32 (*rows)[kLanes], std::byte* first) {
#pragma clang loop vectorize(assume_safety)
  for (unsigned lane = 0; lane < kCount; ++lane) {
    for (unsigned i = 0; i < kDwords; ++i) {
      const u32 value = rows[i][lane];
      std::memcpy(first + std::size_t{4} * (lane * kDwords + i), &value, 4);
    }
  }
}

template <unsigned kDwords>
void load_row(u32 (*rows)[kLanes], const Places& places) {
  places.lanes == kLanes ? load_row_of<kDwords, kLanes>(rows, places.row())
                         : load_row_of<kDwords, kLanes / 2>(rows, places.row());
}
template <unsigned kDwords>
void store_row(const u32 (*rows)[kLanes], const Places& places) {
  places.lanes == kLanes ? store_row_of<kDwords, kLanes>(rows, places.row())
                         : store_row_of<kDwords, kLanes / 2>(rows, places.row());
}

template <unsigned kDwords>
void load_lane(u32 (*rows)[kLanes], unsigned lane, const Places& places) {
  std::byte* const place = places.of_lane(lane);
  if constexpr (kDwords == 2) {
    if (places.step == 4) { // at once, as another thread may change it
      const auto value = loaded<u64>(place);
      rows[0][lane] = static_cast<u32>(value);
      rows[1][lane] = static_cast<u32>(value >> 32);
      return;
    }
  }
  u32 values[kDwords];
  for (unsigned i = 0; i < kDwords; ++i) {
    values[i] = loaded<u32>(place + std::size_t{i} * places.step);
  }
  for (unsigned i = 0; i < kDwords; ++i) {
    rows[i][lane] = values[i];
  }
}
template <unsigned kDwords>
void store_lane(const u32 (*rows)[kLanes], unsigned lane, const Places& places) {
  std::byte* const place = places.of_lane(lane);
  if constexpr (kDwords == 2) {
    if (places.step == 4) {
      put(place, rows[0][lane] | u64{rows[1][lane]} << 32);
      return;
    }
  }
  for (unsigned i = 0; i < kDwords; ++i) {
    put(place + std::size_t{i} * places.step, rows[i][lane]);
  }
}

template <typename Use>
void for_each(LaneMask active, Use use) {
  if (active == ~LaneMask{0}) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      use(lane);
    }
  } else {
    for_each_lane(active, use);
  }
}

} // namespace detail

/// Loads kDwords registers from `result` on.
template <unsigned kDwords>
[[gnu::always_inline]] inline Next load_dwords(Wave& wave, const Instruction& instruction,
                                               const Addresses& addresses, unsigned result) {
  const LaneMask active = wave.exec();
  if (!passes_checks(wave, instruction, active, addresses, 4 * kDwords, AccessKind::kLoad)) {
    return Next::kFault;
  }
  u32(*const rows)[kLanes] = &wave.v[result];
  if (!detail::is_one_lane(active)) {
    Places places;
    find_places<4 * kDwords>(wave, instruction, active, addresses, AccessKind::kLoad, places);
    switch (places.shape) {
    case Places::Shape::kRow:
      detail::load_row<kDwords>(rows, places);
      return Next::kOn;
    case Places::Shape::kRows:
      std::memcpy(rows, places.row(), sizeof(u32) * kLanes * kDwords);
      return Next::kOn;
    case Places::Shape::kLanes:
      detail::for_each(active,
                       [&](unsigned lane) { detail::load_lane<kDwords>(rows, lane, places); });
      return Next::kOn;
    case Places::Shape::kNone:
      break;
    }
  }
  return for_each_access(active, [&](unsigned lane) {
    u32 values[kDwords];
    if (!copy_of_lane<4 * kDwords, AccessKind::kLoad>(wave, instruction, addresses.space, lane,
                                                      addresses[lane], values)) {
      return false;
    }
    for (unsigned i = 0; i < kDwords; ++i) {
      rows[i][lane] = values[i];
    }
    return true;
  });
}

/// Stores kDwords registers from `data` on.
template <unsigned kDwords>
[[gnu::always_inline]] inline Next store_dwords(Wave& wave, const Instruction& instruction,
                                                const Addresses& addresses, unsigned data) {
  const LaneMask active = wave.exec();
  if (!passes_checks(wave, instruction, active, addresses, 4 * kDwords, AccessKind::kStore)) {
    return Next::kFault;
  }
  const u32(*const rows)[kLanes] = &wave.v[data];
  if (!detail::is_one_lane(active)) {
    Places places;
    find_places<4 * kDwords>(wave, instruction, active, addresses, AccessKind::kStore, places);
    switch (places.shape) {
    case Places::Shape::kRow:
      detail::store_row<kDwords>(rows, places);
      return Next::kOn;
    case Places::Shape::kRows:
      std::memcpy(places.row(), rows, sizeof(u32) * kLanes * kDwords);
      return Next::kOn;
    case Places::Shape::kLanes:
      detail::for_each(active,
                       [&](unsigned lane) { detail::store_lane<kDwords>(rows, lane, places); });
      return Next::kOn;
    case Places::Shape::kNone:
      break;
    }
  }
  return for_each_access(active, [&](unsigned lane) {
    u32 values[kDwords];
    for (unsigned i = 0; i < kDwords; ++i) {
      values[i] = rows[i][lane];
    }
    return copy_of_lane<4 * kDwords, AccessKind::kStore>(wave, instruction, addresses.space, lane,
                                                         addresses[lane], values);
  });
}

/// Loads a byte or a half in each lane; `use(lane, value)` is what becomes of it.
template <typename T, typename Use>
Next load_part(Wave& wave, const Instruction& instruction, const Addresses& addresses, Use use) {
  const LaneMask active = wave.exec();
  if (!passes_checks(wave, instruction, active, addresses, sizeof(T), AccessKind::kLoad)) {
    return Next::kFault;
  }
  if (!detail::is_one_lane(active)) {
    Places places;
    find_places<sizeof(T)>(wave, instruction, active, addresses, AccessKind::kLoad, places);
    if (places.shape == Places::Shape::kRow) {
      for (unsigned lane = 0; lane < places.lanes; ++lane) {
        use(lane, detail::loaded<T>(places.row() + lane * sizeof(T)));
      }
      return Next::kOn;
    }
    if (places.shape == Places::Shape::kLanes) {
      detail::for_each(active,
                       [&](unsigned lane) { use(lane, detail::loaded<T>(places.of_lane(lane))); });
      return Next::kOn;
    }
  }
  return for_each_access(active, [&](unsigned lane) {
    T value = 0;
    if (!copy_of_lane<sizeof(T), AccessKind::kLoad>(wave, instruction, addresses.space, lane,
                                                    addresses[lane], &value)) {
      return false;
    }
    use(lane, value);
    return true;
  });
}

/// Stores a part of a register, from a bit on.
template <typename T, unsigned kFirstBit>
Next store_part(Wave& wave, const Instruction& instruction, const Addresses& addresses) {
  const LaneMask active = wave.exec();
  if (!passes_checks(wave, instruction, active, addresses, sizeof(T), AccessKind::kStore)) {
    return Next::kFault;
  }
  const u32* const row = wave.v[instruction.data[0]];
  if (!detail::is_one_lane(active)) {
    Places places;
    find_places<sizeof(T)>(wave, instruction, active, addresses, AccessKind::kStore, places);
    if (places.shape == Places::Shape::kRow) {
      for (unsigned lane = 0; lane < places.lanes; ++lane) {
        detail::put(places.row() + lane * sizeof(T), static_cast<T>(row[lane] >> kFirstBit));
      }
      return Next::kOn;
    }
    if (places.shape == Places::Shape::kLanes) {
      detail::for_each(active, [&](unsigned lane) {
        detail::put(places.of_lane(lane), static_cast<T>(row[lane] >> kFirstBit));
      });
      return Next::kOn;
    }
  }
  return for_each_access(active, [&](unsigned lane) {
    auto value = static_cast<T>(row[lane] >> kFirstBit);
    return copy_of_lane<sizeof(T), AccessKind::kStore>(wave, instruction, addresses.space, lane,
                                                       addresses[lane], &value);
  });
}

/// Of a register, a half that is loaded.
template <typename T, unsigned kFirstBit>
Next load_into_half(Wave& wave, const Instruction& instruction, const Addresses& addresses) {
  u32* const row = wave.v[instruction.result];
  return load_part<T>(wave, instruction, addresses, [row](unsigned lane, T value) {
    const auto half = static_cast<u16>(static_cast<i32>(value));
    row[lane] = (row[lane] & ~(0xffffU << kFirstBit)) | u32{half} << kFirstBit;
  });
}

/// Of a register, all; the value is extended as its type says.
template <typename T>
Next load_extended(Wave& wave, const Instruction& instruction, const Addresses& addresses) {
  u32* const row = wave.v[instruction.result];
  return load_part<T>(wave, instruction, addresses, [row](unsigned lane, T value) {
    row[lane] = static_cast<u32>(static_cast<i32>(value));
  });
}

/// Places of atomic operations: of all lanes at once, or one by one.
template <typename T>
class AtomicPlaces {
public:
  AtomicPlaces(Wave& wave, const Instruction& instruction, const Addresses& addresses,
               LaneMask active)
      : wave_(wave), instruction_(instruction), addresses_(addresses) {
    if (!detail::is_one_lane(active)) {
      find_places<sizeof(T)>(wave, instruction, active, addresses, AccessKind::kAtomic, places_);
    }
  }
  /// Null, with the wave's fault set, if the lane may not.
  std::byte* of(unsigned lane) {
    const u64 address = addresses_[lane];
    if (address % sizeof(T) != 0) {
      report_misaligned(wave_, instruction_, lane, address, sizeof(T));
      return nullptr;
    }
    if (places_.shape == Places::Shape::kLanes) {
      return places_.of_lane(lane);
    }
    std::byte* const place = place_of(wave_, instruction_, addresses_.space, lane, address,
                                      sizeof(T), AccessKind::kAtomic);
    if (place == nullptr) {
      report_access(wave_, instruction_, lane, addresses_.space, address, sizeof(T),
                    AccessKind::kAtomic);
    }
    return place;
  }

private:
  Wave& wave_;
  const Instruction& instruction_;
  const Addresses& addresses_;
  Places places_;
};

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
