// LDS, and the exchanges of lanes that go its way: ds_ instructions.
#include "simt/amdgcn/exec/access.h"
#include "simt/amdgcn/exec/atomic.h"
#include "simt/amdgcn/exec/meanings.h"
#include "simt/amdgcn/exec/report.h"

namespace gantry::simt::amdgcn {

namespace {

/// The sum of address and offset, which is one of 32 bits: compilers have bases below zero.
u32 shared_address(const Wave& wave, const Instruction& instruction, unsigned lane, u32 offset) {
  return wave.v[instruction.address][lane] + offset;
}

/// Where the bytes are in LDS; null, with the wave's fault set, if they are not all there.
std::byte* shared_place(Wave& wave, const Instruction& instruction, unsigned lane, u32 offset,
                        u32 size, AccessKind kind) {
  const u32 address = shared_address(wave, instruction, lane, offset);
  std::byte* const place = place_of(wave, Space::kShared, lane, address, size, kind);
  if (place == nullptr) {
    report_access(wave, instruction, lane, Space::kShared, address, size, kind);
  }
  return place;
}

template <typename Access>
Next for_each_access(Wave& wave, Access access) {
  for (LaneMask rest = wave.exec(); rest != 0; rest &= rest - 1) {
    if (!access(static_cast<unsigned>(std::countr_zero(rest)))) {
      return Next::kFault;
    }
  }
  return Next::kOn;
}

template <unsigned kDwords>
Next read(Wave& wave, const Instruction& instruction) {
  return for_each_access(wave, [&](unsigned lane) {
    const std::byte* const place =
        shared_place(wave, instruction, lane, instruction.number, 4 * kDwords, AccessKind::kLoad);
    if (place == nullptr) {
      return false;
    }
    for (unsigned i = 0; i < kDwords; ++i) {
      std::memcpy(&wave.v[instruction.result + i][lane], place + std::size_t{4} * i, 4);
    }
    return true;
  });
}

template <typename T>
Next read_small(Wave& wave, const Instruction& instruction) {
  return for_each_access(wave, [&](unsigned lane) {
    const std::byte* const place =
        shared_place(wave, instruction, lane, instruction.number, sizeof(T), AccessKind::kLoad);
    if (place == nullptr) {
      return false;
    }
    T value = 0;
    std::memcpy(&value, place, sizeof(T));
    wave.v[instruction.result][lane] = static_cast<u32>(static_cast<i32>(value));
    return true;
  });
}

template <typename T, unsigned kFirstBit>
Next read_half(Wave& wave, const Instruction& instruction) {
  return for_each_access(wave, [&](unsigned lane) {
    const std::byte* const place =
        shared_place(wave, instruction, lane, instruction.number, sizeof(T), AccessKind::kLoad);
    if (place == nullptr) {
      return false;
    }
    T value = 0;
    std::memcpy(&value, place, sizeof(T));
    u32& kept = wave.v[instruction.result][lane];
    const auto half = static_cast<u16>(static_cast<i32>(value));
    kept = (kept & ~(0xffffU << kFirstBit)) | u32{half} << kFirstBit;
    return true;
  });
}

template <unsigned kDwords>
Next write(Wave& wave, const Instruction& instruction) {
  return for_each_access(wave, [&](unsigned lane) {
    std::byte* const place =
        shared_place(wave, instruction, lane, instruction.number, 4 * kDwords, AccessKind::kStore);
    if (place == nullptr) {
      return false;
    }
    for (unsigned i = 0; i < kDwords; ++i) {
      std::memcpy(place + std::size_t{4} * i, &wave.v[instruction.data[0] + i][lane], 4);
    }
    return true;
  });
}

template <typename T, unsigned kFirstBit>
Next write_small(Wave& wave, const Instruction& instruction) {
  return for_each_access(wave, [&](unsigned lane) {
    std::byte* const place =
        shared_place(wave, instruction, lane, instruction.number, sizeof(T), AccessKind::kStore);
    if (place == nullptr) {
      return false;
    }
    const auto value = static_cast<T>(wave.v[instruction.data[0]][lane] >> kFirstBit);
    std::memcpy(place, &value, sizeof(T));
    return true;
  });
}

/// Two elements, whose offsets are in units of `kDwords` dwords, or of 64 such.
template <unsigned kDwords, unsigned kUnit>
Next read_two(Wave& wave, const Instruction& instruction) {
  return for_each_access(wave, [&](unsigned lane) {
    u32 values[2 * kDwords];
    for (unsigned part = 0; part < 2; ++part) {
      const u32 offset = ((instruction.number >> (8 * part)) & 0xff) * (4 * kDwords * kUnit);
      const std::byte* const place =
          shared_place(wave, instruction, lane, offset, 4 * kDwords, AccessKind::kLoad);
      if (place == nullptr) {
        return false;
      }
      std::memcpy(&values[part * kDwords], place, 4 * kDwords);
    }
    for (unsigned i = 0; i < 2 * kDwords; ++i) {
      wave.v[instruction.result + i][lane] = values[i];
    }
    return true;
  });
}

template <unsigned kDwords, unsigned kUnit>
Next write_two(Wave& wave, const Instruction& instruction) {
  return for_each_access(wave, [&](unsigned lane) {
    for (unsigned part = 0; part < 2; ++part) {
      const u32 offset = ((instruction.number >> (8 * part)) & 0xff) * (4 * kDwords * kUnit);
      std::byte* const place =
          shared_place(wave, instruction, lane, offset, 4 * kDwords, AccessKind::kStore);
      if (place == nullptr) {
        return false;
      }
      for (unsigned i = 0; i < kDwords; ++i) {
        std::memcpy(place + std::size_t{4} * i, &wave.v[instruction.data[part] + i][lane], 4);
      }
    }
    return true;
  });
}

/// LDS is one host thread's, so that a plain change is an atomic one.
template <auto F, bool kReturns>
Next change(Wave& wave, const Instruction& instruction) {
  using T = detail::Parameter<F, 0>;
  return for_each_access(wave, [&](unsigned lane) {
    const u32 address = shared_address(wave, instruction, lane, instruction.number);
    if (address % sizeof(T) != 0) {
      report_misaligned(wave, instruction, lane, address, sizeof(T));
      return false;
    }
    std::byte* const place =
        shared_place(wave, instruction, lane, instruction.number, sizeof(T), AccessKind::kAtomic);
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

/// Each lane takes the value of the lane that its address names; 0 of one that is not active.
Next take_from_lanes(Wave& wave, const Instruction& instruction) {
  const LaneMask active = wave.exec();
  u32 values[kLanes];
  for_each_lane(active, [&](unsigned lane) {
    const u32 from =
        ((wave.v[instruction.address][lane] + instruction.number) / 4) % wave.grid->processor->wave;
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
    const u32 to =
        ((wave.v[instruction.address][lane] + instruction.number) / 4) % wave.grid->processor->wave;
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
    CHANGE("add", f32, "f32", old + data),
    CHANGE("min", f32, "f32", atomic::least(old, data)),
    CHANGE("max", f32, "f32", atomic::greatest(old, data)),
    CHANGE("add", f64, "f64", old + data),
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

} // namespace gantry::simt::amdgcn
