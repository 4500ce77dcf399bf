// Every form of atom and red: on a place of each lane's own, where what it gives is known to the
// bit, and on one place for all lanes of a warp, whose order is not.
#include "batch.h"
#include "instance.h"
#include "operand_values.h"
#include "reference.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::instructions {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

enum class Contention { kOwnPlace, kOnePlace };

// Subnormals of f32 are flushed in global memory, and are not in shared memory.
Word float_sum(const Instance& instance, Word a, Word b, bool flushes) {
  const Format format = format_of(instance.type());
  const auto flush = [&](Word bits) { return flushes ? format.flushed(bits) : bits; };
  return flush(
      packed(sum(unpacked(flush(a), format), unpacked(flush(b), format), Round::kNearestEven),
             format, Round::kNearestEven));
}

class Atomic {
public:
  Atomic(const Instance& instance, Contention contention)
      : instance_(instance), contention_(contention),
        seed_(hash_of(hash_of(instance.name()), static_cast<Word>(contention))),
        bits_(bits_of(instance.type())) {
    const bool shared =
        instance.has_any(Modifier::kShared, Modifier::kSharedCta, Modifier::kSharedCluster);
    const bool generic = !shared && !instance.has(Modifier::kGlobal);
    in_shared_ = shared || (generic && (seed_ & 1) != 0);
    generic_ = generic;
    gives_old_ = instance.opcode == Opcode::k_atom && (seed_ >> 1 & 7) != 0;
    literal_ = (seed_ >> 4 & 3) == 0 && bits_ >= 32 && !ptx::is_float(instance.type());
    guarded_ = (seed_ >> 6 & 3) == 0;
  }

  // Inputs: 0 the place, 1 and 2 the operands, 3 the guard. Outputs: 0 the old value, 1 the new.
  static Piece piece(const std::shared_ptr<Atomic>& self) {
    Piece piece;
    piece.label =
        fmt::format("{}, {}{}", self->instance_.name(),
                    self->contention_ == Contention::kOwnPlace ? "own place" : "one place",
                    self->guarded_ ? ", predicated" : "");
    piece.inputs = 4;
    piece.outputs = 2;
    piece.code = [self](const Places& places) { return self->code(places); };
    piece.input = [self](unsigned cell, unsigned thread) { return self->input(cell, thread); };
    piece.input_bits = [self](unsigned cell) { return cell == 3 ? 32 : self->bits_; };
    piece.check = [self](const Results& results) {
      return self->contention_ == Contention::kOwnPlace ? self->check_own(results)
                                                        : self->check_one(results);
    };
    return piece;
  }

private:
  [[nodiscard]] bool has(Modifier modifier) const { return instance_.has(modifier); }

  [[nodiscard]] Word input(unsigned cell, unsigned thread) const {
    if (cell == 3) {
      return guarded_ ? hash_of(seed_, thread, 3) & 1 : 1;
    }
    const Type type = instance_.type();
    const bool one_place = contention_ == Contention::kOnePlace;
    if (one_place && cell == 0) {
      thread = thread / kLanes * kLanes; // the place is that of the block's first lane
    }
    if (literal_ && cell == 1) {
      thread = 0;
    }
    if (one_place && ptx::is_float(type)) {
      // Small integers: their sum is exact in whatever order.
      const Format format = format_of(type);
      const Word low =
          packed(Number::integer(static_cast<__int128>(hash_of(seed_, cell, thread) % 4)), format,
                 Round::kZero);
      return ptx::is_packed(type) ? low | low << 16 : low;
    }
    if (has(Modifier::kCas) && cell == 1 && !literal_) {
      // What the place holds, half of the time.
      return (hash_of(seed_, thread, 50) & 1) != 0 ? input(0, thread)
                                                   : operand_of(type, hash_of(seed_, cell, thread));
    }
    if ((has(Modifier::kInc) || has(Modifier::kDec)) && one_place) {
      return cell == 1 ? 11 : hash_of(seed_, thread) % 20;
    }
    if (one_place && (has(Modifier::kExch) || (has(Modifier::kCas) && cell == 2))) {
      return low_bits(hash_of(seed_) & 0x7F00, bits_) + 1 + thread % kLanes; // different ones
    }
    return operand_of(type, hash_of(seed_, cell, thread));
  }
  [[nodiscard]] bool executes(unsigned thread) const { return input(3, thread) != 0; }

  [[nodiscard]] std::string operand_text() const {
    std::string text = literal_ ? fmt::format("{}", input(1, 0)) : "%a";
    text += has(Modifier::kCas) ? ", %b" : "";
    return has(Modifier::kL2CacheHint) ? text + ", %outputs" : text; // whatever the policy is
  }

  [[nodiscard]] std::string code(const Places& places) const {
    const bool one = contention_ == Contention::kOnePlace;
    std::string text = fmt::format(
        "  .reg .b{0} %place, %a, %b, %old; .reg .pred %guard; .reg .b32 %w, %j; .reg .b64 %p, "
        "%o;\n"
        "  ld.global.b{0} %place, [{1}]; ld.global.b{0} %a, [{2}]; ld.global.b{0} %b, [{3}];\n",
        bits_, places.input(0, bits_), places.input(1, bits_), places.input(2, bits_));
    text += fmt::format("  ld.global.b32 %w, [{}]; setp.ne.b32 %guard, %w, 0; mov.b32 %j, {};\n",
                        places.input(3, 32), one ? "0" : "%lane");
    if (in_shared_) {
      text += fmt::format("  .shared .align 8 .b8 window[256]; mov.b64 %p, window; mul.wide.u32 "
                          "%o, %j, {}; add.u64 %p, %p, %o;\n"
                          "  st.shared.b{} [%p], %place;\n",
                          bits_ / 8, bits_);
    } else {
      text += fmt::format("  mad.lo.u32 %j, %block, 32, %j; mad.wide.u32 %p, %j, {}, %outputs; "
                          "add.u64 %p, %p, {};\n"
                          "  st.global.b{} [%p], %place;\n",
                          bits_ / 8, places.first_output(1), bits_);
    }
    text += "  bar.warp.sync 0xFFFFFFFF;\n";
    if (generic_) {
      text += fmt::format("  cvta.{}.u64 %p, %p;\n", in_shared_ ? "shared" : "global");
    } else if (in_shared_ && (seed_ >> 8 & 1) != 0) {
      text += "  .reg .b32 %q; cvt.u32.u64 %q, %p;\n";
    }
    const char* address = in_shared_ && !generic_ && (seed_ >> 8 & 1) != 0 ? "[%q]" : "[%p]";
    if (instance_.opcode == Opcode::k_atom) {
      text +=
          fmt::format("  mov.b{} %old, 0;\n  {}{} {}, {}, {};\n", bits_, guarded_ ? "@%guard " : "",
                      instance_.name(), gives_old_ ? "%old" : "_", address, operand_text());
      text += fmt::format("  st.global.b{} [{}], %old;\n", bits_, places.output(0, bits_));
    } else {
      text += fmt::format("  {}{} {}, {};\n", guarded_ ? "@%guard " : "", instance_.name(), address,
                          operand_text());
    }
    text += "  bar.warp.sync 0xFFFFFFFF;\n";
    if (in_shared_) {
      text += fmt::format("  mov.b64 %p, window; mul.wide.u32 %o, %lane, {0}; add.u64 %p, %p, %o; "
                          "ld.shared.b{1} %a, [%p];\n"
                          "  st.global.b{1} [{2}], %a; bar.warp.sync 0xFFFFFFFF;\n",
                          bits_ / 8, bits_, places.output(1, bits_));
    }
    return text;
  }

  /// What the place holds after the operation on `old`.
  [[nodiscard]] Word after(Word old, Word a, Word b) const {
    const Type type = instance_.type();
    if (ptx::is_float(type)) {
      const auto add = [&](std::span<const Word> parts) {
        return float_sum(instance_, parts[0], parts[1], type == Type::kF32 && !in_shared_);
      };
      const Word operands[] = {old, a};
      return ptx::is_packed(type) ? of_halves(operands, add) : add(operands);
    }
    if (instance_.has(Modifier::kExch)) {
      return a;
    }
    if (instance_.has(Modifier::kCas)) {
      return old == a ? b : old;
    }
    return updated(instance_, old, a);
  }

  [[nodiscard]] std::string check_own(const Results& results) const {
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      const Word old = input(0, thread);
      const Word a = input(1, thread);
      const Word b = input(2, thread);
      const Word now = results.output(1, thread, bits_);
      if (now != (executes(thread) ? after(old, a, b) : old)) {
        return fmt::format("{:#x} becomes {:#x} by {:#x}, {:#x} and should be {:#x} (thread {})",
                           old, now, a, b, executes(thread) ? after(old, a, b) : old, thread);
      }
      const Word given = results.output(0, thread, bits_);
      if (gives_old_ && given != (executes(thread) ? old : 0)) {
        return fmt::format("gives {:#x} and not {:#x} (thread {})", given, old, thread);
      }
    }
    return {};
  }

  /// Runs the lanes in an order that the old values tell: each step's is what the place then held.
  [[nodiscard]] std::string check_one(const Results& results) const {
    for (unsigned block = 0; block < kBlocks; ++block) {
      const unsigned first = block * kLanes;
      const Word final = results.output(1, first, bits_);
      Word place = input(0, first);
      std::vector<unsigned> left;
      for (unsigned thread = first; thread < first + kLanes; ++thread) {
        if (executes(thread)) {
          left.push_back(thread);
        }
      }
      while (!left.empty()) {
        auto step = left.begin();
        if (gives_old_) {
          // Of those that saw this value, one that changes it comes last.
          const auto sees = [&](unsigned thread) {
            return results.output(0, thread, bits_) == place;
          };
          step = std::ranges::find_if(left, [&](unsigned thread) {
            return sees(thread) && after(place, input(1, thread), input(2, thread)) == place;
          });
          step = step != left.end() ? step : std::ranges::find_if(left, sees);
          if (step == left.end()) {
            return fmt::format("no lane of block {} has seen {:#x}, though {} are left", block,
                               place, left.size());
          }
        }
        place = after(place, input(1, *step), input(2, *step));
        left.erase(step);
      }
      // Without the old values, the order of what does not commute is not known.
      const bool ordered = gives_old_ || !instance_.has_any(Modifier::kExch, Modifier::kCas);
      if (ordered && place != final) {
        return fmt::format("leaves {:#x} and not {:#x} (block {})", final, place, block);
      }
    }
    return {};
  }

  Instance instance_;
  Contention contention_;
  Word seed_;
  unsigned bits_;
  bool in_shared_ = false, generic_ = false, gives_old_ = false, literal_ = false, guarded_ = false;
};

class AtomicForms : public testing::TestWithParam<Opcode> {};

TEST_P(AtomicForms, GiveTheOldValueAndLeaveTheNew) {
  std::vector<Piece> pieces;
  for (const Instance& instance : pairwise_instances(GetParam(), [](const Instance& each) {
         return !each.has(Modifier::kAsync); // cluster_forms_test.cpp
       })) {
    for (const Contention contention : {Contention::kOwnPlace, Contention::kOnePlace}) {
      if (runs_all() || static_cast<std::size_t>(contention) == pieces.size() % 2) {
        pieces.push_back(Atomic::piece(std::make_shared<Atomic>(instance, contention)));
      }
    }
  }
  run_batch(pieces);
}

INSTANTIATE_TEST_SUITE_P(Memory, AtomicForms, testing::Values(Opcode::k_atom, Opcode::k_red),
                         [](const auto& parameter) {
                           return std::string(exec::verifier::name_of(parameter.param));
                         });

} // namespace
} // namespace gantry::simt::instructions
