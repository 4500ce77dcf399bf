#include "link/runtime_queries.h"

#include "link/testing/module_text.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>

namespace gantry::link {
namespace {

/// Two kernels, of generic (1) and of SPMD mode (2), and functions that ask for the mode.
constexpr const char* kKernels = R"(
  %configuration = type { i8, i8, i8 }
  %environment = type { %configuration, ptr }
  @generic_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 1 }, ptr null }
  @spmd_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 2 }, ptr null }
  declare i8 @__gantry_kernel_mode()
  declare i1 @__gantry_may_have_thread_states()
  define internal i8 @of_generic() {
    %mode = call i8 @__gantry_kernel_mode()
    ret i8 %mode
  }
  define internal i8 @of_both() {
    %mode = call i8 @__gantry_kernel_mode()
    ret i8 %mode
  }
  define internal i8 @in_a_variable() {
    %mode = call i8 @__gantry_kernel_mode()
    ret i8 %mode
  }
  @pointers = constant [1 x ptr] [ptr @in_a_variable]
  define void @generic() {
    %a = call i8 @of_generic()
    %b = call i8 @of_both()
    ret void
  }
  define i8 @spmd() {
    %mode = call i8 @__gantry_kernel_mode()
    %b = call i8 @of_both()
    %c = call i8 @in_a_variable()
    ret i8 %mode
  }
)";

constexpr const char* kStates = R"(
  declare i1 @__gantry_may_have_thread_states()
  define internal void @__gantry_make_thread_state() {
    ret void
  }
  define i1 @asks() {
    %may = call i1 @__gantry_may_have_thread_states()
    ret i1 %may
  }
  declare i1 @__gantry_bodies_take_lists()
  define i1 @calls() {
    %lists = call i1 @__gantry_bodies_take_lists()
    ret i1 %lists
  }
)";

class RuntimeQuestions : public testing::Test {
protected:
  void answer(const std::string& text) {
    module_ = module_of(text, context_);
    RuntimeAnswers(*module_).fold(*module_);
    EXPECT_FALSE(llvm::verifyModule(*module_));
  }

  /// The constant that the function returns; nothing if it still asks.
  std::optional<std::uint64_t> returned(const char* function) {
    const auto* end = llvm::cast<llvm::ReturnInst>(
        module_->getFunction(function)->getEntryBlock().getTerminator());
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(end->getReturnValue());
    return number == nullptr ? std::nullopt : std::optional(number->getZExtValue());
  }

private:
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(RuntimeQuestions, ModesOfTheKernelsThatComeToAFunction) {
  answer(kKernels);
  EXPECT_EQ(returned("spmd"), 2);
  EXPECT_EQ(returned("of_generic"), 1);
  EXPECT_EQ(returned("of_both"), std::nullopt);
  EXPECT_EQ(returned("in_a_variable"), std::nullopt);
}

/// A function that asks for its depth, behind what else it does.
std::string asks_for_depth(const std::string& name, const std::string& before = "") {
  return "define internal i32 @" + name + "() {\n" + before +
         "%depth = call i32 @__gantry_region_depth()\n ret i32 %depth\n}\n";
}

std::string region(const std::string& body) {
  return "call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr @" + body +
         ", ptr null, ptr null, i64 0, i32 0)\n";
}

/// Functions that are reached at depths 0, 1, 2, 1, at two of them, and at one that is not known.
std::string depths() {
  return R"(
  %configuration = type { i8, i8, i8 }
  %environment = type { %configuration, ptr }
  @kernel_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 2 }, ptr null }
  declare i32 @__gantry_region_depth()
  declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
  declare i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr, i64, ptr, ptr, ptr)
  declare void @__kmpc_omp_task_alloc(ptr)
)" + asks_for_depth("inner") +
         asks_for_depth("reduce") + asks_for_depth("both") + asks_for_depth("task") +
         asks_for_depth("outer", region("inner") + R"(
    call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr null, i64 0, ptr null, ptr @reduce, ptr null)
    call i32 @both()
)") + asks_for_depth("kernel", region("outer") + R"(
    call void @__kmpc_omp_task_alloc(ptr @task)
    call i32 @both()
)");
}

TEST_F(RuntimeQuestions, DepthsAtWhichFunctionsAreReached) {
  answer(depths());
  EXPECT_EQ(returned("kernel"), 0);
  EXPECT_EQ(returned("outer"), 1);
  EXPECT_EQ(returned("inner"), 2);
  EXPECT_EQ(returned("reduce"), 1);
  EXPECT_EQ(returned("both"), std::nullopt);
  EXPECT_EQ(returned("task"), std::nullopt);
}

TEST_F(RuntimeQuestions, NoStatesWhereNobodyMakesOne) {
  answer(kStates);
  EXPECT_EQ(returned("asks"), 0);
  EXPECT_EQ(returned("calls"), 1);
}

TEST_F(RuntimeQuestions, StatesWhereSomeKernelMakesOne) {
  answer(std::string(kStates) + "define void @makes() {\n call void @__gantry_make_thread_state()\n"
                                " ret void\n}\n");
  EXPECT_EQ(returned("asks"), 1);
}

} // namespace
} // namespace gantry::link
