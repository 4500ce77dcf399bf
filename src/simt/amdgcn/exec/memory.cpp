// Loads, stores and atomic operations of lanes: flat_, global_, scratch_ and buffer_ instructions.
#include "simt/amdgcn/exec/atomic.h"
#include "simt/amdgcn/exec/ieee.h"
#include "simt/amdgcn/exec/lane_access.h"
#include "simt/amdgcn/exec/meanings.h"

#include <atomic>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace {

template <unsigned kDwords>
Next load(Wave& wave, const Instruction& instruction) {
  return load_dwords<kDwords>(wave, instruction, addresses_of(wave, instruction),
                              instruction.result);
}
template <typename T>
Next load_small(Wave& wave, const Instruction& instruction) {
  return load_extended<T>(wave, instruction, addresses_of(wave, instruction));
}
template <typename T, unsigned kFirstBit>
Next load_half(Wave& wave, const Instruction& instruction) {
  return load_into_half<T, kFirstBit>(wave, instruction, addresses_of(wave, instruction));
}
template <unsigned kDwords>
Next store(Wave& wave, const Instruction& instruction) {
  return store_dwords<kDwords>(wave, instruction, addresses_of(wave, instruction),
                               instruction.data[0]);
}
template <typename T, unsigned kFirstBit>
Next store_small(Wave& wave, const Instruction& instruction) {
  return store_part<T, kFirstBit>(wave, instruction, addresses_of(wave, instruction));
}

/// memory = F(memory, data…), at once; the old value is the result.
template <auto F>
Next change(Wave& wave, const Instruction& instruction) {
  using T = detail::Parameter<F, 0>;
  const LaneMask active = wave.exec();
  const Addresses addresses = addresses_of(wave, instruction);
  if (!passes_checks(wave, instruction, active, addresses, sizeof(T), AccessKind::kAtomic)) {
    return Next::kFault;
  }
  AtomicPlaces<T> places(wave, instruction, addresses, active);
  return for_each_access(active, [&](unsigned lane) {
    std::byte* const place = places.of(lane);
    if (place == nullptr) {
      return false;
    }
    const T old = changed<F>(place, Lanes<T>{&wave.v[instruction.data[0]]}[lane], [&] {
      return Lanes<T>{&wave.v[instruction.data[0] + sizeof(T) / 4]}[lane];
    });
    if (instruction.returns) {
      set_lane(wave, instruction.result, lane, old);
    }
    return true;
  });
}

Next fence(Wave& wave, const Instruction& /*instruction*/) {
  std::atomic_thread_fence(std::memory_order_acq_rel);
  if (wave.place->checks != nullptr) {
    wave.place->checks->fence(wave.number);
  }
  return Next::kOn;
}

constexpr Type kTypes[] = {Type::kNone, Type::kB32, Type::kB64, Type::kB96, Type::kB128};

constexpr Meaning load_meaning(Meaning::Run run, unsigned dwords = 1) {
  Meaning meaning;
  meaning.run = run;
  meaning.kind = Meaning::Kind::kMemory;
  meaning.result = kTypes[dwords];
  return meaning;
}
constexpr Meaning store_meaning(Meaning::Run run, unsigned dwords = 1) {
  Meaning meaning;
  meaning.run = run;
  meaning.kind = Meaning::Kind::kMemory;
  meaning.sources[0] = kTypes[dwords];
  return meaning;
}
template <auto F>
constexpr Meaning change_meaning() {
  using T = detail::Parameter<F, 0>;
  Meaning meaning = load_meaning(change<F>, sizeof(T) / 4);
  meaning.sources[0] = kTypes[sizeof(T) / 4 * (Signature<F>::kCount - 1)];
  meaning.is_atomic = true;
  return meaning;
}
constexpr Meaning fence_meaning() {
  Meaning meaning;
  meaning.run = fence;
  meaning.kind = Meaning::Kind::kMemory;
  return meaning;
}

// An operation in its forms of 32 and 64 bits, unsigned.
#define CHANGE(name, ...)                                                                          \
  {"atomic_" name,                                                                                 \
   change_meaning<[](u32 old, u32 data) { return static_cast<u32>(__VA_ARGS__); }>()},             \
  {                                                                                                \
    "atomic_" name "_x2",                                                                          \
        change_meaning<[](u64 old, u64 data) { return static_cast<u64>(__VA_ARGS__); }>()          \
  }

constexpr MeaningEntry kMeanings[] = {
    {"load_dword", load_meaning(load<1>)},
    {"load_dwordx2", load_meaning(load<2>, 2)},
    {"load_dwordx3", load_meaning(load<3>, 3)},
    {"load_dwordx4", load_meaning(load<4>, 4)},
    {"load_ubyte", load_meaning(load_small<u8>)},
    {"load_sbyte", load_meaning(load_small<std::int8_t>)},
    {"load_ushort", load_meaning(load_small<u16>)},
    {"load_sshort", load_meaning(load_small<i16>)},
    {"load_ubyte_d16", load_meaning(load_half<u8, 0>)},
    {"load_ubyte_d16_hi", load_meaning(load_half<u8, 16>)},
    {"load_sbyte_d16", load_meaning(load_half<std::int8_t, 0>)},
    {"load_sbyte_d16_hi", load_meaning(load_half<std::int8_t, 16>)},
    {"load_short_d16", load_meaning(load_half<u16, 0>)},
    {"load_short_d16_hi", load_meaning(load_half<u16, 16>)},
    {"store_dword", store_meaning(store<1>)},
    {"store_dwordx2", store_meaning(store<2>, 2)},
    {"store_dwordx3", store_meaning(store<3>, 3)},
    {"store_dwordx4", store_meaning(store<4>, 4)},
    {"store_byte", store_meaning(store_small<u8, 0>)},
    {"store_byte_d16_hi", store_meaning(store_small<u8, 16>)},
    {"store_short", store_meaning(store_small<u16, 0>)},
    {"store_short_d16_hi", store_meaning(store_small<u16, 16>)},

    CHANGE("swap", (void(old), data)),
    CHANGE("add", old + data),
    CHANGE("sub", old - data),
    CHANGE("umin", atomic::least(old, data)),
    CHANGE("umax", atomic::greatest(old, data)),
    CHANGE("smin", atomic::least_signed(old, data)),
    CHANGE("smax", atomic::greatest_signed(old, data)),
    CHANGE("and", old& data),
    CHANGE("or", old | data),
    CHANGE("xor", old ^ data),
    CHANGE("inc", atomic::incremented(old, data)),
    CHANGE("dec", atomic::decremented(old, data)),
    {"atomic_cmpswap", change_meaning<[](u32 old, u32 data, u32 expected) {
       return old == expected ? data : old;
     }>()},
    {"atomic_cmpswap_x2", change_meaning<[](u64 old, u64 data, u64 expected) {
       return old == expected ? data : old;
     }>()},
    {"atomic_add_f32", change_meaning<[](f32 old, f32 data) { return sum(old, data); }>()},
    {"atomic_min_f32",
     change_meaning<[](f32 old, f32 data) { return atomic::least(old, data); }>()},
    {"atomic_max_f32",
     change_meaning<[](f32 old, f32 data) { return atomic::greatest(old, data); }>()},
    {"atomic_add_f64", change_meaning<[](f64 old, f64 data) { return sum(old, data); }>()},
    {"atomic_min_f64",
     change_meaning<[](f64 old, f64 data) { return atomic::least(old, data); }>()},
    {"atomic_max_f64",
     change_meaning<[](f64 old, f64 data) { return atomic::greatest(old, data); }>()},

    {"wbinvl1", fence_meaning()},
    {"wbinvl1_vol", fence_meaning()},
    {"wbl2", fence_meaning()},
    {"invl2", fence_meaning()},
};
#undef CHANGE

} // namespace

std::span<const MeaningEntry> memory_meanings() {
  return kMeanings;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
