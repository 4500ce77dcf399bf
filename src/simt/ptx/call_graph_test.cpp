// Calls, addresses taken and initial values each make functions and variables reachable from a
// kernel, and shared variables that are reachable get places.

#include "simt/ptx/test_support.h"

#include <gmock/gmock.h>

namespace gantry::simt::ptx {
namespace {

using testing::ElementsAre;

std::vector<std::string> reached(const std::vector<std::string>& texts) {
  const auto program = program_of(texts);
  std::vector<std::string> names;
  for (const std::uint32_t function :
       reachable_from(*program, *program->find_entry("k")).functions) {
    names.emplace_back(program->definition(function).name);
  }
  return names;
}

TEST(Reachable, CallsOfCalls) {
  EXPECT_THAT(reached({".func c() { ret; }\n.func b() { call c; ret; }\n.func a() { call b; ret; }"
                       "\n.func lonely() { call c; ret; }\n.entry k() { call a; ret; }"}),
              ElementsAre("k", "a", "b", "c"));
}

TEST(Reachable, Recursion) {
  EXPECT_THAT(reached({".func b();\n.func a() { call b; ret; }\n.func b() { call a; ret; }\n"
                       ".entry k() { call a; ret; }"}),
              ElementsAre("k", "a", "b"));
}

TEST(Reachable, AddressesTaken) {
  EXPECT_THAT(reached({".func a() { ret; }\n.entry k() { .reg .b64 p; mov.u64 p, a; ret; }"}),
              ElementsAre("k", "a"));
}

TEST(Reachable, AddressesInInitialValues) {
  EXPECT_THAT(reached({".func a() { ret; }\n.func b() { ret; }\n.func c() { ret; }\n"
                       ".global .u64 inner = a;\n.global .u64 outer = generic(inner)+8;\n"
                       ".global .u64 other = b;\n"
                       ".entry k() { .reg .b64 p; .global .u64 own = c;\n"
                       "ld.global.u64 p, [outer]; ret; }"}),
              ElementsAre("k", "c", "a"));
}

TEST(Reachable, AddressesThatTheHostMayHaveRead) {
  const std::string variables = ".func a() { ret; }\n.func b() { ret; }\n"
                                ".visible .global .u64 table[2] = {a, b};\n";
  EXPECT_THAT(reached({variables + ".entry k(.param .u64 p) { .reg .b64 q; ld.param.u64 q, [p]; "
                                   "L: .callprototype _ (); call q, L; ret; }"}),
              ElementsAre("k", "a", "b"));
  EXPECT_THAT(reached({variables + ".entry k(.param .u64 p) { ret; }"}), ElementsAre("k"));
}

TEST(Reachable, InitialValuesThatNameEachOther) {
  EXPECT_THAT(reached({".extern .global .u64 b;\n.visible .global .u64 a = b;\n"
                       ".entry k() { .reg .b64 p; mov.u64 p, a; ret; }",
                       ".extern .global .u64 a;\n.visible .global .u64 b = a;\n"}),
              ElementsAre("k"));
}

TEST(Reachable, CallTargets) {
  EXPECT_THAT(reached({".func a() { ret; }\n.func b() { ret; }\n"
                       ".entry k() { .reg .b64 p; L: .calltargets b, a; call p, L; ret; }"}),
              ElementsAre("k", "b", "a"));
}

TEST(Reachable, OtherModulesAndSystemCalls) {
  EXPECT_THAT(reached({".extern .func f();\n.entry k() { call f; ret; }",
                       ".extern .func free(.param .b64 p);\n"
                       ".visible .func f() { call free, (0); ret; }"}),
              ElementsAre("k", "f", "free"));
}

std::vector<std::pair<std::string, std::uint32_t>> layout(const Program& program,
                                                          const Reachable& reachable) {
  std::vector<std::pair<std::string, std::uint32_t>> offsets;
  for (const Reachable::Shared& shared : reachable.shared) {
    offsets.emplace_back(program.variables[shared.variable].name, shared.offset);
  }
  return offsets;
}

TEST(Reachable, SharedMemory) {
  const auto program = program_of({
      ".shared .u32 unused;\n.shared .align 1 .b8 a[5];\n.shared .u64 b;\n"
      ".extern .shared .align 32 .b8 d1[];\n.extern .shared .b8 d2[];\n"
      ".func f() { .shared .u16 in_f; .reg .b32 r; ld.shared.u32 r, [d1]; ret; }\n"
      ".func g() { .shared .u16 in_g; ret; }\n"
      ".entry k() { .reg .b32 r; mov.u32 r, b; st.shared.u8 [a+1], r; mov.u32 r, d2; call f; }\n"
      ".entry j() { .reg .b32 r; mov.u32 r, a; ret; }\n"
      ".entry i() { .reg .b32 r; mov.u32 r, d2; ret; }\n.entry none() { ret; }\n",
  });
  const Reachable k = reachable_from(*program, *program->find_entry("k"));
  EXPECT_THAT(layout(*program, k),
              ElementsAre(std::pair("a", 0U), std::pair("b", 8U), std::pair("in_f", 16U),
                          std::pair("d1", 32U), std::pair("d2", 32U)));
  EXPECT_EQ(k.static_shared, 32U);
  EXPECT_EQ(reachable_from(*program, *program->find_entry("j")).static_shared, 5U);
  const Reachable i = reachable_from(*program, *program->find_entry("i"));
  EXPECT_THAT(layout(*program, i), ElementsAre(std::pair("d2", 0U)));
  EXPECT_EQ(reachable_from(*program, *program->find_entry("none")).static_shared, 0U);
}

TEST(Reachable, SharedMemoryBeyondAllBounds) {
  const auto program = program_of({
      ".shared .b8 a[2147483647];\n.shared .b8 b[2147483647];\n.shared .b8 c[2147483647];\n"
      ".entry k() { .reg .b32 r; mov.u32 r, a; mov.u32 r, b; mov.u32 r, c; }",
  });
  EXPECT_EQ(reachable_from(*program, *program->find_entry("k")).static_shared, UINT32_MAX);
}

} // namespace
} // namespace gantry::simt::ptx
