#include "simt/lower/lane_loops.h"

#include "simt/exec/code/one_lane_code.h"
#include "simt/ptx/module.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <string>

namespace gantry::simt::lower {
namespace {

/// A loop that each lane leaves when it has found what it looks for, behind its own place.
struct Search {
  std::string address = "%index.wide = zext i32 %index to i64\n"
                        "%offset = mul i64 %index.wide, 4\n"
                        "%address = add i64 %base, %offset\n";
  std::string more;
  std::string input = "i32";
};

std::size_t loops_by_lane(const Search& search) {
  const std::string text = fmt::format(
      R"(
define void @f(i64 %base, {0} %input) {{
entry:
  %lane = call i32 @lane(i32 {1}, i64 0)
  %start = mul i32 %lane, 77
  br label %loop
loop:
  %index = phi i32 [ %start, %entry ], [ %next, %loop ]
  {2}
  %place = inttoptr i64 %address to ptr addrspace(1)
  %value = load i32, ptr addrspace(1) %place
  {3}
  %used = add {0} %input, %input
  %next = add i32 %index, 1
  %found = icmp eq i32 %value, %lane
  br i1 %found, label %exit, label %loop
exit:
  %at = phi i32 [ %index, %loop ]
  %result = phi {0} [ %used, %loop ]
  %out = inttoptr i64 %base to ptr addrspace(1)
  store i32 %at, ptr addrspace(1) %out
  store {0} %result, ptr addrspace(1) %out
  ret void
}}
declare i32 @lane(i32, i64) memory(none) nounwind willreturn "simt-operation"="{4}"
declare i32 @llvm.umax.i32(i32, i32)
declare i64 @llvm.readcyclecounter()
)",
      search.input, static_cast<unsigned>(ptx::SpecialRegister::kLaneid), search.address,
      search.more, static_cast<unsigned>(exec::LaneOperation::kSpecial));
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, context);
  if (module == nullptr) {
    ADD_FAILURE() << problem.getMessage().str() << "\n" << text;
    return 0;
  }
  return outline_lane_loops(*module->getFunction("f"), exec::Geometry::kLinear, false).size();
}

TEST(LaneLoops, ReadOnThroughIndicesOfAnyWidth) {
  EXPECT_EQ(loops_by_lane(Search()), 1);
  EXPECT_EQ(loops_by_lane({.address = "%wide = sext i32 %index to i64\n"
                                      "%less = sub i64 100, %wide\n"
                                      "%offset = shl i64 %less, 3\n"
                                      "%address = add i64 %base, %offset\n"}),
            1);
}

TEST(LaneLoops, AreNotWhatReadsAnywhere) {
  // Far from the last place, and as far as that of the lane.
  EXPECT_EQ(loops_by_lane({.address = "%wide = zext i32 %index to i64\n"
                                      "%offset = mul i64 %wide, 4096\n"
                                      "%address = add i64 %base, %offset\n"}),
            0);
  EXPECT_EQ(loops_by_lane({.address = "%scaled = mul i32 %index, %lane\n"
                                      "%wide = zext i32 %scaled to i64\n"
                                      "%address = add i64 %base, %wide\n"}),
            0);
}

TEST(LaneLoops, CallWhatHasNoEffects) {
  EXPECT_EQ(loops_by_lane({.more = "%m = call i32 @llvm.umax.i32(i32 %value, i32 7)"}), 1);
  EXPECT_EQ(loops_by_lane({.more = "%m = call i64 @llvm.readcyclecounter()"}), 0);
}

TEST(LaneLoops, PassValuesThatAreInMemoryAsInVectors) {
  for (const char* type : {"i1", "i8", "i16", "i64", "i128"}) {
    EXPECT_EQ(loops_by_lane({.input = type}), 1) << type;
  }
  for (const char* type : {"i7", "i33", "i48", "<2 x i32>"}) {
    EXPECT_EQ(loops_by_lane({.input = type}), 0) << type;
  }
}

} // namespace
} // namespace gantry::simt::lower
