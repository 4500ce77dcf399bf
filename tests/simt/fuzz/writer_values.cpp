// Statements that compute: of registers, literals and special registers.
#include "../instructions/value_piece.h"
#include "writer.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace gantry::simt::fuzz {

using exec::verifier::Form;
using exec::verifier::Slot;
using instructions::Instance;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using Role = Slot::Role;

namespace {

/// Opcodes of values with exact results, those that programs use most several times.
const std::vector<Opcode>& value_opcodes() {
  static const auto* const opcodes = new std::vector<Opcode>{
      Opcode::k_add,   Opcode::k_add,      Opcode::k_add,      Opcode::k_sub,   Opcode::k_sub,
      Opcode::k_mul,   Opcode::k_mul,      Opcode::k_mul24,    Opcode::k_mad,   Opcode::k_mad,
      Opcode::k_mad24, Opcode::k_sad,      Opcode::k_div,      Opcode::k_rem,   Opcode::k_abs,
      Opcode::k_neg,   Opcode::k_min,      Opcode::k_max,      Opcode::k_fma,   Opcode::k_fma,
      Opcode::k_rcp,   Opcode::k_sqrt,     Opcode::k_copysign, Opcode::k_testp, Opcode::k_and,
      Opcode::k_or,    Opcode::k_xor,      Opcode::k_not,      Opcode::k_cnot,  Opcode::k_shl,
      Opcode::k_shr,   Opcode::k_shl,      Opcode::k_shr,      Opcode::k_shf,   Opcode::k_popc,
      Opcode::k_clz,   Opcode::k_brev,     Opcode::k_bfind,    Opcode::k_bfe,   Opcode::k_bfi,
      Opcode::k_bmsk,  Opcode::k_lop3,     Opcode::k_prmt,     Opcode::k_dp4a,  Opcode::k_dp2a,
      Opcode::k_mov,   Opcode::k_mov,      Opcode::k_selp,     Opcode::k_selp,  Opcode::k_slct,
      Opcode::k_setp,  Opcode::k_setp,     Opcode::k_setp,     Opcode::k_setp,  Opcode::k_set,
      Opcode::k_cvt,   Opcode::k_cvt,      Opcode::k_cvt,      Opcode::k_cvt,   Opcode::k_vadd,
      Opcode::k_vsub,  Opcode::k_vabsdiff, Opcode::k_vadd2,    Opcode::k_vadd4, Opcode::k_vavrg4,
      Opcode::k_vmin2, Opcode::k_vmax4,    Opcode::k_vset2,    Opcode::k_vset4, Opcode::k_vabsdiff2,
      Opcode::k_vsub4,
  };
  return *opcodes;
}

bool is_exact(const Instance& instance) {
  if (instance.has_any(Modifier::kApprox, Modifier::kFull)) {
    return false;
  }
  // The ISA does not say how a sum of 34 bits is compared.
  const bool is_video = instance.types.size() == 3 && !ptx::is_float(instance.type());
  return !is_video || !instance.has_any(Modifier::kMin, Modifier::kMax) ||
         instance.has(Modifier::kSat);
}

/// Whether every device gives the same, and NVIDIA's assembler takes it.
bool is_the_same_everywhere(const Instance& instance) {
  const bool computes_nans = instance.opcode != Opcode::k_setp &&
                             instance.opcode != Opcode::k_set && instance.opcode != Opcode::k_mov &&
                             instance.opcode != Opcode::k_selp;
  for (const Type type : instance.types) {
    if (computes_nans && (type == Type::kF64 || type == Type::kBf16 || type == Type::kBf16x2)) {
      return false;
    }
  }
  switch (instance.opcode) {
  case Opcode::k_rem:   // by zero
  case Opcode::k_bfe:   // of a position beyond 255
  case Opcode::k_bfi:   // likewise
  case Opcode::k_shr:   // of 16 bits by a large literal
  case Opcode::k_testp: // under a guard
  case Opcode::k_set:   // of 16 bits under a guard
    return false;
  default:
    return !instance.has(Modifier::kFtz) && instance.name().front() != 'v';
  }
}

Type random_type(Random& random, exec::verifier::Types types) {
  std::vector<Type> found;
  for (unsigned type = 0; type < 32; ++type) {
    if ((types >> type & 1) != 0) {
      found.push_back(static_cast<Type>(type));
    }
  }
  return random.one_of(found);
}

/// One of all instances of an opcode that the fuzzer can check; nothing if a few tries find none.
std::optional<Instance> random_instance(Random& random, Opcode opcode, Audience audience) {
  const std::vector<Form>& forms = exec::verifier::forms_of(opcode);
  for (unsigned tries = 0; tries < 20; ++tries) {
    Instance instance;
    instance.opcode = opcode;
    instance.form = &forms[random.below(forms.size())];
    for (const exec::verifier::Types types : instance.form->types) {
      instance.types.push_back(random_type(random, types));
    }
    for (const Form::Group& group : instance.form->groups) {
      if (!group.required && random.chance(60)) {
        continue;
      }
      std::vector<std::size_t> members;
      for (std::size_t word = 0; word < group.members.size(); ++word) {
        if (group.members.test(word)) {
          members.push_back(word);
        }
      }
      instance.modifiers.set(random.one_of(members));
    }
    // What the carry is after something else is nobody's business: writer's carry_statement.
    if (instructions::is_of_values(*instance.form) && is_exact(instance) &&
        !instance.has(Modifier::kCc) && instructions::is_conversion(instance) &&
        (audience == Audience::kExecutor || is_the_same_everywhere(instance))) {
      return instance;
    }
  }
  return std::nullopt;
}

Type type_of(const Instance& instance, const Slot& slot) {
  if (slot.role == Role::kPredicate || slot.role == Role::kBooleanPredicate ||
      slot.role == Role::kPredicateResult) {
    return Type::kPred;
  }
  const Type type = slot.type != Type::kNone ? slot.type : instance.type(slot.type_index);
  if (!slot.doubled) {
    return type;
  }
  return type == Type::kU16   ? Type::kU32
         : type == Type::kS16 ? Type::kS32
         : type == Type::kU32 ? Type::kU64
                              : Type::kS64;
}

} // namespace

std::string Writer::value_statement(const Scope& scope) {
  for (;;) {
    if (const auto instance =
            random_instance(random_, random_.one_of(value_opcodes()), facts_.audience)) {
      return "  " + guard() + value_of(*instance, scope);
    }
  }
}

std::string Writer::value_of(const Instance& instance, const Scope& scope) {
  std::string text = instance.name();
  const char* separator = " ";
  const bool has_boolean = instance.has_any(Modifier::kAnd, Modifier::kOr, Modifier::kXor);
  for (const Slot& slot : instance.form->slots) {
    if (slot.role == Role::kBooleanPredicate && !has_boolean) {
      continue;
    }
    const Type type = type_of(instance, slot);
    text += separator;
    separator = ", ";
    switch (slot.role) {
    case Role::kResult:
    case Role::kWideResult:
    case Role::kPredicateResult: {
      const std::string first = destination(type, slot.role == Role::kWideResult);
      text += first;
      if (slot.may_be_pair &&
          (slot.must_be_pair || ptx::is_packed(instance.type()) || random_.chance(30))) {
        std::string second = destination(Type::kPred);
        text += "|" + (second == first ? "_" : second);
      }
      break;
    }
    case Role::kInteger:
      text += fmt::format("{}", random_.below(256));
      break;
    default:
      text += source(type, scope);
      break;
    }
  }
  return text + ";\n";
}

// What is the same in all threads stays so where all come by.
std::string Writer::uniform_statement(const Scope& scope) {
  if (kind_ == Kind::kKernel && !scope.whole_block) {
    return {};
  }
  const std::string& to = random_.one_of(uniform_).name;
  const std::string& a = random_.one_of(uniform_).name;
  const std::string& b = random_.one_of(uniform_).name;
  switch (random_.below(6)) {
  case 0: {
    const std::string offset = facts_.fresh("%t");
    const std::string address = facts_.fresh("%t");
    return fmt::format("  .reg .b32 {0}; .reg .b64 {1}; and.b32 {0}, {2}, 1023; "
                       "mad.wide.u32 {1}, {0}, 8, %input; ld.global.b32 {3}, [{1}+{4}];\n",
                       offset, address, a, to, 4 * random_.below(32));
  }
  case 1: {
    const std::string predicate = facts_.fresh("%q");
    return fmt::format(
        "  .reg .pred {0}; setp.{1}.s32 {0}, {2}, {3}; selp.b32 {4}, {2}, {5}, {0};\n", predicate,
        random_.one_of({"lt", "ne", "ge"}), a, b, to, literal(Type::kB32));
  }
  case 2:
    return fmt::format("  {}.b32 {}, {}, {};\n", random_.one_of({"shl", "shr"}), to, a,
                       random_.below(33));
  case 3:
    return fmt::format("  mov.u32 {}, {};\n", to,
                       random_.one_of({"%ntid.x", "%nctaid.x", "%ctaid.x", "%ctaid.y"}));
  default:
    return fmt::format("  {} {}, {}, {};\n",
                       random_.one_of({"add.s32", "sub.s32", "mul.lo.s32", "and.b32", "xor.b32",
                                       "min.u32", "mul.hi.u32", "div.u32", "rem.s32"}),
                       to, a, random_.chance(50) ? b : literal(Type::kB32));
  }
}

// Operations that keep a step from lane to lane, and some that nearly do.
std::string Writer::affine_statement(const Scope& scope) {
  const Register& target = random_.one_of(affine_);
  const unsigned bits = 8 * ptx::size_of(target.type);
  const std::string before = guard(10);
  const auto other = [&]() -> std::string {
    std::vector<std::string> fitting;
    for (const std::vector<Register>* registers :
         std::initializer_list<const std::vector<Register>*>{&affine_, &uniform_, &scope.more}) {
      for (const Register& each : *registers) {
        if (8 * ptx::size_of(each.type) == bits) {
          fitting.push_back(each.name);
        }
      }
    }
    return random_.chance(70) ? random_.one_of(fitting) : literal(target.type);
  };
  const auto of_size = [&](unsigned size) -> std::string {
    std::vector<std::string> fitting;
    for (const Register& each : affine_) {
      if (ptx::size_of(each.type) == size) {
        fitting.push_back(each.name);
      }
    }
    return fitting.empty() ? any_register(size == 8   ? Type::kB64
                                          : size == 4 ? Type::kB32
                                                      : Type::kB16,
                                          scope, false)
                           : random_.one_of(fitting);
  };
  switch (random_.below(6)) {
  case 0:
    return fmt::format("  {}shl.b{} {}, {}, {};\n", before, bits, target.name, other(),
                       random_.below(bits == 16 ? 12 : 20));
  case 1:
    return fmt::format("  {}mul.lo.s{} {}, {}, {};\n", before, bits, target.name, other(),
                       random_.one_of({"2", "3", "4", "8", "-1", "-4", "12", "4096", "65537"}));
  case 2: // wider and narrower
    if (bits == 64) {
      return fmt::format("  {}cvt.{}64.{}{} {}, {};\n", before, random_.one_of({"s", "u"}),
                         random_.one_of({"s", "u"}), 32, target.name, of_size(4));
    }
    if (bits == 32) {
      return random_.chance(50)
                 ? fmt::format("  {}cvt.u32.u64 {}, {};\n", before, target.name, of_size(8))
                 : fmt::format("  {}cvt.{}32.{}16 {}, {};\n", before, random_.one_of({"s", "u"}),
                               random_.one_of({"s", "u"}), target.name, of_size(2));
    }
    return fmt::format("  {}cvt.u16.u{} {}, {};\n", before, 32, target.name, of_size(4));
  case 3:
    return fmt::format("  {}mov.b{} {}, {};\n", before, bits, target.name, other());
  default:
    return fmt::format("  {}{}.{}{} {}, {}, {};\n", before, random_.one_of({"add", "sub", "add"}),
                       random_.one_of({"u", "s"}), bits, target.name, other(), other());
  }
}

std::string Writer::carry_statement(const Scope& scope) {
  const bool wide = random_.chance(30);
  const Type type = wide ? Type::kU64 : Type::kU32;
  const unsigned bits = wide ? 64 : 32;
  const auto operands = [&](unsigned count) {
    std::string text = destination(type);
    for (unsigned i = 0; i < count; ++i) {
      text += ", " + source(type, scope);
    }
    return text;
  };
  std::string text;
  switch (random_.below(3)) {
  case 0:
    text = fmt::format("  add.cc.u{0} {1};\n  addc.cc.s{0} {2};\n", bits, operands(2), operands(2));
    break;
  case 1:
    return fmt::format("  sub.cc.s{0} {1};\n  subc.cc.u{0} {2};\n  subc.u{0} {3};\n", bits,
                       operands(2), operands(2), operands(2));
  default:
    text = fmt::format("  mad.lo.cc.u{0} {1};\n  madc.hi.cc.{3}{0} {2};\n", bits, operands(3),
                       operands(3), random_.one_of({"u", "s"}));
    break;
  }
  return text + fmt::format("  addc.u{} {};\n", bits, operands(2));
}

std::string Writer::pack_statement(const Scope& scope) {
  const bool wide = random_.chance(50);
  const Type whole = wide ? Type::kB64 : Type::kB32;
  const Type half = wide && random_.chance(60) ? Type::kB32 : Type::kB16;
  const unsigned count = ptx::size_of(whole) / ptx::size_of(half);
  const bool packs = random_.chance(50);
  std::string parts;
  for (unsigned i = 0; i < count; ++i) {
    std::string part = packs ? any_register(half, scope, false) : destination(half);
    // A register gets one value.
    if (!packs && (random_.chance(10) || parts.find(part) != std::string::npos)) {
      part = "_";
    }
    parts += (i == 0 ? "" : ", ") + part;
  }
  return packs ? fmt::format("  mov.b{} {}, {{{}}};\n", 8 * ptx::size_of(whole), destination(whole),
                             parts)
               : fmt::format("  mov.b{} {{{}}}, {};\n", 8 * ptx::size_of(whole), parts,
                             any_register(whole, scope, false));
}

std::string Writer::special_statement(const Scope& scope) {
  if (random_.chance(50)) {
    return other_statement(scope);
  }
  return fmt::format("  {}mov.u32 {}, {};\n", guard(), destination(Type::kU32),
                     random_.one_of({"%tid.x", "%tid.y", "%tid.z", "%laneid", "%ntid.y", "%ctaid.x",
                                     "%ctaid.z", "%nctaid.y", "%lanemask_lt", "%lanemask_le",
                                     "%lanemask_gt", "%lanemask_eq", "%lanemask_ge", "%warpid"}));
}

} // namespace gantry::simt::fuzz
