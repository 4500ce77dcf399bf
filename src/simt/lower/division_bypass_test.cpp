#include "simt/lower/division_bypass.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/SourceMgr.h>
#include <string>

namespace gantry::simt::lower {
namespace {

/// What is divided in 32 bits after a test of `small`, and otherwise in 64.
struct Division {
  std::string small = "%both";
  std::string in_32_bits;
  std::string in_64_bits;
  std::string more_in_64_bits = "";
};

bool is_undone(const Division& division) {
  const std::string text = R"(
define i64 @f(i64 %a, i32 %n, i1 %flag, ptr %p) {
entry:
  %d = zext i32 %n to i64
  %both = or i64 %a, %d
  %is.small = icmp ult i64 )" +
                           division.small + R"(, 4294967296
  br i1 %is.small, label %short, label %long
short:
  %a32 = trunc i64 %a to i32
  %zero = icmp eq i32 %n, 0
  %not.zero = call i32 @llvm.umax.i32(i32 %n, i32 1)
)" + division.in_32_bits + R"(
  %by.short = zext i32 %q32 to i64
  br label %done
long:
  %zero64 = icmp eq i32 %n, 0
  %by.zero64 = select i1 %zero64, i64 1, i64 %d
)" + division.more_in_64_bits +
                           division.in_64_bits +
                           R"(
  br label %done
done:
  %q = phi i64 [ %by.short, %short ], [ %q64, %long ]
  ret i64 %q
}
declare i32 @llvm.umax.i32(i32, i32)
)";
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, context);
  if (module == nullptr) {
    ADD_FAILURE() << problem.getMessage().str() << "\n" << text;
    return false;
  }
  llvm::FunctionAnalysisManager analyses;
  llvm::Function& function = *module->getFunction("f");
  (void)UndoDivisionBypass::run(function, analyses);
  const auto* branch = llvm::cast<llvm::BranchInst>(function.getEntryBlock().getTerminator());
  return llvm::isa<llvm::ConstantInt>(branch->getCondition());
}

constexpr const char* kShort = R"(
  %u32 = udiv i32 %a32, %not.zero
  %q32 = select i1 %zero, i32 -1, i32 %u32)";
constexpr const char* kLong = R"(
  %s64 = sdiv i64 %a, %by.zero64
  %q64 = select i1 %zero64, i64 -1, i64 %s64)";

TEST(DivisionBypass, GoesTheLongWayWhereBothAreTheSame) {
  EXPECT_TRUE(is_undone({.in_32_bits = kShort, .in_64_bits = kLong}));
  EXPECT_TRUE(is_undone({.small = "%a", .in_32_bits = kShort, .in_64_bits = kLong}));
  EXPECT_TRUE(is_undone({.in_32_bits = "%q32 = urem i32 %a32, %not.zero",
                         .in_64_bits = "%q64 = urem i64 %a, %by.zero64"}));
}

TEST(DivisionBypass, KeepsTwoWaysThatDiffer) {
  // Of other numbers, by other ones, another operation, something else for a flag.
  EXPECT_FALSE(is_undone({.small = "%d", .in_32_bits = kShort, .in_64_bits = kLong}));
  EXPECT_FALSE(is_undone({.in_32_bits = kShort, .in_64_bits = "%q64 = urem i64 %a, %by.zero64"}));
  EXPECT_FALSE(is_undone({.in_32_bits = kShort, .in_64_bits = "%q64 = sdiv i64 %d, %by.zero64"}));
  EXPECT_FALSE(is_undone({.in_32_bits = "%q32 = udiv i32 %a32, 7", .in_64_bits = kLong}));
  EXPECT_FALSE(is_undone({.in_32_bits = kShort,
                          .in_64_bits = "%q64 = udiv i64 %a, %by",
                          .more_in_64_bits = "%by = select i1 %flag, i64 1, i64 %d\n"}));
  EXPECT_FALSE(is_undone({.in_32_bits = kShort,
                          .in_64_bits = "%q64 = select i1 %flag, i64 -1, i64 %s64",
                          .more_in_64_bits = "%s64 = udiv i64 %a, %by.zero64\n"}));
  EXPECT_FALSE(is_undone(
      {.in_32_bits = kShort, .in_64_bits = kLong, .more_in_64_bits = "store i64 %a, ptr %p\n"}));
}

} // namespace
} // namespace gantry::simt::lower
