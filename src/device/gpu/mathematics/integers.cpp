// Functions of integers and of bits, under their names in CUDA's libdevice.
#include "device/gpu/types.h"

namespace gantry::device {

extern "C" {

int32_t __nv_abs(int32_t x) {
  return x < 0 ? static_cast<int32_t>(0U - static_cast<uint32_t>(x)) : x;
}
int64_t __nv_llabs(int64_t x) {
  return x < 0 ? static_cast<int64_t>(0U - static_cast<uint64_t>(x)) : x;
}

#define GANTRY_EXTREMES(suffix, Number)                                                            \
  Number __nv_##suffix##max(Number x, Number y) {                                                  \
    return x > y ? x : y;                                                                          \
  }                                                                                                \
  Number __nv_##suffix##min(Number x, Number y) {                                                  \
    return x < y ? x : y;                                                                          \
  }
GANTRY_EXTREMES(, int32_t)
GANTRY_EXTREMES(u, uint32_t)
GANTRY_EXTREMES(ll, int64_t)
GANTRY_EXTREMES(ull, uint64_t)

uint32_t __nv_brev(uint32_t x) {
  return __builtin_bitreverse32(x);
}
uint64_t __nv_brevll(uint64_t x) {
  return __builtin_bitreverse64(x);
}
int32_t __nv_clz(int32_t x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<uint32_t>(x));
}
int32_t __nv_clzll(int64_t x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<uint64_t>(x));
}
int32_t __nv_ffs(int32_t x) {
  return x == 0 ? 0 : __builtin_ctz(static_cast<uint32_t>(x)) + 1;
}
int32_t __nv_ffsll(int64_t x) {
  return x == 0 ? 0 : __builtin_ctzll(static_cast<uint64_t>(x)) + 1;
}
int32_t __nv_popc(uint32_t x) {
  return __builtin_popcount(x);
}
int32_t __nv_popcll(uint64_t x) {
  return __builtin_popcountll(x);
}
uint32_t __nv_byte_perm(uint32_t x, uint32_t y, uint32_t selection) {
  return __nvvm_prmt(x, y, selection & 0x7777);
}
int32_t __nv_mul24(int32_t x, int32_t y) {
  const auto part = [](int32_t value) {
    return static_cast<int32_t>(static_cast<uint32_t>(value) << 8) >> 8;
  };
  return static_cast<int32_t>(static_cast<uint32_t>(part(x)) * static_cast<uint32_t>(part(y)));
}
uint32_t __nv_umul24(uint32_t x, uint32_t y) {
  return (x & 0xFF'FFFF) * (y & 0xFF'FFFF);
}
int32_t __nv_mulhi(int32_t x, int32_t y) {
  return static_cast<int32_t>((int64_t{x} * y) >> 32);
}
uint32_t __nv_umulhi(uint32_t x, uint32_t y) {
  return static_cast<uint32_t>((uint64_t{x} * y) >> 32);
}
int64_t __nv_mul64hi(int64_t x, int64_t y) {
  return static_cast<int64_t>((static_cast<__int128>(x) * y) >> 64);
}
uint64_t __nv_umul64hi(uint64_t x, uint64_t y) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(x) * y) >> 64);
}
uint32_t __nv_sad(int32_t x, int32_t y, uint32_t z) {
  const int64_t difference = int64_t{x} - y;
  return static_cast<uint32_t>(difference < 0 ? -difference : difference) + z;
}
uint32_t __nv_usad(uint32_t x, uint32_t y, uint32_t z) {
  return (x > y ? x - y : y - x) + z;
}
int32_t __nv_hadd(int32_t x, int32_t y) {
  return static_cast<int32_t>((int64_t{x} + y) >> 1);
}
int32_t __nv_rhadd(int32_t x, int32_t y) {
  return static_cast<int32_t>((int64_t{x} + y + 1) >> 1);
}
uint32_t __nv_uhadd(uint32_t x, uint32_t y) {
  return static_cast<uint32_t>((uint64_t{x} + y) >> 1);
}
uint32_t __nv_urhadd(uint32_t x, uint32_t y) {
  return static_cast<uint32_t>((uint64_t{x} + y + 1) >> 1);
}

double __nv_longlong_as_double(int64_t x) {
  return __builtin_bit_cast(double, x);
}
int64_t __nv_double_as_longlong(double x) {
  return __builtin_bit_cast(int64_t, x);
}
float __nv_int_as_float(int32_t x) {
  return __builtin_bit_cast(float, x);
}
float __nv_uint_as_float(uint32_t x) {
  return __builtin_bit_cast(float, x);
}
int32_t __nv_float_as_int(float x) {
  return __builtin_bit_cast(int32_t, x);
}
uint32_t __nv_float_as_uint(float x) {
  return __builtin_bit_cast(uint32_t, x);
}
int32_t __nv_double2hiint(double x) {
  return static_cast<int32_t>(__builtin_bit_cast(uint64_t, x) >> 32);
}
int32_t __nv_double2loint(double x) {
  return static_cast<int32_t>(__builtin_bit_cast(uint64_t, x));
}
double __nv_hiloint2double(int32_t high, int32_t low) {
  return __builtin_bit_cast(double, static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32 |
                                        static_cast<uint32_t>(low));
}
uint16_t __nv_float2half_rn(float x) {
  return __builtin_bit_cast(uint16_t, static_cast<_Float16>(x));
}
float __nv_half2float(uint16_t x) {
  return static_cast<float>(__builtin_bit_cast(_Float16, x));
}

} // extern "C"

} // namespace gantry::device
