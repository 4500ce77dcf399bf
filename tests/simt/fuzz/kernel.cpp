#include "kernel.h"

#include "writer.h"

#include <fmt/format.h>

namespace gantry::simt::fuzz {

using instructions::operand_of;
using ptx::Type;

namespace {

// Which thread this is, and where what it may access lies. `input`, `own` and for a kernel
// `results` are parameters.
constexpr const char* kPlaces = R"(
  .reg .b32 %thread, %lane, %gid, %zero, %w0, %w1; .reg .b64 %input, %own, %input2, %input4,
  %input8, %input_word;
  mov.b32 %zero, 0; mov.u32 %lane, %laneid;
  ld.param.b64 %input, [input]; ld.param.b64 %own, [own];
)";

/// Where the functions of one module get their names and threads from.
class KernelMaker {
public:
  KernelMaker(std::uint64_t seed, Audience audience)
      : facts_{Random(seed), audience, kernel_, 0, {}, 0}, random_(facts_.random) {
    kernel_.seed = seed;
  }

  Kernel make() && {
    choose_launch();
    is_free_ = random_.chance(35);
    kernel_.text.add(".version 8.7\n.target sm_100\n.address_size 64\n");
    kernel_.text.add(
        fmt::format(".global .align 16 .b8 counters[{}];\n"
                    ".shared .align 16 .b8 slots[{}];\n.shared .align 16 .b8 tallies[{}];\n",
                    kCounterBytes, 16 * facts_.block_threads, kTallyBytes));
    kernel_.text.add(constants());
    const unsigned functions = random_.chance(55) ? random_.between(1, 3) : 0;
    for (unsigned i = 0; i < functions; ++i) {
      write_function(i);
    }
    write_entry();
    return std::move(kernel_);
  }

private:
  void choose_launch() {
    exec::LaunchShape& shape = kernel_.shape;
    static constexpr unsigned kSizes[] = {32, 64, 96, 32, 64, 33, 1, 31};
    if (random_.chance(60)) {
      shape.block[0] =
          random_.chance(70) ? kSizes[random_.below(std::size(kSizes))] : random_.between(1, 96);
    } else if (random_.chance(20)) {
      shape.block[0] = 32; // rows that are warps
      shape.block[1] = random_.between(1, 3);
    } else {
      shape.block[0] = random_.between(1, 24);
      shape.block[1] = random_.between(1, 96 / shape.block[0]);
      shape.block[2] = random_.between(1, 96 / (shape.block[0] * shape.block[1]));
    }
    shape.grid[random_.below(3)] = random_.between(1, 3);
    facts_.block_threads = shape.block[0] * shape.block[1] * shape.block[2];
    kernel_.threads = facts_.block_threads * shape.grid[0] * shape.grid[1] * shape.grid[2];
    kernel_.small = random_.below(40);
    kernel_.wide = static_cast<std::uint32_t>(operand_of(Type::kU32, random_.word()));
    kernel_.wider = operand_of(Type::kU64, random_.word());
    for (std::uint64_t& word : kernel_.bytes) {
      word = random_.word();
    }
    kernel_.input_offset = 16 * random_.below(256);
    kernel_.in_columns = random_.chance(80);
  }

  std::string constants() {
    std::string text = ".const .align 16 .b8 constants[512] = {";
    for (unsigned i = 0; i < 64; ++i) {
      const std::uint64_t word =
          operand_of(random_.chance(50) ? Type::kU32 : Type::kF64, random_.word());
      for (unsigned byte = 0; byte < 8; ++byte) {
        text += fmt::format("{}{}", i == 0 && byte == 0 ? "" : ",", word >> (8 * byte) & 0xFF);
      }
    }
    return text + "};\n";
  }

  // The numbers of the thread, in the block and in the grid.
  std::string numbers() {
    const exec::LaunchShape& shape = kernel_.shape;
    std::string text;
    if (shape.block[1] == 1 && shape.block[2] == 1) {
      text = "  mov.u32 %thread, %tid.x;\n";
    } else {
      text = "  mov.u32 %thread, %tid.z; mov.u32 %w0, %ntid.y; mov.u32 %w1, %tid.y;\n"
             "  mad.lo.u32 %thread, %thread, %w0, %w1; mov.u32 %w0, %ntid.x; mov.u32 %w1, %tid.x;\n"
             "  mad.lo.u32 %thread, %thread, %w0, %w1;\n";
    }
    // At most one dimension of the grid has more than one block.
    return text +
           fmt::format(
               "  mov.u32 %w0, %ctaid.x; mov.u32 %w1, %ctaid.y; add.u32 %w0, %w0, %w1;\n"
               "  mov.u32 %w1, %ctaid.z; add.u32 %w0, %w0, %w1;\n"
               "  mad.lo.u32 %gid, %w0, {}, %thread;\n"
               "  mad.wide.u32 %input2, %gid, 2, %input; mad.wide.u32 %input4, %gid, 4, %input;\n"
               "  mad.wide.u32 %input8, %gid, 8, %input; ld.global.b64 %input_word, "
               "[%input+2048];\n",
               facts_.block_threads);
  }

  void write_local(Node& body, Writer& writer) {
    const Scope nothing;
    for (unsigned i = 0; i < 4; ++i) {
      body.add_node().add(fmt::format("  st.local.v2.b64 [frame+{}], {{{}, {}}};\n", 16 * i,
                                      writer.source(Type::kB64, nothing),
                                      writer.source(Type::kB64, nothing)));
    }
  }

  void write_function(unsigned number) {
    Callee callee;
    callee.name = fmt::format("f{}", number);
    callee.needs_block = !is_free_ && random_.chance(15);
    callee.needs_mask = callee.needs_block || (!is_free_ && random_.chance(35));
    if (!facts_.callees.empty() && random_.chance(60)) {
      callee.parameter_bytes = facts_.callees.back().parameter_bytes;
      callee.result_bytes = facts_.callees.back().result_bytes;
    } else {
      static constexpr unsigned kSizes[] = {4, 4, 8, 4, 2, 1, 16, 8};
      for (unsigned i = random_.between(0, 3); i != 0; --i) {
        callee.parameter_bytes.push_back(kSizes[random_.below(std::size(kSizes))]);
      }
      callee.result_bytes = random_.chance(75) ? kSizes[random_.below(std::size(kSizes))] : 0;
    }
    Node& function = kernel_.text.add_node();
    Writer writer(facts_, Writer::Kind::kFunction, random_.between(2, 8));
    Node body;
    body.add(kPlaces);
    body.add(
        "  .reg .b32 %depth, %mask; ld.param.b32 %depth, [depth]; ld.param.b32 %mask, [mask];\n");
    body.add(numbers() + (callee.needs_block ? slot() : ""));
    writer.write_prologue(body);
    write_local(body, writer);
    read_parameters(body, writer, callee);
    write_result(body, writer, callee);
    Scope scope;
    scope.may_end = !callee.needs_block; // a barrier waits for who has returned
    scope.passes = 8;
    if (callee.needs_mask) {
      scope.mask = "%mask";
      scope.whole_block = callee.needs_block;
    }
    writer.write_block(body, scope, random_.between(1, 6));
    if (!callee.needs_block && random_.chance(40)) {
      writer.write_recursion(body, callee, scope);
    }
    writer.write_block(body, scope, random_.between(1, 6));
    write_result(body, writer, callee);
    function.add(fmt::format(".func {}{{\n  .local .align 16 .b8 frame[64];\n",
                             callee.prototype(callee.name)));
    function.add(writer.declarations());
    function.add_body(std::move(body));
    function.add("  ret;\n}\n");
    facts_.callees.push_back(std::move(callee));
  }

  void read_parameters(Node& body, Writer& writer, const Callee& callee) {
    for (std::size_t i = 0; i < callee.parameter_bytes.size(); ++i) {
      const unsigned bytes = callee.parameter_bytes[i];
      std::string text;
      if (bytes == 16) {
        text = fmt::format("  ld.param.b64 {0}, [x{2}]; ld.param.b64 {1}, [x{2}+8];\n",
                           writer.destination(Type::kB64), writer.destination(Type::kB64), i);
      } else {
        const Type type = bytes == 1   ? Type::kS8
                          : bytes == 2 ? Type::kB16
                          : bytes == 4 ? Type::kB32
                                       : Type::kB64;
        text = fmt::format("  ld.param.{} {}, [x{}];\n", ptx::name_of(type),
                           writer.destination(type, true), i);
      }
      body.add_node().add(text);
    }
  }

  void write_result(Node& body, Writer& writer, const Callee& callee) {
    const Scope nothing;
    if (callee.result_bytes == 16) {
      body.add(fmt::format("  st.param.v2.b64 [result0], {{{}, {}}};\n",
                           writer.source(Type::kB64, nothing), writer.source(Type::kB64, nothing)));
    } else if (callee.result_bytes != 0) {
      const Type type = callee.result_bytes == 1   ? Type::kB8
                        : callee.result_bytes == 2 ? Type::kB16
                        : callee.result_bytes == 4 ? Type::kB32
                                                   : Type::kB64;
      body.add(fmt::format("  st.param.{} [result0], {};\n", ptx::name_of(type),
                           writer.source(type, nothing)));
    }
  }

  static std::string slot() {
    return "  .reg .b64 %slot, %generic_slot; mov.u64 %slot, slots; "
           "mad.wide.u32 %slot, %thread, 16, %slot; cvta.shared.u64 %generic_slot, %slot;\n";
  }

  void write_entry() {
    Writer writer(facts_, Writer::Kind::kKernel, random_.between(5, 25));
    Node body;
    body.add(kPlaces);
    body.add(numbers());
    body.add("  .reg .b64 %results;\n");
    body.add_node().add(slot());
    // Cells of one size lie side by side, those of all threads.
    std::uint64_t first = std::uint64_t{kOwnBytes} * kernel_.threads;
    for (unsigned bytes = 16; bytes != 0; bytes /= 2) {
      body.add_node().add(
          fmt::format("  .reg .b64 %cells{0}; mad.wide.u32 %cells{0}, %gid, {0}, %own; "
                      "add.u64 %cells{0}, %cells{0}, {1};\n",
                      bytes, first));
      first += std::uint64_t{bytes} * kOwnCells * kernel_.threads;
    }
    body.add(fmt::format("  mad.wide.u32 %own, %gid, {}, %own;\n", kOwnBytes));
    writer.write_prologue(body);
    write_local(body, writer);
    const Scope nothing;
    body.add_node().add(fmt::format("  st.shared.v2.b64 [%slot], {{{}, {}}};\n",
                                    writer.source(Type::kB64, nothing),
                                    writer.source(Type::kB64, nothing)));
    Node& tallies = body.add_node();
    tallies.add("  .reg .pred %first; setp.ne.u32 %first, %thread, 0; @%first bra $begin;\n");
    for (unsigned i = 0; i < kTallyBytes; i += 16) {
      tallies.add(fmt::format("  st.shared.v2.b64 [tallies+{}], {{0, 0}};\n", i));
    }
    tallies.add("$begin:\n  bar.sync 0;\n");
    Scope scope;
    scope.may_end = random_.chance(50);
    if (!is_free_) {
      scope.whole_block = true;
      scope.whole_warp = facts_.block_threads % 32 == 0;
      scope.mask = writer.declared("%m", Type::kB32);
      body.add(mask(scope));
    }
    writer.write_block(body, scope, 100);
    write_results(body, writer);
    kernel_.text.add(".visible .entry k(.param .b64 input, .param .b64 results, .param .b64 own, "
                     ".param .b32 small,\n    .param .b32 wide, .param .b64 wider, "
                     ".param .align 16 .b8 bytes[32]) {\n  .local .align 16 .b8 frame[64];\n");
    kernel_.text.add(writer.declarations());
    kernel_.text.add_body(std::move(body));
    kernel_.text.add("  ret;\n}\n");
  }

  // The lanes of the warp, in one of the ways in which programs find out.
  std::string mask(const Scope& scope) {
    if (scope.whole_warp && random_.chance(60)) {
      return fmt::format("  mov.b32 {}, 0xFFFFFFFF;\n", scope.mask);
    }
    if (random_.chance(50)) {
      return fmt::format("  activemask.b32 {};\n", scope.mask);
    }
    return fmt::format(
        "  and.b32 %w0, %thread, 0xFFFFFFE0; sub.u32 %w0, {0}, %w0; mov.b32 %w1, 1;\n"
        "  shl.b32 {1}, %w1, %w0; sub.u32 {1}, {1}, 1;\n",
        facts_.block_threads, scope.mask);
  }

  void write_results(Node& body, Writer& writer) {
    std::vector<Register> registers = writer.results();
    constexpr unsigned kTallies = 9;
    const unsigned count = static_cast<unsigned>(registers.size()) + (is_free_ ? 0 : kTallies);
    const unsigned step = kernel_.in_columns ? 8 * kernel_.threads : 8;
    body.add(fmt::format("  .reg .b64 %first_result; ld.param.b64 %first_result, [results];\n"
                         "  mad.wide.u32 %results, %gid, {}, %first_result;\n",
                         8 * count));
    const auto add = [&](Type type, const std::string& value, const std::string& name) {
      const unsigned bytes = ptx::size_of(type);
      const auto offset = step * kernel_.results.size();
      std::string text;
      if (kernel_.in_columns) {
        text = fmt::format("  mad.wide.u32 %results, %gid, {}, %first_result;", bytes);
      }
      body.add_node().add(text + fmt::format("  st.global.{} [%results+{}], {};\n",
                                             ptx::name_of(type), offset, value));
      kernel_.results.push_back({name, bytes});
    };
    for (const Register& each : registers) {
      if (each.type == Type::kPred) {
        body.add_node().add(fmt::format("  selp.b32 %w0, 1, 0, {};\n", each.name));
        add(Type::kB32, "%w0", each.name);
      } else {
        const unsigned bytes = ptx::size_of(each.type);
        add(each.type == Type::kF32 || each.type == Type::kF64 ? each.type
            : bytes == 2                                       ? Type::kB16
            : bytes == 4                                       ? Type::kB32
                                                               : Type::kB64,
            each.name, each.name);
      }
    }
    if (!is_free_) {
      body.add("  bar.sync 0; .reg .b64 %tally;\n");
      for (unsigned i = 0; i < kTallies; ++i) {
        body.add_node().add(fmt::format("  ld.shared.b64 %tally, [tallies+{}];\n", 8 * i));
        add(Type::kB64, "%tally", fmt::format("tallies+{}", 8 * i));
      }
    }
  }

  Kernel kernel_;
  ModuleFacts facts_;
  Random& random_;
  bool is_free_ = false; ///< lanes go and end as they like; nothing of a warp or a block
};

} // namespace

std::string Kernel::place_of(std::uint64_t offset) const {
  if (offset < result_bytes()) {
    const std::uint64_t row = 8 * (in_columns ? threads : results.size());
    const std::uint64_t column = in_columns ? offset / row : offset % row / 8;
    const std::uint64_t thread = in_columns ? offset % row / results[column].bytes : offset / row;
    return fmt::format("{} of thread {}", results[column].name, thread);
  }
  offset -= result_bytes();
  if (offset < std::uint64_t{kOwnBytes} * threads) {
    return fmt::format("own+{} of thread {}", offset % kOwnBytes, offset / kOwnBytes);
  }
  offset -= std::uint64_t{kOwnBytes} * threads;
  for (unsigned size = 16; size != 0; size /= 2) {
    const std::uint64_t all = std::uint64_t{size} * kOwnCells * threads;
    if (offset < all) {
      return fmt::format("cell {} of {} bytes of thread {}", offset / size / threads, size,
                         offset / size % threads);
    }
    offset -= all;
  }
  return fmt::format("counters+{}", offset);
}

std::string Kernel::launch() const {
  return fmt::format("grid ({},{},{}), block ({},{},{})", shape.grid[0], shape.grid[1],
                     shape.grid[2], shape.block[0], shape.block[1], shape.block[2]);
}

Kernel random_kernel(std::uint64_t seed, Audience audience) {
  return KernelMaker(seed, audience).make();
}

} // namespace gantry::simt::fuzz
