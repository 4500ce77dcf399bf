// That nothing the executor accepts is without a test, and that it accepts what compilers write.
#include "instance.h"
#include "reference.h"
#include "value_piece.h"

#include "simt/exec/verifier/verifier.h"
#include "simt/ptx/parser.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::simt::instructions {
namespace {

using exec::verifier::Form;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

constexpr Opcode kOpcodes[] = {
#define GANTRY_PTX_OPCODE(name) Opcode::k_##name,
#include "simt/ptx/opcodes.def"
#undef GANTRY_PTX_OPCODE
};

/// Opcodes of which a test of its own runs all forms. Those of values have a Reference.
struct Tested {
  Opcode opcode;
  const char* where;
};
constexpr Tested kTested[] = {
    {Opcode::k_ld, "memory"},
    {Opcode::k_ldu, "memory"},
    {Opcode::k_st, "memory"},
    {Opcode::k_atom, "atomic"},
    {Opcode::k_red, "atomic"},
    {Opcode::k_shfl, "warp"},
    {Opcode::k_vote, "warp"},
    {Opcode::k_match, "warp"},
    {Opcode::k_redux, "warp"},
    {Opcode::k_activemask, "warp"},
    {Opcode::k_elect, "warp"},
    {Opcode::k_mma, "matrix"},
    {Opcode::k_ldmatrix, "matrix"},
    {Opcode::k_stmatrix, "matrix"},
    {Opcode::k_movmatrix, "matrix"},
    {Opcode::k_cvta, "space"},
    {Opcode::k_isspacep, "space"},
    {Opcode::k_cp, "space"},
    {Opcode::k_alloca, "space"},
    {Opcode::k_stacksave, "space"},
    {Opcode::k_stackrestore, "space"},
    {Opcode::k_mbarrier, "mbarrier"},
    {Opcode::k_mapa, "cluster"},
    {Opcode::k_getctarank, "cluster"},
    {Opcode::k_bar, "block"},
    {Opcode::k_barrier, "block"},
    {Opcode::k_prefetch, "block"},
    {Opcode::k_prefetchu, "block"},
    {Opcode::k_discard, "block"},
    {Opcode::k_applypriority, "block"},
    {Opcode::k_createpolicy, "block"},
    {Opcode::k_griddepcontrol, "block"},
    {Opcode::k_membar, "block"},
    {Opcode::k_fence, "block"},
    {Opcode::k_nanosleep, "block"},
    {Opcode::k_brkpt, "block"},
    {Opcode::k_pmevent, "block"},
    {Opcode::k_bra, "control"},
    {Opcode::k_brx, "control"},
    {Opcode::k_ret, "control"},
    {Opcode::k_exit, "control"},
    {Opcode::k_call, "control"},
    {Opcode::k_trap, "tests/simt/faults"},
};

TEST(Coverage, EveryOpcodeIsTested) {
  for (const Opcode opcode : kOpcodes) {
    const bool by_itself = std::ranges::find(kTested, opcode, &Tested::opcode) != std::end(kTested);
    EXPECT_NE(reference_of(opcode) != nullptr, by_itself) << exec::verifier::name_of(opcode);
  }
}

TEST(Coverage, EveryFormOfValuesIsOneThatPiecesAreMadeOf) {
  for (const Opcode opcode : kOpcodes) {
    for (const Form& form : exec::verifier::forms_of(opcode)) {
      if (reference_of(opcode) == nullptr || is_of_values(form)) {
        continue;
      }
      // mov.v2 and mov.v4 have a test with the spaces.
      EXPECT_TRUE(opcode == Opcode::k_mov &&
                  form.allowed.test(static_cast<std::size_t>(Modifier::kV2)))
          << exec::verifier::name_of(opcode);
    }
  }
}

// What the executor says of an instruction, the last of a kernel.
std::string error_of(const std::string& instruction) {
  auto module = ptx::parse(
      fmt::format(".version 8.7\n.target sm_100\n.address_size 64\n.visible .entry k() {{\n"
                  ".reg .b16 %h<2>; .reg .b32 %r<2>; .reg .b64 %d<2>;\n{}\n}}\n",
                  instruction),
      "test.ptx");
  if (!module) {
    return module.error().message;
  }
  const ptx::Function& kernel = (*module)->functions.back();
  return exec::verify(kernel.instructions.back(), kernel);
}

TEST(Coverage, ConversionsAreThoseOfTheIsa) {
  const auto register_of = [](Type type, unsigned number) {
    const unsigned size = ptx::size_of(type);
    return fmt::format("%{}{}", size <= 2 ? 'h' : size == 4 ? 'r' : 'd', number);
  };
  for (const Instance& instance : all_instances(Opcode::k_cvt)) {
    if (instance.form->slots.size() > 2) {
      continue;
    }
    const std::string said =
        error_of(fmt::format("{} {}, {};", instance.name(), register_of(instance.type(0), 0),
                             register_of(instance.type(1), 1)));
    EXPECT_EQ(said.empty(), is_conversion(instance)) << instance.name() << ": " << said;
  }
}

bool has_form(Opcode opcode, const std::vector<Type>& types,
              const exec::verifier::Modifiers& modifiers) {
  return std::ranges::any_of(exec::verifier::forms_of(opcode), [&](const Form& form) {
    bool fits = form.types.size() == types.size() && (modifiers & ~form.allowed).none();
    for (std::size_t i = 0; fits && i < types.size(); ++i) {
      fits = (form.types[i] >> static_cast<unsigned>(types[i]) & 1) != 0;
    }
    return fits && std::ranges::all_of(form.groups, [&](const Form::Group& group) {
             const std::size_t present = (modifiers & group.members).count();
             return present == 1 || (present == 0 && !group.required);
           });
  });
}

TEST(Coverage, WhatCompilersWriteIsAccepted) {
  static constexpr const char* kProducerForms[] = {
#define PRODUCER_FORM(name) name,
#include "producer_forms.def"
#undef PRODUCER_FORM
  };
  for (const char* name : kProducerForms) {
    std::istringstream words(name);
    std::string word;
    std::getline(words, word, '.');
    const auto opcode = std::ranges::find_if(
        kOpcodes, [&](Opcode each) { return exec::verifier::name_of(each) == word; });
    ASSERT_NE(opcode, std::end(kOpcodes)) << name;
    if (*opcode == Opcode::k_call) {
      continue; // its operands are its form
    }
    std::vector<Type> types;
    exec::verifier::Modifiers modifiers;
    while (std::getline(words, word, '.')) {
      if (const auto type = ptx::type_named(word)) {
        types.push_back(*type);
        continue;
      }
      std::size_t modifier = 0;
      while (modifier < modifiers.size() && exec::verifier::word_of(modifier) != word) {
        ++modifier;
      }
      ASSERT_LT(modifier, modifiers.size()) << name;
      modifiers.set(modifier);
    }
    EXPECT_TRUE(has_form(*opcode, types, modifiers)) << name;
  }
}

} // namespace
} // namespace gantry::simt::instructions
