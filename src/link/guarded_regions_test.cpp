#include "link/guarded_regions.h"

#include "link/testing/module_text.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>

namespace gantry::link {
namespace {

/// A kernel with a region for thread 0 alone as LLVM makes it, and `in_front` of it.
std::string kernel(const std::string& in_front,
                   const std::string& condition = "icmp eq i32 %id, 0") {
  return R"(
    declare void @__kmpc_barrier_simple_spmd(ptr, i32)
    declare i32 @__kmpc_get_hardware_thread_id_in_block()
    define void @kernel(ptr %data) {
    entry:
      )" +
         in_front +
         R"(
      %id = call i32 @__kmpc_get_hardware_thread_id_in_block()
      %first = )" +
         condition + R"(
      br i1 %first, label %region, label %behind
    region:
      store i32 1, ptr %data
      br label %behind
    behind:
      call void @__kmpc_barrier_simple_spmd(ptr null, i32 %id)
      ret void
    })";
}

class GuardedRegions : public testing::Test {
protected:
  /// How many barriers the block that asks for the thread has afterwards.
  std::size_t barriers_in_front(const std::string& text) {
    const auto module = module_of(text, context_);
    wait_before_guarded_regions(*module);
    EXPECT_FALSE(llvm::verifyModule(*module));
    std::size_t found = 0;
    for (const llvm::Instruction& instruction : module->getFunction("kernel")->front()) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      found +=
          call != nullptr && call->getCalledFunction()->getName() == "__kmpc_barrier_simple_spmd"
              ? 1
              : 0;
    }
    return found;
  }

private:
  llvm::LLVMContext context_;
};

TEST_F(GuardedRegions, WaitForWhoeverReadsInFront) {
  EXPECT_EQ(barriers_in_front(kernel("%read = load i32, ptr %data")), 1U);
}

TEST_F(GuardedRegions, WaitForReadsInBlocksBefore) {
  EXPECT_EQ(barriers_in_front(kernel("")), 1U);
}

TEST_F(GuardedRegions, DoNotWaitTwice) {
  EXPECT_EQ(barriers_in_front(kernel("call void @__kmpc_barrier_simple_spmd(ptr null, i32 0)")),
            1U);
}

TEST_F(GuardedRegions, WaitForWhoeverReadsBehindABarrier) {
  EXPECT_EQ(barriers_in_front(kernel("call void @__kmpc_barrier_simple_spmd(ptr null, i32 0)\n"
                                     "%read = load i32, ptr %data")),
            2U);
}

TEST_F(GuardedRegions, AreOfThreadZero) {
  EXPECT_EQ(barriers_in_front(kernel("", "icmp eq i32 %id, 1")), 0U);
  EXPECT_EQ(barriers_in_front(kernel("", "icmp ult i32 %id, 0")), 0U);
}

TEST_F(GuardedRegions, NeedNotExist) {
  EXPECT_EQ(barriers_in_front("define void @kernel() {\n ret void\n}"), 0U);
}

} // namespace
} // namespace gantry::link
