#include "link/merged_values.h"

#include "link/testing/module_text.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>

namespace gantry::link {
namespace {

class MergedValues : public testing::Test {
protected:
  /// Whether the value of a type that `branch` computes, as %value, reaches the phi behind the
  /// branch from an instruction of the branch with an operand of the branch, as itself.
  bool is_hidden(const std::string& type, const std::string& branch) {
    const auto module = module_of(R"(
      define void @kernel(i1 %condition, i32 %x, float %y, ptr %p, <2 x i16> %v, ptr %data) {
      entry:
        br i1 %condition, label %branch, label %behind
      branch:
        %value = )" + branch + R"(
        br label %behind
      behind:
        %phi = phi )" + type + R"( [ %value, %branch ], [ poison, %entry ]
        store )" + type + R"( %phi, ptr %data
        ret void
      })",
                                  context_);
    hide_merged_values(*module);
    EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
    const llvm::Function& kernel = *module->getFunction("kernel");
    const llvm::BasicBlock& block = *std::next(kernel.begin());
    const llvm::Value* incoming = kernel.back().phis().begin()->getIncomingValueForBlock(&block);
    const auto* const last = llvm::cast<llvm::Instruction>(incoming);
    const auto* const operand = llvm::dyn_cast<llvm::Instruction>(last->getOperand(0));
    // What stands between, casts and annotations, is the first operand's value.
    while (incoming->getName() != "value") {
      incoming = llvm::cast<llvm::Instruction>(incoming)->getOperand(0);
    }
    return last->getName() != "value" && operand != nullptr && operand->getParent() == &block &&
           operand->getName() != "value" && operand->mayWriteToMemory();
  }

  llvm::LLVMContext context_;
};

TEST_F(MergedValues, EachTypeThatCanCostNothing) {
  EXPECT_TRUE(is_hidden("i64", "zext i32 %x to i64"));
  EXPECT_TRUE(is_hidden("i8", "trunc i32 %x to i8"));
  EXPECT_TRUE(is_hidden("float", "fneg float %y"));
  EXPECT_TRUE(is_hidden("float", "call float @llvm.fabs.f32(float %y)"));
  EXPECT_TRUE(is_hidden("ptr", "getelementptr i8, ptr %p, i64 8"));
  EXPECT_TRUE(
      is_hidden("<2 x i16>", "shufflevector <2 x i16> %v, <2 x i16> %v, <2 x i32> <i32 1, i32 0>"));
  EXPECT_TRUE(is_hidden("<2 x i32>", "insertelement <2 x i32> poison, i32 %x, i32 0"));
}

TEST_F(MergedValues, NothingElse) {
  EXPECT_FALSE(is_hidden("i32", "add i32 %x, 1"));
  EXPECT_FALSE(is_hidden("i32", "load i32, ptr %p"));
}

} // namespace
} // namespace gantry::link
