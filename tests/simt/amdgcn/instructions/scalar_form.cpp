#include "scalar_form.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string_view>

namespace gantry::simt::amdgcn {

namespace {

struct Shape {
  explicit Shape(std::string_view types) {
    const std::size_t middle = types.find('=');
    result = types[0];
    writes_scc = types.substr(0, middle).find('!') != std::string_view::npos;
    writes_exec = types.substr(0, middle).find('x') != std::string_view::npos;
    for (const char c : types.substr(middle + 1)) {
      if (c == 'k' || c == 'K') {
        constant = c;
      } else if (c == '+') {
        reads_result = true;
      } else {
        sources += c;
      }
    }
  }
  char result = 0;
  std::string sources;
  bool writes_scc = false, writes_exec = false, reads_result = false;
  char constant = 0;
};

struct Attempt {
  std::string text;
  Words words;
  std::vector<Operand> sources; ///< a constant of SOPK is one
  unsigned result = 20;
};

std::vector<Attempt> attempts_of(std::string_view name, const Shape& shape) {
  std::vector<Attempt> made;
  std::vector<Operand> plain;
  for (std::size_t i = 0; i < shape.sources.size(); ++i) {
    plain.push_back(scalar_operand(2 + 2 * static_cast<unsigned>(i), shape.sources[i]));
  }
  const auto put = [&](Attempt it, std::string_view result_text) {
    std::string operands =
        shape.result == '-' || shape.reads_result ? "" : std::string(result_text);
    for (const Operand& source : it.sources) {
      operands += (operands.empty() ? "" : ", ") + source.text;
    }
    it.text = fmt::format("{} {}", name, operands);
    made.push_back(std::move(it));
  };
  const unsigned dwords = shape.result == '-' ? 1 : dwords_of(shape.result);
  const std::string usual = registers('s', 20, dwords);
  if (shape.constant != 0) {
    static constexpr std::int64_t kSigned[] = {0,   1,   -1,    2,      64,    65,
                                               -16, -17, 32767, -32768, 0x1234};
    for (std::int64_t value : kSigned) {
      if (shape.constant == 'K') {
        value &= 0xffff;
      }
      Attempt it;
      it.sources = plain;
      it.sources.push_back(
          {std::to_string(value), Operand::Kind::kConstant, 0, static_cast<std::uint64_t>(value)});
      if (shape.reads_result) {
        it.result = plain[0].index;
      }
      put(it, usual);
      if (!plain.empty()) {
        it.sources[0] = {"vcc_hi", Operand::Kind::kScalar, 107};
        it.result = shape.reads_result ? 107 : it.result;
        put(it, usual);
      }
    }
    return made;
  }
  Attempt basic;
  basic.sources = plain;
  put(basic, usual);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    for (const Operand& source : scalar_sources(shape.sources[i], true)) {
      Attempt it = basic;
      it.sources[i] = source;
      put(it, usual);
    }
    Attempt in_place = basic;
    in_place.result = plain[i].index;
    put(in_place, registers('s', plain[i].index, dwords));
  }
  if (shape.result != '-') {
    const std::pair<const char*, unsigned> wide[] = {
        {"vcc", 106}, {"exec", 126}, {"s[100:101]", 100}};
    const std::pair<const char*, unsigned> narrow[] = {{"vcc_lo", 106},  {"vcc_hi", 107},
                                                       {"exec_lo", 126}, {"exec_hi", 127},
                                                       {"m0", 124},      {"s101", 101}};
    for (const auto& [text, index] :
         dwords == 2 ? std::span(wide)
                     : std::span<const std::pair<const char*, unsigned>>(narrow)) {
      Attempt it = basic;
      it.result = index;
      put(it, text);
    }
  }
  return made;
}

void set(Wave& wave, unsigned index, OperandType type, std::uint64_t value) {
  wave.s[index] = static_cast<std::uint32_t>(value);
  if (dwords_of(type) == 2) {
    wave.s[index + 1] = static_cast<std::uint32_t>(value >> 32);
  }
}

void check(Machine& machine, const ScalarForm& form, const Shape& shape, const Attempt& it,
           std::size_t word, std::mt19937_64& random) {
  Wave& wave = machine.wave();
  const auto& edges = edges_of(shape.sources.empty() ? 'u' : shape.sources[0]);
  const bool is_plain =
      it.sources.size() == 2 && it.sources[0].index == 2 && it.sources[1].index == 4;
  const std::size_t rounds = is_plain ? 2000 : 60;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (unsigned index = 0; index < scalar::kScc; ++index) {
      wave.s[index] = static_cast<std::uint32_t>(random());
    }
    if (round % 3 == 0) {
      wave.set_pair(scalar::kExec, round % 2 == 0 ? 0 : ~LaneMask{0});
    }
    wave.s[scalar::kScc] = static_cast<std::uint32_t>(random() & 1);
    for (std::size_t i = 0; i < shape.sources.size(); ++i) {
      const Operand& source = it.sources[i];
      if (source.kind == Operand::Kind::kScalar) {
        const OperandType type = shape.sources[i];
        const auto& its = edges_of(type);
        const std::size_t number = i == 0 ? round : round / edges.size();
        set(wave, source.index, type,
            round < its.size() * edges.size() && round % 7 != 6 ? its[number % its.size()]
                                                                : any_value(type, random));
      }
    }
    std::uint32_t expected[scalar::kCount];
    std::ranges::copy(wave.s, expected);
    ScalarInput input;
    input.scc = wave.s[scalar::kScc] != 0;
    input.exec = shape.writes_exec && dwords_of(shape.result) == 1 ? wave.s[scalar::kExec]
                                                                   : wave.pair(scalar::kExec);
    input.old = shape.result == '-'            ? 0
                : dwords_of(shape.result) == 2 ? wave.pair(it.result)
                                               : wave.s[it.result];
    std::uint64_t values[2] = {};
    for (std::size_t i = 0; i < it.sources.size(); ++i) {
      const OperandType type = i < shape.sources.size() ? shape.sources[i] : 'u';
      values[i] = low_bits(it.sources[i].value(wave, 0, type), width_of(type));
    }
    input.a = values[0];
    input.b = values[1];
    const ScalarResult result = form.reference(input);
    if (shape.result != '-') {
      expected[it.result] = static_cast<std::uint32_t>(result.value);
      if (dwords_of(shape.result) == 2) {
        expected[it.result + 1] = static_cast<std::uint32_t>(result.value >> 32);
      }
    }
    if (shape.writes_exec) {
      expected[scalar::kExec] = static_cast<std::uint32_t>(result.exec);
      if (dwords_of(shape.result) == 2) {
        expected[scalar::kExec + 1] = static_cast<std::uint32_t>(result.exec >> 32);
      }
    }
    if (shape.writes_scc) {
      expected[scalar::kScc] = result.scc ? 1 : 0;
    }
    if (machine.step(word) != Next::kOn) {
      ADD_FAILURE() << it.text << ": " << machine.report();
      return;
    }
    ASSERT_EQ(machine.position(), word + it.words.size()) << it.text;
    for (unsigned index = 0; index < scalar::kCount; ++index) {
      ASSERT_EQ(wave.s[index], expected[index])
          << fmt::format("{}: {:#x}, {:#x}, {}: register {} is {:#x}, expected {:#x}", it.text,
                         input.a, input.b, input.scc, index, wave.s[index], expected[index]);
    }
  }
}

} // namespace

unsigned run_scalar_form(Machine& machine, const ScalarForm& form, std::string_view mnemonic) {
  const Shape shape(form.types);
  std::vector<Attempt> attempts = attempts_of(mnemonic, shape);
  std::vector<std::string> lines;
  for (const Attempt& it : attempts) {
    lines.push_back(it.text);
  }
  const std::vector<Words> words = assemble(machine.processor().name, lines);
  Words code;
  for (const Words& it : words) {
    code.insert(code.end(), it.begin(), it.end());
  }
  if (code.empty()) {
    return 0;
  }
  machine.load(code);
  std::mt19937_64 random{1};
  scramble(machine.wave(), random);
  const auto vectors = std::make_unique<Wave>(machine.wave());
  std::size_t word = 0;
  unsigned count = 0;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (!words[i].empty()) {
      attempts[i].words = words[i];
      check(machine, form, shape, attempts[i], word, random);
      word += words[i].size();
      ++count;
    }
  }
  EXPECT_EQ(std::memcmp(vectors->v, machine.wave().v, sizeof vectors->v), 0) << form.name;
  return count;
}

} // namespace gantry::simt::amdgcn
