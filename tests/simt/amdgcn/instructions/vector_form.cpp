#include "vector_form.h"

#include "../../instructions/number.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>

namespace gantry::simt::amdgcn {

namespace {

namespace number = instructions;

constexpr unsigned kResult = 20;
constexpr unsigned kMask = 20;                 ///< SGPRs that a mask is written to
constexpr unsigned kCarry = 30;                ///< and is read from
constexpr std::uint32_t kLiteral = 0x40490fdb; ///< as a float, and cut as a half
constexpr const char* kParts[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                  "WORD_0", "WORD_1", "DWORD"};
constexpr const char* kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
constexpr unsigned kLowHalf = 4, kHighHalf = 5;
constexpr unsigned kWhole = 6; ///< DWORD
constexpr unsigned kPreserve = 2;

struct Shape {
  explicit Shape(std::string_view types) {
    const std::size_t middle = types.find('=');
    result = types[0];
    for (const char c : types.substr(1, middle - 1)) {
      writes_mask |= c == '!';
      clamps |= c == '~';
      keeps_half |= c == '|' || c == '^';
      chooses_halves |= c == '^';
    }
    for (const char c : types.substr(middle + 1)) {
      switch (c) {
      case 'c':
        reads_mask = true;
        break;
      case 'v':
        reads_vcc = true;
        break;
      case '+':
        reads_result = true;
        break;
      case 'k':
      case 'K':
        literal = c;
        break;
      default:
        sources += c;
      }
    }
  }
  [[nodiscard]] bool is_comparison() const { return result == 'm' || result == 'x'; }
  [[nodiscard]] OperandType value_type() const { return is_comparison() ? 'u' : result; }
  [[nodiscard]] OperandType last_type() const { return sources.back(); }

  char result = 0;
  std::string sources;
  bool writes_mask = false, clamps = false, keeps_half = false, chooses_halves = false;
  bool reads_mask = false, reads_vcc = false, reads_result = false;
  char literal = 0;
};

/// An instruction as it is written, and what that means.
struct Attempt {
  std::string text;
  Words words;
  std::vector<Operand> sources;
  unsigned result = kResult;
  unsigned mask = scalar::kVcc, carry = scalar::kVcc;
  unsigned negate = 0, absolute = 0, extend = 0; ///< a bit for each source
  unsigned parts[3] = {kWhole, kWhole, kWhole};
  unsigned result_part = kWhole, unused = 0;
  bool clamp = false;
  bool is_basic = false; ///< VGPRs alone: all pairs of edges are tried
};

class Writer {
public:
  Writer(std::string_view mnemonic, const Shape& shape, const Machine& machine)
      : mnemonic_(mnemonic), shape_(shape), processor_(machine.processor()),
        has_narrow_masks_(machine.wave().all >> 32 == 0) {
    for (std::size_t i = 0; i < shape.sources.size(); ++i) {
      plain_.push_back(vector_operand(2 + 2 * static_cast<unsigned>(i), shape.sources[i]));
    }
  }

  std::vector<Attempt> write() {
    if (shape_.literal != 0) {
      write_literal();
      return std::move(made_);
    }
    write_short();
    write_long();
    write_halves();
    write_parts();
    return std::move(made_);
  }

private:
  Attempt attempt() const {
    Attempt made;
    made.sources = plain_;
    keep_half(made);
    return made;
  }
  void keep_half(Attempt& it) const {
    const bool keeps = processor_.is_gfx11 || (shape_.keeps_half && !processor_.is_gfx8);
    if (keeps && width_of(shape_.value_type()) == 16) {
      it.result_part = kLowHalf;
      it.unused = kPreserve;
    }
  }
  /// Behind a VGPR of 16 bits, on gfx11.
  [[nodiscard]] const char* half_text(OperandType type, unsigned part) const {
    return !processor_.is_gfx11 || width_of(type) != 16 ? "" : part == kHighHalf ? ".h" : ".l";
  }
  [[nodiscard]] std::string result_text(const Attempt& it) const {
    return registers('v', it.result, dwords_of(shape_.value_type())) +
           half_text(shape_.value_type(), it.result_part);
  }
  [[nodiscard]] std::string mask_text(unsigned mask) const {
    if (has_narrow_masks_) {
      return mask == scalar::kVcc ? "vcc_lo" : registers('s', mask, 1);
    }
    return mask == scalar::kVcc ? "vcc" : registers('s', mask, 2);
  }
  [[nodiscard]] std::string source_text(const Attempt& it, unsigned i) const {
    std::string text = it.sources[i].text;
    if (it.sources[i].kind == Operand::Kind::kVector) {
      text += half_text(type_of_source(i), it.parts[i]);
    }
    if (((it.extend >> i) & 1) != 0) {
      text = "sext(" + text + ")";
    }
    if (((it.absolute >> i) & 1) != 0) {
      text = "|" + text + "|";
    }
    if (((it.negate >> i) & 1) != 0) {
      text = it.sources[i].kind == Operand::Kind::kConstant ? "neg(" + text + ")" : "-" + text;
    }
    return text;
  }
  void put(Attempt it, std::string_view suffix, std::string_view behind = "") {
    std::string text = fmt::format("{}{} ", mnemonic_, suffix);
    if (!sets_exec_alone()) {
      text += shape_.is_comparison() ? mask_text(it.mask) : result_text(it);
    }
    if (shape_.writes_mask) {
      text += ", " + mask_text(it.mask);
    }
    for (unsigned i = 0; i < it.sources.size(); ++i) {
      text += (i == 0 && sets_exec_alone() ? "" : ", ") + source_text(it, i);
    }
    if (shape_.reads_mask) {
      text += ", " + mask_text(it.carry);
    }
    it.text = text + std::string(behind);
    made_.push_back(std::move(it));
  }

  [[nodiscard]] bool sets_exec_alone() const { return processor_.is_gfx11 && shape_.result == 'x'; }
  [[nodiscard]] OperandType type_of_source(std::size_t i) const {
    return i < shape_.sources.size() ? shape_.sources[i] : shape_.result; // a literal
  }

  void write_short() {
    Attempt basic = attempt();
    basic.is_basic = true;
    put(basic, "_e32");
    if (processor_.is_gfx11) {
      write_halves("_e32", plain_.size());
    }
    Attempt in_place = attempt();
    in_place.result = 2;
    put(in_place, "_e32");
    for (const Operand& source : scalar_sources(shape_.sources[0], true)) {
      Attempt made = attempt();
      made.sources[0] = source;
      put(made, "_e32");
    }
  }

  void write_long() {
    const auto count = static_cast<unsigned>(plain_.size());
    const auto long_attempt = [&] {
      Attempt made = attempt();
      made.mask = kMask;
      made.carry = kCarry;
      return made;
    };
    Attempt basic = long_attempt();
    basic.is_basic = true;
    put(basic, "_e64");
    Attempt implicit = attempt(); // VCC named
    put(implicit, "_e64");
    for (unsigned i = 0; i < count; ++i) {
      Attempt in_place = long_attempt();
      in_place.result = plain_[i].index;
      put(in_place, "_e64");
      for (const Operand& source : scalar_sources(shape_.sources[i], processor_.is_gfx11)) {
        Attempt made = long_attempt();
        made.sources[i] = source;
        put(made, "_e64");
      }
      // Where a mask is written, the encoding has no bits for magnitudes; the assembler drops them.
      for (unsigned modifiers = 1; modifiers < (shape_.writes_mask ? 2U : 4U); ++modifiers) {
        for (int scalars = 0; scalars < 2; ++scalars) {
          Attempt made = long_attempt();
          made.negate = (modifiers & 1) << i;
          made.absolute = (modifiers >> 1) << i;
          if (scalars != 0) {
            made.sources[i] = scalar_operand(12, shape_.sources[i]);
          }
          put(made, "_e64");
        }
      }
    }
    Attempt all = long_attempt();
    all.negate = (1U << count) - 1;
    put(all, "_e64");
    if (!shape_.writes_mask) {
      all.absolute = all.negate;
      put(all, "_e64");
    }
    if (shape_.clamps || is_floating(shape_.value_type())) {
      Attempt clamped = long_attempt();
      clamped.clamp = true;
      clamped.is_basic = true;
      put(clamped, "_e64", " clamp");
    }
    if (is_floating(shape_.value_type())) {
      // Multiplied results are none where denormal numbers are on: the modifier is ignored.
      for (const char* const multiplied : {" mul:2", " mul:4", " div:2"}) {
        put(long_attempt(), "_e64", multiplied);
      }
    }
  }

  /// Each half of each operand that has one.
  void write_halves() {
    if (shape_.chooses_halves || processor_.is_gfx11) {
      write_halves("_e64", plain_.size());
    }
  }
  void write_halves(std::string_view suffix, std::size_t sources) {
    const auto count = static_cast<unsigned>(sources);
    for (unsigned chosen = 1; chosen < 2U << count; ++chosen) {
      Attempt made = attempt();
      made.is_basic = chosen == 1;
      std::string list;
      bool is_possible = true;
      for (unsigned i = 0; i <= count; ++i) {
        const bool high = ((chosen >> i) & 1) != 0;
        list += fmt::format("{}{}", i == 0 ? "" : ",", high ? 1 : 0);
        const OperandType type = i < count ? shape_.sources[i] : shape_.value_type();
        is_possible = is_possible &&
                      (!high || (width_of(type) == 16 && (i < count || !shape_.is_comparison())));
        if (high && i < count) {
          made.parts[i] = kHighHalf;
        } else if (high) {
          made.result_part = kHighHalf;
        }
      }
      if (!is_possible) {
        continue;
      }
      const std::string behind = processor_.is_gfx11 ? "" : " op_sel:[" + list + "]";
      put(made, suffix, behind);
      if (is_floating(shape_.value_type()) && suffix == "_e64") {
        made.clamp = true;
        made.negate = 1;
        put(made, suffix, behind + " clamp");
      }
    }
  }

  void write_parts() {
    const auto count = static_cast<unsigned>(plain_.size());
    const auto attempt = [&] {
      Attempt made;
      made.sources = plain_;
      return made;
    };
    const auto put_parts = [&](const Attempt& it) {
      std::string behind = it.clamp ? " clamp" : "";
      if (!shape_.is_comparison()) {
        behind +=
            fmt::format(" dst_sel:{} dst_unused:{}", kParts[it.result_part], kUnused[it.unused]);
      }
      behind += fmt::format(" src0_sel:{}", kParts[it.parts[0]]);
      if (count > 1) {
        behind += fmt::format(" src1_sel:{}", kParts[it.parts[1]]);
      }
      put(it, "_sdwa", behind);
    };
    Attempt basic = attempt();
    put_parts(basic);
    for (unsigned part = 0; part <= kWhole; ++part) {
      for (unsigned i = 0; i < std::min(count, 2U); ++i) {
        for (unsigned modifiers = 0; modifiers < 8; ++modifiers) {
          if ((modifiers & 4) != 0 && (modifiers & 3) != 0) {
            continue; // extended integers have neither sign nor magnitude
          }
          Attempt made = attempt();
          made.parts[i] = part;
          made.parts[1 - i] = (part + 3) % 7;
          made.negate = (modifiers & 1) << i;
          made.absolute = ((modifiers >> 1) & 1) << i;
          made.extend = (modifiers >> 2) << i;
          if (part % 2 == 0) {
            made.mask = shape_.is_comparison() ? kMask : made.mask; // which gfx9 alone has
          }
          put_parts(made);
          if (modifiers == 0 || modifiers == 4) {
            made.sources[i] = scalar_operand(12, shape_.sources[i]);
            put_parts(made);
          }
        }
      }
      for (unsigned unused = 0; unused < 3; ++unused) {
        Attempt made = attempt();
        made.result_part = part;
        made.unused = unused;
        made.parts[0] = (part + 2) % 7;
        put_parts(made);
        made.result = 2; // in place
        put_parts(made);
        if (shape_.clamps || is_floating(shape_.value_type())) {
          made.clamp = true;
          put_parts(made);
        }
      }
    }
  }

  /// v_madmk and v_madak.
  void write_literal() {
    const auto put_literal = [&](const Attempt& it) {
      Attempt made = it;
      const std::uint64_t value = low_bits(kLiteral, width_of(shape_.value_type()));
      Operand literal = {fmt::format("{:#x}", value), Operand::Kind::kConstant, 0, value};
      made.sources.insert(made.sources.begin() + (shape_.literal == 'K' ? 1 : 2),
                          std::move(literal));
      put(made, "");
    };
    Attempt basic = attempt();
    basic.is_basic = true;
    put_literal(basic);
    for (const Operand& source : scalar_sources(shape_.sources[0], false)) {
      Attempt made = attempt();
      made.sources[0] = source;
      put_literal(made);
    }
  }

  std::string_view mnemonic_;
  const Shape& shape_;
  const Processor& processor_;
  bool has_narrow_masks_; ///< of waves of 32 lanes, in one SGPR
  std::vector<Operand> plain_;
  std::vector<Attempt> made_;
};

std::uint64_t part_of(std::uint64_t value, unsigned part, bool extend) {
  if (part == kWhole) {
    return value;
  }
  const unsigned width = part < 4 ? 8 : 16;
  const unsigned first = part < 4 ? 8 * part : 16 * (part - 4);
  std::uint64_t made = (value >> first) % (std::uint64_t{1} << width);
  if (extend && made >= std::uint64_t{1} << (width - 1)) {
    made |= 0xffffffff << width & 0xffffffff;
  }
  return made;
}

class Checker {
public:
  Checker(Machine& machine, const VectorForm& form, const Shape& shape)
      : machine_(machine), form_(form), shape_(shape), before_(std::make_unique<Wave>()) {
    scramble(machine_.wave(), random_);
    before_->all = machine_.wave().all;
  }

  void check(const Attempt& it, std::size_t word) {
    const auto& edges = edges_of(shape_.sources.empty() ? 'u' : shape_.sources[0]);
    const std::size_t pairs = edges.size() * edges.size();
    const std::size_t rounds = it.is_basic ? (pairs + lanes() - 1) / lanes() + 3 : 4;
    for (std::size_t round = 0; round < rounds; ++round) {
      set_up(it, round);
      Wave& wave = machine_.wave();
      std::copy_n(&wave.v[0][0], kRows * kLanes, &before_->v[0][0]);
      std::ranges::copy(wave.s, before_->s);
      const Next next = machine_.step(word);
      if (next != Next::kOn) {
        ADD_FAILURE() << it.text << ": " << machine_.report();
        return;
      }
      EXPECT_EQ(machine_.position(), word + it.words.size()) << it.text;
      if (!compare(it)) {
        return;
      }
    }
  }

private:
  static constexpr std::size_t kRows = 40; ///< those that attempts name, and some behind them

  /// Of the wave. What becomes of others' registers, nobody asks.
  [[nodiscard]] unsigned lanes() const {
    return static_cast<unsigned>(std::popcount(machine_.wave().all));
  }
  [[nodiscard]] bool same_rows() const {
    for (std::size_t row = 0; row < kRows; ++row) {
      if (!std::equal(&before_->v[row][0], &before_->v[row][lanes()], &machine_.wave().v[row][0])) {
        return false;
      }
    }
    return true;
  }

  void set_up(const Attempt& it, std::size_t round) {
    Wave& wave = machine_.wave();
    static constexpr LaneMask kAll = ~LaneMask{0};
    LaneMask exec = kAll;
    switch (round % 4) {
    case 1:
      exec = LaneMask{1} << (random_() % lanes());
      break;
    case 2:
      exec = random_();
      break;
    case 3:
      exec = 0;
      break;
    default:
      break;
    }
    if (it.is_basic && round + 3 < (1U << 30) && round >= 4) {
      exec = kAll; // each pair of edges in some lane
    }
    for (unsigned index = 0; index < 40; ++index) {
      wave.s[index] = static_cast<std::uint32_t>(random_());
    }
    wave.set_pair(scalar::kVcc, random_());
    wave.set_pair(scalar::kExec, exec);
    wave.s[scalar::kM0] = static_cast<std::uint32_t>(random_());
    wave.s[scalar::kScc] = static_cast<std::uint32_t>(random_() & 1);
    wave.set_pair(100, random_());
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      wave.v[it.result][lane] = static_cast<std::uint32_t>(random_());
    }
    if (shape_.reads_result) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        set(wave, it.result, lane, shape_.value_type(), any_value(shape_.value_type(), random_));
      }
    }
    const bool in_pairs = it.is_basic && round >= 4;
    for (std::size_t i = 0; i < it.sources.size(); ++i) {
      const Operand& source = it.sources[i];
      const OperandType type = type_of_source(i);
      if (source.kind == Operand::Kind::kScalar && source.index < scalar::kVcc) {
        const std::uint64_t value = any_value(type, random_);
        wave.s[source.index] = static_cast<std::uint32_t>(value);
        if (dwords_of(type) == 2) {
          wave.s[source.index + 1] = static_cast<std::uint32_t>(value >> 32);
        }
      }
      if (source.kind != Operand::Kind::kVector) {
        continue;
      }
      const auto& edges = edges_of(type);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        std::uint64_t value = any_value(type, random_);
        if (in_pairs && i < 2) {
          const std::size_t number = (round - 4) * lanes() + lane;
          value =
              edges[(i == 0 ? number : number / edges_of(shape_.sources[0]).size()) % edges.size()];
        }
        if (width_of(type) == 16) {
          value |= (random_() & 0xffff) << 16;
        }
        set(wave, source.index, lane, type, value);
      }
    }
  }
  static void set(Wave& wave, unsigned row, unsigned lane, OperandType type, std::uint64_t value) {
    wave.v[row][lane] = static_cast<std::uint32_t>(value);
    if (dwords_of(type) == 2) {
      wave.v[row + 1][lane] = static_cast<std::uint32_t>(value >> 32);
    }
  }
  [[nodiscard]] OperandType type_of_source(std::size_t i) const {
    return i < shape_.sources.size() ? shape_.sources[i] : shape_.result; // a literal
  }

  [[nodiscard]] std::uint64_t source(const Attempt& it, unsigned i, unsigned lane) const {
    const OperandType type = type_of_source(i);
    std::uint64_t value = it.sources[i].value(*before_, lane, type);
    value = part_of(value, it.parts[i], ((it.extend >> i) & 1) != 0);
    const std::uint64_t sign = std::uint64_t{1} << (width_of(type) - 1);
    value = low_bits(value, width_of(type));
    if (((it.absolute >> i) & 1) != 0) {
      value &= ~sign;
    }
    return ((it.negate >> i) & 1) != 0 ? value ^ sign : value;
  }

  [[nodiscard]] number::Format format() const {
    return shape_.result == 'd'   ? number::kDouble
           : shape_.result == 'h' ? number::kHalf
                                  : number::kSingle;
  }
  [[nodiscard]] bool is_nan(std::uint64_t bits) const {
    return is_floating(shape_.value_type()) && format().is_nan(bits);
  }
  [[nodiscard]] bool is_quiet(std::uint64_t bits) const {
    return ((bits >> (format().fraction_bits - 1)) & 1) != 0;
  }
  /// To 0 … 1; what is no number becomes 0.
  [[nodiscard]] std::uint64_t clamped(std::uint64_t bits) const {
    if (format().is_nan(bits) || (bits & format().sign()) != 0) {
      return 0;
    }
    return std::min(bits, format().one());
  }
  [[nodiscard]] bool agree(std::uint64_t got, std::uint64_t expected) const {
    if (got == expected) {
      return true;
    }
    if (form_.exactness == Exactness::kExact) {
      return false;
    }
    if (is_nan(expected)) {
      return is_nan(got) && is_quiet(got);
    }
    if (form_.exactness != Exactness::kApproximate || is_nan(got)) {
      return false;
    }
    const std::uint64_t sign = format().sign();
    return got + 1 == expected || expected + 1 == got || ((got | expected) & (sign - 1)) == 0;
  }

  /// The register's bits, of the result's part and what was there before.
  static std::uint64_t merged(std::uint64_t old, std::uint64_t value, unsigned part,
                              unsigned unused) {
    if (part == kWhole) {
      return value;
    }
    const unsigned width = part < 4 ? 8 : 16;
    const unsigned first = part < 4 ? 8 * part : 16 * (part - 4);
    std::uint64_t made = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
      std::uint64_t from = 0;
      if (bit >= first && bit < first + width) {
        from = value >> (bit - first);
      } else if (unused == 2) {
        from = old >> bit;
      } else if (unused == 1 && bit >= first + width) {
        from = value >> (width - 1);
      }
      made |= (from & 1) << bit;
    }
    return made;
  }

  [[nodiscard]] bool agree_in_part(const Attempt& it, std::uint64_t old, std::uint64_t got,
                                   std::uint64_t value) const {
    if (got == merged(old, value, it.result_part, it.unused)) {
      return true;
    }
    if (width_of(shape_.value_type()) == 16 && it.result_part >= kLowHalf) {
      const std::uint64_t half = part_of(got, it.result_part, false);
      return agree(half, value) && got == merged(old, half, it.result_part, it.unused);
    }
    return form_.exactness != Exactness::kExact &&
           (is_nan(value) || form_.exactness == Exactness::kApproximate);
  }

  bool compare(const Attempt& it) {
    const Wave& wave = machine_.wave();
    Wave& expected = *before_;
    const LaneMask exec = expected.exec();
    LaneMask bits = 0;
    bool all_agree = true;
    const OperandType type = shape_.value_type();
    for (unsigned lane = 0; lane < kLanes && all_agree; ++lane) {
      if (((exec >> lane) & 1) == 0) {
        continue;
      }
      LaneInput input;
      const auto count = static_cast<unsigned>(it.sources.size());
      input.a = count > 0 ? source(it, 0, lane) : 0;
      input.b = count > 1 ? source(it, 1, lane) : 0;
      input.c = count > 2 ? source(it, 2, lane) : 0;
      input.clamp = it.clamp;
      input.lane = lane;
      if (shape_.reads_result) {
        input.c = Operand{"", Operand::Kind::kVector, it.result}.value(expected, lane, type);
        input.c = part_of(input.c, it.result_part == kHighHalf ? kHighHalf : kWhole, false);
      }
      const unsigned mask = shape_.reads_vcc ? scalar::kVcc : it.carry;
      input.bit = ((expected.pair(mask) >> lane) & 1) != 0;
      const LaneResult result = form_.reference(input);
      bits |= LaneMask{result.bit} << lane;
      if (shape_.is_comparison()) {
        continue;
      }
      const std::uint64_t old = expected.v[it.result][lane];
      std::uint64_t value = low_bits(result.value, width_of(type));
      if (it.clamp && is_floating(type)) {
        value = clamped(value);
      }
      std::uint64_t got = wave.v[it.result][lane];
      if (dwords_of(type) == 2) {
        got |= std::uint64_t{wave.v[it.result + 1][lane]} << 32;
      }
      const bool agrees =
          it.result_part == kWhole ? agree(got, value) : agree_in_part(it, old, got, value);
      if (!agrees) {
        ADD_FAILURE() << fmt::format(
            "{}, lane {}: {:#x}, {:#x}, {:#x}, {} give {:#x}, expected {:#x} (was {:#x})", it.text,
            lane, input.a, input.b, input.c, input.bit, got,
            merged(old, value, it.result_part, it.unused), old);
        all_agree = false;
      }
      set(expected, it.result, lane, type, got); // compared
    }
    if (shape_.is_comparison() || shape_.writes_mask) {
      if (shape_.result != 'x' || !machine_.processor().is_gfx11) {
        expected.set_mask(it.mask, bits);
      }
    }
    if (shape_.result == 'x') {
      expected.set_mask(scalar::kExec, bits);
    }
    for (unsigned index = 0; index < scalar::kNowhere && all_agree; ++index) {
      if (wave.s[index] != expected.s[index]) {
        ADD_FAILURE() << fmt::format("{}: scalar register {} is {:#x}, expected {:#x}; exec {:#x}",
                                     it.text, index, wave.s[index], expected.s[index], exec);
        all_agree = false;
      }
    }
    if (all_agree && !same_rows()) {
      ADD_FAILURE() << it.text << ": other registers or lanes have changed";
      all_agree = false;
    }
    return all_agree;
  }

  Machine& machine_;
  const VectorForm& form_;
  const Shape& shape_;
  std::unique_ptr<Wave> before_;
  std::mt19937_64 random_{1};
};

} // namespace

unsigned run_vector_form(Machine& machine, const VectorForm& form, std::string_view mnemonic) {
  const Shape shape(form.types);
  std::vector<Attempt> attempts = Writer(mnemonic, shape, machine).write();
  std::vector<std::string> lines;
  for (const Attempt& it : attempts) {
    lines.push_back(it.text);
  }
  const bool is_wide = machine.processor().is_gfx11 && machine.wave().all >> 32 != 0;
  const std::vector<Words> words =
      assemble(machine.processor().name, lines, is_wide ? "+wavefrontsize64" : "");
  Words code;
  std::vector<std::size_t> places(attempts.size());
  unsigned count = 0;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    attempts[i].words = words[i];
    places[i] = code.size();
    code.insert(code.end(), words[i].begin(), words[i].end());
    count += words[i].empty() ? 0 : 1;
  }
  if (count == 0) {
    return 0;
  }
  machine.load(code);
  Checker checker(machine, form, shape);
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (!words[i].empty()) {
      checker.check(attempts[i], places[i]);
    }
  }
  return count;
}

} // namespace gantry::simt::amdgcn
