#include "value_piece.h"

#include "operand_values.h"
#include "reference.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

namespace gantry::simt::instructions {

namespace {

/// Of a word with a value of f64.
bool is_nan(Word bits) {
  return (bits & ~(Word{1} << 63)) > 0x7FF0'0000'0000'0000;
}

using exec::verifier::Slot;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using Role = Slot::Role;

enum class Variant { kVarying, kUniform, kLiteral, kMixed, kMixedAgain };
enum class Guard { kNone, kPredicate, kBranch };
enum class Source { kVarying, kWide, kUniform, kAffine, kLiteral };

struct Operand {
  Type type = Type::kNone;
  Source source = Source::kVarying;
  unsigned cell = 0; ///< of the inputs or uniforms
  Word step = 0;     ///< of an affine one
  Word literal = 0;
  unsigned register_bits = 0;
  bool negated = false; ///< !p
};

struct Result {
  Type type = Type::kNone;
  unsigned register_bits = 0;
  unsigned initial = 0; ///< input that it is before a guarded instruction
  bool is_second = false;
};

bool is_source(Role role) {
  return role == Role::kSource || role == Role::kAddressSource || role == Role::kPredicate ||
         role == Role::kBooleanPredicate || role == Role::kInteger;
}
bool is_result(Role role) {
  return role == Role::kResult || role == Role::kWideResult || role == Role::kPredicateResult;
}

Type type_of(const Instance& instance, const Slot& slot) {
  if (slot.role == Role::kPredicate || slot.role == Role::kBooleanPredicate ||
      slot.role == Role::kPredicateResult) {
    return Type::kPred;
  }
  if (slot.role == Role::kInteger) {
    return Type::kU8;
  }
  const Type type = slot.type != Type::kNone ? slot.type : instance.type(slot.type_index);
  if (!slot.doubled) {
    return type;
  }
  return type == Type::kU16   ? Type::kU32
         : type == Type::kS16 ? Type::kS32
         : type == Type::kU32 ? Type::kU64
                              : Type::kS64;
}

Word extended(Type type, Word bits, unsigned width) {
  return ptx::is_float(type) ? bits : low_bits(static_cast<Word>(value_of(type, bits)), width);
}

std::string literal_of(Type type, Word bits) {
  if (type == Type::kF32) {
    return fmt::format("0f{:08X}", bits);
  }
  if (type == Type::kF64) {
    return fmt::format("0d{:016X}", bits);
  }
  return ptx::is_signed(type) && !ptx::is_packed(type)
             ? fmt::format("{}", static_cast<std::int64_t>(value_of(type, bits)))
             : fmt::format("{}", bits);
}

class ValuePiece {
public:
  ValuePiece(const Instance& instance, Variant variant, unsigned number)
      : instance_(instance), evaluate_(reference_of(instance.opcode)), variant_(variant),
        seed_(hash_of(hash_of(instance.name()), static_cast<Word>(variant), number)) {
    typed_ = variant == Variant::kVarying || (seed_ & 1) != 0;
    if (variant == Variant::kMixed || variant == Variant::kMixedAgain) {
      guard_ = static_cast<Guard>(seed_ >> 1 & 3 ? (seed_ >> 3 & 1) + 1 : 0);
    }
    const bool has_boolean = instance.has_any(Modifier::kAnd, Modifier::kOr, Modifier::kXor);
    for (const Slot& slot : instance.form->slots) {
      if (slot.role == Role::kBooleanPredicate && !has_boolean) {
        continue;
      }
      if (is_result(slot.role)) {
        add_results(slot);
      } else {
        add_operand(slot, number);
      }
    }
    if (takes_carry() || gives_carry()) {
      carry_cell_ = inputs_++;
    }
    if (guard_ != Guard::kNone) {
      guard_cell_ = inputs_++;
    }
  }

  static Piece piece(const std::shared_ptr<ValuePiece>& self) {
    static constexpr const char* kVariants[] = {"operands that differ", "uniform operands",
                                                "literals", "mixed operands", "mixed operands"};
    static constexpr const char* kGuards[] = {"", ", predicated", ", in a divergent branch"};
    Piece piece;
    piece.label =
        fmt::format("{}, {}{}", self->instance_.name(), kVariants[static_cast<int>(self->variant_)],
                    kGuards[static_cast<int>(self->guard_)]);
    piece.inputs = self->inputs_;
    piece.uniforms = self->uniforms_;
    piece.outputs = static_cast<unsigned>(self->results_.size()) + (self->gives_carry() ? 1 : 0);
    piece.code = [self](const Places& places) { return self->code(places); };
    piece.input = [self](unsigned cell, unsigned thread) { return self->input(cell, thread); };
    piece.uniform = [self](unsigned cell, unsigned block) { return self->uniform(cell, block); };
    piece.input_bits = [self](unsigned cell) { return self->input_bits(cell); };
    piece.check = [self](const Results& results) { return self->check(results); };
    return piece;
  }

private:
  [[nodiscard]] bool gives_carry() const { return instance_.has(Modifier::kCc); }
  [[nodiscard]] bool takes_carry() const {
    return instance_.opcode == Opcode::k_addc || instance_.opcode == Opcode::k_subc ||
           instance_.opcode == Opcode::k_madc;
  }
  [[nodiscard]] bool borrows() const {
    return instance_.opcode == Opcode::k_sub || instance_.opcode == Opcode::k_subc;
  }

  void add_results(const Slot& slot) {
    Result result;
    result.type = type_of(instance_, slot);
    result.register_bits = result.type == Type::kPred ? 32 : std::max(16U, bits_of(result.type));
    if (slot.role == Role::kWideResult && !ptx::is_float(result.type) && !typed_) {
      result.register_bits = std::max(result.register_bits, 16U << (seed_ >> 8) % 3);
    }
    result.initial = inputs_++;
    results_.push_back(result);
    const bool halves = ptx::is_packed(instance_.type());
    if (slot.may_be_pair && (slot.must_be_pair || halves || (seed_ >> 5 & 1) != 0)) {
      Result second;
      second.type = Type::kPred;
      second.register_bits = 32;
      second.initial = inputs_++;
      second.is_second = true;
      results_.push_back(second);
    }
  }

  void add_operand(const Slot& slot, unsigned number) {
    Operand operand;
    operand.type = type_of(instance_, slot);
    const Word random = hash_of(seed_, operands_.size(), 77);
    if (slot.role == Role::kInteger) {
      operand.source = Source::kLiteral;
      operand.literal = number;
      operands_.push_back(operand);
      return;
    }
    operand.source = source_of(operand.type, random);
    operand.negated = operand.type == Type::kPred && (random >> 20 & 1) != 0;
    operand.register_bits = std::max(16U, bits_of(operand.type));
    if (operand.source == Source::kWide) {
      operand.register_bits = operand.register_bits == 16 && (random >> 21 & 1) != 0 ? 32 : 64;
    }
    operand.literal = operand_of(operand.type, hash_of(random, 5));
    static constexpr Word kSteps[] = {1, 4, ~Word{0}, 3, 0x10001, 0x2000'0000, ~Word{7}, 0xC00};
    operand.step = kSteps[random >> 22 & 7];
    if (operand.source == Source::kVarying || operand.source == Source::kWide) {
      operand.cell = inputs_++;
    } else if (operand.source != Source::kLiteral) {
      operand.cell = uniforms_++;
    }
    operands_.push_back(operand);
  }

  [[nodiscard]] Source source_of(Type type, Word random) const {
    const bool predicate = type == Type::kPred;
    switch (variant_) {
    case Variant::kVarying:
      return Source::kVarying;
    case Variant::kUniform:
      return Source::kUniform;
    case Variant::kLiteral:
      return predicate || ptx::size_of(type) == 1 ? Source::kVarying : Source::kLiteral;
    default:
      break;
    }
    const bool plain = !predicate && !ptx::is_float(type);
    switch (random % 8) {
    case 0:
    case 1:
      return Source::kUniform;
    case 2:
    case 3:
      return plain && ptx::size_of(type) < 8 ? Source::kWide : Source::kVarying;
    case 4:
    case 5:
      return predicate || ptx::size_of(type) == 1 ? Source::kVarying : Source::kAffine;
    case 6:
      return predicate || ptx::size_of(type) == 1 ? Source::kUniform : Source::kLiteral;
    default:
      return Source::kVarying;
    }
  }

  // Data.

  [[nodiscard]] Word input(unsigned cell, unsigned thread) const {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const Operand& operand = operands_[i];
      if ((operand.source != Source::kVarying && operand.source != Source::kWide) ||
          operand.cell != cell) {
        continue;
      }
      const std::vector<Word>& edges = edges_of(operand.type);
      const bool alone =
          operands_.size() == 1 && !ptx::is_packed(operand.type) && thread < edges.size();
      const Word bits =
          alone ? edges[thread] : operand_of(operand.type, hash_of(seed_, cell, thread));
      // What is above the type's bits in its register does not count.
      const Word above = operand.type == Type::kPred ? 0 : hash_of(seed_, cell + 100, thread);
      return bits | (bits_of(operand.type) == 64 ? 0 : above << bits_of(operand.type));
    }
    const Word random = hash_of(seed_, cell + 200, thread);
    if ((takes_carry() || gives_carry()) && cell == carry_cell_) {
      return random & 1;
    }
    if (guard_ != Guard::kNone && cell == guard_cell_) {
      // Also blocks in which all lanes, and none, do it.
      return thread / kLanes % 8 == 0 ? 0 : thread / kLanes % 8 == 1 ? 1 : random & 1;
    }
    const auto result = std::ranges::find(results_, cell, &Result::initial);
    return result->type == Type::kPred ? random & 1 : low_bits(random, result->register_bits);
  }

  [[nodiscard]] unsigned input_bits(unsigned cell) const {
    for (const Operand& operand : operands_) {
      if ((operand.source == Source::kVarying || operand.source == Source::kWide) &&
          operand.cell == cell) {
        return operand.type == Type::kPred ? 32 : operand.register_bits;
      }
    }
    const auto result = std::ranges::find(results_, cell, &Result::initial);
    return result == results_.end() ? 32 : result->register_bits;
  }

  [[nodiscard]] Word uniform(unsigned cell, unsigned block) const {
    const auto operand = std::ranges::find_if(operands_, [&](const Operand& each) {
      return (each.source == Source::kUniform || each.source == Source::kAffine) &&
             each.cell == cell;
    });
    const Word bits = operand_of(operand->type, hash_of(seed_, cell + 300, block));
    const Word above = operand->type == Type::kPred ? 0 : hash_of(seed_, cell + 400, block);
    return bits | (bits_of(operand->type) == 64 ? 0 : above << bits_of(operand->type));
  }

  [[nodiscard]] Word value(const Operand& operand, unsigned thread) const {
    Word bits = operand.literal;
    switch (operand.source) {
    case Source::kVarying:
    case Source::kWide:
      bits = input(operand.cell, thread);
      break;
    case Source::kUniform:
      bits = uniform(operand.cell, thread / kLanes);
      break;
    case Source::kAffine:
      bits = uniform(operand.cell, thread / kLanes) + thread % kLanes * operand.step;
      break;
    case Source::kLiteral:
      break;
    }
    if (operand.type == Type::kPred) {
      return (bits & 1) ^ (operand.negated ? 1 : 0);
    }
    return low_bits(bits, bits_of(operand.type));
  }

  // Code.

  [[nodiscard]] std::string register_type(Type type, unsigned bits) const {
    const bool natural =
        typed_ && bits == bits_of(type) && !ptx::is_packed(type) && type != Type::kBf16;
    return natural ? fmt::format(".{}", ptx::name_of(type)) : fmt::format(".b{}", bits);
  }

  [[nodiscard]] std::string operand_code(const Places& places, std::size_t index) const {
    const Operand& operand = operands_[index];
    if (operand.source == Source::kLiteral) {
      return {};
    }
    const bool own = operand.source == Source::kVarying || operand.source == Source::kWide;
    const std::string address =
        own ? places.input(operand.cell, input_bits(operand.cell)) : places.uniform(operand.cell);
    if (operand.type == Type::kPred) {
      return fmt::format("  .reg .pred %a{0}; .reg .b32 %w{0};\n"
                         "  ld.global.b32 %w{0}, [{1}]; setp.ne.b32 %a{0}, %w{0}, 0;\n",
                         index, address);
    }
    const unsigned bits = operand.register_bits;
    std::string code = fmt::format("  .reg {} %a{}; ld.global.b{} %a{}, [{}];\n",
                                   register_type(operand.type, bits), index, bits, index, address);
    if (operand.source == Source::kAffine) {
      const Word step = low_bits(operand.step, bits);
      if (bits == 16) {
        code += fmt::format(
            "  .reg .u16 %w{0}; cvt.u16.u32 %w{0}, %lane; mad.lo.u16 %a{0}, %w{0}, {1}, %a{0};\n",
            index, step);
      } else if (bits == 32) {
        code += fmt::format("  mad.lo.u32 %a{0}, %lane, {1}, %a{0};\n", index, step);
      } else {
        code += fmt::format(
            "  .reg .u64 %w{0}; cvt.u64.u32 %w{0}, %lane; mad.lo.u64 %a{0}, %w{0}, {1}, %a{0};\n",
            index, step);
      }
    }
    return code;
  }

  [[nodiscard]] std::string operand_text(std::size_t index) const {
    const Operand& operand = operands_[index];
    if (operand.source == Source::kLiteral) {
      return literal_of(operand.type, operand.literal);
    }
    return fmt::format("{}%a{}", operand.negated ? "!" : "", index);
  }

  [[nodiscard]] std::string result_code(const Places& places, std::size_t index) const {
    const Result& result = results_[index];
    if (result.type == Type::kPred) {
      return fmt::format("  .reg .pred %d{0}; .reg .b32 %v{0};\n", index) +
             (guard_ == Guard::kPredicate
                  ? fmt::format("  ld.global.b32 %v{0}, [{1}]; setp.ne.b32 %d{0}, %v{0}, 0;\n",
                                index, places.input(result.initial, result.register_bits))
                  : "");
    }
    return fmt::format("  .reg {} %d{};\n", register_type(result.type, result.register_bits),
                       index) +
           (guard_ == Guard::kPredicate
                ? fmt::format("  ld.global.b{} %d{}, [{}];\n", result.register_bits, index,
                              places.input(result.initial, result.register_bits))
                : "");
  }

  [[nodiscard]] std::string store_code(const Places& places, std::size_t index) const {
    const Result& result = results_[index];
    if (result.type == Type::kPred) {
      return fmt::format("  selp.b32 %v{0}, 1, 0, %d{0}; st.global.b32 [{1}], %v{0};\n", index,
                         places.output(static_cast<unsigned>(index), result.register_bits));
    }
    return fmt::format("  st.global.b{} [{}], %d{};\n", result.register_bits,
                       places.output(static_cast<unsigned>(index), result.register_bits), index);
  }

  [[nodiscard]] std::string instruction() const {
    std::string text;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      text += fmt::format("{}%d{}", i == 0 ? " " : results_[i].is_second ? "|" : ", ", i);
    }
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      text += ", " + operand_text(i);
    }
    return fmt::format("  {}{}{};\n", guard_ == Guard::kPredicate ? "@%guard " : "",
                       instance_.name(), text);
  }

  [[nodiscard]] std::string code(const Places& places) const {
    std::string text;
    if (guard_ != Guard::kNone) {
      text += fmt::format("  .reg .pred %guard; .reg .b32 %guarded;\n"
                          "  ld.global.b32 %guarded, [{}]; setp.ne.b32 %guard, %guarded, 0;\n",
                          places.input(guard_cell_, 32));
    }
    if (guard_ == Guard::kBranch) {
      text += fmt::format("  @!%guard bra {};\n", places.label("skip"));
    }
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      text += operand_code(places, i);
    }
    for (std::size_t i = 0; i < results_.size(); ++i) {
      text += result_code(places, i);
    }
    if (takes_carry() || gives_carry()) {
      text += fmt::format("  .reg .b32 %carry, %t; ld.global.b32 %carry, [{}];\n  {}\n",
                          places.input(carry_cell_, 32),
                          borrows() ? "sub.cc.u32 %t, 0, %carry;"
                                    : "add.cc.u32 %t, %carry, 0xFFFFFFFF;");
    }
    text += instruction();
    for (std::size_t i = 0; i < results_.size(); ++i) {
      text += store_code(places, i);
    }
    if (gives_carry()) {
      text += fmt::format("  {} st.global.b32 [{}], %carry;\n",
                          borrows() ? "subc.u32 %carry, 0, 0; neg.s32 %carry, %carry;"
                                    : "addc.u32 %carry, 0, 0;",
                          places.output(static_cast<unsigned>(results_.size()), 32));
    }
    if (guard_ == Guard::kBranch) {
      text += places.label("skip") + ":\n";
    }
    return text;
  }

  // Checks.

  [[nodiscard]] std::string check(const Results& results) const {
    std::string first;
    unsigned wrong = 0;
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      const std::string said = check(results, thread);
      if (!said.empty() && ++wrong == 1) {
        first = said;
      }
    }
    return wrong < 2 ? first : fmt::format("{} (and {} threads more)", first, wrong - 1);
  }

  [[nodiscard]] std::string check(const Results& results, unsigned thread) const {
    const bool executes = guard_ == Guard::kNone || input(guard_cell_, thread) != 0;
    std::vector<Word> values;
    for (const Operand& operand : operands_) {
      values.push_back(value(operand, thread));
    }
    if (takes_carry()) {
      values.push_back(input(carry_cell_, thread));
    }
    const Outcome outcome = evaluate_(instance_, values);
    const bool halves = ptx::is_packed(instance_.type()) && instance_.has(Modifier::kApprox);
    for (std::size_t i = 0; i < results_.size() + (gives_carry() ? 1 : 0); ++i) {
      const bool is_carry = i == results_.size();
      const unsigned bits = is_carry ? 32 : results_[i].register_bits;
      const Word actual = results.output(static_cast<unsigned>(i), thread, bits);
      if (!executes) {
        const Word before = guard_ == Guard::kBranch ? low_bits(kUntouched, bits)
                            : is_carry               ? input(carry_cell_, thread)
                                                     : input(results_[i].initial, thread);
        if (actual != before) {
          return fmt::format("thread {}, which does not execute it, has {:#x} and not {:#x}",
                             thread, actual, before);
        }
        continue;
      }
      if (halves) {
        for (unsigned half = 0; half < 2; ++half) {
          if (!outcome[half].accepts(actual >> (16 * half) & 0xFFFF)) {
            return failure(thread, values, actual,
                           fmt::format("{} in half {}", outcome[half].text(), half));
          }
        }
        continue;
      }
      Expected expected = is_carry ? outcome[1] : outcome[i];
      if (expected.kind == Expected::Kind::kExact && !is_carry && results_[i].type != Type::kPred) {
        expected.bits = extended(results_[i].type, expected.bits, bits);
      }
      // Hardware passes on the NaN of f64 that it finds in an operand.
      if (!is_carry && results_[i].type == Type::kF64 && runs_on_driver() && is_nan(actual) &&
          is_nan(expected.bits)) {
        continue;
      }
      if (!expected.accepts(actual)) {
        return failure(thread, values, actual, expected.text());
      }
    }
    return {};
  }

  static std::string failure(unsigned thread, const std::vector<Word>& values, Word actual,
                             const std::string& expected) {
    std::string operands;
    for (const Word value : values) {
      operands += fmt::format("{}{:#x}", operands.empty() ? "" : ", ", value);
    }
    return fmt::format("of {} is {:#x} and should be {} (thread {})", operands, actual, expected,
                       thread);
  }

  Instance instance_;
  Evaluate evaluate_;
  Variant variant_;
  Word seed_;
  bool typed_ = false;
  Guard guard_ = Guard::kNone;
  std::vector<Operand> operands_;
  std::vector<Result> results_;
  unsigned inputs_ = 0, uniforms_ = 0;
  unsigned carry_cell_ = 0, guard_cell_ = 0;
};

} // namespace

bool is_of_values(const exec::verifier::Form& form) {
  return std::ranges::all_of(
      form.slots, [](const Slot& slot) { return is_result(slot.role) || is_source(slot.role); });
}

std::vector<Piece> pieces_of(const Instance& instance, Share share) {
  std::vector<Piece> pieces;
  const auto add = [&](Variant variant, unsigned number) {
    pieces.push_back(ValuePiece::piece(std::make_shared<ValuePiece>(instance, variant, number)));
  };
  static constexpr Variant kOthers[] = {Variant::kMixed, Variant::kUniform, Variant::kLiteral,
                                        Variant::kMixedAgain};
  const Word hash = hash_of(hash_of(instance.name()));
  const bool has_table = std::ranges::any_of(
      instance.form->slots, [](const Slot& slot) { return slot.role == Role::kInteger; });
  if (has_table) {
    const unsigned step = share == Share::kAll ? 1 : 5;
    for (unsigned table = 0; table < 256; table += step) {
      add(table % 4 == 0 ? kOthers[table / 4 % 4] : Variant::kVarying, table);
    }
    return pieces;
  }
  if (share == Share::kOne) {
    add(hash % 2 == 0 ? Variant::kVarying : kOthers[hash / 2 % 4], 0);
    return pieces;
  }
  add(Variant::kVarying, 0);
  add(Variant::kMixed, 0);
  if (share == Share::kSome) {
    add(kOthers[1 + hash % 3], 0);
    return pieces;
  }
  add(Variant::kUniform, 0);
  add(Variant::kLiteral, 0);
  add(Variant::kMixedAgain, 0);
  add(Variant::kLiteral, 1);
  return pieces;
}

bool is_conversion(const Instance& instance) {
  const Type to = instance.type(0);
  const Type from = instance.type(1);
  if (instance.opcode != Opcode::k_cvt || ptx::is_packed(to) || to == Type::kTf32 ||
      instance.has(Modifier::kRelu)) {
    return true;
  }
  const bool rounds = instance.has_any(Modifier::kRn, Modifier::kRz, Modifier::kRm, Modifier::kRp);
  const bool to_integral =
      instance.has_any(Modifier::kRni, Modifier::kRzi, Modifier::kRmi, Modifier::kRpi);
  if (instance.has(Modifier::kFtz) && from != Type::kF32 && to != Type::kF32) {
    return false;
  }
  if (!ptx::is_float(from)) {
    return rounds == ptx::is_float(to) && !to_integral;
  }
  if (!ptx::is_float(to)) {
    return to_integral && !rounds;
  }
  if (to == from) {
    return !rounds;
  }
  // What is as wide has fewer digits or a smaller range. bf16 may be said to round where it fits.
  const bool narrows = ptx::size_of(to) <= ptx::size_of(from);
  return !to_integral && (rounds == narrows || (!narrows && from == Type::kBf16));
}

} // namespace gantry::simt::instructions
