// Statements that access memory: what is read only, what is the thread's own, and counters.
#include "writer.h"

#include <fmt/format.h>

namespace gantry::simt::fuzz {

using ptx::Type;

Writer::Access Writer::random_access(unsigned largest) {
  static constexpr Type kTypes[] = {Type::kB8,  Type::kU8,  Type::kS8,  Type::kB16,
                                    Type::kU16, Type::kS16, Type::kB32, Type::kB32,
                                    Type::kU32, Type::kS32, Type::kF32, Type::kF32,
                                    Type::kB64, Type::kU64, Type::kS64, Type::kF64};
  for (;;) {
    Access access;
    access.type = kTypes[random_.below(std::size(kTypes))];
    access.length = random_.chance(75) ? 1 : random_.chance(50) ? 2 : 4;
    if (for_hardware() && ptx::size_of(access.type) == 1) {
      access.length = 1; // registers of a vector are of one type
    }
    if (access.bytes() <= largest) {
      return access;
    }
  }
}

std::string Writer::load(const char* words, const Access& access, const std::string& address) {
  std::string text = fmt::format("  {}ld{}{}.{} ", guard(), words,
                                 access.length == 1   ? ""
                                 : access.length == 2 ? ".v2"
                                                      : ".v4",
                                 ptx::name_of(access.type));
  std::string into;
  for (unsigned i = 0; i < access.length; ++i) {
    std::string element = destination(access.type, true);
    if (into.find(element) != std::string::npos) {
      element = "_";
    }
    into += (i == 0 ? "" : ", ") + element;
  }
  return text + (access.length == 1 ? into : "{" + into + "}") + ", [" + address + "];\n";
}

std::string Writer::store(const char* words, const Access& access, const std::string& address,
                          const Scope& scope) {
  std::string from;
  for (unsigned i = 0; i < access.length; ++i) {
    from += (i == 0 ? "" : ", ") + (for_hardware() && access.length > 1
                                        ? any_register(access.type, scope, false)
                                        : source(access.type, scope));
  }
  return fmt::format("  {}st{}{}.{} [{}], {};\n", guard(), words,
                     access.length == 1   ? ""
                     : access.length == 2 ? ".v2"
                                          : ".v4",
                     ptx::name_of(access.type), address,
                     access.length == 1 ? from : "{" + from + "}");
}

std::string Writer::moved(std::string& code, const std::string& base, const std::string& offset,
                          unsigned scale) {
  std::string made = facts_.fresh("%t");
  const std::string wide = facts_.fresh("%t");
  code += fmt::format("  .reg .b64 {}, {};\n", made, wide);
  if (scale != 0 && (scale & (scale - 1)) == 0 && random_.chance(40)) {
    unsigned shift = 0;
    while (scale >> shift != 1) {
      ++shift;
    }
    code += fmt::format("  cvt.u64.u32 {0}, {1}; shl.b64 {0}, {0}, {2}; add.s64 {3}, {4}, {0};\n",
                        wide, offset, shift, made, base);
  } else if (random_.chance(50)) {
    code += fmt::format("  mad.wide.u32 {}, {}, {}, {};\n", made, offset, scale, base);
  } else {
    code += fmt::format("  mul.wide.s32 {0}, {1}, {2}; add.u64 {3}, {0}, {4};\n", wide, offset,
                        scale, made, base);
  }
  return made;
}

std::string Writer::input_address(std::string& code, const Scope& scope, unsigned bytes) {
  const unsigned offset = bytes * random_.below(64);
  switch (random_.below(6)) {
  case 0: { // the same for all
    const std::string index = facts_.fresh("%t");
    code += fmt::format("  .reg .b32 {0}; and.b32 {0}, {1}, 1023;\n", index,
                        random_.one_of(uniform_).name);
    return fmt::format("{}+{}", moved(code, "%input", index, 16), offset);
  }
  case 1: // side by side
  case 2: {
    const char* lane = random_.one_of({"%gid", "%thread", "%lane"});
    std::string index = lane;
    if (!scope.small.empty() && random_.chance(60)) {
      index = facts_.fresh("%t");
      code +=
          fmt::format("  .reg .b32 {0}; mad.lo.u32 {0}, {1}, {2}, {3};\n", index,
                      random_.one_of(scope.small), random_.one_of({"1", "2", "32", "33"}), lane);
    }
    return fmt::format("{}+{}", moved(code, "%input", index, random_.chance(80) ? bytes : 16),
                       offset);
  }
  case 3: { // nearly so: the number wraps around on the way from lane to lane
    const std::string narrow = facts_.fresh("%t");
    const std::string wide = facts_.fresh("%t");
    const std::string base = facts_.fresh("%t");
    const unsigned scale = bytes >= 8 ? bytes : 4;
    const char* sign = random_.one_of({"u", "s"});
    code += fmt::format("  .reg .b16 {0}, {1}; .reg .b64 {2}, {3}; cvt.u16.u32 {0}, %gid; "
                        "cvt.u16.u32 {1}, {4}; add.u16 {0}, {0}, {1};\n",
                        narrow, facts_.fresh("%t"), wide, base,
                        random_.chance(50) ? random_.one_of(uniform_).name : "65520");
    code += fmt::format("  cvt.{0}64.{0}16 {1}, {2}; ", sign, wide, narrow);
    if (scale > 4) {
      code += fmt::format("and.b64 {0}, {0}, 8191; ", wide);
    }
    code += fmt::format("mad.lo.s64 {}, {}, {}, %input;\n", base, wide, scale);
    return fmt::format("{}+{}", base, offset);
  }
  default: {
    const std::string index = bounded(code, scope, random_.chance(50) ? 1024 : 16);
    return fmt::format("{}+{}", moved(code, "%input", index, random_.chance(80) ? bytes : 16),
                       offset);
  }
  }
}

std::string Writer::read_statement(const Scope& scope) {
  const Access access = random_access();
  std::string code;
  const std::string address = input_address(code, scope, access.bytes());
  return code + load(random_.one_of({".global", ".global", ".global.nc", "", ".volatile.global",
                                     ".relaxed.gpu.global", ".global.ca", ".weak"}),
                     access, address);
}

std::string Writer::own_address(std::string& code, const Scope& scope, unsigned bytes) {
  if (random_.chance(kind_ == Kind::kKernel ? 50 : 100)) {
    if (random_.chance(60)) {
      return fmt::format("%own+{}", bytes * random_.below(kOwnBytes / bytes));
    }
    const std::string index = bounded(code, scope, kOwnBytes / bytes);
    return moved(code, "%own", index, bytes);
  }
  const unsigned step = bytes * facts_.kernel.threads;
  const std::string cells = fmt::format("%cells{}", bytes);
  if (random_.chance(60)) {
    return fmt::format("{}+{}", cells, step * random_.below(kOwnCells));
  }
  return moved(code, cells, bounded(code, scope, kOwnCells), step);
}

std::string Writer::own_statement(const Scope& scope) {
  const Access access = random_access();
  std::string code;
  const std::string address = own_address(code, scope, access.bytes());
  if (random_.chance(45)) {
    return code + load(random_.one_of({".global", ".global", "", ".volatile.global",
                                       ".relaxed.sys.global", ".acquire.gpu"}),
                       access, address);
  }
  return code + store(random_.one_of({".global", ".global", "", ".volatile.global",
                                      ".relaxed.gpu.global", ".release.cta", ".global.wt"}),
                      access, address, scope);
}

std::string Writer::local_statement(const Scope& scope) {
  const Access access = random_access();
  const bool generic = random_.chance(30);
  std::string code;
  std::string address =
      fmt::format("frame+{}", access.bytes() * random_.below(64 / access.bytes()));
  if (generic || random_.chance(60)) {
    const std::string base = facts_.fresh("%t");
    code = fmt::format("  .reg .b64 {0}; mov.u64 {0}, frame;\n", base);
    if (generic) {
      code += fmt::format("  cvta.local.u64 {0}, {0};\n", base);
    }
    const std::string index =
        random_.chance(20) ? "%zero" : bounded(code, scope, 64 / access.bytes());
    address = moved(code, base, index, access.bytes());
  }
  const char* words = generic ? "" : ".local";
  return code +
         (random_.chance(50) ? load(words, access, address) : store(words, access, address, scope));
}

std::string Writer::constant_statement(const Scope& scope) {
  const Access access = random_access();
  std::string code;
  if (kind_ == Kind::kKernel && random_.chance(30)) {
    return load(".param", access,
                fmt::format("bytes+{}", access.bytes() * random_.below(32 / access.bytes())));
  }
  if (random_.chance(40)) {
    return load(".const", access,
                fmt::format("constants+{}", access.bytes() * random_.below(256 / access.bytes())));
  }
  const std::string base = facts_.fresh("%t");
  code = fmt::format("  .reg .b64 {0}; mov.u64 {0}, constants;\n", base);
  const bool generic = random_.chance(40);
  if (generic) {
    code += fmt::format("  cvta.const.u64 {0}, {0};\n", base);
  }
  const std::string index = random_.chance(30) ? "%lane" : bounded(code, scope, 16);
  const unsigned scale = std::min(access.bytes(), 8U);
  return code + load(generic ? "" : ".const", {access.type, access.bytes() > 8 ? 1 : access.length},
                     moved(code, base, index, scale));
}

// Each thread has sixteen bytes in the block's shared memory.
std::string Writer::slot_statement(const Scope& scope) {
  const Access access = random_access();
  const bool generic = random_.chance(25);
  std::string code;
  std::string base = generic ? "%generic_slot" : "%slot";
  std::string address =
      fmt::format("{}+{}", base, access.bytes() * random_.below(16 / access.bytes()));
  if (access.bytes() < 16 && random_.chance(40)) {
    address = moved(code, base, bounded(code, scope, 16 / access.bytes()), access.bytes());
  }
  const char* words = generic ? "" : random_.one_of({".shared", ".shared", ".volatile.shared"});
  return code +
         (random_.chance(50) ? load(words, access, address) : store(words, access, address, scope));
}

// Atomic operations where no other thread comes: their results are certain.
std::string Writer::own_atomic_statement(const Scope& scope) {
  struct Kind {
    const char* name;
    Type type;
    unsigned operands;
  };
  static constexpr Kind kKinds[] = {
      {"add.u32", Type::kU32, 1},           {"add.u64", Type::kU64, 1},
      {"add.s32", Type::kS32, 1},           {"add.f32", Type::kF32, 1},
      {"add.f64", Type::kF64, 1},           {"add.noftz.f16", Type::kF16, 1},
      {"add.noftz.f16x2", Type::kF16x2, 1}, {"add.noftz.bf16x2", Type::kBf16x2, 1},
      {"min.s32", Type::kS32, 1},           {"max.u64", Type::kU64, 1},
      {"min.u32", Type::kU32, 1},           {"max.s64", Type::kS64, 1},
      {"inc.u32", Type::kU32, 1},           {"dec.u32", Type::kU32, 1},
      {"and.b32", Type::kB32, 1},           {"or.b64", Type::kB64, 1},
      {"xor.b32", Type::kB32, 1},           {"exch.b32", Type::kB32, 1},
      {"exch.b64", Type::kB64, 1},          {"cas.b32", Type::kB32, 2},
      {"cas.b64", Type::kB64, 2},           {"cas.b16", Type::kB16, 2},
  };
  const Kind& kind = kKinds[random_.below(std::size(kKinds))];
  if (for_hardware() && kind.type == Type::kF64) {
    return {};
  }
  const unsigned bytes = ptx::size_of(kind.type);
  std::string code;
  const bool shared = kind_ == Writer::Kind::kKernel && random_.chance(30);
  const bool generic = random_.chance(20);
  const std::string address = shared ? fmt::format("{}+{}", generic ? "%generic_slot" : "%slot",
                                                   bytes * random_.below(16 / bytes))
                                     : own_address(code, scope, bytes);
  const char* space = generic ? "" : shared ? ".shared" : ".global";
  const bool exchanges = kind.operands == 2 || std::string_view(kind.name).starts_with("exch");
  const bool reduces = !exchanges && random_.chance(25);
  code += fmt::format("  {}{}{}.{} ", guard(), reduces ? "red" : "atom", space, kind.name);
  if (!reduces) {
    code += destination(kind.type) + ", ";
  }
  code += "[" + address + "]";
  for (unsigned i = 0; i < kind.operands; ++i) {
    code += ", " + source(kind.type, scope);
  }
  return code + ";\n";
}

// What programs do to memory besides: mostly nothing that shows.
std::string Writer::other_statement(const Scope& scope) {
  const bool kernel = kind_ == Kind::kKernel;
  switch (random_.below(5)) {
  case 0:
    return fmt::format(
        "  {};\n",
        random_.one_of({"membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.gpu",
                        "fence.sc.cta", "nanosleep.u32 20", "prefetch.global.L1 [%own]"}));
  case 1: {
    const std::string address = facts_.fresh("%t");
    return fmt::format("  .reg .b64 {0}; mov.u64 {0}, frame; cvta.local.u64 {0}, {0};\n"
                       "  {1}isspacep.{2} {3}, {4};\n",
                       address, guard(),
                       random_.one_of({"global", "shared", "local", "const", "global"}),
                       destination(Type::kPred),
                       random_.chance(40)             ? address
                       : kernel && random_.chance(50) ? "%generic_slot"
                                                      : "%own");
  }
  case 2:
    if (kernel) {
      const unsigned bytes = 4U << random_.below(3);
      return fmt::format("  {}cp.async.{}.shared.global [%slot+{}], [%own+{}], {};\n"
                         "  cp.async.wait_all;\n",
                         guard(), bytes == 16 ? random_.one_of({"ca", "cg"}) : "ca",
                         bytes * random_.below(16 / bytes),
                         bytes * random_.below(kOwnBytes / bytes), bytes);
    }
    [[fallthrough]];
  case 3: { // memory that lasts as long as the call: written and read back
    const std::string saved = facts_.fresh("%t");
    const std::string place = facts_.fresh("%t");
    return fmt::format("  .reg .b64 {0}, {1}; stacksave.u64 {0}; alloca.u64 {1}, {2}, 16;\n"
                       "  st.local.b64 [{1}+8], {3}; ld.local.b64 {4}, [{1}+8]; "
                       "stackrestore.u64 {0};\n",
                       saved, place, 16 * random_.between(1, 4), source(Type::kB64, scope),
                       destination(Type::kB64));
  }
  default: { // a vector register
    const std::string whole = facts_.fresh("%v");
    return fmt::format("  .reg .v2 .b32 {0}; ld.global.v2.b32 {0}, [%own+{1}]; "
                       "add.u32 {2}, {0}.x, {0}.y;\n",
                       whole, 8 * random_.below(8), destination(Type::kU32));
  }
  }
}

// Counters that all threads add to: each by one operation alone, of which the order does not show.
std::string Writer::counter_statement(const Scope& scope) {
  static constexpr std::pair<const char*, Type> kKinds[] = {
      {"add.u32", Type::kU32}, {"and.b32", Type::kB32}, {"or.b32", Type::kB32},
      {"xor.b32", Type::kB32}, {"min.s32", Type::kS32}, {"max.u32", Type::kU32},
      {"min.u64", Type::kU64}, {"add.u64", Type::kU64}, {"xor.b64", Type::kB64},
  };
  const bool shared = kind_ == Kind::kKernel && random_.chance(35);
  // Of each operation, so many counters.
  const unsigned each = shared ? 1 : 4;
  const unsigned number = random_.below(std::size(kKinds));
  const auto& [name, type] = kKinds[number];
  const unsigned first = 8 * each * number;
  std::string code;
  const std::string base = facts_.fresh("%t");
  const bool generic = random_.chance(30);
  code +=
      fmt::format("  .reg .b64 {0}; mov.u64 {0}, {1};\n", base, shared ? "tallies" : "counters");
  if (generic) {
    code += fmt::format("  cvta.{0}.u64 {1}, {1};\n", shared ? "shared" : "global", base);
  }
  std::string address = fmt::format("{}+{}", base, first);
  if (!shared && random_.chance(50)) {
    address = fmt::format("{}+{}", moved(code, base, bounded(code, scope, each), 8), first);
  }
  const char* space = generic ? "" : shared ? ".shared" : ".global";
  code += fmt::format("  {}", guard());
  if (random_.chance(40)) {
    const std::string unused = facts_.fresh("%t");
    return fmt::format("  .reg .b{} {};\n", 8 * ptx::size_of(type), unused) + code +
           fmt::format("atom{}.{} {}, [{}], {};\n", space, name, unused, address,
                       source(type, scope));
  }
  return code + fmt::format("red{}.{} [{}], {};\n", space, name, address, source(type, scope));
}

} // namespace gantry::simt::fuzz
