// LDS, and the exchanges of lanes that go its way: ds_ instructions.
#include "simt/amdgcn/exec/atomic.h"
#include "simt/amdgcn/exec/ieee.h"
#include "simt/amdgcn/exec/lane_access.h"
#include "simt/amdgcn/exec/meanings.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace {

Addresses addresses_of_shared(const Wave& wave, const Instruction& instruction) {
  return shared_addresses(wave, instruction, instruction.number);
}

template <unsigned kDwords>
Next read(Wave& wave, const Instruction& instruction) {
  return load_dwords<kDwords>(wave, instruction, addresses_of_shared(wave, instruction),
                              instruction.result);
}
template <typename T>
Next read_small(Wave& wave, const Instruction& instruction) {
  return load_extended<T>(wave, instruction, addresses_of_shared(wave, instruction));
}
template <typename T, unsigned kFirstBit>
Next read_half(Wave& wave, const Instruction& instruction) {
  return load_into_half<T, kFirstBit>(wave, instruction, addresses_of_shared(wave, instruction));
}
template <unsigned kDwords>
Next write(Wave& wave, const Instruction& instruction) {
  return store_dwords<kDwords>(wave, instruction, addresses_of_shared(wave, instruction),
                               instruction.data[0]);
}
template <typename T, unsigned kFirstBit>
Next write_small(Wave& wave, const Instruction& instruction) {
  return store_part<T, kFirstBit>(wave, instruction, addresses_of_shared(wave, instruction));
}

/// Of an access to two elements, whose offsets are in units of `kDwords` dwords, or of 64 such.
template <unsigned kDwords, unsigned kUnit>
u32 offset_of(const Instruction& instruction, unsigned part) {
  return ((instruction.number >> (8 * part)) & 0xff) * (4 * kDwords * kUnit);
}

template <unsigned kDwords, unsigned kUnit>
Next read_two(Wave& wave, const Instruction& instruction) {
  u32 row[kLanes]; // which may be among the results
  std::ranges::copy(wave.v[instruction.address], row);
  for (unsigned part = 0; part < 2; ++part) {
    const Addresses addresses = {Space::kShared, 0, offset_of<kDwords, kUnit>(instruction, part),
                                 row};
    if (load_dwords<kDwords>(wave, instruction, addresses, instruction.result + part * kDwords) !=
        Next::kOn) {
      return Next::kFault;
    }
  }
  return Next::kOn;
}

template <unsigned kDwords, unsigned kUnit>
Next write_two(Wave& wave, const Instruction& instruction) {
  constexpr u32 kSize = 4 * kDwords;
  const LaneMask active = wave.exec();
  const Addresses addresses[2] = {
      shared_addresses(wave, instruction, offset_of<kDwords, kUnit>(instruction, 0)),
      shared_addresses(wave, instruction, offset_of<kDwords, kUnit>(instruction, 1))};
  for (const Addresses& part : addresses) {
    if (!passes_checks(wave, instruction, active, part, kSize, AccessKind::kStore)) {
      return Next::kFault;
    }
  }
  Places places[2];
  if (!detail::is_one_lane(active)) {
    for (unsigned part = 0; part < 2; ++part) {
      find_places<kSize>(wave, instruction, active, addresses[part], AccessKind::kStore,
                         places[part]);
    }
  }
  // Where lanes have the same place, the last one's value stays, of its own two the second one:
  // only rows that are apart can be stored one after the other.
  using Shape = Places::Shape;
  const u64 distance = places[1].first - places[0].first;
  const u64 row_size = u64{kSize} * places[0].lanes;
  const bool are_rows = places[0].shape == Shape::kRow && places[1].shape == Shape::kRow;
  if (are_rows && distance >= row_size && 0 - distance >= row_size) {
    for (unsigned part = 0; part < 2; ++part) {
      detail::store_row<kDwords>(&wave.v[instruction.data[part]], places[part]);
    }
    return Next::kOn;
  }
  return for_each_access(active, [&](unsigned lane) {
    for (unsigned part = 0; part < 2; ++part) {
      u32 values[kDwords];
      for (unsigned i = 0; i < kDwords; ++i) {
        values[i] = wave.v[instruction.data[part] + i][lane];
      }
      if (places[part].shape != Shape::kNone) {
        std::memcpy(places[part].of_lane(lane), values, kSize);
      } else if (!copy_of_lane<kSize, AccessKind::kStore>(wave, instruction, Space::kShared, lane,
                                                          addresses[part][lane], values)) {
        return false;
      }
    }
    return true;
  });
}

/// LDS is one host thread's, so that a plain change is an atomic one.
template <auto F, bool kReturns>
Next change(Wave& wave, const Instruction& instruction) {
  using T = detail::Parameter<F, 0>;
  const LaneMask active = wave.exec();
  const Addresses addresses = addresses_of_shared(wave, instruction);
  if (!passes_checks(wave, instruction, active, addresses, sizeof(T), AccessKind::kAtomic)) {
    return Next::kFault;
  }
  AtomicPlaces<T> places(wave, instruction, addresses, active);
  return for_each_access(active, [&](unsigned lane) {
    std::byte* const place = places.of(lane);
    if (place == nullptr) {
      return false;
    }
    T old;
    std::memcpy(&old, place, sizeof(T));
    const T data = Lanes<T>{&wave.v[instruction.data[0]]}[lane];
    T made;
    if constexpr (Signature<F>::kCount == 3) {
      made = F(old, data, Lanes<T>{&wave.v[instruction.data[1]]}[lane]);
    } else {
      made = F(old, data);
    }
    std::memcpy(place, &made, sizeof(T));
    if constexpr (kReturns) {
      set_lane(wave, instruction.result, lane, old);
    }
    return true;
  });
}

/// The lane that a lane's address names: of gfx11, one of the same half of a wave of 64.
u32 named_lane(const Wave& wave, const Instruction& instruction, unsigned lane) {
  const u32 number = (wave.v[instruction.address][lane] + instruction.number) / 4;
  return wave.grid->processor->is_gfx11 ? (lane & ~31U) | number % 32 : number % wave.grid->lanes;
}

/// Each lane takes the value of the lane that its address names; 0 of one that is not active.
Next take_from_lanes(Wave& wave, const Instruction& instruction) {
  const LaneMask active = wave.exec();
  u32 values[kLanes];
  for_each_lane(active, [&](unsigned lane) {
    const u32 from = named_lane(wave, instruction, lane);
    values[lane] = ((active >> from) & 1) != 0 ? wave.v[instruction.data[0]][from] : 0;
  });
  for_each_lane(active, [&](unsigned lane) { wave.v[instruction.result][lane] = values[lane]; });
  return Next::kOn;
}

/// Each lane gives its value to the lane that its address names; of several, the last one's stays.
Next give_to_lanes(Wave& wave, const Instruction& instruction) {
  const LaneMask active = wave.exec();
  u32 values[kLanes] = {};
  for_each_lane(active, [&](unsigned lane) {
    const u32 to = named_lane(wave, instruction, lane);
    values[to] = wave.v[instruction.data[0]][lane];
  });
  for_each_lane(active, [&](unsigned lane) { wave.v[instruction.result][lane] = values[lane]; });
  return Next::kOn;
}

/// Which lane's value a lane takes: within groups of four or of 32, as the offset says.
Next swizzle(Wave& wave, const Instruction& instruction) {
  constexpr u32 kOfFour = 0x8000;
  constexpr u32 kOther = 0x7f00; // of four lanes: what says that it is a rotation, or another mode
  const LaneMask active = wave.exec();
  const u32 pattern = instruction.number;
  if ((pattern & kOfFour) != 0 && (pattern & kOther) != 0) {
    report_instruction(wave, instruction, "of ds_swizzle_b32, it does not know the mode");
    return Next::kFault;
  }
  u32 values[kLanes];
  for_each_lane(active, [&](unsigned lane) {
    const bool of_four = (pattern & kOfFour) != 0;
    const u32 in_half =
        ((lane & pattern & 0x1f) | ((pattern >> 5) & 0x1f)) ^ ((pattern >> 10) & 0x1f);
    const u32 from =
        of_four ? (lane & ~3U) | ((pattern >> (2 * (lane & 3))) & 3) : (lane & ~31U) | in_half;
    values[lane] = ((active >> from) & 1) != 0 ? wave.v[instruction.address][from] : 0;
  });
  for_each_lane(active, [&](unsigned lane) { wave.v[instruction.result][lane] = values[lane]; });
  return Next::kOn;
}

Next do_nothing(Wave& /*wave*/, const Instruction& /*instruction*/) {
  return Next::kOn;
}

constexpr Type kTypes[] = {Type::kNone, Type::kB32, Type::kB64, Type::kB96, Type::kB128};

constexpr Meaning shared_meaning(Meaning::Run run, unsigned result, unsigned first = 0,
                                 unsigned second = 0) {
  Meaning meaning;
  meaning.run = run;
  meaning.kind = Meaning::Kind::kShared;
  meaning.result = kTypes[result];
  meaning.sources[0] = kTypes[first];
  meaning.sources[1] = kTypes[second];
  return meaning;
}
template <auto F, bool kReturns>
constexpr Meaning change_meaning() {
  constexpr unsigned kDwords = sizeof(detail::Parameter<F, 0>) / 4;
  return shared_meaning(change<F, kReturns>, kReturns ? kDwords : 0, kDwords,
                        Signature<F>::kCount == 3 ? kDwords : 0);
}

// An operation that returns the old value or not.
#define CHANGE(name, type, suffix, ...)                                                            \
  {"ds_" name "_" suffix,                                                                          \
   change_meaning<[](type old, type data) { return type{__VA_ARGS__}; }, false>()},                \
  {                                                                                                \
    "ds_" name "_rtn_" suffix,                                                                     \
        change_meaning<[](type old, type data) { return type{__VA_ARGS__}; }, true>()              \
  }
// In forms of 32 and 64 bits.
#define BOTH(name, letter, ...)                                                                    \
  CHANGE(name, u32, letter "32", __VA_ARGS__), CHANGE(name, u64, letter "64", __VA_ARGS__)

constexpr MeaningEntry kMeanings[] = {
    {"ds_read_b32", shared_meaning(read<1>, 1)},
    {"ds_read_b64", shared_meaning(read<2>, 2)},
    {"ds_read_b96", shared_meaning(read<3>, 3)},
    {"ds_read_b128", shared_meaning(read<4>, 4)},
    {"ds_read_u8", shared_meaning(read_small<u8>, 1)},
    {"ds_read_i8", shared_meaning(read_small<std::int8_t>, 1)},
    {"ds_read_u16", shared_meaning(read_small<u16>, 1)},
    {"ds_read_i16", shared_meaning(read_small<i16>, 1)},
    {"ds_read_u8_d16", shared_meaning(read_half<u8, 0>, 1)},
    {"ds_read_u8_d16_hi", shared_meaning(read_half<u8, 16>, 1)},
    {"ds_read_i8_d16", shared_meaning(read_half<std::int8_t, 0>, 1)},
    {"ds_read_i8_d16_hi", shared_meaning(read_half<std::int8_t, 16>, 1)},
    {"ds_read_u16_d16", shared_meaning(read_half<u16, 0>, 1)},
    {"ds_read_u16_d16_hi", shared_meaning(read_half<u16, 16>, 1)},
    {"ds_read2_b32", shared_meaning(read_two<1, 1>, 2)},
    {"ds_read2_b64", shared_meaning(read_two<2, 1>, 4)},
    {"ds_read2st64_b32", shared_meaning(read_two<1, 64>, 2)},
    {"ds_read2st64_b64", shared_meaning(read_two<2, 64>, 4)},
    {"ds_write_b32", shared_meaning(write<1>, 0, 1)},
    {"ds_write_b64", shared_meaning(write<2>, 0, 2)},
    {"ds_write_b96", shared_meaning(write<3>, 0, 3)},
    {"ds_write_b128", shared_meaning(write<4>, 0, 4)},
    {"ds_write_b8", shared_meaning(write_small<u8, 0>, 0, 1)},
    {"ds_write_b8_d16_hi", shared_meaning(write_small<u8, 16>, 0, 1)},
    {"ds_write_b16", shared_meaning(write_small<u16, 0>, 0, 1)},
    {"ds_write_b16_d16_hi", shared_meaning(write_small<u16, 16>, 0, 1)},
    {"ds_write2_b32", shared_meaning(write_two<1, 1>, 0, 1, 1)},
    {"ds_write2_b64", shared_meaning(write_two<2, 1>, 0, 2, 2)},
    {"ds_write2st64_b32", shared_meaning(write_two<1, 64>, 0, 1, 1)},
    {"ds_write2st64_b64", shared_meaning(write_two<2, 64>, 0, 2, 2)},

    BOTH("add", "u", old + data),
    BOTH("sub", "u", old - data),
    BOTH("rsub", "u", data - old),
    BOTH("inc", "u", atomic::incremented(old, data)),
    BOTH("dec", "u", atomic::decremented(old, data)),
    BOTH("min", "u", atomic::least(old, data)),
    BOTH("max", "u", atomic::greatest(old, data)),
    BOTH("min", "i", atomic::least_signed(old, data)),
    BOTH("max", "i", atomic::greatest_signed(old, data)),
    BOTH("and", "b", old& data),
    BOTH("or", "b", old | data),
    BOTH("xor", "b", old ^ data),
    CHANGE("add", f32, "f32", sum(old, data)),
    CHANGE("min", f32, "f32", atomic::least(old, data)),
    CHANGE("max", f32, "f32", atomic::greatest(old, data)),
    CHANGE("add", f64, "f64", sum(old, data)),
    CHANGE("min", f64, "f64", atomic::least(old, data)),
    CHANGE("max", f64, "f64", atomic::greatest(old, data)),
    {"ds_wrxchg_rtn_b32", change_meaning<[](u32, u32 data) { return data; }, true>()},
    {"ds_wrxchg_rtn_b64", change_meaning<[](u64, u64 data) { return data; }, true>()},
    {"ds_cmpst_b32",
     change_meaning<[](u32 old, u32 expected, u32 data) { return old == expected ? data : old; },
                    false>()},
    {"ds_cmpst_rtn_b32",
     change_meaning<[](u32 old, u32 expected, u32 data) { return old == expected ? data : old; },
                    true>()},
    {"ds_cmpst_b64",
     change_meaning<[](u64 old, u64 expected, u64 data) { return old == expected ? data : old; },
                    false>()},
    {"ds_cmpst_rtn_b64",
     change_meaning<[](u64 old, u64 expected, u64 data) { return old == expected ? data : old; },
                    true>()},

    // gfx11's, which have the expected value behind the new one.
    {"ds_cmpstore_b32",
     change_meaning<[](u32 old, u32 data, u32 expected) { return old == expected ? data : old; },
                    false>()},
    {"ds_cmpstore_rtn_b32",
     change_meaning<[](u32 old, u32 data, u32 expected) { return old == expected ? data : old; },
                    true>()},
    {"ds_cmpstore_b64",
     change_meaning<[](u64 old, u64 data, u64 expected) { return old == expected ? data : old; },
                    false>()},
    {"ds_cmpstore_rtn_b64",
     change_meaning<[](u64 old, u64 data, u64 expected) { return old == expected ? data : old; },
                    true>()},

    {"ds_bpermute_b32", shared_meaning(take_from_lanes, 1, 1)},
    {"ds_permute_b32", shared_meaning(give_to_lanes, 1, 1)},
    {"ds_swizzle_b32", shared_meaning(swizzle, 1)},
    {"ds_nop", shared_meaning(do_nothing, 0)},
};
#undef BOTH
#undef CHANGE

} // namespace

std::span<const MeaningEntry> shared_meanings() {
  return kMeanings;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
