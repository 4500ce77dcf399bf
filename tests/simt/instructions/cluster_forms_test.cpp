// Every form of what blocks of a cluster do with each other: blocks of one warp, four in a cluster,
// of which each reads what another one has.
#include "batch.h"
#include "instance.h"
#include "operand_values.h"
#include "reference.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::instructions {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

constexpr unsigned kClusterBlocks = 4;

/// The same lane's thread in the next block of the cluster, or the one so many further on.
unsigned neighbour(unsigned thread, unsigned distance) {
  const unsigned block = thread / kLanes;
  const unsigned first = block / kClusterBlocks * kClusterBlocks;
  return (first + (block - first + distance) % kClusterBlocks) * kLanes + thread % kLanes;
}

Word word_of(std::string_view seed, unsigned thread) {
  return hash_of(hash_of(seed), thread);
}

constexpr const char* kDeclarations =
    "  .shared .align 32 .b8 window[1024]; .shared .align 8 .b64 barrier;\n"
    "  .reg .b32 %s, %r, %n, %t, %w, %b; .reg .b64 %x, %g, %h; .reg .pred %p, %one;\n"
    "  mov.b32 %s, window; mad.lo.u32 %s, %lane, 32, %s; mov.u32 %r, %cluster_ctarank; add.u32 %n, "
    "%r, 1; and.b32 %n, %n, 3; setp.eq.b32 %one, %lane, 0; mov.b32 %b, barrier;\n"
    "  mov.b64 %g, window; mad.wide.u32 %g, %lane, 32, %g; cvta.shared.u64 %h, %g;\n";

constexpr const char* kSync =
    "  barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n";

Piece piece_of(const std::string& label, unsigned outputs,
               std::function<std::string(const Places&)> code) {
  Piece piece;
  piece.label = label;
  piece.inputs = 1;
  piece.outputs = outputs;
  piece.input = [label](unsigned, unsigned thread) { return word_of(label, thread); };
  piece.code = [code = std::move(code)](const Places& places) {
    return kDeclarations + code(places) + kSync;
  };
  return piece;
}

std::string store_own(const Places& places) {
  return fmt::format("  ld.global.b64 %x, [{}]; st.shared.b64 [%s], %x;\n", places.input(0, 64));
}

TEST(ClusterForms, AddressesAreOfTheRank) {
  std::vector<Piece> pieces;
  const std::vector<Instance> ranks = all_instances(Opcode::k_getctarank);
  for (const Instance& instance : all_instances(Opcode::k_mapa)) {
    const bool is_offset = instance.has(Modifier::kSharedCluster);
    const bool is_narrow = instance.type() == Type::kU32;
    const char* const own = !is_offset ? "%h" : is_narrow ? "%s" : "%g";
    const auto rank = std::ranges::find_if(ranks, [&](const Instance& each) {
      return each.type() == instance.type() && each.has(Modifier::kSharedCluster) == is_offset;
    });
    ASSERT_NE(rank, ranks.end());
    Piece piece = piece_of(instance.name(), 3, [=](const Places& places) {
      const char* const to = is_narrow ? "%t" : "%h";
      const char* const space = is_offset ? ".shared::cluster" : "";
      std::string text = store_own(places) + kSync;
      text += fmt::format("  {} {}, {}, %n; ld{}.b64 %x, [{}]; st.global.b64 [{}], %x;\n",
                          instance.name(), to, own, space, to, places.output(0, 64));
      text += fmt::format("  {} %w, {}; cvt.u64.u32 %x, %w; st.global.b64 [{}], %x;\n",
                          rank->name(), to, places.output(1, 64));
      // From there to the block after it.
      text += fmt::format("  add.u32 %n, %n, 1; and.b32 %n, %n, 3; {0} {1}, {1}, %n; ld{2}.b64 %x, "
                          "[{1}]; st.global.b64 [{3}], %x;\n",
                          instance.name(), to, space, places.output(2, 64));
      return text;
    });
    piece.check = expecting(3, [label = piece.label](unsigned cell, unsigned thread) {
      return cell == 1 ? Word{(thread / kLanes + 1) % kClusterBlocks}
                       : word_of(label, neighbour(thread, cell == 0 ? 1 : 2));
    });
    pieces.push_back(piece);
  }
  ASSERT_FALSE(pieces.empty());
  run_batch(pieces, 1, kClusterBlocks);
}

TEST(ClusterForms, NobodyPassesTheBarrierEarly) {
  std::vector<Piece> pieces;
  const auto of = [](Modifier modifier) {
    return all_instances(Opcode::k_barrier, [=](const Instance& each) {
      return each.has(Modifier::kCluster) && each.has(modifier);
    });
  };
  for (const Instance& arrive : of(Modifier::kArrive)) {
    for (const Instance& wait : of(Modifier::kWait)) {
      Piece piece = piece_of(
          fmt::format("{} and {}", arrive.name(), wait.name()), 1, [=](const Places& places) {
            return store_own(places) +
                   fmt::format("  {}; mapa.shared::cluster.u32 %t, %s, %n; {};\n  "
                               "ld.shared::cluster.b64 %x, [%t]; st.global.b64 [{}], "
                               "%x;\n",
                               arrive.name(), wait.name(), places.output(0, 64));
          });
      piece.check = expecting(1, [label = piece.label](unsigned, unsigned thread) {
        return word_of(label, neighbour(thread, 1));
      });
      pieces.push_back(piece);
    }
  }
  ASSERT_FALSE(pieces.empty());
  run_batch(pieces, 1, kClusterBlocks);
}

class RemoteStores : public testing::TestWithParam<Opcode> {};

TEST_P(RemoteStores, ArriveWithTheirBytes) {
  const bool reduces = GetParam() == Opcode::k_red;
  std::vector<Piece> pieces;
  for (const Instance& instance :
       all_instances(GetParam(), [](const Instance& each) { return each.has(Modifier::kAsync); })) {
    const unsigned bits = bits_of(instance.type());
    const unsigned count = instance.has(Modifier::kV4) ? 4 : instance.has(Modifier::kV2) ? 2 : 1;
    const bool is_offset = instance.has(Modifier::kSharedCluster);
    Piece piece = piece_of(instance.name(), count, [=](const Places& places) {
      std::string text = fmt::format("  .reg .b{} %v<4>; ld.global.b64 %x, [{}]; st.shared.b64 "
                                     "[%s], %x;\n",
                                     bits, places.input(0, 64));
      std::string list;
      for (unsigned i = 0; i < count; ++i) {
        text += bits == 64 ? fmt::format("  add.u64 %v{}, %x, {};\n", i, i + 1)
                           : fmt::format("  cvt.u32.u64 %v{0}, %x; add.u32 %v{0}, %v{0}, {1};\n", i,
                                         i + 1);
        list += fmt::format("{}%v{}", i == 0 ? "" : ", ", i);
      }
      list = count > 1 ? fmt::format("{{{}}}", list) : list;
      text += "  @%one mbarrier.init.shared::cta.b64 [%b], 1; "
              "fence.mbarrier_init.release.cluster;\n";
      text += kSync;
      text += fmt::format("  @%one mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], {};\n",
                          kLanes * count * bits / 8);
      if (is_offset) {
        text += "  mapa.shared::cluster.u32 %t, %s, %n; mapa.shared::cluster.u32 %b, %b, %n;\n";
      } else {
        text += "  mapa.u64 %g, %h, %n; mov.b64 %h, barrier; cvta.shared.u64 %h, %h; mapa.u64 %h, "
                "%h, %n;\n";
      }
      text += fmt::format("  {} [{}], {}, [{}];\n", instance.name(), is_offset ? "%t" : "%g", list,
                          is_offset ? "%b" : "%h");
      text += fmt::format("{0}:\n  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, "
                          "[barrier], 0; @!%p bra {0};\n",
                          places.label("again"));
      for (unsigned i = 0; i < count; ++i) {
        text += fmt::format("  ld.shared.b{0} %v0, [%s+{1}]; st.global.b64 [{2}], 0; "
                            "st.global.b{0} [{2}], %v0;\n",
                            bits, i * bits / 8, places.output(i, 64));
      }
      return text + kSync + "  @%one mbarrier.inval.shared::cta.b64 [barrier];\n";
    });
    piece.check = expecting(count, [=, label = piece.label](unsigned cell, unsigned thread) {
      const Word from =
          low_bits(word_of(label, neighbour(thread, kClusterBlocks - 1)) + cell + 1, bits);
      return reduces ? updated(instance, low_bits(word_of(label, thread), bits), from) : from;
    });
    pieces.push_back(piece);
  }
  ASSERT_FALSE(pieces.empty());
  run_batch(pieces, 1, kClusterBlocks);
}

INSTANTIATE_TEST_SUITE_P(Cluster, RemoteStores, testing::Values(Opcode::k_st, Opcode::k_red),
                         [](const auto& parameter) {
                           return std::string(exec::verifier::name_of(parameter.param));
                         });

} // namespace
} // namespace gantry::simt::instructions
