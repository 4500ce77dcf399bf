// What instructions give for values, lane by lane, against C++.
#include "simt/exec/interpreted.h"

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <span>

#include <fmt/format.h>

namespace gantry::simt::exec {
namespace {

using Word = std::uint64_t;
using Operands = std::array<Word, 4>; ///< a, b, c, d: the registers d1 … d4 and their lower parts

constexpr std::uint32_t kThreads = 128;

/// The code leaves its result in d0, r0, h0 or p0, as `result` ('d', 'r', 'h', 'p') says. It may
/// use d1 … d4 and, with their low bits, r1 … r4 and h1 … h4, and p1 … p4, the lowest bits.
std::vector<Word> evaluate(const std::string& code, char result,
                           const std::vector<Operands>& operands) {
  std::string loads;
  for (unsigned i = 1; i <= 4; ++i) {
    loads += fmt::format(
        "ld.global.b64 d{0}, [d18+{1}]; cvt.u32.u64 r{0}, d{0}; cvt.u16.u64 h{0}, d{0};\n"
        "and.b32 r19, r{0}, 1; setp.ne.b32 p{0}, r19, 0;\n",
        i, (i - 1) * 8);
  }
  const std::string last = result == 'r'   ? "cvt.u64.u32 d0, r0;"
                           : result == 'h' ? "cvt.u64.u16 d0, h0;"
                           : result == 'p' ? "selp.b64 d0, 1, 0, p0;"
                                           : "";
  Interpreted program(fmt::format(R"(
.visible .entry k(.param .u64 memory) {{
  .reg .pred p<8>; .reg .b16 h<10>; .reg .b32 r<20>; .reg .b64 d<20>;
  ld.param.u64 d18, [memory];
  mov.u32 r18, %tid.x;
  mad.wide.u32 d18, r18, 32, d18;
  mov.b64 d0, -1; mov.b32 r0, -1; mov.b16 h0, -1;
  {}
  {}
  {}
  st.global.b64 [d18], d0;
}}
)",
                                  loads, code, last));
  std::vector<Word> memory;
  for (const Operands& one : operands) {
    memory.insert(memory.end(), one.begin(), one.end());
  }
  const std::vector<Word> after =
      program.results(memory, static_cast<std::uint32_t>(operands.size()));
  std::vector<Word> results;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    results.push_back(after[i * 4]);
  }
  return results;
}

std::vector<Operands> operands() {
  constexpr std::array<Word, 12> kEdges = {
      0,       1, 2, 31, 32, 0x7F, 0x8000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x8000000000000000,
      ~Word{0}};
  std::mt19937_64 random(3); // NOLINT(bugprone-random-generator-seed): the same numbers every time
  std::vector<Operands> all(kThreads);
  for (Operands& one : all) {
    for (Word& value : one) {
      value = random() % 3 == 0 ? kEdges[random() % kEdges.size()] : random() >> (random() % 64);
    }
  }
  return all;
}

using S16 = std::int16_t;
using S32 = std::int32_t;
using S64 = std::int64_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
__extension__ using S128 = __int128;
__extension__ using U128 = unsigned __int128;

struct Case {
  const char* code;
  char result;
  Word (*expected)(Word a, Word b, Word c, Word d);
};

#define GANTRY_IS(expression)                                                                      \
  [](Word a, Word b, Word c, Word d) -> Word {                                                     \
    static_cast<void>(a), static_cast<void>(b), static_cast<void>(c), static_cast<void>(d);        \
    return static_cast<Word>(expression);                                                          \
  }

Word clamp32(S128 value) {
  return static_cast<U32>(std::clamp<S128>(value, INT32_MIN, INT32_MAX));
}

Word bits_of(Word value, unsigned position, unsigned length, unsigned width, bool is_signed) {
  Word result = 0;
  const unsigned top = width - 1;
  const bool sign =
      is_signed && length != 0 && (value >> std::min(position + length - 1, top) & 1) != 0;
  for (unsigned i = 0; i < width; ++i) {
    const bool set = i < length && position + i <= top ? (value >> (position + i) & 1) != 0 : sign;
    result |= Word{set} << i;
  }
  return result;
}

std::span<const Case> cases() {
  static const Case all[] = {
      {"add.u16 h0, h1, h2;", 'h', GANTRY_IS(U16(a + b))},
      {"add.s32 r0, r1, r2;", 'r', GANTRY_IS(U32(a + b))},
      {"add.s64 d0, d1, -5;", 'd', GANTRY_IS(a - 5)},
      {"add.sat.s32 r0, r1, r2;", 'r', GANTRY_IS(clamp32(S128{S32(a)} + S32(b)))},
      {"sub.sat.s32 r0, r1, r2;", 'r', GANTRY_IS(clamp32(S128{S32(a)} - S32(b)))},
      {"add.u16x2 r0, r1, r2;", 'r',
       GANTRY_IS(Word{U16(a + b)} | Word{U16((a >> 16) + (b >> 16))} << 16)},
      {"sub.u64 d0, d1, d2;", 'd', GANTRY_IS(a - b)},
      {"mul.lo.s16 h0, h1, h2;", 'h', GANTRY_IS(U16(a * b))},
      {"mul.hi.s16 h0, h1, h2;", 'h', GANTRY_IS(U16((S32{S16(a)} * S16(b)) >> 16))},
      {"mul.hi.u32 r0, r1, r2;", 'r', GANTRY_IS((Word{U32(a)} * U32(b)) >> 32)},
      {"mul.hi.s32 r0, r1, r2;", 'r', GANTRY_IS(U32((S64{S32(a)} * S32(b)) >> 32))},
      {"mul.hi.s64 d0, d1, d2;", 'd', GANTRY_IS((S128{S64(a)} * S64(b)) >> 64)},
      {"mul.hi.u64 d0, d1, d2;", 'd', GANTRY_IS((U128{a} * b) >> 64)},
      {"mul.lo.u64 d0, d1, d2;", 'd', GANTRY_IS(a * b)},
      {"mul.wide.u16 r0, h1, h2;", 'r', GANTRY_IS(U32(U16(a)) * U32(U16(b)))},
      {"mul.wide.s16 r0, h1, h2;", 'r', GANTRY_IS(U32(S32{S16(a)} * S16(b)))},
      {"mul.wide.u32 d0, r1, r2;", 'd', GANTRY_IS(Word{U32(a)} * U32(b))},
      {"mul.wide.s32 d0, r1, r2;", 'd', GANTRY_IS(S64{S32(a)} * S32(b))},
      {"mad.lo.s32 r0, r1, r2, r3;", 'r', GANTRY_IS(U32(a * b + c))},
      {"mad.hi.u32 r0, r1, r2, r3;", 'r', GANTRY_IS(U32(((Word{U32(a)} * U32(b)) >> 32) + c))},
      {"mad.hi.sat.s32 r0, r1, r2, r3;", 'r',
       GANTRY_IS(clamp32(S128{(S64{S32(a)} * S32(b)) >> 32} + S32(c)))},
      {"mad.wide.s32 d0, r1, r2, d3;", 'd', GANTRY_IS(Word(S64{S32(a)} * S32(b)) + c)},
      {"mul24.lo.u32 r0, r1, r2;", 'r', GANTRY_IS(U32((a & 0xFFFFFF) * (b & 0xFFFFFF)))},
      {"mul24.hi.u32 r0, r1, r2;", 'r', GANTRY_IS(U32(((a & 0xFFFFFF) * (b & 0xFFFFFF)) >> 16))},
      {"mad24.lo.s32 r0, r1, r2, r3;", 'r',
       GANTRY_IS(U32(Word((S64(a << 40) >> 40) * (S64(b << 40) >> 40)) + c))},
      {"sad.s32 r0, r1, r2, r3;", 'r',
       GANTRY_IS(U32(c + Word(S32(a) < S32(b) ? S64{S32(b)} - S32(a) : S64{S32(a)} - S32(b))))},
      {"sad.u16 h0, h1, h2, h3;", 'h',
       GANTRY_IS(U16(c + Word(U16(a) < U16(b) ? U16(b) - U16(a) : U16(a) - U16(b))))},
      {"div.u32 r0, r1, r2;", 'r', GANTRY_IS(U32(b) == 0 ? U32(-1) : U32(a) / U32(b))},
      {"div.s32 r0, r1, r2;", 'r', GANTRY_IS(U32(S32(b) == 0 ? -1 : S64{S32(a)} / S32(b)))},
      {"rem.s32 r0, r1, r2;", 'r', GANTRY_IS(U32(S32(b) == 0 ? S32(a) : S64{S32(a)} % S32(b)))},
      {"div.s64 d0, d1, d2;", 'd', GANTRY_IS(b == 0 ? S128{-1} : S128{S64(a)} / S64(b))},
      {"rem.u64 d0, d1, d2;", 'd', GANTRY_IS(b == 0 ? a : a % b)},
      {"div.s16 h0, h1, h2;", 'h', GANTRY_IS(U16(S16(b) == 0 ? -1 : S16(a) / S16(b)))},
      {"rem.u16 h0, h1, h2;", 'h', GANTRY_IS(U16(b) == 0 ? U16(a) : U16(a) % U16(b))},
      {"abs.s32 r0, r1;", 'r', GANTRY_IS(U32(S32(a) < 0 ? -S64{S32(a)} : S32(a)))},
      {"neg.s16 h0, h1;", 'h', GANTRY_IS(U16(-a))},
      {"min.s64 d0, d1, d2;", 'd', GANTRY_IS(std::min(S64(a), S64(b)))},
      {"max.u16 h0, h1, h2;", 'h', GANTRY_IS(std::max(U16(a), U16(b)))},
      {"max.relu.s32 r0, r1, r2;", 'r', GANTRY_IS(U32(std::max({S32(a), S32(b), 0})))},
      {"min.s16x2 r0, r1, r2;", 'r',
       GANTRY_IS(Word{U16(std::min(S16(a), S16(b)))} |
                 Word{U16(std::min(S16(a >> 16), S16(b >> 16)))} << 16)},
      {"dp4a.s32.u32 r0, r1, r2, r3;", 'r', GANTRY_IS(U32([&] {
         Word sum = c;
         for (unsigned i = 0; i < 32; i += 8) {
           sum += Word(S64{std::int8_t(a >> i)} * S64{std::uint8_t(b >> i)});
         }
         return sum;
       }()))},
      {"dp2a.hi.s32.s32 r0, r1, r2, r3;", 'r',
       GANTRY_IS(U32(c + Word(S64{S16(a)} * std::int8_t(b >> 16)) +
                     Word(S64{S16(a >> 16)} * std::int8_t(b >> 24))))},
      // Carries.
      {"add.cc.u32 r5, r1, r2; addc.u32 r0, r3, r4;", 'r',
       GANTRY_IS(U32(c + d + ((Word{U32(a)} + U32(b)) >> 32)))},
      {"add.cc.s64 d5, d1, d2; addc.cc.s64 d6, d3, d4; addc.u64 d0, 0, 0;", 'd', GANTRY_IS([&] {
         const U128 low = U128{a} + b;
         return Word((U128{c} + d + Word(low >> 64)) >> 64);
       }())},
      {"sub.cc.u32 r5, r1, r2; subc.u32 r0, r3, r4;", 'r',
       GANTRY_IS(U32(c - d - (U32(a) < U32(b) ? 1 : 0)))},
      {"sub.cc.s64 d5, d1, d2; subc.cc.s64 d0, d3, d4;", 'd', GANTRY_IS(c - d - (a < b ? 1 : 0))},
      {"mad.lo.cc.u32 r5, r1, r2, r3; madc.hi.u32 r0, r1, r2, r4;", 'r',
       GANTRY_IS(U32(((Word{U32(a)} * U32(b)) >> 32) + d + ((Word{U32(a * b)} + U32(c)) >> 32)))},
      // Bits.
      {"and.b32 r0, r1, r2;", 'r', GANTRY_IS(U32(a & b))},
      {"xor.b64 d0, d1, d2;", 'd', GANTRY_IS(a ^ b)},
      {"not.b16 h0, h1;", 'h', GANTRY_IS(U16(~a))},
      {"xor.pred p0, p1, !p2;", 'p', GANTRY_IS((a & 1) ^ (b & 1) ^ 1)},
      {"not.pred p0, p1;", 'p', GANTRY_IS(1 - (a & 1))},
      {"mov.pred p0, -1;", 'p', GANTRY_IS(1)},
      {"cnot.b32 r0, r1;", 'r', GANTRY_IS(U32(a) == 0)},
      {"shl.b16 h0, h1, r2;", 'h', GANTRY_IS(U32(b) >= 16 ? 0 : U16(a << U32(b)))},
      {"shl.b64 d0, d1, r2;", 'd', GANTRY_IS(U32(b) >= 64 ? 0 : a << U32(b))},
      {"shr.s32 r0, r1, r2;", 'r', GANTRY_IS(U32(S32(a) >> std::min(U32(b), 31U)))},
      {"shr.u64 d0, d1, r2;", 'd', GANTRY_IS(U32(b) >= 64 ? 0 : a >> U32(b))},
      {"shr.s16 h0, h1, r2;", 'h', GANTRY_IS(U16(S16(a) >> std::min(U32(b), 15U)))},
      {"shf.l.wrap.b32 r0, r1, r2, r3;", 'r',
       GANTRY_IS(U32(((b << 32 | U32(a)) << (c & 31)) >> 32))},
      {"shf.r.clamp.b32 r0, r1, r2, r3;", 'r',
       GANTRY_IS(U32((b << 32 | U32(a)) >> std::min(U32(c), 32U)))},
      {"shf.l.clamp.b32 r0, r1, r2, r3;", 'r',
       GANTRY_IS(U32(((b << 32 | U32(a)) << std::min(U32(c), 32U)) >> 32))},
      {"popc.b64 r0, d1;", 'r', GANTRY_IS(std::popcount(a))},
      {"clz.b32 r0, r1;", 'r', GANTRY_IS(std::countl_zero(U32(a)))},
      {"clz.b64 r0, d1;", 'r', GANTRY_IS(std::countl_zero(a))},
      {"brev.b32 r0, r1;", 'r', GANTRY_IS(__builtin_bitreverse32(U32(a)))},
      {"bfind.u32 r0, r1;", 'r', GANTRY_IS(U32(a) == 0 ? U32(-1) : 31 - std::countl_zero(U32(a)))},
      {"bfind.s64 r0, d1;", 'r', GANTRY_IS([&] {
         const Word value = S64(a) < 0 ? ~a : a;
         return value == 0 ? Word{U32(-1)} : Word(63 - std::countl_zero(value));
       }())},
      {"bfind.shiftamt.s32 r0, r1;", 'r', GANTRY_IS([&] {
         const U32 value = S32(a) < 0 ? ~U32(a) : U32(a);
         return value == 0 ? Word{U32(-1)} : Word(std::countl_zero(value));
       }())},
      {"and.b32 r2, r2, 63; and.b32 r3, r3, 63; bfe.u32 r0, r1, r2, r3;", 'r',
       GANTRY_IS(bits_of(U32(a), b & 63, c & 63, 32, false))},
      {"and.b32 r2, r2, 63; and.b32 r3, r3, 63; bfe.s32 r0, r1, r2, r3;", 'r',
       GANTRY_IS(bits_of(U32(a), b & 63, c & 63, 32, true))},
      {"bfe.s64 d0, d1, r2, r3;", 'd', GANTRY_IS(bits_of(a, b & 255, c & 255, 64, true))},
      {"and.b32 r3, r3, 63; and.b32 r4, r4, 63; bfi.b32 r0, r1, r2, r3, r4;", 'r', GANTRY_IS([&] {
         U32 result = U32(b);
         for (unsigned i = 0; i < (d & 63) && (c & 63) + i < 32; ++i) {
           const U32 at = U32{1} << ((c & 63) + i);
           result = (a >> i & 1) != 0 && i < 32 ? result | at : result & ~at;
         }
         return result;
       }())},
      {"and.b32 r1, r1, 63; and.b32 r2, r2, 63; bmsk.clamp.b32 r0, r1, r2;", 'r', GANTRY_IS([&] {
         Word mask = 0;
         for (Word i = a & 63; i < 32 && i < (a & 63) + (b & 63); ++i) {
           mask |= Word{1} << i;
         }
         return mask;
       }())},
      {"and.b32 r2, r2, 31; fns.b32 r0, r1, r2, 2;", 'r', GANTRY_IS([&] {
         unsigned found = 0;
         for (unsigned i = b & 31; i < 32; ++i) {
           found += a >> i & 1;
           if ((a >> i & 1) != 0 && found == 2) {
             return U32{i};
           }
         }
         return U32(-1);
       }())},
      {"lop3.b32 r0, r1, r2, r3, 0x96;", 'r', GANTRY_IS(U32(a ^ b ^ c))},
      {"lop3.b32 r0, r1, r2, r3, 0xE4;", 'r', GANTRY_IS(U32((a & c) | (b & ~c)))},
      {"lop3.or.b32 r5|p0, r1, r2, r3, 0x80, p4;", 'p',
       GANTRY_IS(U32(a & b & c) != 0 || (d & 1) != 0)},
      {"prmt.b32 r0, r1, r2, 0x7531;", 'r',
       GANTRY_IS((a >> 8 & 0xFF) | (a >> 24 & 0xFF) << 8 | (b >> 8 & 0xFF) << 16 |
                 (b >> 24 & 0xFF) << 24)},
      {"prmt.b32 r0, r1, r2, 0x888B;", 'r',
       GANTRY_IS(((a >> 31 & 1) * 0xFF) | ((a >> 7 & 1) * 0xFFFFFF00))},
      {"prmt.b32.b4e r0, r1, r2, 1;", 'r',
       GANTRY_IS((a >> 8 & 0xFF) | (a & 0xFF) << 8 | (b >> 24 & 0xFF) << 16 |
                 (b >> 16 & 0xFF) << 24)},
      {"selp.b64 d0, d1, d2, p3;", 'd', GANTRY_IS((c & 1) != 0 ? a : b)},
      {"selp.b32 r0, r1, 7, !p3;", 'r', GANTRY_IS((c & 1) == 0 ? U32(a) : 7)},
      {"slct.u64.s32 d0, d1, d2, r3;", 'd', GANTRY_IS(S32(c) >= 0 ? a : b)},
      {"slct.b32.f32 r0, r1, r2, r3;", 'r',
       GANTRY_IS(std::bit_cast<float>(U32(c)) >= 0 ? U32(a) : U32(b))},
      // Comparisons.
      {"setp.lt.s16 p0, h1, h2;", 'p', GANTRY_IS(S16(a) < S16(b))},
      {"setp.hs.u32 p0, r1, r2;", 'p', GANTRY_IS(U32(a) >= U32(b))},
      {"setp.gt.s64.and p5|p0, d1, d2, p3;", 'p', GANTRY_IS(!(S64(a) > S64(b)) && (c & 1) != 0)},
      {"setp.ne.f32 p0, r1, r2;", 'p', GANTRY_IS([&] {
         const float x = std::bit_cast<float>(U32(a));
         const float y = std::bit_cast<float>(U32(b));
         return x < y || x > y;
       }())},
      {"setp.leu.f64 p0, d1, d2;", 'p',
       GANTRY_IS(!(std::bit_cast<double>(a) > std::bit_cast<double>(b)))},
      {"setp.num.f32 p0, r1, r2;", 'p',
       GANTRY_IS(!std::isnan(std::bit_cast<float>(U32(a))) &&
                 !std::isnan(std::bit_cast<float>(U32(b))))},
      {"set.lt.u32.s32 r0, r1, r2;", 'r', GANTRY_IS(S32(a) < S32(b) ? U32(-1) : 0)},
      {"set.ge.xor.f32.u64 r0, d1, d2, !p3;", 'r',
       GANTRY_IS((a >= b) != ((c & 1) == 0) ? 0x3F800000 : 0)},
      {"set.eq.f16.b16 h0, h1, h2;", 'h', GANTRY_IS(U16(a) == U16(b) ? 0x3C00 : 0)},
      {"copysign.f32 r0, r1, r2;", 'r', GANTRY_IS((a & 0x80000000) | (b & 0x7FFFFFFF))},
      {"testp.subnormal.f32 p0, r1;", 'p', GANTRY_IS((a & 0x7F800000) == 0 && (a & 0x7FFFFF) != 0)},
      {"testp.notanumber.f64 p0, d1;", 'p', GANTRY_IS(std::isnan(std::bit_cast<double>(a)))},
      // Moves and conversions.
      {"mov.b64 {r5, r6}, d1; mov.b64 d0, {r6, r5};", 'd', GANTRY_IS(a >> 32 | a << 32)},
      {"mov.b64 {h5, h6, h7, h8}, d1; mov.b32 r0, {h8, h6};", 'r',
       GANTRY_IS((a >> 48) | (a >> 16 & 0xFFFF) << 16)},
      {"mov.b64 {_, r0}, d1;", 'r', GANTRY_IS(a >> 32)},
      {"cvt.s64.s8 d0, r1;", 'd', GANTRY_IS(S64{std::int8_t(a)})},
      {"cvt.s16.s8 r0, r1;", 'r', GANTRY_IS(U32(S32{std::int8_t(a)}))},
      {"cvt.u64.u8 d0, r1;", 'd', GANTRY_IS(a & 0xFF)},
      {"cvt.sat.s8.s32 r0, r1;", 'r', GANTRY_IS(U32(std::clamp(S32(a), -128, 127)))},
      {"cvt.rn.f32.s32 r0, r1;", 'r', GANTRY_IS(std::bit_cast<U32>(float(S32(a))))},
      {"cvt.f64.f32 d0, r1;", 'd', GANTRY_IS([&] {
         const float x = std::bit_cast<float>(U32(a));
         return std::isnan(x) ? 0x7FF8000000000000 : std::bit_cast<Word>(double{x});
       }())},
      {"add.rn.f32 r0, r1, 0f3F800000;", 'r', GANTRY_IS([&] {
         const float sum = std::bit_cast<float>(U32(a)) + 1;
         return std::isnan(sum) ? U32{0x7FFFFFFF} : std::bit_cast<U32>(sum);
       }())},
      {"cvt.rn.f64.s32 d5, r1; fma.rn.f64 d0, d5, 0d4000000000000000, 0d3FF0000000000000;", 'd',
       GANTRY_IS(std::bit_cast<Word>(S32(a) * 2.0 + 1))},
      {"cvt.rn.f32.s32 r5, r1; mul.f32 r0, r5, 0.5;", 'r',
       GANTRY_IS(std::bit_cast<U32>(float(S32(a)) * 0.5F))},
      // Video.
      {"vadd.u32.u32.u32.add r0, r1, r2, r3;", 'r', GANTRY_IS(U32(a + b + c))},
      {"vsub.u32.u32.u32.add r0, r1, r2, r3;", 'r', GANTRY_IS(U32(a - b + c))},
      {"vadd.s32.s32.s32.sat r0, r1, r2;", 'r', GANTRY_IS(clamp32(S128{S32(a)} + S32(b)))},
      {"vabsdiff.u32.s32.s32.max r0, r1, r2, r3;", 'r',
       GANTRY_IS(std::max(U32(S32(a) < S32(b) ? b - a : a - b), U32(c)))},
      {"vabsdiff4.u32.u32.u32.add r0, r1, r2, r3;", 'r', GANTRY_IS(U32([&] {
         Word sum = c;
         for (unsigned i = 0; i < 32; i += 8) {
           sum += Word(std::abs(int(a >> i & 0xFF) - int(b >> i & 0xFF)));
         }
         return sum;
       }()))},
      {"vadd2.s32.s32.s32.sat r0, r1, r2, r3;", 'r', GANTRY_IS([&] {
         const auto one = [](Word x, Word y) {
           return Word{U16(std::clamp(S16(x) + S16(y), -32768, 32767))};
         };
         return one(a, b) | one(a >> 16, b >> 16) << 16;
       }())},
      {"vavrg4.u32.u32.u32 r0, r1, r2, r3;", 'r', GANTRY_IS([&] {
         Word result = 0;
         for (unsigned i = 0; i < 32; i += 8) {
           result |= ((a >> i & 0xFF) + (b >> i & 0xFF) + 1) / 2 << i;
         }
         return result;
       }())},
      {"vset4.u32.u32.lt r0, r1, r2, r3;", 'r', GANTRY_IS([&] {
         Word result = 0;
         for (unsigned i = 0; i < 32; i += 8) {
           result |= Word{(a >> i & 0xFF) < (b >> i & 0xFF)} << i;
         }
         return result;
       }())},
  };
  return all;
}

TEST(InterpretedValues, AreThoseOfTheHost) {
  const std::vector<Operands> all = operands();
  for (const Case& one : cases()) {
    const std::vector<Word> results = evaluate(one.code, one.result, all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& [a, b, c, d] = all[i];
      ASSERT_EQ(results[i], one.expected(a, b, c, d))
          << one.code << std::hex << ' ' << a << ' ' << b << ' ' << c << ' ' << d;
    }
  }
}

TEST(InterpretedValues, OfPackedHalves) {
  const std::vector<Operands> all = {{0x3C004000, 0x3C004400, 0x42003C00, 0}};
  EXPECT_EQ(evaluate("add.f16x2 r0, r1, r2;", 'r', all)[0], 0x40004600);
  EXPECT_EQ(evaluate("fma.rn.f16x2 r0, r1, r2, r3;", 'r', all)[0], 0x44004880);
  EXPECT_EQ(evaluate("set.eq.f16x2.f16x2 r0, r1, r2;", 'r', all)[0], 0x3C000000);
  EXPECT_EQ(evaluate("set.lt.u32.f16x2 r0, r1, r2;", 'r', all)[0], 0x0000FFFF);
  EXPECT_EQ(evaluate("setp.lt.f16x2 p0|p5, r1, r2;", 'p', all)[0], 1);
  EXPECT_EQ(evaluate("setp.lt.f16x2 p5|p0, r1, r2;", 'p', all)[0], 0);
  EXPECT_EQ(evaluate("cvt.rn.f16x2.f32 r0, 0f3F800000, 0f40000000;", 'r', all)[0], 0x3C004000);
  EXPECT_EQ(evaluate("mul.rn.f16 h0, h1, 0x3C00;", 'h', all)[0], 0x4000);
}

TEST(InterpretedValues, OfVectorRegisters) {
  const std::vector<Operands> all = {{5, 7, 0, 0}};
  EXPECT_EQ(evaluate(".reg .v2 .u32 v; mov.v2.u32 v, {r1, r2}; mov.v2.u32 {r2, r1}, v;"
                     "shl.b32 r1, r1, 8; add.u32 r0, r1, r2; add.u32 r0, r0, v.x;",
                     'r', all)[0],
            7 * 256 + 5 + 5);
  EXPECT_EQ(evaluate(".reg .v2 .u32 v; mov.v2.u32 v, {r1, r2}; mov.b64 d0, v;", 'd', all)[0],
            7ULL << 32 | 5);
  EXPECT_EQ(evaluate(".reg .v2 .u32 v; mov.b64 v, d1; add.u32 r0, v.x, v.y;", 'r', all)[0], 5);
}

} // namespace
} // namespace gantry::simt::exec
