#include "link/loop_regions.h"

#include "link/testing/module_text.h"

#include <string>

namespace gantry::link {
namespace {

/// Whether a body with these instructions, which may store to a shared variable, is only loops.
bool is_loop(const std::string& body) {
  const std::string text = R"(
  declare void @__kmpc_for_static_init_4(ptr, ptr)
  declare void @__kmpc_for_static_fini(ptr, i32)
  declare void @__kmpc_dispatch_init_4(ptr, i32)
  declare i32 @__kmpc_dispatch_next_4(ptr, i32)
  declare void @__kmpc_dispatch_deinit(ptr, i32)
  declare void @__kmpc_barrier(ptr, i32)
  declare void @__kmpc_parallel_60(ptr)
  declare ptr @__kmpc_alloc_shared(i64)
  declare i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr, i64, ptr, ptr, ptr)
  declare void @other()
  declare i32 @pure() memory(none) nounwind willreturn
  declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
  define internal void @body(ptr %shared, i1 %either) {
)" + body + R"(
  })";
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = module_of(text, context);
  return has_only_loops(*module->getFunction("body"));
}

const std::string kBegin = "call void @__kmpc_for_static_init_4(ptr null, ptr %own)\n";
const std::string kEnd = "call void @__kmpc_for_static_fini(ptr null, i32 0)\n";
const std::string kOwn = "%own = alloca i32\n store i32 0, ptr %own\n";
const std::string kStore = "store i32 1, ptr %shared\n";

TEST(LoopRegions, AreAsManyLoopsAsThereAre) {
  EXPECT_TRUE(is_loop(kOwn + kBegin + kStore + kEnd + "ret void"));
  EXPECT_TRUE(is_loop(kOwn + kBegin + kEnd + "call void @__kmpc_barrier(ptr null, i32 0)\n" +
                      kBegin + "call void @other()\n" + kEnd + "ret void"));
  EXPECT_FALSE(is_loop("ret void"));
}

TEST(LoopRegions, DoNothingInFrontOfALoopBehindOrBetween) {
  EXPECT_FALSE(is_loop(kOwn + kStore + kBegin + kEnd + "ret void"));
  EXPECT_FALSE(is_loop(kOwn + kBegin + kEnd + kStore + "ret void"));
  EXPECT_FALSE(is_loop(kOwn + kBegin + kEnd + kStore + kBegin + kEnd + "ret void"));
  EXPECT_FALSE(is_loop(kOwn + "call void @other()\n" + kBegin + kEnd + "ret void"));
  EXPECT_FALSE(
      is_loop(kOwn + "call void @__kmpc_parallel_60(ptr %shared)\n" + kBegin + kEnd + "ret void"));
  EXPECT_FALSE(is_loop(kOwn +
                       "call void @llvm.memset.p0.i64(ptr %shared, i8 0, i64 4, i1 false)\n" +
                       kBegin + kEnd + "ret void"));
}

TEST(LoopRegions, MayWriteWhatIsTheirOwn) {
  EXPECT_TRUE(is_loop(kOwn +
                      "call void @llvm.memset.p0.i64(ptr %own, i8 0, i64 4, i1 false)\n"
                      "%more = call ptr @__kmpc_alloc_shared(i64 8)\n"
                      "store i32 3, ptr %more\n"
                      "%n = call i32 @pure()\n" +
                      kBegin + kEnd + "store i32 %n, ptr %own\n ret void"));
}

TEST(LoopRegions, MayPassTheirLoopBy) {
  EXPECT_TRUE(is_loop(kOwn + "br i1 %either, label %some, label %none\n some:\n" + kBegin + kStore +
                      kEnd + "br label %none\n none:\n ret void"));
  EXPECT_FALSE(is_loop(kOwn + "br i1 %either, label %some, label %none\n some:\n" + kBegin + kEnd +
                       "br label %none\n none:\n" + kStore + "ret void"));
}

// An end that some threads do not come to is no end.
TEST(LoopRegions, OfDynamicSchedulesEndAsWell) {
  const std::string begin = "call void @__kmpc_dispatch_init_4(ptr null, i32 0)\n";
  const std::string loop = "br label %next\n next:\n"
                           "%more = call i32 @__kmpc_dispatch_next_4(ptr null, i32 0)\n"
                           "%is = icmp ne i32 %more, 0\n"
                           "br i1 %is, label %one, label %out\n one:\n" +
                           kStore + "br label %next\n out:\n";
  EXPECT_TRUE(is_loop(begin + loop +
                      "call void @__kmpc_dispatch_deinit(ptr null, i32 0)\n"
                      "ret void"));
  EXPECT_FALSE(is_loop(begin + loop + "ret void"));
  EXPECT_FALSE(is_loop(begin + loop + "call void @__kmpc_dispatch_deinit(ptr null, i32 0)\n" +
                       kStore + "ret void"));
}

TEST(LoopRegions, LeaveTheSumOfAReductionToOneThread) {
  const auto reduction = [](const std::string& test, const std::string& sides) {
    return kOwn + kBegin + kEnd +
           "%one = call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr null, i64 8, ptr null, "
           "ptr null, ptr null)\n"
           "%is = icmp " +
           test + "\n br i1 %is, " + sides + "sum:\n" + kStore + "br label %rest\n rest:\n";
  };
  const std::string sides = "label %sum, label %rest\n";
  EXPECT_TRUE(is_loop(reduction("eq i32 %one, 1", sides) + "ret void"));
  EXPECT_TRUE(is_loop(reduction("ne i32 %one, 1", "label %rest, label %sum\n") + "ret void"));
  EXPECT_FALSE(is_loop(reduction("eq i32 %one, 1", sides) + kStore + "ret void"));
  EXPECT_FALSE(is_loop(reduction("ne i32 %one, 1", sides) + "ret void"));
  EXPECT_FALSE(is_loop(reduction("eq i32 %one, 0", sides) + "ret void"));
}

} // namespace
} // namespace gantry::link
