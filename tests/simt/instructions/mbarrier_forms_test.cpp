// Every form of the barriers in shared memory, each with a protocol in which it has a part: by one
// warp, which makes a barrier, arrives there lane by lane, and asks for its phases.
#include "batch.h"
#include "instance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::instructions {
namespace {

using ptx::Modifier;
using ptx::Opcode;

/// How the form gives the barrier's address.
std::string place_of(const Instance& instance) {
  return instance.has_any(Modifier::kShared, Modifier::kSharedCta, Modifier::kSharedCluster)
             ? "[%s]"
             : "[%g]";
}

constexpr const char* kDeclarations =
    "  .shared .align 8 .b64 window[2]; .reg .b32 %s, %w, %c; .reg .b64 %g, %st, %x; .reg .pred "
    "%first, %p, %q;\n"
    "  mov.b32 %s, window; mov.b64 %g, window; cvta.shared.u64 %g, %g; setp.eq.b32 %first, "
    "%lane, 0;\n";

constexpr const char* kSync = "  bar.warp.sync 0xFFFFFFFF;\n";

/// Stores what the predicate is as an output cell.
std::string store_predicate(const Places& places, unsigned cell, const char* predicate) {
  return fmt::format("  selp.b64 %x, 1, 0, {}; st.global.b64 [{}], %x;\n", predicate,
                     places.output(cell, 64));
}

/// Its output cells are the same in all threads.
Piece piece_of(const Instance& instance, std::vector<Word> wanted,
               std::function<std::string(const Places&)> code) {
  Piece piece;
  piece.label = instance.name();
  piece.outputs = static_cast<unsigned>(wanted.size());
  piece.code = [code = std::move(code)](const Places& places) {
    return kDeclarations + code(places) + kSync + "  @%first mbarrier.inval.shared.b64 [%s];\n" +
           kSync;
  };
  piece.check = expecting(piece.outputs, [wanted = std::move(wanted)](unsigned cell, unsigned) {
    return wanted[cell];
  });
  return piece;
}

std::string made_for(unsigned count) {
  return fmt::format("  @%first mbarrier.init.shared.b64 [%s], {};\n{}", count, kSync);
}

TEST(MbarrierForms, BeginAndEnd) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(Opcode::k_mbarrier, [](const Instance& each) {
         return each.has_any(Modifier::kInit, Modifier::kInval);
       })) {
    const bool begins = instance.has(Modifier::kInit);
    pieces.push_back(piece_of(instance, {0, 1}, [=](const Places& places) {
      // A barrier for 32, twice: what ends it makes room for the next one.
      std::string text = begins ? fmt::format("  mov.b32 %c, 32; @%first {} {}, %c;\n{}",
                                              instance.name(), place_of(instance), kSync)
                                : made_for(7) +
                                      fmt::format("  @%first {} {};\n{}", instance.name(),
                                                  place_of(instance), kSync) +
                                      made_for(32);
      text += "  setp.ne.b32 %p, %lane, 31; @%p mbarrier.arrive.shared.b64 _, [%s];\n";
      text += kSync;
      text += "  mbarrier.test_wait.parity.shared.b64 %p, [%s], 0;\n" +
              store_predicate(places, 0, "%p") + kSync;
      text += "  @%first mbarrier.arrive.shared.b64 _, [%s];\n";
      text += kSync;
      return text + "  mbarrier.test_wait.parity.shared.b64 %p, [%s], 0;\n" +
             store_predicate(places, 1, "%p");
    }));
  }
  run_batch(pieces);
}

TEST(MbarrierForms, CountBytes) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(Opcode::k_mbarrier, [](const Instance& each) {
         return each.has_any(Modifier::kExpectTx, Modifier::kCompleteTx) &&
                !each.has_any(Modifier::kArrive, Modifier::kArriveDrop);
       })) {
    const bool expects = instance.has(Modifier::kExpectTx);
    pieces.push_back(piece_of(instance, {0, 0, 1}, [=](const Places& places) {
      const std::string own = fmt::format("{} {}, %w", instance.name(), place_of(instance));
      const std::string expect =
          expects ? own : "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%s], %w";
      const std::string complete =
          expects ? "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%s], %w" : own;
      const auto test = [&](unsigned cell) {
        return kSync + std::string("  mbarrier.test_wait.parity.shared.b64 %p, [%s], 0;\n") +
               store_predicate(places, cell, "%p") + kSync;
      };
      // Each lane expects as many bytes as its number and 16, and they come in another order.
      return made_for(1) + fmt::format("  add.u32 %w, %lane, 16; {};\n", expect) + test(0) +
             fmt::format("  @%first mbarrier.arrive.shared.b64 _, [%s]; @!%first {};\n", complete) +
             test(1) + fmt::format("  @%first {};\n", complete) + test(2);
    }));
  }
  run_batch(pieces);
}

TEST(MbarrierForms, Arrive) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(Opcode::k_mbarrier, [](const Instance& each) {
         return each.has_any(Modifier::kArrive, Modifier::kArriveDrop);
       })) {
    const bool drops = instance.has(Modifier::kArriveDrop);
    const bool expects = instance.has(Modifier::kExpectTx);
    const bool must_not_complete = instance.has(Modifier::kNoComplete);
    const bool knows = !instance.has(Modifier::kSharedCluster);
    // Without a count and with one; with bytes to expect there is no count.
    for (const unsigned count :
         expects || must_not_complete ? std::vector<unsigned>{3} : std::vector<unsigned>{0, 3}) {
      const unsigned each = expects ? 1 : std::max(count, 1U);
      // Pending counts from the first lane to the last one, and one arrival more ends the phase.
      const unsigned all = 32 * each + 1;
      const unsigned next = drops ? 1 : all;
      Piece piece = piece_of(instance, {0, 1, next}, [=](const Places& places) {
        std::string text = made_for(all);
        text += fmt::format("  mov.b32 %w, 3; {} {}, {}{};\n", instance.name(), knows ? "%st" : "_",
                            place_of(instance), count != 0 ? ", %w" : "");
        text += kSync;
        text += "  mbarrier.test_wait.parity.shared.b64 %p, [%s], 0;\n" +
                store_predicate(places, 0, "%p") + kSync;
        text += expects ? "  mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%s], 3;\n" : "";
        text += "  @%first mbarrier.arrive.shared.b64 %x, [%s];\n";
        text += kSync;
        text += knows ? "  mbarrier.test_wait.shared.b64 %p, [%s], %st;\n"
                      : "  mbarrier.test_wait.parity.shared.b64 %p, [%s], 0;\n";
        text += store_predicate(places, 1, "%p") + kSync;
        // How many the next phase waits for.
        text += "  @%first mbarrier.arrive.shared.b64 %x, [%s];\n"
                "  mov.b64 {%w, %c}, %x; shfl.sync.idx.b32 %w, %w, 0, 31, 0xFFFFFFFF; "
                "shfl.sync.idx.b32 %c, %c, 0, 31, 0xFFFFFFFF; mov.b64 %x, {%w, %c};\n";
        text += fmt::format("  mbarrier.pending_count.b64 %w, %x; cvt.u64.u32 %x, %w; "
                            "st.global.b64 [{}], %x;\n",
                            places.output(2, 64));
        if (!knows) {
          return text;
        }
        return text + fmt::format("  mbarrier.pending_count.b64 %w, %st; cvt.u64.u32 %x, %w; "
                                  "st.global.b64 [{}], %x;\n",
                                  places.output(3, 64));
      });
      piece.outputs = 4;
      if (knows) {
        piece.check = [each, all, same = piece.check](const Results& results) -> std::string {
          // The states of the lanes of a warp, in whichever order they came.
          for (unsigned warp = 0; warp < kBlocks; ++warp) {
            std::vector<bool> seen(all + 1);
            for (unsigned lane = 0; lane < kLanes; ++lane) {
              const Word pending = results.output(3, warp * kLanes + lane, 64);
              if (pending > all || (all - pending) % each != 0 || seen[pending]) {
                return fmt::format("{} arrivals are missing in the state of lane {} of warp {}",
                                   pending, lane, warp);
              }
              seen[pending] = true;
            }
          }
          return same(results);
        };
      }
      pieces.push_back(piece);
    }
  }
  run_batch(pieces);
}

TEST(MbarrierForms, Wait) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(Opcode::k_mbarrier, [](const Instance& each) {
         return each.has_any(Modifier::kTestWait, Modifier::kTryWait);
       })) {
    const bool tries = instance.has(Modifier::kTryWait);
    const bool by_parity = instance.has(Modifier::kParity);
    for (const bool hints : {false, true}) {
      if (hints && !tries) {
        continue;
      }
      // One lane arrives late; the others ask until it has. Before, and of the next phase, no.
      pieces.push_back(piece_of(instance, {0, 1, 0}, [=](const Places& places) {
        const auto ask = [&](unsigned parity) {
          return fmt::format("  {} %p, {}, {}{};\n", instance.name(), place_of(instance),
                             by_parity ? std::to_string(parity) : "%st", hints ? ", 100" : "");
        };
        const std::string again = places.label("again");
        const std::string late = places.label("late");
        const std::string met = places.label("met");
        std::string text = made_for(33) + "  mbarrier.arrive.shared.b64 %st, [%s];\n" + kSync;
        text += ask(0) + store_predicate(places, 0, "%p") + kSync;
        text += fmt::format("  setp.eq.b32 %q, %lane, 17; @%q bra {1};\n{0}:\n{2}  @!%p bra {0};\n"
                            "  bra {3};\n{1}:\n  mbarrier.arrive.shared.b64 _, [%s];\n  "
                            "setp.eq.b32 %p, 0, 0;\n{3}:\n",
                            again, late, ask(0), met);
        text += store_predicate(places, 1, "%p") + kSync;
        // A state is of the phase that its arrival was for.
        text +=
            by_parity ? std::string() : std::string("  mbarrier.arrive.shared.b64 %st, [%s];\n");
        return text + kSync + ask(1) + store_predicate(places, 2, "%p");
      }));
    }
  }
  run_batch(pieces);
}

TEST(MbarrierForms, PendingCounts) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(Opcode::k_mbarrier, [](const Instance& each) {
         return each.has(Modifier::kPendingCount);
       })) {
    pieces.push_back(piece_of(instance, {1'048'575}, [=](const Places& places) {
      return made_for(1'048'575) +
             fmt::format("  @%first mbarrier.arrive.noComplete.shared.b64 %st, [%s], 5;\n"
                         "  @%first {} %w, %st; shfl.sync.idx.b32 %w, %w, 0, 31, 0xFFFFFFFF; "
                         "cvt.u64.u32 %x, %w; st.global.b64 [{}], %x;\n",
                         instance.name(), places.output(0, 64));
    }));
  }
  run_batch(pieces);
}

TEST(MbarrierForms, CopiesArrive) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(
           Opcode::k_cp, [](const Instance& each) { return each.has(Modifier::kMbarrier); })) {
    const bool counts = instance.has(Modifier::kNoinc);
    // With .noinc each lane is one of those that are waited for; without, it is none.
    pieces.push_back(piece_of(instance, {0, 1}, [=](const Places& places) {
      std::string text = made_for(counts ? 33 : 1);
      text += fmt::format("  {} {};\n{}", instance.name(), place_of(instance), kSync);
      text += "  mbarrier.test_wait.parity.shared.b64 %p, [%s], 0;\n" +
              store_predicate(places, 0, "%p") + kSync;
      text += "  @%first mbarrier.arrive.shared.b64 _, [%s];\n";
      return text + kSync + "  mbarrier.test_wait.parity.shared.b64 %p, [%s], 0;\n" +
             store_predicate(places, 1, "%p");
    }));
  }
  run_batch(pieces);
}

} // namespace
} // namespace gantry::simt::instructions
