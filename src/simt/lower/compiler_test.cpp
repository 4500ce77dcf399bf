// The compiler library beside another user of LLVM in the process: this test.
#include "simt/exec/code/code.h"
#include "simt/ptx/parser.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>

#include <gtest/gtest.h>

namespace gantry::simt::lower {
namespace {

class Compiler : public ::testing::Test {
protected:
  void SetUp() override {
    void* const library = dlopen(GANTRY_SIMT_COMPILER_PATH, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    compile_ = reinterpret_cast<exec::CompileFunction>(dlsym(library, "gantry_simt_compile"));
    ASSERT_NE(compile_, nullptr);
  }

  /// Compiles the first function of a module.
  exec::CodeImage compile(const std::string& text, exec::Tier tier = exec::Tier::kOptimised,
                          void (*between_passes)() = nullptr) {
    exec::CodeImage image;
    auto module = ptx::parse(".version 8.3\n.target sm_90\n.address_size 64\n" + text, "test.ptx");
    if (!module) {
      ADD_FAILURE() << "the text is malformed";
      return image;
    }
    std::vector<std::unique_ptr<ptx::Module>> modules;
    modules.push_back(std::move(*module));
    const auto program = ptx::link(std::move(modules));
    EXPECT_TRUE(program);
    exec::CompileRequest request;
    request.program = program->get();
    request.tier = tier;
    request.between_passes = between_passes;
    std::string error;
    EXPECT_TRUE(compile_(request, image, error)) << error;
    EXPECT_FALSE(image.bytes.empty());
    return image;
  }

  exec::CompileFunction compile_ = nullptr;
};

constexpr const char* kKernel = ".visible .entry k(.param .u64 out) {\n.reg .b64 %d;\n"
                                "ld.param.u64 %d, [out];\nst.global.u64 [%d], 7;\nret;\n}\n";

/// Loops one after the other, in which each lane does another number of iterations.
std::string body_of_loops(unsigned loops) {
  constexpr unsigned kValues = 32;
  std::string text = ".reg .b32 %r<33>, %i, %lane;\n.reg .pred %p;\nmov.u32 %lane, %laneid;\n";
  for (unsigned i = 0; i < kValues; ++i) {
    text += fmt::format("add.u32 %r{}, %lane, {};\n", i, i);
  }
  for (unsigned i = 0; i < loops; ++i) {
    const unsigned a = i * 7 % kValues, b = i * 13 % kValues, c = i * 5 % kValues;
    text += fmt::format("and.b32 %i, %r{0}, 7;\nL{1}: add.u32 %r{2}, %r{2}, %r{3};\n"
                        "add.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, 8;\n@%p bra L{1};\n",
                        a, i, b, c);
  }
  for (unsigned i = 1; i < kValues; ++i) {
    text += fmt::format("xor.b32 %r0, %r0, %r{};\n", i);
  }
  return text;
}

TEST_F(Compiler, MakesQuickCodeOfLargeFunctions) {
  const std::string kernel = ".visible .entry k(.param .u64 out) {\n.reg .b64 %d;\n" +
                             body_of_loops(3500) +
                             "ld.param.u64 %d, [out];\nst.global.u32 [%d], %r0;\nret;\n}\n";
  EXPECT_EQ(compile(kernel, exec::Tier::kQuick).tier, exec::Tier::kQuick);
  const std::string function = ".func (.reg .b32 %result) f() {\n" + body_of_loops(1500) +
                               "mov.b32 %result, %r0;\nret;\n}\n";
  EXPECT_EQ(compile(function, exec::Tier::kQuick).tier, exec::Tier::kQuick);
}

TEST_F(Compiler, AddsBitsThatAnotherBlockHasMadeNumbersOf) {
  (void)compile(
      ".visible .entry k(.param .u64 out) {\n.reg .b64 %d, %at;\n.reg .b32 %lane, %r;\n"
      ".reg .f32 %f, %g;\n.reg .pred %p;\nmov.u32 %lane, %laneid;\nld.param.u64 %d, [out];\n"
      "mad.wide.u32 %at, %lane, 4, %d;\nld.global.b32 %r, [%at];\nxor.b32 %r, %r, %lane;\n"
      "mov.b32 %f, %r;\nadd.f32 %g, %f, %f;\nst.global.f32 [%at], %g;\nsetp.lt.u32 %p, %lane, "
      "7;\n@%p bra L;\n"
      "red.global.add.f32 [%d], %f;\nL: ret;\n}\n");
}

TEST_F(Compiler, AsksBetweenPasses) {
  static unsigned asked;
  asked = 0;
  const auto ask = [] { ++asked; };
  (void)compile(kKernel, exec::Tier::kOptimised, ask);
  constexpr unsigned kPassesOfAnyPipeline = 20;
  EXPECT_GT(asked, kPassesOfAnyPipeline);
}

TEST_F(Compiler, LeavesOptionsOfTheProcessAlone) {
  (void)compile(kKernel);
  for (const auto& entry : llvm::cl::getRegisteredOptions()) {
    EXPECT_EQ(entry.second->getNumOccurrences(), 0) << entry.first.str();
  }
}

TEST_F(Compiler, LeavesFatalErrorsOfTheProcessAlone) {
  (void)compile(kKernel);
  EXPECT_DEATH(llvm::report_fatal_error("it is not the compiler's"),
               "LLVM ERROR: it is not the compiler's");
}

} // namespace
} // namespace gantry::simt::lower
