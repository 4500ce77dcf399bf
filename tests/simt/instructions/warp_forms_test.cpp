// Every form of the instructions by which the lanes of a warp tell each other something: by all
// lanes, and by both sides of a divergent branch, each for itself.
#include "batch.h"
#include "instance.h"
#include "operand_values.h"
#include "reference.h"

#include <bit>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::instructions {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

enum class Sides { kOne, kTwo };
enum class Source { kVarying, kUniform, kLiteral };

/// What one operand is.
struct Operand {
  Source source = Source::kVarying;
  std::function<Word(Word random)> value;
};

class WarpPiece {
public:
  WarpPiece(const Instance& instance, Sides sides, unsigned number)
      : instance_(instance), sides_(sides),
        seed_(hash_of(hash_of(instance.name()), static_cast<Word>(sides), number)) {
    wide_ = instance.type() == Type::kB64;
    const bool may_pair = instance.opcode == Opcode::k_shfl ||
                          (instance.opcode == Opcode::k_match && instance.has(Modifier::kAll));
    pairs_ = instance.opcode == Opcode::k_elect || (may_pair && (seed_ & 1) != 0);
    negated_ = (seed_ >> 1 & 1) != 0;
    const auto source = [&](unsigned shift) {
      return static_cast<Source>((seed_ >> shift & 7) % 3);
    };
    switch (instance.opcode) {
    case Opcode::k_shfl:
      operands_.push_back({Source::kVarying, [](Word random) { return random & 0xFFFFFFFF; }});
      operands_.push_back({source(8), [](Word random) {
                             return (random & 1) != 0 ? random >> 8 & 31 : random >> 8 & 0xFF;
                           }});
      operands_.push_back({source(12), [this](Word random) { return bound(random); }});
      break;
    case Opcode::k_match:
      // Few values, so that some are the same; for all, often one alone.
      operands_.push_back({source(8), [this](Word random) {
                             const Word few = instance_.has(Modifier::kAll)
                                                  ? (random >> 8 & 63) == 0
                                                  : random >> 8 & 3;
                             return wide_ ? few << 35 | 7 : few << 20 | 7;
                           }});
      break;
    case Opcode::k_redux:
      operands_.push_back(
          {source(8), [this](Word random) { return operand_of(instance_.type(), random); }});
      break;
    case Opcode::k_vote:
      operands_.push_back({source(8) == Source::kUniform ? Source::kUniform : Source::kVarying,
                           [](Word random) { return Word{(random >> 8 & 15) != 0}; }});
      break;
    default:
      break;
    }
    if (sides_ == Sides::kOne && (seed_ >> 16 & 1) != 0) {
      mask_literal_ = true;
    }
  }

  // Inputs: the operands, then the side. Uniforms: the operands, then the masks of both sides.
  static Piece piece(const std::shared_ptr<WarpPiece>& self) {
    const auto count = static_cast<unsigned>(self->operands_.size());
    Piece piece;
    piece.label = fmt::format("{}, {}", self->instance_.name(),
                              self->sides_ == Sides::kOne ? "all lanes" : "both sides of a branch");
    piece.inputs = count + 1;
    piece.uniforms = count + 2;
    piece.outputs = 2;
    piece.code = [self](const Places& places) { return self->code(places); };
    piece.input = [self, count](unsigned cell, unsigned thread) {
      return cell == count ? Word{self->side(thread)} : self->operand(cell, thread);
    };
    piece.input_bits = [self](unsigned cell) { return cell == 0 && self->wide_ ? 64 : 32; };
    piece.uniform = [self, count](unsigned cell, unsigned block) {
      return cell >= count ? Word{self->mask_of(block, cell - count)}
                           : self->operand(cell, block * kLanes);
    };
    piece.check = [self](const Results& results) { return self->check(results); };
    return piece;
  }

private:
  [[nodiscard]] Word bound(Word random) const {
    static constexpr Word kBounds[] = {0x1F,   0,      0x101F, 0x181F, 0x1C1F, 0x1E1F,
                                       0x1000, 0x1800, 0x1E00, 0x0F,   0x1C03};
    return (random & 7) == 0 ? random >> 8 & 0x1F1F : kBounds[(random >> 8) % std::size(kBounds)];
  }
  [[nodiscard]] Word operand(std::size_t index, unsigned thread) const {
    const Operand& operand = operands_[index];
    const Word lane = operand.source == Source::kLiteral   ? 0
                      : operand.source == Source::kUniform ? thread / kLanes
                                                           : thread;
    return operand.value(hash_of(seed_, index + 10, lane));
  }
  [[nodiscard]] bool side(unsigned thread) const {
    return sides_ == Sides::kTwo && (hash_of(seed_, 60, thread) & 1) != 0;
  }
  [[nodiscard]] std::uint32_t mask_of(unsigned block, unsigned wanted) const {
    std::uint32_t mask = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      mask |= std::uint32_t{side(block * kLanes + lane) == (wanted != 0)} << lane;
    }
    return mask;
  }

  [[nodiscard]] std::string operand_text(std::size_t index) const {
    if (operands_[index].source == Source::kLiteral) {
      return fmt::format("{}", operand(index, 0));
    }
    if (instance_.opcode == Opcode::k_vote) {
      return negated_ ? "!%q" : "%q";
    }
    return fmt::format("%a{}", index);
  }

  [[nodiscard]] std::string instruction(const char* mask) const {
    const bool to_predicate = instance_.type() == Type::kPred;
    std::string text =
        fmt::format("  {} {}{}", instance_.name(), to_predicate ? "%p" : "%d", pairs_ ? "|%p" : "");
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      text += ", " + operand_text(i);
    }
    if (instance_.has(Modifier::kSync)) {
      text += fmt::format(", {}", mask_literal_ ? "0xFFFFFFFF" : mask);
    }
    return text + ";\n";
  }

  [[nodiscard]] std::string code(const Places& places) const {
    const auto count = static_cast<unsigned>(operands_.size());
    std::string text = "  .reg .pred %p, %q, %side; .reg .b32 %d, %w, %m0, %m1;\n  setp.ne.b32 %p, "
                       "0, 0; mov.b32 %d, 0;\n";
    for (unsigned i = 0; i < count; ++i) {
      const unsigned bits = i == 0 && wide_ ? 64 : 32;
      if (operands_[i].source != Source::kLiteral) {
        text += fmt::format("  .reg .b{0} %a{1}; ld.global.b{0} %a{1}, [{2}];\n", bits, i,
                            operands_[i].source == Source::kVarying ? places.input(i, bits)
                                                                    : places.uniform(i));
      }
    }
    if (instance_.opcode == Opcode::k_vote) {
      text += "  setp.ne.b32 %q, %a0, 0;\n";
    }
    text += fmt::format("  ld.global.b32 %m0, [{}]; ld.global.b32 %m1, [{}]; ld.global.b32 %w, "
                        "[{}]; setp.ne.b32 %side, %w, 0;\n",
                        places.uniform(count), places.uniform(count + 1), places.input(count, 32));
    if (sides_ == Sides::kOne) {
      text += instruction("%m0");
    } else {
      const std::string other = places.label("other");
      const std::string end = places.label("end");
      text += fmt::format("  @%side bra {};\n{}  bra {};\n{}:\n{}{}:\n", other, instruction("%m0"),
                          end, other, instruction("%m1"), end);
    }
    return text +
           fmt::format("  st.global.b32 [{}], %d; selp.b32 %w, 1, 0, %p; st.global.b32 [{}], %w;\n",
                       places.output(0, 32), places.output(1, 32));
  }

  /// What the lane's operation gives among the lanes of its mask: the value and the predicate.
  struct Given {
    Expected value = Expected::any(), predicate = Expected::any();
  };

  [[nodiscard]] bool voted(unsigned thread) const { return (operand(0, thread) != 0) != negated_; }

  [[nodiscard]] Given shuffled(unsigned thread, std::uint32_t mask) const {
    const unsigned first = thread / kLanes * kLanes;
    const int lane = static_cast<int>(thread - first);
    const int b = static_cast<int>(operand(1, thread) & 31);
    const int segment = static_cast<int>(operand(2, thread) >> 8 & 31);
    const int clamp = static_cast<int>(operand(2, thread) & 31);
    const int most = (lane & segment) | (clamp & ~segment);
    int from = 0;
    bool valid = false;
    switch (instance_.first_of({Modifier::kUp, Modifier::kDown, Modifier::kBfly})) {
    case Modifier::kUp:
      from = lane - b;
      valid = from >= most;
      break;
    case Modifier::kDown:
      from = lane + b;
      valid = from <= most;
      break;
    case Modifier::kBfly:
      from = lane ^ b;
      valid = from <= most;
      break;
    default:
      from = (lane & segment) | (b & ~segment);
      valid = from <= most;
      break;
    }
    from = valid ? from : lane;
    Given given;
    given.predicate = Expected::exactly(valid ? 1 : 0);
    if ((mask >> from & 1) != 0) {
      given.value = Expected::exactly(operand(0, first + static_cast<unsigned>(from)));
    }
    return given;
  }

  [[nodiscard]] Given matched(unsigned thread, std::uint32_t mask) const {
    const unsigned first = thread / kLanes * kLanes;
    std::uint32_t same = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      same |= std::uint32_t{operand(0, first + lane) == operand(0, thread)} << lane;
    }
    same &= mask;
    if (instance_.has(Modifier::kAny)) {
      return {Expected::exactly(same), Expected::any()};
    }
    const bool all = same == mask;
    return {Expected::exactly(all ? mask : 0), Expected::exactly(all ? 1 : 0)};
  }

  [[nodiscard]] Given reduced(unsigned thread, std::uint32_t mask) const {
    const unsigned first = thread / kLanes * kLanes;
    const Type type = instance_.type();
    bool empty = true;
    Word result = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((mask >> lane & 1) == 0) {
        continue;
      }
      const Word word = operand(0, first + lane);
      const bool less = value_of(type, word) < value_of(type, result);
      result = empty                           ? word
               : instance_.has(Modifier::kAdd) ? low_bits(result + word, 32)
               : instance_.has(Modifier::kMin) ? (less ? word : result)
               : instance_.has(Modifier::kMax) ? (less ? result : word)
               : instance_.has(Modifier::kAnd) ? result & word
               : instance_.has(Modifier::kOr)  ? result | word
                                               : result ^ word;
      empty = false;
    }
    return {Expected::exactly(result), Expected::any()};
  }

  [[nodiscard]] Given expected(unsigned thread, std::uint32_t mask) const {
    const unsigned first = thread / kLanes * kLanes;
    if (instance_.opcode == Opcode::k_shfl) {
      return shuffled(thread, mask);
    }
    if (instance_.opcode == Opcode::k_match) {
      return matched(thread, mask);
    }
    if (instance_.opcode == Opcode::k_redux) {
      return reduced(thread, mask);
    }
    std::uint32_t votes = 0;
    for (unsigned lane = 0; lane < kLanes && !operands_.empty(); ++lane) {
      votes |= std::uint32_t{voted(first + lane)} << lane;
    }
    votes &= mask;
    const bool holds = instance_.has(Modifier::kAll)   ? votes == mask
                       : instance_.has(Modifier::kAny) ? votes != 0
                                                       : votes == mask || votes == 0;
    return {Expected::exactly(votes), Expected::exactly(holds ? 1 : 0)};
  }

  // activemask and elect leave a choice.
  [[nodiscard]] std::string check_choice(const Results& results, unsigned thread,
                                         std::uint32_t mask) const {
    const unsigned lane = thread % kLanes;
    const auto value = static_cast<std::uint32_t>(results.output(0, thread, 32));
    if (instance_.opcode == Opcode::k_activemask) {
      const bool good = (value >> lane & 1) != 0 && (value & ~mask) == 0;
      return good ? "" : fmt::format("is {:#x} in lane {} of {:#x}", value, lane, mask);
    }
    const bool leads = results.output(1, thread, 32) != 0;
    const auto leader = static_cast<std::uint32_t>(results.output(
        0, thread / kLanes * kLanes + static_cast<unsigned>(std::countr_zero(mask)), 32));
    const bool good =
        value == leader && value < kLanes && (mask >> value & 1) != 0 && leads == (value == lane);
    return good ? "" : fmt::format("is {}|{} in lane {} of {:#x}", value, leads, lane, mask);
  }

  [[nodiscard]] std::string check(const Results& results) const {
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      const std::uint32_t mask = mask_of(thread / kLanes, side(thread) ? 1 : 0);
      if (instance_.opcode == Opcode::k_activemask || instance_.opcode == Opcode::k_elect) {
        const std::string wrong = check_choice(results, thread, mask);
        if (!wrong.empty()) {
          return wrong;
        }
        continue;
      }
      const Given given = expected(thread, mask);
      const Word value = results.output(0, thread, 32);
      const Word predicate = results.output(1, thread, 32);
      const bool has_value = instance_.type() != Type::kPred;
      if (has_value && !given.value.accepts(value)) {
        return fmt::format("gives {:#x} and not {} (thread {}, mask {:#x})", value,
                           given.value.text(), thread, mask);
      }
      if ((!has_value || pairs_) && !given.predicate.accepts(predicate)) {
        return fmt::format("gives {} and not {} (thread {}, mask {:#x})", predicate,
                           given.predicate.text(), thread, mask);
      }
    }
    return {};
  }

  Instance instance_;
  Sides sides_;
  Word seed_;
  bool wide_ = false, pairs_ = false, negated_ = false, mask_literal_ = false;
  std::vector<Operand> operands_;
};

class WarpForms : public testing::TestWithParam<Opcode> {};

TEST_P(WarpForms, TellTheLanesOfTheirMask) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(GetParam())) {
    for (unsigned number = 0; number < (GetParam() == Opcode::k_shfl ? 8 : 3); ++number) {
      for (const Sides sides : {Sides::kOne, Sides::kTwo}) {
        pieces.push_back(WarpPiece::piece(std::make_shared<WarpPiece>(instance, sides, number)));
      }
    }
  }
  run_batch(pieces);
}

INSTANTIATE_TEST_SUITE_P(Warp, WarpForms,
                         testing::Values(Opcode::k_shfl, Opcode::k_vote, Opcode::k_match,
                                         Opcode::k_redux, Opcode::k_activemask, Opcode::k_elect),
                         [](const auto& parameter) {
                           return std::string(exec::verifier::name_of(parameter.param));
                         });

} // namespace
} // namespace gantry::simt::instructions
