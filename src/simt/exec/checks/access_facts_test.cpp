#include "simt/exec/checks/access_facts.h"

#include "simt/ptx/parser.h"

#include <gtest/gtest.h>

namespace gantry::simt::exec {
namespace {

/// A function of the instructions, the first of which is that of the facts.
AccessFacts facts_of(const std::string& instructions, AccessKind kind,
                     const std::string& name = "k") {
  auto module = ptx::parse(".version 8.3\n.target sm_90\n.address_size 64\n.visible .func " + name +
                               "() {\n.shared .b32 s[4]; .reg .pred p<4>; .reg .b16 h<4>; "
                               ".reg .b32 r<8>; .reg .b64 d<8>;\n" +
                               instructions + "\nret;\n}\n",
                           "test.ptx");
  if (!module) {
    ADD_FAILURE() << module.error().text("test.ptx");
    return {};
  }
  std::vector<std::unique_ptr<ptx::Module>> modules;
  modules.push_back(std::move(*module));
  auto program = ptx::link(std::move(modules));
  if (!program) {
    ADD_FAILURE() << program.error();
    return {};
  }
  const AccessFactsTable table(*std::move(program));
  return table.of(kind, site_of(0, 0));
}

TEST(AccessFacts, StrengthIsWhatTheInstructionSays) {
  EXPECT_FALSE(facts_of("ld.global.u32 r0, [d0];", AccessKind::kLoad).strong);
  EXPECT_TRUE(facts_of("ld.volatile.global.u32 r0, [d0];", AccessKind::kLoad).strong);
  EXPECT_TRUE(facts_of("ld.relaxed.gpu.global.u32 r0, [d0];", AccessKind::kLoad).strong);
  const AccessFacts acquire = facts_of("ld.acquire.gpu.global.u32 r0, [d0];", AccessKind::kLoad);
  EXPECT_TRUE(acquire.strong && acquire.acquires && !acquire.releases);
  const AccessFacts release = facts_of("st.release.gpu.global.u32 [d0], r0;", AccessKind::kStore);
  EXPECT_TRUE(release.strong && release.releases && !release.acquires && !release.reads);
  const AccessFacts both =
      facts_of("atom.acq_rel.gpu.global.add.u32 r0, [d0], 1;", AccessKind::kAtomic);
  EXPECT_TRUE(both.reads && both.writes && both.acquires && both.releases);
  const AccessFacts relaxed = facts_of("atom.global.add.u32 r0, [d0], 1;", AccessKind::kAtomic);
  EXPECT_TRUE(relaxed.strong && !relaxed.acquires && !relaxed.releases);
}

TEST(AccessFacts, WhatAnExchangeComparesIsAGuess) {
  const auto is_guess = [](const std::string& code) {
    return facts_of(code, AccessKind::kLoad).strong;
  };
  EXPECT_TRUE(is_guess("ld.global.u32 r0, [d0]; atom.global.cas.b32 r1, [d0], r0, r2;"));
  EXPECT_TRUE(is_guess("ld.global.u32 r0, [d0]; mov.b32 r3, r0; "
                       "atom.global.cas.b32 r1, [d0], r3, r2;"));
  EXPECT_TRUE(is_guess("ld.global.b16 h0, [d0]; cvt.u32.u16 r3, h0; shl.b32 r4, r3, 16; "
                       "or.b32 r5, r4, r6; atom.global.cas.b32 r1, [d0], r5, r2;"));
  EXPECT_FALSE(is_guess("ld.global.u32 r0, [d0]; atom.global.cas.b32 r1, [d0], r2, r0;"))
      << "the new value is none";
  EXPECT_FALSE(is_guess("ld.global.u32 r0, [d0]; add.u32 r3, r0, 1; "
                        "atom.global.cas.b32 r1, [d0], r3, r2;"));
}

TEST(AccessFacts, LoadsWhoseValueMayNotMatter) {
  EXPECT_TRUE(facts_of("ld.shared.u32 r0, [s+4];", AccessKind::kLoad).may_be_unused);
  EXPECT_FALSE(facts_of("ld.shared.u32 r0, [r1+4];", AccessKind::kLoad).may_be_unused);
  EXPECT_TRUE(facts_of("ld.u8 r0, [d0];", AccessKind::kLoad, "memcpy").may_be_unused);
}

TEST(AccessFacts, WithoutAnInstruction) {
  const AccessFactsTable table(std::make_shared<const ptx::Program>());
  const AccessFacts facts = table.of(AccessKind::kAtomic, site_of(7, 7));
  EXPECT_TRUE(facts.reads && facts.writes && facts.strong && !facts.acquires);
}

} // namespace
} // namespace gantry::simt::exec
