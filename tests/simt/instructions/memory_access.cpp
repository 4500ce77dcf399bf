#include "memory_access.h"

#include "operand_values.h"

#include <algorithm>

#include <fmt/format.h>

namespace gantry::simt::instructions {

namespace {

using ptx::Modifier;

unsigned elements_of(const Instance& instance) {
  return instance.has(Modifier::kV8)   ? 8
         : instance.has(Modifier::kV4) ? 4
         : instance.has(Modifier::kV2) ? 2
                                       : 1;
}

} // namespace

bool is_access(const Instance& instance) {
  const unsigned size = ptx::size_of(instance.type());
  return elements_of(instance) * size <= 32 && (!instance.has(Modifier::kV8) || size == 4) &&
         !instance.has(Modifier::kAsync); // cluster_forms_test.cpp
}

AccessPiece::AccessPiece(const Instance& instance, Addressing addressing)
    : instance_(instance), seed_(hash_of(hash_of(instance.name()), static_cast<Word>(addressing))),
      addressing_(addressing), size_(ptx::size_of(instance.type())),
      elements_(elements_of(instance)), bytes_(size_ * elements_) {
  static constexpr const char* kWays[] = {"own record", "another's record", "one record for all"};
  static constexpr const char* kGuards[] = {"", ", predicated", ", in a divergent branch"};
  place_ = place_of();
  const bool once = place_ == Place::kFunctionParameter;
  guard_ = once ? Guard::kNone : static_cast<Guard>(seed_ >> 4 & 3 ? 0 : (seed_ >> 6 & 1) + 1);
  as_vector_ = (elements_ == 2 || elements_ == 4) && size_ > 1 && (seed_ >> 7 & 3) == 0;
  const bool plain = !ptx::is_float(instance.type());
  register_bits_ = std::max(16U, 8 * size_);
  if (plain && !as_vector_ && (seed_ >> 9 & 1) != 0) {
    register_bits_ = std::max(register_bits_, 32U << (seed_ >> 10 & 1));
  }
  label_ = fmt::format("{}, {}{}", instance.name(), kWays[static_cast<int>(addressing)],
                       kGuards[static_cast<int>(guard_)]);
}

Place AccessPiece::place_of() const {
  if (instance_.has(Modifier::kGlobal)) {
    return Place::kGlobal;
  }
  if (instance_.has_any(Modifier::kShared, Modifier::kSharedCta, Modifier::kSharedCluster)) {
    return Place::kShared;
  }
  if (instance_.has(Modifier::kLocal)) {
    return Place::kLocal;
  }
  if (instance_.has(Modifier::kConst)) {
    return Place::kConst;
  }
  if (instance_.has(Modifier::kParamFunc)) {
    return Place::kFunctionParameter;
  }
  const bool stores = instance_.opcode == ptx::Opcode::k_st;
  if (instance_.has(Modifier::kParamEntry)) {
    return Place::kKernelParameter;
  }
  if (instance_.has(Modifier::kParam)) {
    return stores || (seed_ >> 12 & 1) != 0 ? Place::kFunctionParameter : Place::kKernelParameter;
  }
  const bool shareable = instance_.has_any(Modifier::kRelaxed, Modifier::kAcquire,
                                           Modifier::kRelease, Modifier::kMmio);
  switch (seed_ >> 13 & 7) {
  case 0:
  case 1:
    return Place::kShared;
  case 2:
    return shareable ? Place::kGlobal : Place::kLocal;
  case 3:
    return shareable || stores ? Place::kGlobal : Place::kConst;
  default:
    return Place::kGlobal;
  }
}

bool AccessPiece::is_generic() const {
  return !instance_.has_any(Modifier::kGlobal, Modifier::kShared, Modifier::kSharedCta,
                            Modifier::kSharedCluster, Modifier::kLocal, Modifier::kConst) &&
         !instance_.has_any(Modifier::kParam, Modifier::kParamEntry, Modifier::kParamFunc);
}

unsigned AccessPiece::other(unsigned lane, unsigned block) const {
  switch (addressing_) {
  case Addressing::kOwn:
    return lane;
  case Addressing::kOther:
    return (lane * 7 + 3) % kLanes;
  case Addressing::kUniform:
    return block;
  }
  return lane;
}

std::string AccessPiece::other_code() const {
  switch (addressing_) {
  case Addressing::kOwn:
    return "  .reg .b32 %j; mov.b32 %j, %lane;\n";
  case Addressing::kOther:
    return "  .reg .b32 %j; mad.lo.u32 %j, %lane, 7, 3; and.b32 %j, %j, 31;\n";
  case Addressing::kUniform:
    return "  .reg .b32 %j; mov.b32 %j, %block;\n";
  }
  return {};
}

bool AccessPiece::executes(unsigned thread) const {
  return guard_ == Guard::kNone || (hash_of(seed_, thread, 9) & 3) != 0;
}

std::string AccessPiece::guard_code(const std::string& address) const {
  return guard_ == Guard::kNone
             ? ""
             : fmt::format("  .reg .pred %guard; .reg .b32 %w; ld.global.b32 %w, [{}]; "
                           "setp.ne.b32 %guard, %w, 0;\n",
                           address);
}

const char* AccessPiece::guard_text() const {
  return guard_ == Guard::kPredicate ? "@%guard " : "";
}

const char* AccessPiece::policy_text() const {
  return !instance_.has(Modifier::kL2CacheHint) ? ""
         : place_ == Place::kFunctionParameter  ? ", 7"
                                                : ", %outputs";
}

std::string AccessPiece::address_code(const char* space, const std::string& base) const {
  std::string text = fmt::format(
      "  .reg .b64 %p, %o; mov.b64 %p, {}; mul.wide.u32 %o, %j, {}; add.u64 %p, %p, %o;\n", base,
      bytes_);
  if (is_generic()) {
    text += fmt::format("  cvta.{}.u64 %p, %p;\n", space);
  } else if ((seed_ >> 16 & 1) != 0 && place_ != Place::kGlobal) {
    text += "  .reg .b32 %q; cvt.u32.u64 %q, %p;\n"; // windows may be addressed by 32 bits
  }
  return text;
}

std::string AccessPiece::address() const {
  const bool narrow = !is_generic() && (seed_ >> 16 & 1) != 0 &&
                      (place_ == Place::kShared || place_ == Place::kLocal);
  return narrow ? "[%q]" : "[%p]";
}

std::string AccessPiece::global_code(const char* cells, unsigned first) const {
  if (addressing_ == Addressing::kOwn) {
    return fmt::format("  .reg .b64 %p; add.u64 %p, %{}{}, {};\n{}", cells, bytes_, first,
                       is_generic() ? "  cvta.global.u64 %p, %p;\n" : "");
  }
  return fmt::format("  .reg .b64 %base; add.u64 %base, %{}puts, {}; .reg .b32 %b; mul.lo.u32 "
                     "%b, %block, {}; "
                     ".reg .b64 %c; cvt.u64.u32 %c, %b; add.u64 %base, %base, %c;\n",
                     cells, first, kLanes * bytes_) +
         address_code("global", "%base");
}

std::string AccessPiece::fill_code(const Places& places, const char* space) const {
  std::string text = "  .reg .b32 %f; .reg .b64 %x; .reg .b16 %h;\n";
  text += fmt::format("  mov.b32 %f, {}; mad.lo.u32 %f, %lane, {}, %f;\n",
                      place_ == Place::kShared ? "window" : "frame", bytes_);
  const unsigned step = std::min(bytes_, 8U);
  for (unsigned offset = 0; offset < bytes_; offset += step) {
    const char* part = step == 8 ? "%x" : step == 4 ? "%w4" : "%h";
    text += fmt::format("  ld.global.b{0} {1}, [{2}+{3}]; st.{4}.b{0} [%f+{3}], {1};\n", 8 * step,
                        part, places.input(0, 8 * bytes_), offset, space);
  }
  return "  .reg .b32 %w4;\n" + text + "  bar.warp.sync 0xFFFFFFFF;\n";
}

std::string AccessPiece::register_text(unsigned element) const {
  static constexpr char kElements[] = "xyzw";
  return as_vector_ ? fmt::format("%v.{}", kElements[element]) : fmt::format("%d{}", element);
}

std::string AccessPiece::registers_code() const {
  if (as_vector_) {
    return fmt::format("  .reg .v{} .b{} %v;\n", elements_, register_bits_);
  }
  return fmt::format("  .reg .b{} %d<{}>;\n", register_bits_, elements_);
}

std::string AccessPiece::moved_text() const {
  if (as_vector_) {
    return "%v";
  }
  std::string text;
  for (unsigned i = 0; i < elements_; ++i) {
    text += fmt::format("{}%d{}", i == 0 ? "" : ", ", i);
  }
  return elements_ > 1 || (seed_ >> 18 & 7) == 0 ? "{" + text + "}" : text;
}

} // namespace gantry::simt::instructions
