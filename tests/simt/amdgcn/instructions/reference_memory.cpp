// What accesses to memory do.
#include "memory_form.h"

#include "../../instructions/number.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

namespace {

namespace number = instructions;
using Bits = std::uint64_t;
using Kind = MemoryForm::Kind;
using Changed = Bits (*)(Bits, Bits, Bits);

constexpr Bits kTop = Bits{1} << 63;

Bits sum_of_floats(Bits a, Bits b, number::Format format) {
  return number::packed(number::sum(number::unpacked(a, format), number::unpacked(b, format),
                                    number::Round::kNearestEven),
                        format, number::Round::kNearestEven);
}
/// Whether a is less than b, both numbers.
bool is_less(Bits a, Bits b, number::Format format) {
  if (format.is_nan(a) || format.is_nan(b)) {
    return false;
  }
  const number::Number difference =
      number::sum(number::unpacked(a, format), number::negated(number::unpacked(b, format)),
                  number::Round::kNearestEven);
  const bool equal_infinities = format.is_infinite(a) && a == b;
  return !equal_infinities && !difference.is_zero() && difference.negative;
}
template <bool kWide, bool kLeast>
Bits extreme(Bits old, Bits data, Bits /*compared*/) {
  constexpr number::Format kFormat = kWide ? number::kDouble : number::kSingle;
  return (kLeast ? is_less(data, old, kFormat) : is_less(old, data, kFormat)) ? data : old;
}
template <bool kWide>
Bits added(Bits old, Bits data, Bits /*compared*/) {
  return sum_of_floats(old, data, kWide ? number::kDouble : number::kSingle);
}
/// Of signed numbers of the width, in the order of unsigned ones.
template <unsigned kWidth>
Bits ordered(Bits value) {
  return value << (64 - kWidth) ^ kTop;
}
Bits incremented(Bits old, Bits most, Bits /*compared*/) {
  return old < most ? old + 1 : 0;
}
Bits decremented(Bits old, Bits most, Bits /*compared*/) {
  return old == 0 || old > most ? most : old - 1;
}

constexpr MemoryForm load(const char* name, unsigned bytes, bool is_signed = false, int half = -1) {
  return {name, Kind::kLoad, bytes, is_signed, half};
}
constexpr MemoryForm store(const char* name, unsigned bytes, int half = -1) {
  return {name, Kind::kStore, bytes, false, half};
}
constexpr MemoryForm atomic(const char* name, unsigned bytes, Changed changed,
                            bool compares = false, bool is_floating = false) {
  return {name, Kind::kAtomic, bytes, false, -1, changed, compares, is_floating};
}
#define ATOMIC(name, ...)                                                                          \
  atomic("atomic_" name, 4, [](Bits old, Bits data, Bits) -> Bits { return __VA_ARGS__; }),        \
      atomic("atomic_" name "_x2", 8,                                                              \
             [](Bits old, Bits data, Bits) -> Bits { return __VA_ARGS__; })

constexpr MemoryForm kForms[] = {
    load("load_dword", 4),
    load("load_dwordx2", 8),
    load("load_dwordx3", 12),
    load("load_dwordx4", 16),
    load("load_ubyte", 1),
    load("load_sbyte", 1, true),
    load("load_ushort", 2),
    load("load_sshort", 2, true),
    load("load_ubyte_d16", 1, false, 0),
    load("load_ubyte_d16_hi", 1, false, 1),
    load("load_sbyte_d16", 1, true, 0),
    load("load_sbyte_d16_hi", 1, true, 1),
    load("load_short_d16", 2, false, 0),
    load("load_short_d16_hi", 2, false, 1),
    store("store_dword", 4),
    store("store_dwordx2", 8),
    store("store_dwordx3", 12),
    store("store_dwordx4", 16),
    store("store_byte", 1),
    store("store_byte_d16_hi", 1, 1),
    store("store_short", 2),
    store("store_short_d16_hi", 2, 1),
    ATOMIC("swap", (void(old), data)),
    ATOMIC("add", old + data),
    ATOMIC("sub", old - data),
    ATOMIC("umin", std::min(old, data)),
    ATOMIC("umax", std::max(old, data)),
    ATOMIC("and", old& data),
    ATOMIC("or", old | data),
    ATOMIC("xor", (old | data) - (old & data)),
    atomic("atomic_smin", 4,
           [](Bits a, Bits b, Bits) { return ordered<32>(a) < ordered<32>(b) ? a : b; }),
    atomic("atomic_smax", 4,
           [](Bits a, Bits b, Bits) { return ordered<32>(a) < ordered<32>(b) ? b : a; }),
    atomic("atomic_smin_x2", 8,
           [](Bits a, Bits b, Bits) { return ordered<64>(a) < ordered<64>(b) ? a : b; }),
    atomic("atomic_smax_x2", 8,
           [](Bits a, Bits b, Bits) { return ordered<64>(a) < ordered<64>(b) ? b : a; }),
    atomic("atomic_inc", 4, incremented),
    atomic("atomic_inc_x2", 8, incremented),
    atomic("atomic_dec", 4, decremented),
    atomic("atomic_dec_x2", 8, decremented),
    atomic(
        "atomic_cmpswap", 4,
        [](Bits old, Bits data, Bits compared) { return old == compared ? data : old; }, true),
    atomic(
        "atomic_cmpswap_x2", 8,
        [](Bits old, Bits data, Bits compared) { return old == compared ? data : old; }, true),
    atomic("atomic_add_f32", 4, added<false>, false, true),
    atomic("atomic_add_f64", 8, added<true>, false, true),
    atomic("atomic_min_f32", 4, extreme<false, true>),
    atomic("atomic_max_f32", 4, extreme<false, false>),
    atomic("atomic_min_f64", 8, extreme<true, true>),
    atomic("atomic_max_f64", 8, extreme<true, false>),
};

constexpr SharedForm one(MemoryForm access) {
  return {access};
}
constexpr SharedForm two(MemoryForm access, unsigned unit) {
  return {access, unit};
}
constexpr SharedForm changing(const char* name, unsigned bytes, bool returns, Changed changed,
                              bool is_floating = false) {
  return {atomic(name, bytes, changed, false, is_floating), 0, returns};
}
constexpr SharedForm comparing(const char* name, unsigned bytes, bool returns,
                               bool compare_first = true) {
  return {atomic(
              name, bytes,
              [](Bits old, Bits data, Bits compared) { return old == compared ? data : old; },
              true),
          0, returns, compare_first};
}
#define CHANGING(name, suffix, bytes, ...)                                                         \
  changing("ds_" name "_" suffix, bytes, false, __VA_ARGS__),                                      \
      changing("ds_" name "_rtn_" suffix, bytes, true, __VA_ARGS__)
#define BOTH(name, letter, ...)                                                                    \
  CHANGING(name, letter "32", 4, [](Bits old, Bits data, Bits) -> Bits { return __VA_ARGS__; }),   \
      CHANGING(name, letter "64", 8,                                                               \
               [](Bits old, Bits data, Bits) -> Bits { return __VA_ARGS__; })

constexpr SharedForm kSharedForms[] = {
    one(load("ds_read_b32", 4)),
    one(load("ds_read_b64", 8)),
    one(load("ds_read_b96", 12)),
    one(load("ds_read_b128", 16)),
    one(load("ds_read_u8", 1)),
    one(load("ds_read_i8", 1, true)),
    one(load("ds_read_u16", 2)),
    one(load("ds_read_i16", 2, true)),
    one(load("ds_read_u8_d16", 1, false, 0)),
    one(load("ds_read_u8_d16_hi", 1, false, 1)),
    one(load("ds_read_i8_d16", 1, true, 0)),
    one(load("ds_read_i8_d16_hi", 1, true, 1)),
    one(load("ds_read_u16_d16", 2, false, 0)),
    one(load("ds_read_u16_d16_hi", 2, false, 1)),
    two(load("ds_read2_b32", 4), 4),
    two(load("ds_read2_b64", 8), 8),
    two(load("ds_read2st64_b32", 4), 256),
    two(load("ds_read2st64_b64", 8), 512),
    one(store("ds_write_b32", 4)),
    one(store("ds_write_b64", 8)),
    one(store("ds_write_b96", 12)),
    one(store("ds_write_b128", 16)),
    one(store("ds_write_b8", 1)),
    one(store("ds_write_b8_d16_hi", 1, 1)),
    one(store("ds_write_b16", 2)),
    one(store("ds_write_b16_d16_hi", 2, 1)),
    two(store("ds_write2_b32", 4), 4),
    two(store("ds_write2_b64", 8), 8),
    two(store("ds_write2st64_b32", 4), 256),
    two(store("ds_write2st64_b64", 8), 512),
    BOTH("add", "u", old + data),
    BOTH("sub", "u", old - data),
    BOTH("rsub", "u", data - old),
    BOTH("inc", "u", incremented(old, data, 0)),
    BOTH("dec", "u", decremented(old, data, 0)),
    BOTH("min", "u", std::min(old, data)),
    BOTH("max", "u", std::max(old, data)),
    BOTH("and", "b", old& data),
    BOTH("or", "b", old | data),
    BOTH("xor", "b", (old | data) - (old & data)),
    CHANGING("min", "i32", 4,
             [](Bits a, Bits b, Bits) { return ordered<32>(a) < ordered<32>(b) ? a : b; }),
    CHANGING("max", "i32", 4,
             [](Bits a, Bits b, Bits) { return ordered<32>(a) < ordered<32>(b) ? b : a; }),
    CHANGING("min", "i64", 8,
             [](Bits a, Bits b, Bits) { return ordered<64>(a) < ordered<64>(b) ? a : b; }),
    CHANGING("max", "i64", 8,
             [](Bits a, Bits b, Bits) { return ordered<64>(a) < ordered<64>(b) ? b : a; }),
    CHANGING("add", "f32", 4, added<false>, true),
    CHANGING("min", "f32", 4, extreme<false, true>),
    CHANGING("max", "f32", 4, extreme<false, false>),
    CHANGING("add", "f64", 8, added<true>, true),
    CHANGING("min", "f64", 8, extreme<true, true>),
    CHANGING("max", "f64", 8, extreme<true, false>),
    changing("ds_wrxchg_rtn_b32", 4, true, [](Bits, Bits data, Bits) { return data; }),
    changing("ds_wrxchg_rtn_b64", 8, true, [](Bits, Bits data, Bits) { return data; }),
    comparing("ds_cmpst_b32", 4, false),
    comparing("ds_cmpst_rtn_b32", 4, true),
    comparing("ds_cmpst_b64", 8, false),
    comparing("ds_cmpst_rtn_b64", 8, true),
    comparing("ds_cmpstore_b32", 4, false, false),
    comparing("ds_cmpstore_rtn_b32", 4, true, false),
    comparing("ds_cmpstore_b64", 8, false, false),
    comparing("ds_cmpstore_rtn_b64", 8, true, false),
};

} // namespace

std::span<const MemoryForm> memory_forms() {
  return kForms;
}
std::span<const SharedForm> shared_forms() {
  return kSharedForms;
}

} // namespace gantry::simt::amdgcn
