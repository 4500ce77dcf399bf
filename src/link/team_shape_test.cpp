#include "link/team_shape.h"

#include <string>

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

namespace gantry::link {
namespace {

/// A kernel of a mode that does something and begins a region, which does something.
std::string kernel(const std::string& mode, const std::string& outside, const std::string& inside,
                   const std::string& strict = "i32 0") {
  return R"(
  %configuration = type { i8, i8, i8, i32, i32 }
  %environment = type { %configuration, ptr }
  @kernel_kernel_environment = weak_odr protected constant %environment {
      %configuration { i8 0, i8 0, i8 )" +
         mode + R"(, i32 1, i32 256 }, ptr null }
  declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
  declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
  declare i32 @__kmpc_get_hardware_num_threads_in_block()
  declare i32 @__kmpc_get_hardware_thread_id_in_block()
  declare i32 @omp_get_thread_num()
  declare i32 @omp_get_num_threads_()
  declare i32 @omp_get_team_num()
  declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  define internal void @callee() {
    %number = call i32 @omp_get_thread_num()
    ret void
  }
  define internal void @region_of_callee() {
    call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr @bare, ptr null, ptr null, i64 0, i32 0)
    ret void
  }
  define internal void @bare() {
    ret void
  }
  define internal void @body(ptr %pointer) {
)" + inside +
         R"(
    ret void
  }
  define void @kernel(ptr %pointer) {
    %threads = call i32 @__kmpc_get_hardware_num_threads_in_block()
)" + outside +
         R"(
    call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 256, i32 -1, ptr @body, ptr null, ptr null, i64 0, )" +
         strict + R"()
    ret void
  })";
}

constexpr const char* kSpmd = "2";
const std::string kLoop = "call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 33, ptr null, "
                          "ptr null, ptr null, ptr null, i32 1, i32 1)\n";

bool is_open(const std::string& text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, context);
  if (module == nullptr) {
    ADD_FAILURE() << problem.getMessage().str();
    return false;
  }
  mark_open_teams(*module);
  EXPECT_FALSE(llvm::verifyModule(*module));
  const llvm::GlobalVariable* const mark = module->getGlobalVariable("kernel_open_team");
  if (mark != nullptr) {
    EXPECT_EQ(mark->getVisibility(), llvm::GlobalValue::ProtectedVisibility);
    EXPECT_TRUE(mark->hasWeakODRLinkage());
  }
  return mark != nullptr;
}

TEST(OpenTeams, AreThoseOfLoopsThatDoNotAsk) {
  EXPECT_TRUE(is_open(kernel(kSpmd, "", kLoop)));
  EXPECT_TRUE(is_open(kernel("3", "", kLoop))) << "made SPMD by the optimiser";
  EXPECT_FALSE(is_open(kernel("1", "", kLoop))) << "the main thread is one of them";
}

TEST(OpenTeams, StayAsTheyAreWhereTheProgramCanTell) {
  EXPECT_FALSE(is_open(kernel(kSpmd, "", kLoop + "call i32 @omp_get_thread_num()")));
  EXPECT_FALSE(is_open(kernel(kSpmd, "call i32 @omp_get_num_threads_()", kLoop))) << "Fortran's";
  EXPECT_FALSE(is_open(kernel(kSpmd, "", kLoop + "call void @callee()"))) << "through a call";
  EXPECT_FALSE(is_open(kernel(kSpmd, "", kLoop + "call i32 @llvm.nvvm.read.ptx.sreg.tid.x()")));
  EXPECT_FALSE(is_open(kernel(kSpmd, "", kLoop + "call void %pointer()"))) << "by pointer";
  EXPECT_FALSE(is_open(kernel(kSpmd, "", kLoop + "call void asm \"\", \"\"()")));
}

TEST(OpenTeams, MayHaveReductions) {
  EXPECT_TRUE(
      is_open(kernel(kSpmd, "", kLoop + "call i32 @__kmpc_get_hardware_thread_id_in_block()")));
}

TEST(OpenTeams, MayAskForTheirTeam) {
  EXPECT_TRUE(is_open(kernel(kSpmd, "call i32 @omp_get_team_num()", kLoop)));
}

TEST(OpenTeams, HaveOnlyLoopsForRegions) {
  EXPECT_FALSE(is_open(kernel(kSpmd, "", ""))) << "each thread may count itself";
  EXPECT_FALSE(is_open(kernel(kSpmd, "call void @region_of_callee()", kLoop)));
}

TEST(OpenTeams, AreNotThoseOfAStrictNumberOfThreads) {
  EXPECT_FALSE(is_open(kernel(kSpmd, "", kLoop, "i32 1")));
}

} // namespace
} // namespace gantry::link
