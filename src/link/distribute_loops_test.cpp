#include "link/distribute_loops.h"

#include "link/testing/module_text.h"

#include <string>

#include <gantry/gpu_image.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>

namespace gantry::link {
namespace {

/// A kernel of at most 128 threads, with a loop of a schedule and a chunk, and a region.
std::string kernel(const std::string& schedule, const std::string& chunk, const std::string& body) {
  return R"(
  %configuration = type { i8, i8, i8, i32, i32 }
  %environment = type { %configuration, ptr }
  @kernel_kernel_environment = constant %environment {
      %configuration { i8 0, i8 0, i8 2, i32 1, i32 128 }, ptr null }
  declare void @__kmpc_distribute_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
  declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
  declare i32 @__kmpc_get_hardware_num_threads_in_block()
  declare i32 @omp_get_team_num()
  declare i32 @omp_get_thread_num()
  declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  define internal i32 @callee() {
    %number = call i32 @omp_get_team_num()
    ret i32 %number
  }
  define internal void @body(ptr %pointer) {
)" + body +
         R"(
    ret void
  }
  define void @kernel() {
    %threads = call i32 @__kmpc_get_hardware_num_threads_in_block()
    call void @__kmpc_distribute_static_init_4(ptr null, i32 0, i32 )" +
         schedule + ", ptr null, ptr null, ptr null, ptr null, i32 1, i32 " + chunk + R"()
    call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr @body, ptr null, ptr null, i64 0, i32 0)
    ret void
  })";
}

/// The schedule that the loop of the kernel has in the end.
std::uint64_t schedule_of(const std::string& text) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = module_of(text, context);
  open_distribute_loops(*module);
  EXPECT_FALSE(llvm::verifyModule(*module));
  for (const llvm::Instruction& instruction : llvm::instructions(*module->getFunction("kernel"))) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call != nullptr && call->arg_size() == 9) {
      return llvm::cast<llvm::ConstantInt>(call->getArgOperand(2))->getZExtValue();
    }
  }
  return 0;
}

constexpr const char* kThreads = "%number = call i32 @omp_get_thread_num()";

TEST(DistributeLoops, AreLeftToTheRuntimeInChunksOfTheBlock) {
  EXPECT_EQ(schedule_of(kernel("91", "128", kThreads)), GANTRY_DISTRIBUTE_OPEN);
  EXPECT_EQ(schedule_of(kernel("91", "%threads", kThreads)), GANTRY_DISTRIBUTE_OPEN);
}

TEST(DistributeLoops, KeepOtherChunks) {
  EXPECT_EQ(schedule_of(kernel("91", "64", kThreads)), 91U);
  EXPECT_EQ(schedule_of(kernel("92", "128", kThreads)), 92U);
}

TEST(DistributeLoops, StayWhereTheProgramCanTellItsTeam) {
  for (const char* body :
       {"%number = call i32 @omp_get_team_num()", "%number = call i32 @callee()",
        "%number = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()", "call void %pointer()",
        "%number = call i32 asm \"mov.u32 $0, %ctaid.x;\", \"=r\"()",
        "store ptr @callee, ptr %pointer"}) {
    EXPECT_EQ(schedule_of(kernel("91", "128", body)), 91U) << body;
  }
}

} // namespace
} // namespace gantry::link
