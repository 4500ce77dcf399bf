// Every form of the block's barriers, in blocks of four warps; the instructions that have no
// result; and jumps.
#include "batch.h"
#include "instance.h"
#include "operand_values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::instructions {
namespace {

using ptx::Modifier;
using ptx::Opcode;

constexpr unsigned kBlockWarps = 4, kBlockThreads = kBlockWarps * kLanes;

/// The operands of a barrier's form, as it lists them: the barrier's number and the number of
/// threads.
std::string barrier_operands(const Instance& instance, Word seed) {
  using Role = exec::verifier::Slot::Role;
  std::string text;
  unsigned numbers = 0;
  for (const exec::verifier::Slot& slot : instance.form->slots) {
    if (slot.role != Role::kSource || (slot.optional && (seed & 1) != 0)) {
      continue;
    }
    const bool in_register = (seed >> (2 + numbers) & 1) != 0;
    text += numbers == 0 ? (in_register ? "%number" : "5") : (in_register ? ", %threads" : ", 128");
    ++numbers;
  }
  return text;
}

class BarrierForms : public testing::TestWithParam<Opcode> {};

TEST_P(BarrierForms, ReduceOverTheBlock) {
  std::vector<Piece> pieces;
  const auto reduces = [](const Instance& instance) { return instance.has(Modifier::kRed); };
  for (const Instance& instance : all_instances(GetParam(), reduces)) {
    for (unsigned number = 0; number < 4; ++number) {
      const Word seed = hash_of(hash_of(instance.name()), number);
      const bool negated = (seed >> 8 & 1) != 0;
      // Blocks of which nearly all have it set, nearly none, and some.
      const auto input = [=](unsigned thread) {
        const unsigned block = thread / kBlockThreads;
        const Word random = hash_of(seed, thread);
        const Word rare = random % 200 == 0;
        return block % 4 == 0 ? 0 : block % 4 == 1 ? 1 : block % 4 == 2 ? rare : 1 - rare;
      };
      Piece piece;
      piece.label = instance.name();
      piece.inputs = 1;
      piece.outputs = 1;
      piece.input = [=](unsigned, unsigned thread) { return Word{input(thread)}; };
      piece.code = [=](const Places& places) {
        const bool counts = instance.has(Modifier::kPopc);
        std::string text = "  .reg .b32 %number, %threads, %w, %d; .reg .pred %p, %q; mov.b32 "
                           "%number, 5; mov.b32 %threads, 128;\n";
        text +=
            fmt::format("  ld.global.b32 %w, [{}]; setp.ne.b32 %p, %w, 0;\n", places.input(0, 64));
        text += fmt::format("  {} {}, {}, {}%p;\n", instance.name(), counts ? "%d" : "%q",
                            barrier_operands(instance, seed), negated ? "!" : "");
        text += counts ? "" : "  selp.b32 %d, 1, 0, %q;\n";
        return text + fmt::format("  st.global.b64 [{0}], 0; st.global.b32 [{0}], %d;\n",
                                  places.output(0, 64));
      };
      piece.check = [=](const Results& results) -> std::string {
        for (unsigned block = 0; block < kThreads / kBlockThreads; ++block) {
          unsigned set = 0;
          for (unsigned i = 0; i < kBlockThreads; ++i) {
            set += (input(block * kBlockThreads + i) != 0) != negated ? 1 : 0;
          }
          const Word wanted = instance.has(Modifier::kPopc)  ? set
                              : instance.has(Modifier::kAnd) ? Word{set == kBlockThreads}
                                                             : Word{set != 0};
          for (unsigned i = 0; i < kBlockThreads; ++i) {
            const Word actual = results.output(0, block * kBlockThreads + i, 64);
            if (actual != wanted) {
              return fmt::format("gives {} and not {} (thread {} of block {})", actual, wanted, i,
                                 block);
            }
          }
        }
        return {};
      };
      pieces.push_back(piece);
    }
  }
  ASSERT_FALSE(pieces.empty());
  run_batch(pieces, kBlockWarps);
}

TEST_P(BarrierForms, LetNobodyPassEarly) {
  std::vector<Piece> pieces;
  const auto waits = [](const Instance& instance) {
    return instance.has(Modifier::kSync) && !instance.has(Modifier::kWarp);
  };
  const auto arrives = [](const Instance& instance) {
    return instance.has(Modifier::kArrive) && !instance.has(Modifier::kCluster);
  };
  const auto input = [](unsigned thread) { return hash_of(77, thread); };
  const auto check = [=](unsigned distance) {
    return [=](const Results& results) -> std::string {
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        const unsigned first = thread / kBlockThreads * kBlockThreads;
        const Word actual = results.output(0, thread, 64);
        if (actual != input(first + (thread + distance) % kBlockThreads)) {
          return fmt::format("thread {} has read {:#x}", thread, actual);
        }
      }
      return {};
    };
  };
  const auto make = [&](const Instance& instance, unsigned distance, const std::string& between) {
    Piece piece;
    piece.label = instance.name();
    piece.inputs = 1;
    piece.outputs = 1;
    piece.input = [=](unsigned, unsigned thread) { return input(thread); };
    piece.code = [=](const Places& places) {
      return fmt::format("  .shared .align 8 .b64 window[128]; .reg .b32 %number, %threads, %a, "
                         "%b; .reg .b64 %x; .reg .pred %late;\n"
                         "  mov.b32 %number, 5; mov.b32 %threads, 128; mov.b32 %a, window; "
                         "mad.lo.u32 %b, %lane, 8, %a;\n"
                         "  ld.global.b64 %x, [{0}]; bar.sync 0; st.shared.b64 [%b], %x;\n{1}"
                         "  add.u32 %b, %lane, {2}; and.b32 %b, %b, 127; mad.lo.u32 %b, %b, 8, %a; "
                         "ld.shared.b64 %x, [%b];\n"
                         "  st.global.b64 [{3}], %x; bar.sync 0;\n",
                         places.input(0, 64), between, distance, places.output(0, 64));
    };
    piece.check = check(distance);
    return piece;
  };
  for (const Instance& instance : all_instances(GetParam(), waits)) {
    for (unsigned number = 0; number < 3; ++number) {
      const Word seed = hash_of(hash_of(instance.name()), number);
      pieces.push_back(
          make(instance, 37,
               fmt::format("  {} {};\n", instance.name(), barrier_operands(instance, seed))));
    }
  }
  // The first half of the block arrives and reads its own; the second waits.
  for (const Instance& instance : all_instances(GetParam(), arrives)) {
    for (unsigned number = 0; number < 3; ++number) {
      const Word seed = hash_of(hash_of(instance.name()), number);
      Piece piece = make(instance, 0, "");
      piece.code = [=](const Places& places) {
        return fmt::format("  .shared .align 8 .b64 window[128]; .reg .b32 %number, %threads, %a, "
                           "%b; .reg .b64 %x; .reg .pred %late;\n"
                           "  mov.b32 %number, 5; mov.b32 %threads, 128; mov.b32 %a, window; "
                           "mad.lo.u32 %b, %lane, 8, %a;\n"
                           "  ld.global.b64 %x, [{0}]; bar.sync 0; st.shared.b64 [%b], %x; "
                           "setp.ge.u32 %late, %lane, 64;\n"
                           "  @%late bra {3};\n  {1} {2};\n  bra {4};\n{3}:\n  bar.sync 5, 128; "
                           "ld.shared.b64 %x, [%b+-512];\n{4}:\n"
                           "  st.global.b64 [{5}], %x; bar.sync 0;\n",
                           places.input(0, 64), instance.name(), barrier_operands(instance, seed),
                           places.label("late"), places.label("met"), places.output(0, 64));
      };
      piece.check = [=](const Results& results) -> std::string {
        for (unsigned thread = 0; thread < kThreads; ++thread) {
          const unsigned from = thread % kBlockThreads < 64 ? thread : thread - 64;
          if (results.output(0, thread, 64) != input(from)) {
            return fmt::format("thread {} has read {:#x}", thread, results.output(0, thread, 64));
          }
        }
        return {};
      };
      pieces.push_back(piece);
    }
  }
  run_batch(pieces, kBlockWarps);
}

INSTANTIATE_TEST_SUITE_P(Block, BarrierForms, testing::Values(Opcode::k_bar, Opcode::k_barrier),
                         [](const auto& parameter) {
                           return std::string(exec::verifier::name_of(parameter.param));
                         });

/// Operands of an instruction without result.
std::string operands_of(const Instance& instance) {
  using Role = exec::verifier::Slot::Role;
  std::string text;
  for (const exec::verifier::Slot& slot : instance.form->slots) {
    const char* operand =
        slot.role == Role::kAddress    ? (instance.has(Modifier::kLocal) ? "[frame]" : "[%address]")
        : slot.role == Role::kInteger  ? (instance.opcode == Opcode::k_pmevent ? "3" : "128")
        : slot.role == Role::kResult   ? "%policy"
        : slot.type == ptx::Type::kF32 ? "0.5"
        : instance.opcode == Opcode::k_bar ? "0xFFFFFFFF"
                                           : "50";
    text += (text.empty() ? " " : ", ") + std::string(operand);
  }
  return text;
}

class EffectlessForms : public testing::TestWithParam<Opcode> {};

TEST_P(EffectlessForms, LeaveEverythingAsItIs) {
  std::vector<Piece> pieces;
  const auto accepts = [](const Instance& instance) {
    return instance.opcode != Opcode::k_bar || instance.has(Modifier::kWarp);
  };
  for (const Instance& instance : all_instances(GetParam(), accepts)) {
    Piece piece;
    piece.label = instance.name();
    piece.inputs = 1;
    piece.outputs = 1;
    piece.input = [](unsigned, unsigned thread) { return hash_of(5, thread); };
    piece.code = [=](const Places& places) {
      // What is discarded may be anything after it: a place that nobody reads.
      return fmt::format("  .local .align 8 .b8 frame[8]; .global .align 128 .b8 spare[128]; .reg "
                         ".b64 %x, %address, %policy; cvta.global.u64 %address, spare;\n"
                         "  ld.global.b64 %x, [{}]; {}{}; st.global.b64 [{}], %x;\n",
                         places.input(0, 64), instance.name(), operands_of(instance),
                         places.output(0, 64));
    };
    piece.check = [](const Results& results) -> std::string {
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        if (results.output(0, thread, 64) != hash_of(5, thread)) {
          return fmt::format("thread {} has {:#x}", thread, results.output(0, thread, 64));
        }
      }
      return {};
    };
    pieces.push_back(piece);
  }
  ASSERT_FALSE(pieces.empty());
  run_batch(pieces);
}

INSTANTIATE_TEST_SUITE_P(Block, EffectlessForms,
                         testing::Values(Opcode::k_bar, Opcode::k_prefetch, Opcode::k_prefetchu,
                                         Opcode::k_discard, Opcode::k_membar, Opcode::k_fence,
                                         Opcode::k_nanosleep, Opcode::k_brkpt, Opcode::k_pmevent,
                                         Opcode::k_applypriority, Opcode::k_createpolicy,
                                         Opcode::k_griddepcontrol),
                         [](const auto& parameter) {
                           return std::string(exec::verifier::name_of(parameter.param));
                         });

} // namespace
} // namespace gantry::simt::instructions
