#include "writer.h"

#include <algorithm>

#include <fmt/format.h>

namespace gantry::simt::fuzz {

using instructions::operand_of;
using ptx::Type;

namespace {

bool is_plain(Type type) {
  return !ptx::is_float(type) && type != Type::kPred;
}

} // namespace

Writer::Writer(ModuleFacts& facts, Kind kind, unsigned budget)
    : facts_(facts), random_(facts.random), kind_(kind), budget_(budget) {
  // Few, of which each is used often, and in which an access may still find four different ones.
  const bool few = kind == Kind::kFunction;
  declare(predicates_, "%p", 2, {Type::kPred});
  declare(plain_, "%h", few ? 1 : random_.between(1, 3),
          {Type::kB16, Type::kU16, Type::kS16, Type::kF16});
  declare(plain_, "%r", few ? 2 : random_.between(3, 6), {Type::kB32, Type::kU32, Type::kS32});
  declare(plain_, "%f", few ? 1 : random_.between(1, 3), {Type::kF32, Type::kF32, Type::kF16x2});
  declare(plain_, "%d", random_.between(1, 3), {Type::kB64, Type::kU64, Type::kS64});
  declare(plain_, "%e", few ? 1 : random_.between(1, 2), {Type::kF64});
  declare(uniform_, "%u", 2, {Type::kB32, Type::kU32, Type::kS32});
  declare(affine_, "%a", random_.between(1, 2), {Type::kB32, Type::kS32, Type::kU32});
  declare(affine_, "%b", 1, {Type::kB64, Type::kU16, Type::kB64});
}

Type Writer::register_type(Type type) const {
  if (!for_hardware() || type == Type::kPred) {
    return type;
  }
  const unsigned size = ptx::size_of(type);
  return size == 8 ? Type::kB64 : size == 4 ? Type::kB32 : Type::kB16;
}

bool Writer::may_be_literal(Type type) const {
  const bool is_half = ptx::size_of(type) == 2 && ptx::is_float(type);
  return ptx::size_of(type) > 1 && !(for_hardware() && (is_half || ptx::is_packed(type)));
}

void Writer::declare(std::vector<Register>& registers, const char* stem, unsigned count,
                     const std::vector<Type>& types) {
  for (unsigned number = 0; number < count; ++number) {
    const Type type = register_type(random_.one_of(types));
    Register made{fmt::format("{}{}", stem, number), type};
    declarations_ += fmt::format("  .reg .{} {};\n", ptx::name_of(type), made.name);
    registers.push_back(std::move(made));
  }
}

std::string Writer::declared(const char* stem, Type type) {
  std::string name = facts_.fresh(stem);
  declarations_ += fmt::format("  .reg .{} {};\n", ptx::name_of(register_type(type)), name);
  return name;
}

std::vector<Register> Writer::results() const {
  std::vector<Register> all = predicates_;
  all.insert(all.end(), plain_.begin(), plain_.end());
  all.insert(all.end(), uniform_.begin(), uniform_.end());
  all.insert(all.end(), affine_.begin(), affine_.end());
  return all;
}

std::string Writer::initial_value(const Register& target, unsigned index) {
  const unsigned bits = 8 * ptx::size_of(target.type);
  if (target.type == Type::kPred) {
    const std::string word = facts_.fresh("%t");
    return fmt::format("  .reg .b32 {0}; ld.global.b32 {0}, [%input4+{1}]; and.b32 {0}, {0}, {3}; "
                       "setp.ne.b32 {2}, {0}, 0;\n",
                       word, 512 * index, target.name, random_.between(1, 3));
  }
  const unsigned choice = random_.below(10);
  if (choice < 7) {
    return fmt::format("  ld.global.b{} {}, [%input{}+{}];\n", bits, target.name, bits / 8,
                       512 * index);
  }
  if (choice == 7) {
    return fmt::format("  ld.global.b{} {}, [%input+{}];\n", bits, target.name, 16 * index);
  }
  if (choice == 8 && is_plain(target.type) && bits == 32) {
    return fmt::format("  mad.lo.u32 {}, %gid, {}, %u0;\n", target.name, random_.below(9));
  }
  const std::string value = literal(target.type);
  return ptx::is_float(target.type)
             ? fmt::format("  mov.{}{} {}, {};\n",
                           ptx::size_of(target.type) < 4 || ptx::is_packed(target.type) ? "b" : "f",
                           bits, target.name, value)
             : fmt::format("  mov.b{} {}, {};\n", bits, target.name, value);
}

void Writer::write_prologue(Node& parent) {
  unsigned index = 0;
  const auto add = [&](std::string text) { parent.add_node().add(std::move(text)); };
  // The parameters that are the same in all threads.
  for (const Register& target : uniform_) {
    if (kind_ == Kind::kFunction) {
      add(fmt::format("  ld.global.b32 {}, [%input+{}];\n", target.name, 4 * index++));
    } else {
      const char* value = index == 0 ? "small" : index == 1 ? "wide" : "wider";
      add(fmt::format("  ld.param.u32 {}, [{}];\n", target.name, value));
      ++index;
    }
  }
  for (const std::vector<Register>* registers : {&predicates_, &plain_}) {
    for (const Register& target : *registers) {
      add(initial_value(target, index++));
    }
  }
  static constexpr int kSteps[] = {1, 1, 2, 4, 8, -1, -4, 3, 16, 0x10000, 0x4000'0000};
  for (const Register& target : affine_) {
    const int step = kSteps[random_.below(std::size(kSteps))];
    const char* lane = random_.one_of({"%gid", "%lane", "%thread"});
    const std::string& base = uniform_[random_.below(uniform_.size())].name;
    if (target.type == Type::kB64) {
      add(fmt::format("  cvt.{1}64.{1}32 {0}, {2}; mad.lo.s64 {0}, {0}, {3}, %input_word;\n",
                      target.name, random_.chance(50) ? "u" : "s", lane, step));
    } else if (ptx::size_of(target.type) == 2) {
      const std::string narrow = facts_.fresh("%t");
      add(fmt::format("  .reg .b16 {4}; cvt.u16.u32 {4}, {3}; cvt.u16.u32 {0}, {1}; "
                      "mad.lo.u16 {0}, {0}, {2}, {4};\n",
                      target.name, lane, step & 0xFFFF, base, narrow));
    } else {
      add(fmt::format("  mad.lo.s32 {}, {}, {}, {};\n", target.name, lane, step, base));
    }
  }
}

std::string Writer::literal(Type type) {
  const std::uint64_t bits = operand_of(type, random_.word());
  if (type == Type::kF32) {
    return fmt::format("0f{:08X}", bits);
  }
  if (type == Type::kF64) {
    return fmt::format("0d{:016X}", bits);
  }
  return fmt::format("{}", bits);
}

std::string Writer::any_register(Type type, const Scope& scope, bool may_be_wider) {
  const unsigned need = ptx::size_of(type);
  const bool wider = may_be_wider && is_plain(type) && (need == 1 || !for_hardware());
  const auto fits = [&](const Register& each) {
    const unsigned have = ptx::size_of(each.type);
    return have == need || (wider && have > need);
  };
  if (type == Type::kPred) {
    return random_.one_of(predicates_).name;
  }
  std::vector<const Register*> found;
  const auto add = [&](const std::vector<Register>& registers) {
    for (const Register& each : registers) {
      if (fits(each)) {
        found.push_back(&each);
      }
    }
  };
  add(plain_);
  if (random_.chance(40)) {
    if (random_.chance(50)) {
      found.clear();
    }
    add(scope.more);
    add(affine_);
    add(uniform_);
  }
  if (found.empty()) {
    add(plain_);
  }
  return found[random_.below(found.size())]->name;
}

std::string Writer::source(Type type, const Scope& scope) {
  if (type == Type::kPred) {
    return (random_.chance(30) ? "!" : "") + any_register(type, scope, false);
  }
  const unsigned size = ptx::size_of(type);
  if (may_be_literal(type) && random_.chance(14)) {
    return literal(type);
  }
  if (!for_hardware() && size == 4 && is_plain(type) && !ptx::is_packed(type) &&
      random_.chance(5)) {
    return random_.one_of({"%tid.x", "%tid.y", "%laneid", "%ntid.x", "%ctaid.x", "%lanemask_lt",
                           "%lanemask_ge", "%nctaid.x", "%tid.z", "%lanemask_eq"});
  }
  return any_register(type, scope, random_.chance(20) || size == 1);
}

std::string Writer::destination(Type type, bool may_be_wider) {
  if (type == Type::kPred) {
    return random_.one_of(predicates_).name;
  }
  const unsigned need = ptx::size_of(type);
  const bool wider =
      (may_be_wider && is_plain(type) && !for_hardware() && random_.chance(30)) || need == 1;
  std::vector<const Register*> found;
  for (const Register& each : plain_) {
    const unsigned have = ptx::size_of(each.type);
    if (have == need || (wider && have > need)) {
      found.push_back(&each);
    }
  }
  return found[random_.below(found.size())]->name;
}

std::string Writer::guard(unsigned percent) {
  return random_.chance(percent) ? fmt::format("@{}{} ", random_.chance(40) ? "!" : "",
                                               random_.one_of(predicates_).name)
                                 : std::string();
}

std::string Writer::condition(std::string& code, const Scope& scope) {
  if (random_.chance(25)) {
    return random_.one_of(predicates_).name;
  }
  std::string made = facts_.fresh("%q");
  code += fmt::format("  .reg .pred {};\n", made);
  switch (random_.below(5)) {
  case 0: // some lanes
    code += fmt::format("  setp.{}.u32 {}, %lane, {};\n", random_.one_of({"lt", "gt", "eq", "ne"}),
                        made, random_.between(1, 30));
    break;
  case 1: { // by a bit or a few
    const std::string word = facts_.fresh("%t");
    code += fmt::format("  .reg .b32 {0}; and.b32 {0}, {1}, {2}; setp.{3}.u32 {4}, {0}, {5};\n",
                        word, any_register(Type::kB32, scope, false), random_.between(1, 7),
                        random_.one_of({"eq", "ne", "lt", "gt"}), made, random_.below(4));
    break;
  }
  case 2:
    code += fmt::format("  setp.{}.f32 {}, {}, {};\n",
                        random_.one_of({"lt", "ge", "equ", "nan", "gtu", "num"}), made,
                        any_register(Type::kF32, scope, false), source(Type::kF32, scope));
    break;
  case 3:
    code += fmt::format("  setp.{}.s64 {}, {}, {};\n", random_.one_of({"lt", "ge", "gt", "eq"}),
                        made, any_register(Type::kS64, scope, false), source(Type::kS64, scope));
    break;
  default:
    code += fmt::format("  setp.{}.{} {}, {}, {};\n", random_.one_of({"lt", "ge", "gt", "ne"}),
                        random_.one_of({"s32", "u32"}), made,
                        any_register(Type::kB32, scope, false), source(Type::kB32, scope));
    break;
  }
  return made;
}

std::string Writer::uniform_condition(std::string& code) {
  std::string made = facts_.fresh("%q");
  const std::string word = facts_.fresh("%t");
  code += fmt::format("  .reg .pred {4}; .reg .b32 {0}; and.b32 {0}, {1}, {2}; "
                      "setp.{3}.u32 {4}, {0}, {5};\n",
                      word, random_.one_of(uniform_).name, random_.between(1, 3),
                      random_.one_of({"eq", "ne", "lt"}), made, random_.below(3));
  return made;
}

std::string Writer::bounded(std::string& code, const Scope& scope, unsigned bound) {
  std::string made = facts_.fresh("%t");
  std::string from = bound >= kSmall && !scope.small.empty() && random_.chance(50)
                         ? random_.one_of(scope.small)
                         : any_register(Type::kB32, scope, false);
  code += fmt::format("  .reg .b32 {0}; and.b32 {0}, {1}, {2};\n", made, from, bound - 1);
  return made;
}

void Writer::write_block(Node& parent, Scope& scope, unsigned count) {
  for (unsigned i = 0; i < count && budget_ != 0; ++i) {
    --budget_;
    write_statement(parent, scope);
  }
}

void Writer::write_statement(Node& parent, Scope& scope) {
  const unsigned choice = random_.below(100);
  if (choice < 22 && scope.depth < 4 && scope.passes < 300) {
    const unsigned what = random_.below(100);
    if (what < 40) {
      write_if(parent, scope);
    } else if (what < 50) {
      write_row_loop(parent, scope);
    } else if (what < 75) {
      write_loop(parent, scope);
    } else if (what < 83) {
      write_switch(parent, scope);
    } else if (what < 92) {
      write_tangle(parent, scope);
    } else if (what < 95 && scope.depth == 0) {
      write_long_loop(parent, scope);
    } else {
      write_leave(parent, scope);
    }
    return;
  }
  if (choice < 27) {
    write_leave(parent, scope);
    return;
  }
  std::string text;
  if (choice < 34 && !scope.mask.empty()) {
    text = warp_statement(scope);
  } else if (choice < 39 && scope.whole_block) {
    text = block_statement(scope);
  } else if (choice < 44) {
    text = call_statement(scope);
  } else if (choice < 64) {
    switch (random_.below(12)) {
    case 0:
    case 1:
    case 2:
      text = own_statement(scope);
      break;
    case 3:
      text = local_statement(scope);
      break;
    case 4:
      text = constant_statement(scope);
      break;
    case 5:
      text = kind_ == Kind::kKernel ? slot_statement(scope) : local_statement(scope);
      break;
    case 6:
      text = own_atomic_statement(scope);
      break;
    case 7:
      text = counter_statement(scope);
      break;
    default:
      text = read_statement(scope);
      break;
    }
  } else if (choice < 68) {
    text = uniform_statement(scope);
  } else if (choice < 73) {
    text = affine_statement(scope);
  } else if (choice < 75) {
    text = carry_statement(scope);
  } else if (choice < 77) {
    text = pack_statement(scope);
  } else if (choice < 79) {
    text = special_statement(scope);
  }
  parent.add_node().add(text.empty() ? value_statement(scope) : text);
}

} // namespace gantry::simt::fuzz
