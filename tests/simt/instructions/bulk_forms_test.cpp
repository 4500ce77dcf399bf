// Every form of bulk copies: each lane of a warp copies 16 bytes, which its neighbour reads once
// the copy is over.
#include "batch.h"
#include "instance.h"
#include "operand_values.h"
#include "reference.h"

#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::instructions {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

/// Two words of a lane's 16 bytes.
using Bytes = std::array<Word, 2>;

/// A small number in a type, exactly.
Word encoded(Type type, int number) {
  switch (type) {
  case Type::kF16:
    return std::bit_cast<std::uint16_t>(static_cast<_Float16>(number));
  case Type::kBf16:
    return std::bit_cast<std::uint32_t>(static_cast<float>(number)) >> 16;
  case Type::kF32:
    return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  default:
    return std::bit_cast<Word>(static_cast<double>(number));
  }
}

/// An element: of floating point a small whole number, so that sums are exact.
Word element_of(Type type, Word random) {
  return ptx::is_float(type) ? encoded(type, static_cast<int>(random % 64) - 32)
                             : low_bits(random % 5 == 0 ? random % 7 : random, bits_of(type));
}

Word reduced(const Instance& instance, Word old_random, Word random) {
  const Type type = instance.type();
  const unsigned bits = bits_of(type);
  if (ptx::is_float(type)) {
    const int old_number = static_cast<int>(old_random % 64) - 32;
    const int number = static_cast<int>(random % 64) - 32;
    return encoded(type, instance.has(Modifier::kAdd)   ? old_number + number
                         : instance.has(Modifier::kMin) ? std::min(old_number, number)
                                                        : std::max(old_number, number));
  }
  return updated(instance, element_of(type, old_random), element_of(type, random));
}

/// What a thread's 16 bytes are: `made(random of the destination's element, of the source's)`.
template <typename Make>
Bytes bytes_of(const Instance& instance, unsigned thread, Make made) {
  const Type type = instance.types.empty() ? Type::kB64 : instance.type();
  const unsigned bits = bits_of(type);
  const Word seed = hash_of(instance.name());
  Bytes bytes = {};
  for (unsigned i = 0; i < 128 / bits; ++i) {
    const Word element = made(type, hash_of(seed, thread, 100 + i), hash_of(seed, thread, 200 + i));
    bytes[i * bits / 64] |= element << (i * bits % 64);
  }
  return bytes;
}

Bytes source_of(const Instance& instance, unsigned thread) {
  return bytes_of(instance, thread,
                  [](Type type, Word, Word random) { return element_of(type, random); });
}

Bytes destination_of(const Instance& instance, unsigned thread) {
  return bytes_of(instance, thread,
                  [](Type type, Word random, Word) { return element_of(type, random); });
}

Bytes wanted_of(const Instance& instance, unsigned thread) {
  return instance.has(Modifier::kReduce)
             ? bytes_of(instance, thread,
                        [&](Type, Word old, Word random) { return reduced(instance, old, random); })
             : source_of(instance, thread);
}

/// Inputs: the source, then what the destination holds before, each 16 bytes.
Piece piece_of(const Instance& instance, std::function<std::string(const Places&)> code) {
  Piece piece;
  piece.label = instance.name();
  piece.inputs = 4;
  piece.outputs = 2;
  piece.input = [=](unsigned cell, unsigned thread) {
    return cell < 2 ? source_of(instance, thread)[cell]
                    : destination_of(instance, thread)[cell - 2];
  };
  piece.input_bits = [](unsigned cell) { return cell % 2 == 0 ? 128 : 0; };
  piece.code = [code = std::move(code)](const Places& places) {
    return "  .shared .align 16 .b8 first[512]; .shared .align 16 .b8 second[512]; .shared .align "
           "8 .b64 barrier;\n"
           "  .reg .b32 %f, %s, %b, %n, %w; .reg .b64 %x, %y, %a, %policy; .reg .pred %one, %p;\n"
           "  setp.eq.b32 %one, %lane, 0; mov.b32 %f, first; mad.lo.u32 %f, %lane, 16, %f; mov.b32 "
           "%s, second; mad.lo.u32 %s, %lane, 16, %s; mov.b32 %b, barrier; mov.b32 %n, 16; mov.b64 "
           "%policy, 0;\n" +
           code(places);
  };
  return piece;
}

std::string load_input(const Places& places, unsigned cell, const char* to) {
  return fmt::format("  ld.global.v2.b64 {{%x, %y}}, [{}]; st.shared.v2.b64 [{}], {{%x, %y}};\n",
                     places.input(cell, 128), to);
}

std::string policy_of(const Instance& instance) {
  return instance.has(Modifier::kL2CacheHint) ? ", %policy" : "";
}

constexpr const char* kSync = "  bar.warp.sync 0xFFFFFFFF;\n";

TEST(BulkForms, BytesAreCountedByABarrier) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(
           Opcode::k_cp, [](const Instance& each) { return each.has(Modifier::kMbarrierBytes); })) {
    const bool from_global = instance.has(Modifier::kGlobal);
    Piece piece = piece_of(instance, [=](const Places& places) {
      std::string text = load_input(places, 0, "%f") + load_input(places, 2, "%s");
      text += "  @%one mbarrier.init.shared::cta.b64 [%b], 1;\n";
      text += kSync;
      text += "  @%one mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], 512;\n";
      text +=
          fmt::format("  add.u64 %a, %in16, {}; {} [%s], [{}], %n, [%b]{}{};\n",
                      places.first_input(0), instance.name(), from_global ? "%a" : "%f",
                      instance.has(Modifier::kMulticastCluster) ? ", 1" : "", policy_of(instance));
      text += fmt::format("{0}:\n  mbarrier.try_wait.parity.shared::cta.b64 %p, [%b], 0; @!%p bra "
                          "{0};\n",
                          places.label("again"));
      text += "  mov.b32 %w, second; xor.b32 %n, %lane, 1; mad.lo.u32 %w, %n, 16, %w; "
              "ld.shared.v2.b64 {%x, %y}, [%w];\n";
      text += fmt::format("  st.global.b64 [{}], %x; st.global.b64 [{}], %y;\n",
                          places.output(0, 64), places.output(1, 64));
      return text + kSync + "  @%one mbarrier.inval.shared::cta.b64 [%b];\n" + kSync;
    });
    piece.check = [=](const Results& results) -> std::string {
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        const Bytes wanted = wanted_of(instance, thread ^ 1);
        for (unsigned cell = 0; cell < 2; ++cell) {
          const Word actual = results.output(cell, thread, 64);
          if (actual != wanted[cell]) {
            return fmt::format("word {} is {:#x} and should be {:#x} (thread {})", cell, actual,
                               wanted[cell], thread);
          }
        }
      }
      return {};
    };
    pieces.push_back(piece);
  }
  ASSERT_FALSE(pieces.empty());
  run_batch(pieces);
}

TEST(BulkForms, GroupsAreWaitedFor) {
  std::vector<Piece> pieces;
  const std::vector<Instance> waits = all_instances(Opcode::k_cp, [](const Instance& each) {
    return each.has(Modifier::kBulk) && each.has(Modifier::kWaitGroup);
  });
  ASSERT_FALSE(waits.empty());
  for (const Instance& instance : all_instances(
           Opcode::k_cp, [](const Instance& each) { return each.has_any(Modifier::kBulkGroup); })) {
    const std::string wait = waits[hash_of(instance.name()) % waits.size()].name();
    Piece piece = piece_of(instance, [=](const Places& places) {
      // By a register, as the address of a bulk copy is often one.
      std::string place = places.output(0, 128);
      const std::size_t plus = place.find('+');
      place = fmt::format("add.u64 %a, {}, {};", place.substr(0, plus),
                          plus == std::string::npos ? "0" : place.substr(plus + 1));
      std::string text = load_input(places, 0, "%f");
      text += fmt::format("  {} ld.global.v2.b64 {{%x, %y}}, [{}]; st.global.v2.b64 [%a], {{%x, "
                          "%y}};\n",
                          place, places.input(2, 128));
      return text + fmt::format("  {} [%a], [%f], %n{}; cp.async.bulk.commit_group; {} 0;\n",
                                instance.name(), policy_of(instance), wait);
    });
    piece.check = [=](const Results& results) -> std::string {
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        const Bytes wanted = wanted_of(instance, thread);
        for (unsigned word = 0; word < 2; ++word) {
          const Word actual = results.output(0, thread, 128, word);
          if (actual != wanted[word]) {
            return fmt::format("word {} is {:#x} and should be {:#x} (thread {})", word, actual,
                               wanted[word], thread);
          }
        }
      }
      return {};
    };
    pieces.push_back(piece);
  }
  ASSERT_FALSE(pieces.empty());
  run_batch(pieces);
}

TEST(BulkForms, PrefetchesChangeNothing) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(
           Opcode::k_cp, [](const Instance& each) { return each.has(Modifier::kPrefetch); })) {
    Piece piece = piece_of(instance, [=](const Places& places) {
      return fmt::format("  add.u64 %a, %in16, {}; {} [%a], %n{}; ld.global.v2.b64 {{%x, %y}}, "
                         "[{}]; st.global.b64 [{}], %x; st.global.b64 [{}], %y;\n",
                         places.first_input(0), instance.name(), policy_of(instance),
                         places.input(0, 128), places.output(0, 64), places.output(1, 64));
    });
    piece.check = [=](const Results& results) -> std::string {
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        if (results.output(1, thread, 64) != source_of(instance, thread)[1]) {
          return fmt::format("thread {}", thread);
        }
      }
      return {};
    };
    pieces.push_back(piece);
  }
  ASSERT_FALSE(pieces.empty());
  run_batch(pieces);
}

} // namespace
} // namespace gantry::simt::instructions
