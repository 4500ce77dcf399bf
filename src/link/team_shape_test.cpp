#include "link/team_shape.h"

#include "link/testing/module_text.h"

#include <string>

#include <llvm/IR/Verifier.h>

namespace gantry::link {
namespace {

/// A kernel of a mode that does something and begins a region, which does something.
std::string kernel(const std::string& mode, const std::string& outside, const std::string& inside,
                   const std::string& threads = "i32 -1") {
  return R"(
  %configuration = type { i8, i8, i8, i32, i32 }
  %environment = type { %configuration, ptr }
  @kernel_kernel_environment = weak_odr protected constant %environment {
      %configuration { i8 0, i8 0, i8 )" +
         mode + R"(, i32 1, i32 256 }, ptr null }
  declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
  declare void @__kmpc_for_static_fini(ptr, i32)
  declare void @__kmpc_critical(ptr, i32, ptr)
  declare i32 @__kmpc_masked(ptr, i32, i32)
  declare void @omp_set_lock(ptr)
  declare i32 @my_thread_id_table()
  declare i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
  declare i32 @llvm.nvvm.activemask()
  declare i32 @ompx_block_dim_x()
  declare i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr, i64, ptr, ptr, ptr)
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
  define internal void @between_warps(ptr %list, i32 %warps) {
    store volatile i32 0, ptr %list
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
    call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, )" +
         threads + R"(, i32 -1, ptr @body, ptr null, ptr null, i64 0, i32 0)
    ret void
  })";
}

constexpr const char* kSpmd = "2";

/// A worksharing loop around something.
std::string loop(const std::string& inside = "") {
  return "call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 33, ptr null, ptr null, "
         "ptr null, ptr null, i32 1, i32 1)\n" +
         inside + "\ncall void @__kmpc_for_static_fini(ptr null, i32 0)\n";
}
const std::string kLoop = loop();

bool is_open(const std::string& text) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = module_of(text, context);
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
  EXPECT_TRUE(is_open(
      kernel(kSpmd, "",
             kLoop + "call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr null, i64 4, ptr null, "
                     "ptr null, ptr @between_warps)")))
      << "Clang's own signals do not count";
  EXPECT_FALSE(is_open(
      kernel(kSpmd, "",
             kLoop +
                 "call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr null, i64 4, ptr null, "
                 "ptr null, ptr @between_warps)\n" +
                 loop("call void @between_warps(ptr %pointer, i32 1)"))))
      << "unless the program calls them itself";
  EXPECT_TRUE(
      is_open(kernel(kSpmd, "", kLoop + "call i32 @__kmpc_get_hardware_thread_id_in_block()")));
}

TEST(OpenTeams, MayAskForTheirTeam) {
  EXPECT_TRUE(is_open(kernel(kSpmd, "call i32 @omp_get_team_num()", kLoop)));
}

TEST(OpenTeams, HaveOnlyLoopsForRegions) {
  EXPECT_FALSE(is_open(kernel(kSpmd, "", ""))) << "each thread may count itself";
  EXPECT_FALSE(is_open(kernel(kSpmd, "call void @region_of_callee()", kLoop)));
  EXPECT_FALSE(
      is_open(kernel(kSpmd, "", "%n = atomicrmw add ptr %pointer, i32 1 monotonic\n" + kLoop)))
      << "beside a loop as well";
}

TEST(OpenTeams, HaveTheThreadsThatAClauseAsksFor) {
  EXPECT_FALSE(is_open(kernel(kSpmd, "", kLoop, "i32 64")));
  EXPECT_FALSE(is_open(kernel(kSpmd, "", kLoop, "i32 %threads")));
}

TEST(OpenTeams, DoNotWaitForThreads) {
  EXPECT_TRUE(is_open(kernel(kSpmd, "", loop("%n = atomicrmw add ptr %pointer, i32 1 monotonic"))))
      << "an update tells nothing";
  EXPECT_FALSE(is_open(kernel(kSpmd, "",
                              loop("%n = atomicrmw add ptr %pointer, i32 1 monotonic\n"
                                   "store i32 %n, ptr %pointer"))));
  EXPECT_FALSE(
      is_open(kernel(kSpmd, "", loop("%n = load atomic i32, ptr %pointer monotonic, align 4"))));
  EXPECT_FALSE(is_open(kernel(kSpmd, "", loop("%n = load volatile i32, ptr %pointer"))));
  EXPECT_FALSE(is_open(
      kernel(kSpmd, "", loop("%n = cmpxchg ptr %pointer, i32 0, i32 1 monotonic monotonic"))));
  EXPECT_FALSE(is_open(kernel(kSpmd, "", loop("fence acq_rel"))));
  EXPECT_FALSE(is_open(kernel(kSpmd, "", loop("call void @omp_set_lock(ptr %pointer)"))));
  EXPECT_FALSE(is_open(
      kernel(kSpmd, "", loop("call void @__kmpc_critical(ptr null, i32 0, ptr %pointer)"))));
}

TEST(OpenTeams, DoNotKnowTheirWarps) {
  EXPECT_FALSE(is_open(kernel(kSpmd, "", loop("call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()"))));
  EXPECT_FALSE(
      is_open(kernel(kSpmd, "", loop("call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)"))));
  EXPECT_FALSE(is_open(kernel(kSpmd, "", loop("call i32 @llvm.nvvm.activemask()"))));
  EXPECT_FALSE(is_open(kernel(kSpmd, "", loop("call i32 @ompx_block_dim_x()"))));
  EXPECT_FALSE(is_open(kernel(kSpmd, "", loop("call i32 @__kmpc_masked(ptr null, i32 0, i32 9)"))));
  EXPECT_TRUE(is_open(kernel(kSpmd, "", loop("call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()"))));
}

TEST(OpenTeams, AreToldByWholeNames) {
  EXPECT_TRUE(is_open(kernel(kSpmd, "", loop("call i32 @my_thread_id_table()"))));
}

} // namespace
} // namespace gantry::link
