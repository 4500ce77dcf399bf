// Statements of a warp and of a block: where it is known which lanes, or threads, come by.
#include "writer.h"

#include <fmt/format.h>

namespace gantry::simt::fuzz {

using ptx::Type;

// A lane that reads from one that is not there gets anything: that is made 0.
std::string Writer::shuffle_statement(const Scope& scope) {
  const char* mode = random_.one_of({"up", "down", "bfly", "idx"});
  const std::string from = any_register(Type::kB32, scope, false);
  const std::string lane = random_.chance(60) ? fmt::format("{}", random_.below(32))
                                              : any_register(Type::kB32, scope, false);
  const std::string to = destination(Type::kB32);
  if (scope.whole_warp) {
    static constexpr unsigned kClamps[] = {31, 31, 31, 0x1C1F, 0x181F, 0x101F, 0x1E1F, 7};
    const bool up = std::string_view(mode) == "up";
    const unsigned clamp = kClamps[random_.below(std::size(kClamps))];
    return fmt::format("  shfl.sync.{}.b32 {}{}, {}, {}, {}, {};\n", mode, to,
                       random_.chance(40) ? "|" + destination(Type::kPred) : "", from, lane,
                       up && random_.chance(70) ? clamp & ~31U : clamp, scope.mask);
  }
  const std::string other = facts_.fresh("%t");
  const std::string there = facts_.fresh("%t");
  const std::string known = facts_.fresh("%q");
  const std::string_view name = mode;
  std::string text = fmt::format("  .reg .b32 {0}, {1}; .reg .pred {2}; and.b32 {0}, {3}, 31; ",
                                 other, there, known, lane);
  if (name != "idx") {
    text += fmt::format("{} {}, %lane, {}; ",
                        name == "up"     ? "sub.s32"
                        : name == "down" ? "add.s32"
                                         : "xor.b32",
                        other, other);
  }
  text += fmt::format("shr.u32 {0}, {1}, {2}; and.b32 {0}, {0}, 1; setp.ne.u32 {3}, {0}, 0; "
                      "setp.gt.or.u32 {3}, {2}, 31, {3};\n",
                      there, scope.mask, other, known);
  return text +
         fmt::format("  shfl.sync.{0}.b32 {1}{2}, {3}, {4}, {5}, {6}; selp.b32 {1}, {1}, 0, {7};\n",
                     mode, to, random_.chance(40) ? "|" + destination(Type::kPred) : "", from, lane,
                     name == "up" ? 0 : 31, scope.mask, known);
}

// In memory each lane's row is its own slot, so that nothing has to be ordered.
std::string Writer::matrix_statement(const Scope& scope) {
  const auto sources = [&](unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) {
      text += (i == 0 ? "{" : ", ") + any_register(Type::kB32, scope, false);
    }
    return text + "}";
  };
  const auto destinations = [&](unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) {
      text += (i == 0 ? "{" : ", ") + destination(Type::kB32);
    }
    return text + "}";
  };
  const unsigned count = 1U << random_.below(3);
  const char* trans = random_.one_of({"", ".trans"});
  // How a product of floats is rounded the ISA does not say.
  const unsigned kinds = for_hardware() ? 4 : 5;
  switch (random_.below(kinds)) {
  case 0:
    return fmt::format("  movmatrix.sync.aligned.m8n8.trans.b16 {}, {};\n", destination(Type::kB32),
                       any_register(Type::kB32, scope, false));
  case 1:
    return fmt::format("  mma.sync.aligned.m8n8k16.row.col{}.s32.u8.s8.s32 {}, {}, {}, {};\n",
                       random_.one_of({"", ".satfinite"}), destinations(2), sources(1), sources(1),
                       sources(2));
  case 2:
    return fmt::format("  ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, [%slot];\n", count, trans,
                       destinations(count));
  case 3:
    return fmt::format("  stmatrix.sync.aligned.m8n8.x{}{}.shared.b16 [%slot], {};\n", count, trans,
                       sources(count));
  default:
    return fmt::format("  mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {}, {}, {}, {};\n",
                       destinations(4), sources(2), sources(1), sources(4));
  }
}

std::string Writer::warp_statement(const Scope& scope) {
  const std::string& mask = scope.mask;
  if (scope.whole_warp && kind_ == Kind::kKernel && random_.chance(15)) {
    return matrix_statement(scope);
  }
  switch (random_.below(8)) {
  case 0:
    return fmt::format("  vote.sync.{}.pred {}, {}, {};\n", random_.one_of({"all", "any", "uni"}),
                       destination(Type::kPred), source(Type::kPred, scope), mask);
  case 1:
    return fmt::format("  vote.sync.ballot.b32 {}, {}, {};\n", destination(Type::kB32),
                       source(Type::kPred, scope), mask);
  case 2: {
    const Type type = random_.chance(30) ? Type::kB64 : Type::kB32;
    const std::string value = facts_.fresh("%t");
    const unsigned bits = 8 * ptx::size_of(type);
    // Few values, so that there is something to match.
    return fmt::format("  .reg .b{1} {0}; and.b{1} {0}, {2}, {3};\n", value, bits,
                       any_register(type, scope, false), random_.between(0, 7)) +
           (random_.chance(50)
                ? fmt::format("  match.any.sync.b{} {}, {}, {};\n", bits, destination(Type::kB32),
                              value, mask)
                : fmt::format("  match.all.sync.b{} {}|{}, {}, {};\n", bits,
                              destination(Type::kB32), destination(Type::kPred), value, mask));
  }
  case 3:
    return fmt::format("  redux.sync.{} {}, {}, {};\n",
                       random_.one_of({"add.s32", "min.u32", "max.s32", "and.b32", "or.b32",
                                       "xor.b32", "min.s32", "max.u32", "add.u32"}),
                       destination(Type::kB32), any_register(Type::kB32, scope, false), mask);
  case 4:
    return random_.chance(50) ? fmt::format("  bar.warp.sync {};\n", mask)
                              : fmt::format("  elect.sync {}|{}, {};\n", destination(Type::kB32),
                                            destination(Type::kPred), mask);
  default:
    return shuffle_statement(scope);
  }
}

// Each thread writes its slot and reads another one's.
std::string Writer::exchange_statement(const Scope& scope) {
  const Access access = random_access();
  const unsigned offset = access.bytes() * random_.below(16 / access.bytes());
  std::string code = store(".shared", access, fmt::format("%slot+{}", offset), scope);
  code +=
      random_.one_of({"  bar.sync 0;\n", "  barrier.sync 1;\n", "  barrier.cta.sync.aligned 0;\n"});
  std::string index = facts_.fresh("%t");
  code += fmt::format("  .reg .b32 {};\n", index);
  switch (random_.below(4)) {
  case 0: // a neighbour
    code += fmt::format("  add.u32 {0}, %thread, {1}; rem.u32 {0}, {0}, {2};\n", index,
                        random_.between(1, 40), facts_.block_threads);
    break;
  case 1:
    code += fmt::format("  rem.u32 {}, {}, {};\n", index, random_.one_of(uniform_).name,
                        facts_.block_threads);
    break;
  case 2:
    code += fmt::format("  sub.u32 {}, {}, %thread;\n", index, facts_.block_threads - 1);
    break;
  default:
    code += fmt::format("  rem.u32 {}, {}, {};\n", index, any_register(Type::kB32, scope, false),
                        facts_.block_threads);
    break;
  }
  const std::string base = facts_.fresh("%t");
  code += fmt::format("  .reg .b64 {0}; mov.u64 {0}, slots;\n", base);
  const std::string address = moved(code, base, index, 16);
  code += load(".shared", access, fmt::format("{}+{}", address, offset));
  return code + "  bar.sync 0;\n";
}

std::string Writer::block_statement(const Scope& scope) {
  switch (random_.below(6)) {
  case 0:
    return fmt::format("  {}.red.popc.u32 {}, {}, {};\n", random_.one_of({"bar", "barrier"}),
                       destination(Type::kU32), random_.below(16), source(Type::kPred, scope));
  case 1:
    return fmt::format("  {}.red.{}.pred {}, {}, {};\n", random_.one_of({"bar", "barrier.cta"}),
                       random_.one_of({"and", "or"}), destination(Type::kPred), random_.below(16),
                       source(Type::kPred, scope));
  case 2: { // lanes that have parted come to different places of one barrier
    std::string code;
    const std::string sides = condition(code, scope);
    const std::string other = facts_.fresh("$b");
    const std::string end = facts_.fresh("$b");
    const unsigned number = random_.below(16);
    return code + fmt::format("  @{0} bra {1};\n{3}  barrier.sync {4};\n{5}  bra {2};\n{1}:\n"
                              "{6}  barrier.sync {4};\n{7}{2}:\n",
                              sides, other, end, value_statement(scope), number,
                              value_statement(scope), value_statement(scope),
                              value_statement(scope));
  }
  default:
    return exchange_statement(scope);
  }
}

} // namespace gantry::simt::fuzz
