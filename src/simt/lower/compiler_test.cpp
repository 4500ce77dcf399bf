// The compiler library beside another user of LLVM in the process: this test.
#include "simt/exec/code/code.h"
#include "simt/ptx/parser.h"

#include <dlfcn.h>
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

  /// Compiles a kernel.
  void compile() {
    auto module = ptx::parse(".version 8.3\n.target sm_90\n.address_size 64\n"
                             ".visible .entry k(.param .u64 out) {\n.reg .b64 %d;\n"
                             "ld.param.u64 %d, [out];\nst.global.u64 [%d], 7;\nret;\n}\n",
                             "test.ptx");
    ASSERT_TRUE(module);
    std::vector<std::unique_ptr<ptx::Module>> modules;
    modules.push_back(std::move(*module));
    const auto program = ptx::link(std::move(modules));
    ASSERT_TRUE(program);
    exec::CompileRequest request;
    request.program = program->get();
    exec::CodeImage image;
    std::string error;
    EXPECT_TRUE(compile_(request, image, error)) << error;
    EXPECT_FALSE(image.bytes.empty());
  }

  exec::CompileFunction compile_ = nullptr;
};

TEST_F(Compiler, LeavesOptionsOfTheProcessAlone) {
  compile();
  for (const auto& entry : llvm::cl::getRegisteredOptions()) {
    EXPECT_EQ(entry.second->getNumOccurrences(), 0) << entry.first.str();
  }
}

TEST_F(Compiler, LeavesFatalErrorsOfTheProcessAlone) {
  compile();
  EXPECT_DEATH(llvm::report_fatal_error("it is not the compiler's"),
               "LLVM ERROR: it is not the compiler's");
}

} // namespace
} // namespace gantry::simt::lower
