// Addresses and what moves between spaces: cvta, isspacep, mov of addresses and vectors, special
// registers, asynchronous copies, memory of a thread's stack.
#include "batch.h"
#include "instance.h"
#include "operand_values.h"
#include "reference.h"

#include <array>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::instructions {
namespace {

using ptx::Modifier;
using ptx::Opcode;

Word word_of(std::string_view seed, unsigned thread, unsigned index = 0) {
  return hash_of(hash_of(seed), thread, index);
}

/// A space that has generic addresses.
struct Window {
  const char* space;       ///< of variables
  const char* declaration; ///< of x, eight bytes for each lane
  bool writable;
};
constexpr Window kWindows[] = {
    {"global", ".global .align 8 .b8 x[8192];", true},
    {"shared", ".shared .align 8 .b8 x[256];", true},
    {"local", ".local .align 8 .b8 x[256];", true},
    {"const", ".const .align 8 .b64 x[4] = {1311768467463790320, 2, 3, 4};", false},
    {"param", "", false},
};
constexpr Word kFirstConstant = 1311768467463790320;

const Window& window_of(const Instance& instance) {
  return kWindows[instance.has(Modifier::kGlobal)                             ? 0
                  : instance.has(Modifier::kLocal)                            ? 2
                  : instance.has(Modifier::kConst)                            ? 3
                  : instance.has_any(Modifier::kParam, Modifier::kParamEntry) ? 4
                                                                              : 1];
}

Word parameter_word() {
  Word word = 0;
  for (unsigned i = 0; i < 8; ++i) {
    word |= Word{parameter_byte(i)} << (8 * i);
  }
  return word;
}

/// Code that makes %a the address in the window's space of this thread's eight bytes, which then
/// hold what word_of() says, or what there is to be read.
std::string own_bytes(const Window& window) {
  std::string text = std::string("  ") + window.declaration +
                     " .reg .b64 %a, %g, %b, %v, %o; .reg .b32 %w; .reg .pred %p;\n";
  text +=
      fmt::format("  mov.b64 %a, {};\n", std::string_view(window.space) == "param" ? "data" : "x");
  if (window.writable) {
    const bool global = std::string_view(window.space) == "global";
    text +=
        fmt::format("  mul.wide.u32 %o, {}, 8; add.u64 %a, %a, %o;\n", global ? "%gid" : "%lane");
  }
  return text;
}

Word own_value(const Window& window, std::string_view seed, unsigned thread) {
  return window.writable                             ? word_of(seed, thread)
         : std::string_view(window.space) == "const" ? kFirstConstant
                                                     : parameter_word();
}

TEST(SpaceForms, AddressesConvertThereAndBack) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(Opcode::k_cvta)) {
    const Window& window = window_of(instance);
    const bool back = instance.has(Modifier::kTo);
    const std::string name = instance.name();
    Piece piece;
    piece.label = name;
    piece.inputs = 1;
    piece.outputs = 3;
    piece.input = [name](unsigned, unsigned thread) { return word_of(name, thread); };
    piece.code = [=](const Places& places) {
      std::string text = own_bytes(window);
      if (window.writable) {
        text += fmt::format("  ld.global.b64 %v, [{}]; st.{}.b64 [%a], %v;\n", places.input(0, 64),
                            window.space);
      }
      const std::string there = back ? fmt::format("cvta.{}.u64", window.space) : name;
      const std::string again = back ? name : fmt::format("cvta.to.{}.u64", window.space);
      text += fmt::format("  {} %g, %a; {} %b, %g;\n  ld.b64 %v, [%g]; st.global.b64 [{}], %v;\n",
                          there, again, places.output(0, 64));
      text += fmt::format("  ld.{}.b64 %v, [%b]; st.global.b64 [{}], %v;\n", window.space,
                          places.output(1, 64));
      return text +
             fmt::format("  sub.u64 %v, %a, %b; st.global.b64 [{}], %v;\n", places.output(2, 64));
    };
    piece.check = expecting(3, [=](unsigned cell, unsigned thread) {
      return cell == 2 ? 0 : own_value(window, name, thread);
    });
    pieces.push_back(piece);
  }
  run_batch(pieces);
}

TEST(SpaceForms, GenericAddressesAreOfOneSpace) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(Opcode::k_isspacep)) {
    for (const Window& window : kWindows) {
      Piece piece;
      piece.label = fmt::format("{} of an address of .{}", instance.name(), window.space);
      piece.outputs = 1;
      piece.code = [=](const Places& places) {
        return own_bytes(window) + fmt::format("  cvta.{}.u64 %g, %a; {} %p, %g; selp.b64 %v, 1, "
                                               "0, %p; st.global.b64 [{}], %v;\n",
                                               window.space, instance.name(), places.output(0, 64));
      };
      const bool is_parameter = std::string_view(window.space) == "param";
      const bool inside =
          &window_of(instance) == &window || (is_parameter && instance.has(Modifier::kGlobal));
      piece.check = expecting(1, [=](unsigned, unsigned) { return inside ? 1 : 0; });
      pieces.push_back(piece);
    }
  }
  run_batch(pieces);
}

TEST(SpaceForms, MovesAddressesOfVariables) {
  std::vector<Piece> pieces;
  for (const Window& window : kWindows) {
    for (const char* type : {"u64", "b64", "s64", "u32", "b32"}) {
      const bool narrow = std::string_view(type).ends_with("32");
      // Only windows have addresses of 32 bits.
      if (!window.writable || (narrow && std::string_view(window.space) == "global")) {
        continue;
      }
      const std::string name = fmt::format("mov.{} of an address of .{}", type, window.space);
      Piece piece;
      piece.label = name;
      piece.outputs = 1;
      piece.code = [=](const Places& places) {
        std::string text =
            fmt::format("  {} .reg .b{} %a; .reg .b64 %v;\n  mad.wide.u32 %v, %gid, 3, 5;\n",
                        window.declaration, narrow ? 32 : 64);
        text += fmt::format("  mov.{} %a, x+16; st.{}.b64 [%a+8], %v; ld.{}.b64 %v, [x+24];\n",
                            type, window.space, window.space);
        return text + fmt::format("  st.global.b64 [{}], %v;\n", places.output(0, 64));
      };
      // All threads of a block, or of the grid, write one place.
      const bool local = std::string_view(window.space) == "local";
      piece.check = [local](const Results& results) -> std::string {
        for (unsigned thread = 0; thread < kThreads; ++thread) {
          const Word value = results.output(0, thread, 64);
          if (local ? value != Word{thread} * 3 + 5
                    : (value % 3 != 2 || value > Word{kThreads} * 3 + 5)) {
            return fmt::format("{} in thread {}", value, thread);
          }
        }
        return {};
      };
      pieces.push_back(piece);
    }
  }
  run_batch(pieces);
}

TEST(SpaceForms, PackAndUnpack) {
  struct Case {
    unsigned bits, parts;
  };
  std::vector<Piece> pieces;
  for (const auto& [bits, parts] :
       {Case{16, 2}, Case{32, 2}, Case{32, 4}, Case{64, 2}, Case{64, 4}}) {
    for (const bool unpacks : {false, true}) {
      const unsigned part = bits / parts;
      for (const bool as_vector : {false, true}) {
        const std::string name = fmt::format("mov.b{} {} {} of {}{}", bits, unpacks ? "to" : "from",
                                             parts, part, as_vector ? ", a vector register" : "");
        Piece piece;
        piece.label = name;
        piece.inputs = 1;
        piece.outputs = parts;
        piece.input = [name](unsigned, unsigned thread) { return word_of(name, thread); };
        piece.code = [=](const Places& places) {
          std::string list;
          std::string text =
              fmt::format("  .reg .b64 %x; .reg .b{} %w; .reg .b{} %p<4>; .reg .v{} .b{} %v;\n",
                          bits, part, parts, part);
          for (unsigned i = 0; i < parts; ++i) {
            list += as_vector ? "" : fmt::format("{}%p{}", i == 0 ? "" : ", ", i);
          }
          list = as_vector ? "%v" : fmt::format("{{{}}}", list);
          const auto element = [&](unsigned i) {
            return as_vector ? fmt::format("%v.{}", "xyzw"[i]) : fmt::format("%p{}", i);
          };
          if (unpacks) {
            text += fmt::format("  ld.global.b{0} %w, [{1}]; mov.b{0} {2}, %w;\n", bits,
                                places.input(0, 64), list);
          } else {
            for (unsigned i = 0; i < parts; ++i) {
              text += fmt::format("  ld.global.b{} {}, [{}+{}];\n", part, element(i),
                                  places.input(0, 64), i * part / 8);
            }
            text += fmt::format("  mov.b{0} %w, {1};\n", bits, list);
          }
          for (unsigned i = 0; i < parts; ++i) {
            if (unpacks) {
              // Through memory: registers of eight bits go nowhere else.
              text += fmt::format("  st.global.b64 [{0}], 0; st.global.b{1} [{0}], {2};\n",
                                  places.output(i, 64), part, element(i));
            } else {
              text += fmt::format("  st.global.b64 [{0}], 0; st.global.b{1} [{0}], %w;\n",
                                  places.output(i, 64), bits);
            }
          }
          return text;
        };
        piece.check = expecting(parts, [=](unsigned cell, unsigned thread) {
          const Word word = low_bits(word_of(name, thread), bits);
          return unpacks ? low_bits(word >> (cell * part), part) : word;
        });
        pieces.push_back(piece);
      }
    }
  }
  run_batch(pieces);
}

TEST(SpaceForms, MovesVectors) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(Opcode::k_mov, [](const Instance& each) {
         return each.has_any(Modifier::kV2, Modifier::kV4) &&
                (each.has(Modifier::kV2) || ptx::size_of(each.type()) <= 8);
       })) {
    const unsigned bits = bits_of(instance.type());
    const unsigned count = instance.has(Modifier::kV2) ? 2 : 4;
    const std::string name = instance.name();
    Piece piece;
    piece.label = name;
    piece.inputs = count;
    piece.outputs = count;
    piece.input = [name](unsigned cell, unsigned thread) { return word_of(name, thread, cell); };
    piece.code = [=](const Places& places) {
      std::string list;
      std::string text =
          fmt::format("  .reg .b{0} %p<4>; .reg .v{1} .b{0} %v, %u; .reg .b64 %x;\n", bits, count);
      for (unsigned i = 0; i < count; ++i) {
        text += fmt::format("  ld.global.b{} %p{}, [{}];\n", bits, i, places.input(i, 64));
        list += fmt::format("{}%p{}", i == 0 ? "" : ", ", i);
      }
      text += fmt::format("  {0} %v, {{{1}}}; {0} %u, %v;\n", name, list);
      for (unsigned i = 0; i < count; ++i) {
        text += fmt::format("  st.global.b64 [{0}], 0; st.global.b{1} [{0}], %u.{2};\n",
                            places.output(i, 64), bits, "xyzw"[i]);
      }
      return text;
    };
    piece.check = expecting(count, [=](unsigned cell, unsigned thread) {
      return low_bits(word_of(name, thread, cell), bits);
    });
    pieces.push_back(piece);
  }
  run_batch(pieces);
}

/// What a special register has to read as; without a function: nothing is known but that it reads.
struct Special {
  const char* name;
  bool wide;
  std::function<bool(Word value, unsigned thread, unsigned row)> holds;
};

std::vector<Special> specials() {
  const auto is = [](auto value) {
    return [value](Word actual, unsigned thread, unsigned row) {
      return actual == Word{value(thread, row)};
    };
  };
  const auto lane = [](unsigned thread, unsigned) { return thread % kLanes; };
  const auto bit = [](unsigned thread) { return Word{1} << (thread % kLanes); };
  std::vector<Special> all = {
      {"%tid.x", false, is([](unsigned thread, unsigned row) { return thread % kLanes % row; })},
      {"%tid.y", false, is([](unsigned thread, unsigned row) { return thread % kLanes / row; })},
      {"%tid.z", false, is([](unsigned, unsigned) { return 0U; })},
      {"%ntid.x", false, is([](unsigned, unsigned row) { return row; })},
      {"%ntid.y", false, is([](unsigned, unsigned row) { return kLanes / row; })},
      {"%ntid.z", false, is([](unsigned, unsigned) { return 1U; })},
      {"%ctaid.x", false, is([](unsigned thread, unsigned) { return thread / kLanes; })},
      {"%ctaid.y", false, is([](unsigned, unsigned) { return 0U; })},
      {"%ctaid.z", false, is([](unsigned, unsigned) { return 0U; })},
      {"%nctaid.x", false, is([](unsigned, unsigned) { return kBlocks; })},
      {"%nctaid.y", false, is([](unsigned, unsigned) { return 1U; })},
      {"%nctaid.z", false, is([](unsigned, unsigned) { return 1U; })},
      {"%laneid", false, is(lane)},
      {"%warpid", false, is([](unsigned, unsigned) { return 0U; })},
      {"%nwarpid", false, [](Word value, unsigned, unsigned) { return value == 32; }},
      {"%nsmid", false, [](Word value, unsigned, unsigned) { return value >= 1; }},
      {"%smid", false, [](Word value, unsigned, unsigned) { return value < 4096; }},
      {"%gridid", true, {}},
      {"%lanemask_eq", false, is([=](unsigned thread, unsigned) { return bit(thread); })},
      {"%lanemask_lt", false, is([=](unsigned thread, unsigned) { return bit(thread) - 1; })},
      {"%lanemask_le", false, is([=](unsigned thread, unsigned) { return 2 * bit(thread) - 1; })},
      {"%lanemask_gt", false,
       is([=](unsigned thread, unsigned) { return 0xFFFFFFFF & ~(2 * bit(thread) - 1); })},
      {"%lanemask_ge", false,
       is([=](unsigned thread, unsigned) { return 0xFFFFFFFF & ~(bit(thread) - 1); })},
      {"%clock", false, {}},
      {"%clock_hi", false, {}},
      {"%clock64", true, [](Word value, unsigned, unsigned) { return value != 0; }},
      {"%globaltimer", true, [](Word value, unsigned, unsigned) { return value != 0; }},
      {"%globaltimer_lo", false, {}},
      {"%globaltimer_hi", false, {}},
      {"%dynamic_smem_size", false, is([](unsigned, unsigned) { return 0U; })},
      {"%total_smem_size", false, {}},
      {"%aggr_smem_size", false, {}},
      {"%pm0", false, is([](unsigned, unsigned) { return 0U; })},
      {"%is_explicit_cluster", false, [](Word value, unsigned, unsigned) { return value <= 1; }},
      {"%cluster_ctarank", false, is([](unsigned, unsigned) { return 0U; })},
      {"%cluster_nctarank", false, is([](unsigned, unsigned) { return 1U; })},
      {"%cluster_ctaid.x", false, is([](unsigned, unsigned) { return 0U; })},
      {"%cluster_nctaid.y", false, is([](unsigned, unsigned) { return 1U; })},
      {"%clusterid.x", false, is([](unsigned thread, unsigned) { return thread / kLanes; })},
      {"%nclusterid.x", false, is([](unsigned, unsigned) { return kBlocks; })},
      {"WARP_SZ", false, is([](unsigned, unsigned) { return kLanes; })},
      {"%envreg0", false, {}},
      {"%envreg1", false, is([](unsigned, unsigned) { return 0U; })},
      {"%envreg31", false, {}},
  };
  return all;
}

TEST(SpaceForms, ReadSpecialRegisters) {
  std::vector<Piece> pieces;
  for (const Special& special : specials()) {
    Piece piece;
    piece.label = special.name;
    piece.outputs = 2;
    // The second by an operand of arithmetic; the first for some lanes alone.
    piece.code = [special](const Places& places) {
      const unsigned bits = special.wide ? 64 : 32;
      if (std::string_view(special.name) == "%is_explicit_cluster") { // the one that is a predicate
        return fmt::format(
            "  .reg .b32 %d, %e, %w; .reg .pred %odd, %p, %q;\n"
            "  and.b32 %w, %lane, 1; setp.eq.b32 %odd, %w, 1; mov.pred %p, %odd;\n"
            "  @%odd mov.pred %p, {0}; mov.pred %q, {0};\n"
            "  selp.b32 %d, 1, 0, %p; selp.b32 %e, 1, 0, %q;\n"
            "  st.global.b64 [{1}], 0; st.global.b32 [{1}], %d; st.global.b64 [{2}], "
            "0; st.global.b32 [{2}], %e;\n",
            special.name, places.output(0, 64), places.output(1, 64));
      }
      return fmt::format("  .reg .b{0} %d, %e; .reg .pred %odd; .reg .b32 %w; .reg .b64 %x;\n"
                         "  and.b32 %w, %lane, 1; setp.eq.b32 %odd, %w, 1; mov.b{0} %d, 0;\n"
                         "  @%odd mov.u{0} %d, {1}; add.u{0} %e, {1}, 0;\n"
                         "  st.global.b64 [{2}], 0; st.global.b{0} [{2}], %d; st.global.b64 [{3}], "
                         "0; st.global.b{0} [{3}], %e;\n",
                         bits, special.name, places.output(0, 64), places.output(1, 64));
    };
    piece.check = [special](const Results& results) -> std::string {
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        for (unsigned cell = 0; cell < 2; ++cell) {
          const Word value = results.output(cell, thread, 64);
          const bool skipped = cell == 0 && thread % 2 == 0;
          if (skipped ? value != 0 : special.holds && !special.holds(value, thread, results.row)) {
            return fmt::format("reads as {:#x} in thread {}", value, thread);
          }
        }
      }
      return {};
    };
    pieces.push_back(piece);
  }
  run_batch(pieces);
}

TEST(SpaceForms, CopiesArriveWhenTheyAreWaitedFor) {
  std::vector<Piece> pieces;
  for (const Instance& instance : all_instances(Opcode::k_cp)) {
    if (instance.has_any(Modifier::kCommitGroup, Modifier::kWaitGroup, Modifier::kWaitAll)) {
      continue; // each copy has one of them behind it
    }
    if (instance.has_any(Modifier::kMbarrier, Modifier::kBulk)) {
      continue; // mbarrier_forms_test.cpp, bulk_forms_test.cpp
    }
    using Role = exec::verifier::Slot::Role;
    const std::size_t operands = instance.form->slots.size() - 1; // without the cache policy
    const bool counts = operands == 4 && instance.form->slots[3].role == Role::kSource;
    const bool ignores = operands == 4 && !counts;
    for (const unsigned size : {4U, 8U, 16U}) {
      if (instance.has(Modifier::kCg) && size != 16) {
        continue;
      }
      const std::string name = fmt::format("{} of {} bytes{}", instance.name(), size,
                                           counts    ? ", or fewer"
                                           : ignores ? ", or none"
                                                     : "");
      const auto read = [=](unsigned thread) {
        const Word random = word_of(name, thread, 9);
        return counts                         ? static_cast<unsigned>(random % (size + 1))
               : ignores && (random & 1) != 0 ? 0U
                                              : size;
      };
      Piece piece;
      piece.label = name;
      piece.inputs = 3;
      piece.outputs = 2;
      piece.input = [=](unsigned cell, unsigned thread) {
        return cell < 2 ? word_of(name, thread, cell)
               : counts ? Word{read(thread)}
                        : Word{read(thread) == 0};
      };
      piece.input_bits = [](unsigned cell) { return cell == 0 ? 128 : cell == 1 ? 0 : 32; };
      piece.code = [=](const Places& places) {
        std::string text =
            fmt::format("  .shared .align 16 .b8 window[512]; .reg .b64 %p, %s, %o, %x; .reg .b32 "
                        "%w; .reg .pred %none;\n"
                        "  mov.b64 %p, window; mul.wide.u32 %o, %lane, 16; add.u64 %p, %p, %o;\n"
                        "  st.shared.v2.b64 [%p], {{{0}, {0}}}; add.u64 %s, {1}, {2};\n  "
                        "ld.global.b32 %w, [{3}]; setp.ne.b32 %none, %w, 0;\n",
                        kUntouched, "%in16", places.first_input(0), places.input(2, 32));
        if (counts || ignores) {
          // What is not read need not be there.
          text += counts ? "  setp.eq.b32 %none, %w, 0;\n  @%none mov.b64 %s, 0;\n"
                         : "  @%none mov.b64 %s, 0;\n";
        }
        text += fmt::format("  {} [%p], [%s], {}{}{};\n", instance.name(), size,
                            counts    ? ", %w"
                            : ignores ? ", %none"
                                      : "",
                            instance.has(Modifier::kL2CacheHint) ? ", %o" : "");
        static constexpr const char* kWaits[] = {
            "cp.async.wait_all;", "cp.async.commit_group; cp.async.wait_group 0;",
            "cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1;"};
        text += std::string("  ") + kWaits[hash_of(name) % 3] + "\n";
        return text + fmt::format("  ld.shared.b64 %x, [%p]; st.global.b64 [{}], %x; ld.shared.b64 "
                                  "%x, [%p+8]; st.global.b64 [{}], %x;\n",
                                  places.output(0, 64), places.output(1, 64));
      };
      piece.check = expecting(2, [=](unsigned cell, unsigned thread) {
        Word word = 0;
        for (unsigned i = 0; i < 8; ++i) {
          const unsigned at = 8 * cell + i;
          const Word source = at >= size          ? kUntouched
                              : at < read(thread) ? word_of(name, thread, cell)
                                                  : 0;
          word |= (source >> (8 * i) & 0xFF) << (8 * i);
        }
        return word;
      });
      pieces.push_back(piece);
    }
  }
  run_batch(pieces);
}

TEST(SpaceForms, StacksGrowAndShrink) {
  std::vector<Piece> pieces;
  for (const unsigned bits : {32U, 64U}) {
    for (const unsigned alignment : {0U, 8U, 16U, 64U, 256U}) {
      const std::string name = fmt::format("alloca.u{} aligned to {}", bits, alignment);
      Piece piece;
      piece.label = name;
      piece.inputs = 1;
      piece.outputs = 4;
      piece.input = [name](unsigned, unsigned thread) { return word_of(name, thread); };
      piece.code = [=](const Places& places) {
        const std::string aligned = alignment == 0 ? "" : fmt::format(", {}", alignment);
        std::string text = fmt::format("  .reg .b{0} %s, %a, %b, %n; .reg .b64 %x, %y;\n  "
                                       "stacksave.u{0} %s; mov.b{0} %n, 24;\n"
                                       "  alloca.u{0} %a, %n{1}; alloca.u{0} %b, 40{1}; "
                                       "ld.global.b64 %x, [{2}]; not.b64 %y, %x;\n"
                                       "  st.local.b64 [%a], %x; st.local.b64 [%a+16], %x; "
                                       "st.local.b64 [%b], %y; st.local.b64 [%b+32], %y;\n",
                                       bits, aligned, places.input(0, 64));
        const char* const slots[] = {"[%a]", "[%a+16]", "[%b+32]"};
        for (unsigned i = 0; i < 3; ++i) {
          text += fmt::format("  ld.local.b64 %y, {}; st.global.b64 [{}], %y;\n", slots[i],
                              places.output(i, 64));
        }
        text += fmt::format("  or.b{0} %a, %a, %b; and.b{0} %a, %a, {1}; st.global.b64 [{2}], 0; "
                            "st.global.b{0} [{2}], %a;\n"
                            "  stackrestore.u{0} %s;\n",
                            bits, (alignment == 0 ? 8 : alignment) - 1, places.output(3, 64));
        return text;
      };
      piece.check = expecting(4, [name](unsigned cell, unsigned thread) {
        return cell == 3 ? 0 : cell == 2 ? ~word_of(name, thread) : word_of(name, thread);
      });
      pieces.push_back(piece);
    }
  }
  run_batch(pieces);
}

} // namespace
} // namespace gantry::simt::instructions
