// Jumps, calls and ends: each form where lanes go apart and, if it says that they do not, where
// they stay together.
#include "batch.h"
#include "instance.h"
#include "operand_values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::instructions {
namespace {

using ptx::Modifier;
using ptx::Opcode;

/// A piece that is given a number below four, the same for a block if `uniform`, and makes of it
/// what `wanted` says. Its code has the number in %n and leaves the result in %d.
Piece piece_of(const std::string& label, bool uniform,
               const std::function<std::string(const Places&)>& code,
               const std::function<Word(Word n)>& wanted,
               std::function<std::string(const Places&)> declarations = {}) {
  const auto number = [=](unsigned thread) {
    return hash_of(hash_of(label), uniform ? thread / kLanes : thread) % 4;
  };
  Piece piece;
  piece.label = label;
  piece.inputs = 1;
  piece.outputs = 1;
  piece.input = [=](unsigned, unsigned thread) { return number(thread); };
  piece.declarations = std::move(declarations);
  piece.code = [=](const Places& places) {
    return fmt::format("  .reg .b32 %n, %d; .reg .pred %p; .reg .b64 %f; ld.global.b32 %n, [{0}]; "
                       "st.global.b64 [{1}], 0;\n"
                       "{2}  st.global.b32 [{1}], %d;\n",
                       places.input(0, 64), places.output(0, 64), code(places));
  };
  piece.check = [=](const Results& results) -> std::string {
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      const Word actual = results.output(0, thread, 64);
      if (actual != wanted(number(thread))) {
        return fmt::format("{} gives {} (thread {})", number(thread), actual, thread);
      }
    }
    return {};
  };
  return piece;
}

TEST(ControlForms, Branches) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(Opcode::k_bra)) {
    const bool uniform = instance.has(Modifier::kUni);
    for (const char* guard : {"@%p", "@!%p"}) {
      const bool negated = guard[1] == '!';
      pieces.push_back(piece_of(
          fmt::format("{} {}", guard, instance.name()), uniform,
          [=](const Places& places) {
            return fmt::format("  setp.eq.u32 %p, %n, 2; mov.b32 %d, 10;\n  {} {} {};\n  add.u32 "
                               "%d, %d, 5;\n{}:\n",
                               guard, instance.name(), places.label("there"),
                               places.label("there"));
          },
          [=](Word n) { return (n == 2) != negated ? 10 : 15; }));
    }
  }
  for (const Instance& instance : all_instances(Opcode::k_brx)) {
    pieces.push_back(piece_of(
        instance.name(), instance.has(Modifier::kUni),
        [=](const Places& places) {
          const std::string labels[] = {places.label("a"), places.label("b"), places.label("c"),
                                        places.label("d")};
          std::string text =
              fmt::format("{}: .branchtargets {}, {}, {}, {};\n  mov.b32 %d, 0;\n  {} %n, {};\n",
                          places.label("targets"), labels[0], labels[1], labels[2], labels[3],
                          instance.name(), places.label("targets"));
          for (unsigned i = 0; i < 4; ++i) {
            text += fmt::format("{}: add.u32 %d, %d, {};\n{}", labels[i], 1U << (4 * i),
                                i == 1 ? fmt::format("  bra {};\n", places.label("end")) : "");
          }
          return text + places.label("end") + ":\n";
        },
        [](Word n) {
          return n == 0 ? 0x11 : n == 1 ? 0x10 : n == 2 ? 0x1100 : 0x1000;
        }));
  }
  run_batch(pieces);
}

TEST(ControlForms, Calls) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(Opcode::k_ret)) {
    for (const char* call : {"call", "call.uni"}) {
      for (const bool indirect : {false, true}) {
        for (const bool guarded : {false, true}) {
          const bool uniform = instance.has(Modifier::kUni) || std::string_view(call) != "call";
          pieces.push_back(piece_of(
              fmt::format("{}{}{} and {}", guarded ? "predicated " : "",
                          indirect ? "indirect " : "", call, instance.name()),
              uniform,
              [=](const Places& places) {
                std::string text = "  mov.b32 %d, 77; setp.ne.u32 %p, %n, 3;\n  { .param .b32 r, "
                                   "a; st.param.b32 [a], %n;\n  st.param.b32 [r], %d;\n";
                const char* guard = guarded ? "@%p " : "";
                if (indirect) {
                  text +=
                      fmt::format("  {0}: .callprototype (.param .b32 _) _ (.param .b32 _); "
                                  "mov.b64 %f, {1};\n  {2}{3} (r), %f, (a), {0};\n",
                                  places.label("prototype"), places.label("callee"), guard, call);
                } else {
                  text +=
                      fmt::format("  {}{} (r), {}, (a);\n", guard, call, places.label("callee"));
                }
                // What a call that was not made leaves of its result is not for us to say.
                return text + fmt::format("  {}ld.param.b32 %d, [r]; }}\n", guard);
              },
              [=](Word n) { return guarded && n == 3 ? 77
                                   : n == 1          ? 100
                                                     : 5 * n; },
              [=](const Places& places) {
                return fmt::format(".func (.param .b32 r) {0}(.param .b32 a) {{\n  .reg .b32 %x; "
                                   ".reg .pred %p; ld.param.b32 %x, [a];\n"
                                   "  setp.eq.u32 %p, %x, 1; mul.lo.u32 %x, %x, 5; st.param.b32 "
                                   "[r], %x; @!%p {1}; st.param.b32 [r], 100; {1};\n}}\n",
                                   places.label("callee"), instance.name());
              }));
        }
      }
    }
  }
  // Recursion: n + (n - 1) + … by itself.
  pieces.push_back(piece_of(
      "recursion", false,
      [](const Places& places) {
        return fmt::format("  {{ .param .b32 r, a; st.param.b32 [a], %n; call (r), {}, (a); "
                           "ld.param.b32 %d, [r]; }}\n",
                           places.label("sum"));
      },
      [](Word n) { return n * (n + 1) / 2; },
      [](const Places& places) {
        return fmt::format(
            ".func (.param .b32 r) {0}(.param .b32 a) {{\n  .reg .b32 %x, %y; .reg .pred %p; "
            "ld.param.b32 %x, [a];\n"
            "  setp.eq.u32 %p, %x, 0; st.param.b32 [r], 0; @%p ret; sub.u32 %y, %x, 1;\n"
            "  {{ .param .b32 s, b; st.param.b32 [b], %y; call (s), {0}, (b); ld.param.b32 %y, "
            "[s]; }}\n"
            "  add.u32 %x, %x, %y; st.param.b32 [r], %x; ret;\n}}\n",
            places.label("sum"));
      }));
  run_batch(pieces);
}

TEST(ControlForms, ThreadsEnd) {
  const Piece piece = piece_of(
      "exit", false,
      [](const Places&) { return "  setp.eq.u32 %p, %n, 0; @%p exit; add.u32 %d, %n, 40;\n"; },
      [](Word n) { return n == 0 ? 0 : n + 40; });
  run_batch({piece});
}

} // namespace
} // namespace gantry::simt::instructions
