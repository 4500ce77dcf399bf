#include "vector_form.h"

#include "vector_attempts.h"

#include "../../instructions/number.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::amdgcn {

namespace {

namespace number = instructions;

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
  Checker(Machine& machine, const VectorForm& form, const FormShape& shape)
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
  const FormShape& shape_;
  std::unique_ptr<Wave> before_;
  std::mt19937_64 random_{1};
};

} // namespace

unsigned run_vector_form(Machine& machine, const VectorForm& form, std::string_view mnemonic) {
  const FormShape shape(form.types);
  std::vector<Attempt> attempts = attempts_of(mnemonic, shape, machine);
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
