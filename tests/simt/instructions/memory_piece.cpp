#include "memory_piece.h"

#include "operand_values.h"
#include "reference.h"

#include <array>
#include <memory>

#include <fmt/format.h>

namespace gantry::simt::instructions {

namespace {

using ptx::Modifier;

enum class Place { kGlobal, kShared, kLocal, kConst, kKernelParameter, kFunctionParameter };
enum class Guard { kNone, kPredicate, kBranch };
using Bytes = std::array<std::uint8_t, 32>;

unsigned elements_of(const Instance& instance) {
  return instance.has(Modifier::kV8)   ? 8
         : instance.has(Modifier::kV4) ? 4
         : instance.has(Modifier::kV2) ? 2
                                       : 1;
}

/// What ld and st pieces have in common.
class Access {
public:
  Access(const Instance& instance, Addressing addressing)
      : instance_(instance),
        seed_(hash_of(hash_of(instance.name()), static_cast<Word>(addressing))),
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

protected:
  [[nodiscard]] Place place_of() const {
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
  [[nodiscard]] bool is_generic() const {
    return !instance_.has_any(Modifier::kGlobal, Modifier::kShared, Modifier::kSharedCta,
                              Modifier::kSharedCluster, Modifier::kLocal, Modifier::kConst) &&
           !instance_.has_any(Modifier::kParam, Modifier::kParamEntry, Modifier::kParamFunc);
  }

  /// The lane whose record a lane accesses.
  [[nodiscard]] unsigned other(unsigned lane, unsigned block) const {
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
  [[nodiscard]] std::string other_code() const {
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

  [[nodiscard]] bool executes(unsigned thread) const {
    return guard_ == Guard::kNone || (hash_of(seed_, thread, 9) & 3) != 0;
  }
  [[nodiscard]] std::string guard_code(const std::string& address) const {
    return guard_ == Guard::kNone
               ? ""
               : fmt::format("  .reg .pred %guard; .reg .b32 %w; ld.global.b32 %w, [{}]; "
                             "setp.ne.b32 %guard, %w, 0;\n",
                             address);
  }
  [[nodiscard]] const char* guard_text() const {
    return guard_ == Guard::kPredicate ? "@%guard " : "";
  }

  /// The cache policy, whatever it is, of an instruction that has one.
  [[nodiscard]] const char* policy_text() const {
    return !instance_.has(Modifier::kL2CacheHint) ? ""
           : place_ == Place::kFunctionParameter  ? ", 7"
                                                  : ", %outputs";
  }

  /// %p: an address of the space (or a generic one) that is `base`, of `width` bits, plus %j
  /// records.
  [[nodiscard]] std::string address_code(const char* space, const std::string& base) const {
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
  [[nodiscard]] std::string address() const {
    const bool narrow = !is_generic() && (seed_ >> 16 & 1) != 0 &&
                        (place_ == Place::kShared || place_ == Place::kLocal);
    return narrow ? "[%q]" : "[%p]";
  }

  /// Stores the record that begins at input `cell` to a window's place of this lane, with plain
  /// stores.
  [[nodiscard]] std::string fill_code(const Places& places, const char* space) const {
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

  [[nodiscard]] std::string register_text(unsigned element) const {
    static constexpr char kElements[] = "xyzw";
    return as_vector_ ? fmt::format("%v.{}", kElements[element]) : fmt::format("%d{}", element);
  }
  [[nodiscard]] std::string registers_code() const {
    if (as_vector_) {
      return fmt::format("  .reg .v{} .b{} %v;\n", elements_, register_bits_);
    }
    return fmt::format("  .reg .b{} %d<{}>;\n", register_bits_, elements_);
  }
  [[nodiscard]] std::string moved_text() const {
    if (as_vector_) {
      return "%v";
    }
    std::string text;
    for (unsigned i = 0; i < elements_; ++i) {
      text += fmt::format("{}%d{}", i == 0 ? "" : ", ", i);
    }
    return elements_ > 1 || (seed_ >> 18 & 7) == 0 ? "{" + text + "}" : text;
  }

  Instance instance_;
  Word seed_;
  Addressing addressing_;
  unsigned size_, elements_, bytes_;
  Place place_ = Place::kGlobal;
  Guard guard_ = Guard::kNone;
  bool as_vector_ = false;
  unsigned register_bits_ = 0;
  std::string label_;
};

// ld: inputs 0 to 3 are the record, 4 the guard; outputs are the elements.
class Load : public Access {
public:
  using Access::Access;

  static Piece piece(const std::shared_ptr<Load>& self) {
    Piece piece;
    piece.label = self->label_;
    piece.inputs = 5;
    piece.outputs = self->elements_;
    piece.code = [self](const Places& places) { return self->code(places); };
    piece.declarations = [self](const Places& places) { return self->declarations(places); };
    piece.input = [self](unsigned cell, unsigned thread) {
      return cell == 4 ? Word{self->executes(thread)} : hash_of(self->seed_, thread, cell);
    };
    piece.input_bits = [self](unsigned cell) {
      return cell == 4 ? 32 : cell == 0 ? 8 * self->bytes_ : 0;
    };
    piece.check = [self](const Results& results) { return self->check(results); };
    return piece;
  }

private:
  [[nodiscard]] std::string declarations(const Places& places) const {
    if (place_ == Place::kConst) {
      std::string text =
          fmt::format(".const .align 32 .b64 {}[128] = {{", places.label("constants"));
      for (unsigned i = 0; i < 128; ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", hash_of(seed_, i, 400));
      }
      return text + "};\n";
    }
    if (place_ != Place::kFunctionParameter) {
      return {};
    }
    std::string text = fmt::format(
        ".func (.param .align 32 .b8 result[64]) {}(.param .align 32 .b8 record[64]) {{\n{}",
        places.label("callee"), registers_code());
    text += fmt::format("  {} {}, [record+{}]{};\n  .reg .b64 %x;\n", instance_.name(),
                        moved_text(), argument_offset(), policy_text());
    for (unsigned i = 0; i < elements_; ++i) {
      text += widened_code(i) + fmt::format("  st.param.b64 [result+{}], %x;\n", 8 * i);
    }
    return text + "  ret;\n}\n";
  }

  [[nodiscard]] unsigned argument_offset() const { return (seed_ >> 20 & 1) != 0 ? 32 : 0; }

  // %x: the register that element i is in, as 64 bits.
  [[nodiscard]] std::string widened_code(unsigned i) const {
    if (register_bits_ == 64) {
      return fmt::format("  mov.b64 %x, {};\n", register_text(i));
    }
    return fmt::format("  cvt.u64.u{} %x, {};\n", register_bits_, register_text(i));
  }

  [[nodiscard]] std::string code(const Places& places) const {
    if (place_ == Place::kFunctionParameter) {
      return call_code(places);
    }
    std::string text = guard_code(places.input(4, 32)) + other_code();
    std::string address_text = address();
    switch (place_) {
    case Place::kGlobal:
      text += global_code(places);
      break;
    case Place::kShared:
      text += "  .shared .align 32 .b8 window[1024];\n" + fill_code(places, "shared") +
              address_code("shared", "window");
      break;
    case Place::kLocal:
      text += "  .local .align 32 .b8 frame[1024];\n" + fill_code(places, "local");
      text += "  mov.b32 %j, %lane;\n" + address_code("local", "frame"); // others' are other memory
      break;
    case Place::kConst:
      text += address_code("const", places.label("constants"));
      break;
    default:
      if (addressing_ == Addressing::kUniform) {
        address_text = fmt::format("[data+{}]", parameter_record() * bytes_);
      } else {
        text += address_code("param", "data");
      }
      break;
    }
    text += registers_code();
    if (guard_ == Guard::kPredicate) {
      for (unsigned i = 0; i < elements_; ++i) {
        text += fmt::format("  mov.b{} {}, 77;\n", register_bits_, register_text(i));
      }
    }
    if (guard_ == Guard::kBranch) {
      text += fmt::format("  @!%guard bra {};\n", places.label("skip"));
    }
    text += fmt::format("  {}{} {}, {}{};\n  .reg .b64 %y;\n", guard_text(), instance_.name(),
                        moved_text(), address_text, policy_text());
    for (unsigned i = 0; i < elements_; ++i) {
      text += fmt::format("  st.global.b{} [{}], {};\n", register_bits_,
                          places.output(i, register_bits_), register_text(i));
    }
    if (guard_ == Guard::kBranch) {
      text += places.label("skip") + ":\n";
    }
    return place_ == Place::kShared ? text + "  bar.warp.sync 0xFFFFFFFF;\n" : text;
  }

  [[nodiscard]] unsigned parameter_record() const {
    return static_cast<unsigned>(seed_ >> 24) % 32;
  }

  [[nodiscard]] std::string global_code(const Places& places) const {
    if (addressing_ == Addressing::kOwn) {
      return fmt::format("  .reg .b64 %p; add.u64 %p, %in{}, {};\n{}", bytes_,
                         places.first_input(0), is_generic() ? "  cvta.global.u64 %p, %p;\n" : "");
    }
    return fmt::format("  .reg .b64 %base; add.u64 %base, %inputs, {}; .reg .b32 %b; mul.lo.u32 "
                       "%b, %block, {}; "
                       ".reg .b64 %c; cvt.u64.u32 %c, %b; add.u64 %base, %base, %c;\n",
                       places.first_input(0), kLanes * bytes_) +
           address_code("global", "%base");
  }

  [[nodiscard]] std::string call_code(const Places& places) const {
    std::string text = "  .reg .b64 %x;\n  {\n  .param .align 32 .b8 argument[64]; .param .align "
                       "32 .b8 back[64];\n";
    for (unsigned i = 0; i < 8; ++i) {
      text += fmt::format("  mad.wide.u32 %x, %gid, {}, {}; st.param.b64 [argument+{}], %x;\n",
                          0x1234567 * (i + 1), hash_of(seed_, i) >> 1, 8 * i);
    }
    text += fmt::format("  call (back), {}, (argument);\n", places.label("callee"));
    for (unsigned i = 0; i < elements_; ++i) {
      text += fmt::format("  ld.param.b64 %x, [back+{}]; st.global.b64 [{}], %x;\n", 8 * i,
                          places.output(i, 64));
    }
    return text + "  }\n";
  }

  /// The byte of the record that the thread reads.
  [[nodiscard]] std::uint8_t byte(unsigned thread, unsigned index) const {
    const unsigned block = thread / kLanes;
    const unsigned lane = other(thread % kLanes, block);
    const auto of_word = [](Word word, unsigned at) {
      return static_cast<std::uint8_t>(word >> (8 * at));
    };
    switch (place_) {
    case Place::kConst: {
      const unsigned at = lane * bytes_ + index;
      return of_word(hash_of(seed_, at / 8, 400), at % 8);
    }
    case Place::kKernelParameter:
      return parameter_byte(
          (addressing_ == Addressing::kUniform ? parameter_record() : lane) * bytes_ + index);
    case Place::kFunctionParameter: {
      const unsigned at = argument_offset() + index;
      return of_word(
          Word{thread} * (Word{0x1234567} * (at / 8 + 1)) + (hash_of(seed_, at / 8) >> 1), at % 8);
    }
    case Place::kLocal:
      return of_word(hash_of(seed_, thread, index / 8), index % 8);
    default:
      return of_word(hash_of(seed_, block * kLanes + lane, index / 8), index % 8);
    }
  }

  [[nodiscard]] std::string check(const Results& results) const {
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      for (unsigned i = 0; i < elements_; ++i) {
        Word bits = 0;
        for (unsigned at = 0; at < size_; ++at) {
          bits |= Word{byte(thread, i * size_ + at)} << (8 * at);
        }
        const bool extends = ptx::is_signed(instance_.type());
        Word expected =
            extends ? low_bits(static_cast<Word>(value_of(instance_.type(), bits)), register_bits_)
                    : bits;
        const unsigned width = place_ == Place::kFunctionParameter ? 64 : register_bits_;
        if (!executes(thread)) {
          expected = guard_ == Guard::kPredicate ? 77 : low_bits(kUntouched, width);
        }
        const Word actual = results.output(i, thread, width);
        if (actual != expected) {
          return fmt::format("element {} is {:#x} and should be {:#x} (thread {})", i, actual,
                             expected, thread);
        }
      }
    }
    return {};
  }
};

// st: inputs 0 to 7 are the elements, 8 the guard; outputs 0 to 3 are the record.
class Store : public Access {
public:
  Store(const Instance& instance, Addressing addressing) : Access(instance, addressing) {
    // Of lanes that store to one place, nobody knows who is last.
    if (addressing_ == Addressing::kUniform && place_ != Place::kFunctionParameter) {
      guard_ = (seed_ >> 4 & 1) != 0 ? Guard::kPredicate : Guard::kBranch;
    }
    literal_ =
        static_cast<unsigned>(seed_ >> 30 & 15); // the element that is a literal, if there is one
  }

  static Piece piece(const std::shared_ptr<Store>& self) {
    Piece piece;
    piece.label = self->label_;
    piece.inputs = 9;
    piece.outputs = 4;
    piece.code = [self](const Places& places) { return self->code(places); };
    piece.declarations = [self](const Places& places) { return self->declarations(places); };
    piece.input = [self](unsigned cell, unsigned thread) {
      return cell == 8 ? Word{self->stores(thread)} : hash_of(self->seed_, thread, cell);
    };
    piece.input_bits = [self](unsigned cell) { return cell == 8 ? 32 : self->register_bits_; };
    piece.check = [self](const Results& results) { return self->check(results); };
    return piece;
  }

private:
  [[nodiscard]] bool stores(unsigned thread) const {
    return addressing_ == Addressing::kUniform
               ? thread % kLanes == hash_of(seed_, thread / kLanes) % kLanes
               : executes(thread);
  }
  [[nodiscard]] bool has_literal(unsigned element) const {
    return !as_vector_ && literal_ == element && !ptx::is_float(instance_.type());
  }
  [[nodiscard]] std::string source_text() const {
    if (as_vector_) {
      return "%v";
    }
    std::string text;
    for (unsigned i = 0; i < elements_; ++i) {
      text += (i == 0 ? "" : ", ") +
              (has_literal(i) ? fmt::format("{}", literal_bits()) : register_text(i));
    }
    return elements_ > 1 ? "{" + text + "}" : text;
  }
  [[nodiscard]] Word literal_bits() const { return low_bits(hash_of(seed_, 99), 8 * size_); }

  [[nodiscard]] std::string sources_code(const Places& places) const {
    std::string text = registers_code();
    for (unsigned i = 0; i < elements_; ++i) {
      text += fmt::format("  ld.global.b{} {}, [{}];\n", register_bits_, register_text(i),
                          places.input(i, register_bits_));
    }
    return text;
  }

  [[nodiscard]] std::string declarations(const Places& places) const {
    if (place_ != Place::kFunctionParameter) {
      return {};
    }
    std::string text = fmt::format(".func (.param .align 32 .b8 result[32]) {}(.param .align 32 "
                                   ".b8 values[64]) {{\n{}  .reg .b64 %x;\n",
                                   places.label("callee"), registers_code());
    for (unsigned i = 0; i < elements_; ++i) {
      text +=
          fmt::format("  ld.param.b{} {}, [values+{}];\n", register_bits_, register_text(i), 8 * i);
    }
    return text + fmt::format("  {} [result], {}{};\n  ret;\n}}\n", instance_.name(), source_text(),
                              policy_text());
  }

  [[nodiscard]] std::string code(const Places& places) const {
    if (place_ == Place::kFunctionParameter) {
      return call_code(places);
    }
    std::string text = guard_code(places.input(8, 32)) + other_code() + sources_code(places);
    switch (place_) {
    case Place::kGlobal:
      text += global_code(places);
      break;
    case Place::kShared:
      text += "  .shared .align 32 .b8 window[1024];\n" + pattern_code("window", "shared") +
              address_code("shared", "window");
      break;
    default:
      text += "  .local .align 32 .b8 frame[1024];\n" + pattern_code("frame", "local") +
              "  mov.b32 %j, %lane;\n" + address_code("local", "frame");
      break;
    }
    if (guard_ == Guard::kBranch) {
      text += fmt::format("  @!%guard bra {};\n", places.label("skip"));
    }
    text += fmt::format("  {}{} {}, {}{};\n", guard_text(), instance_.name(), address(),
                        source_text(), policy_text());
    if (guard_ == Guard::kBranch) {
      text += places.label("skip") + ":\n";
    }
    return text + (place_ == Place::kGlobal ? "" : copy_code(places));
  }

  [[nodiscard]] std::string global_code(const Places& places) const {
    if (addressing_ == Addressing::kOwn) {
      return fmt::format("  .reg .b64 %p; add.u64 %p, %out{}, {};\n{}", bytes_,
                         places.first_output(0), is_generic() ? "  cvta.global.u64 %p, %p;\n" : "");
    }
    return fmt::format("  .reg .b64 %base; add.u64 %base, %outputs, {}; .reg .b32 %b; mul.lo.u32 "
                       "%b, %block, {}; "
                       ".reg .b64 %c; cvt.u64.u32 %c, %b; add.u64 %base, %base, %c;\n",
                       places.first_output(0), kLanes * bytes_) +
           address_code("global", "%base");
  }

  // Fills this lane's record of a window with the pattern of outputs.
  [[nodiscard]] std::string pattern_code(const char* window, const char* space) const {
    std::string text = fmt::format(
        "  .reg .b32 %f; mov.b32 %f, {}; mad.lo.u32 %f, %lane, {}, %f;\n", window, bytes_);
    const unsigned step = std::min(bytes_, 8U);
    for (unsigned offset = 0; offset < bytes_; offset += step) {
      text += fmt::format("  st.{}.b{} [%f+{}], {};\n", space, 8 * step, offset,
                          low_bits(kUntouched, 8 * step));
    }
    return text + "  bar.warp.sync 0xFFFFFFFF;\n";
  }
  [[nodiscard]] std::string copy_code(const Places& places) const {
    std::string text = "  bar.warp.sync 0xFFFFFFFF; .reg .b64 %x; .reg .b32 %w4; .reg .b16 %h;\n";
    const unsigned step = std::min(bytes_, 8U);
    const char* part = step == 8 ? "%x" : step == 4 ? "%w4" : "%h";
    for (unsigned offset = 0; offset < bytes_; offset += step) {
      text += fmt::format("  ld.{0}.b{1} {2}, [%f+{3}]; st.global.b{1} [{4}+{3}], {2};\n",
                          place_ == Place::kShared ? "shared" : "local", 8 * step, part, offset,
                          places.output(0, 8 * bytes_));
    }
    return text + "  bar.warp.sync 0xFFFFFFFF;\n";
  }

  [[nodiscard]] std::string call_code(const Places& places) const {
    std::string text = sources_code(places);
    text += "  {\n  .param .align 32 .b8 argument[64]; .param .align 32 .b8 back[32];\n";
    for (unsigned i = 0; i < elements_; ++i) {
      text += fmt::format("  st.param.b{} [argument+{}], {};\n", register_bits_, 8 * i,
                          register_text(i));
    }
    text += fmt::format(
        "  call (back), {}, (argument);\n  .reg .b64 %x; .reg .b32 %w4; .reg .b16 %h;\n",
        places.label("callee"));
    const unsigned step = std::min(bytes_, 8U);
    const char* part = step == 8 ? "%x" : step == 4 ? "%w4" : "%h";
    for (unsigned offset = 0; offset < bytes_; offset += step) {
      text += fmt::format("  ld.param.b{0} {1}, [back+{2}]; st.global.b{0} [{3}+{2}], {1};\n",
                          8 * step, part, offset, places.output(0, 8 * bytes_));
    }
    return text + "  }\n";
  }

  [[nodiscard]] std::string check(const Results& results) const {
    std::vector<std::uint8_t> expected(std::size_t{kThreads} * bytes_);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] = static_cast<std::uint8_t>(kUntouched);
    }
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      if (guard_ != Guard::kNone && !stores(thread)) {
        continue;
      }
      const unsigned block = thread / kLanes;
      const bool own = place_ == Place::kLocal || place_ == Place::kFunctionParameter;
      const unsigned to = block * kLanes + (own ? thread % kLanes : other(thread % kLanes, block));
      for (unsigned at = 0; at < bytes_; ++at) {
        const unsigned element = at / size_;
        const Word word = has_literal(element) ? literal_bits() : hash_of(seed_, thread, element);
        expected[std::size_t{to} * bytes_ + at] =
            static_cast<std::uint8_t>(word >> (8 * (at % size_)));
      }
    }
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      for (unsigned at = 0; at < bytes_; ++at) {
        const Word word = results.output(0, thread, 8 * bytes_, at / 8);
        const auto actual = static_cast<std::uint8_t>(word >> (8 * (at % 8)));
        const std::uint8_t wanted = expected[std::size_t{thread} * bytes_ + at];
        if (actual != wanted) {
          return fmt::format("byte {} of the record of thread {} is {:#x} and should be {:#x}", at,
                             thread, actual, wanted);
        }
      }
    }
    return {};
  }

  unsigned literal_ = 0;
};

} // namespace

bool is_access(const Instance& instance) {
  const unsigned size = ptx::size_of(instance.type());
  return elements_of(instance) * size <= 32 && (!instance.has(Modifier::kV8) || size == 4);
}

Piece load_piece(const Instance& instance, Addressing addressing) {
  return Load::piece(std::make_shared<Load>(instance, addressing));
}

Piece store_piece(const Instance& instance, Addressing addressing) {
  return Store::piece(std::make_shared<Store>(instance, addressing));
}

} // namespace gantry::simt::instructions
