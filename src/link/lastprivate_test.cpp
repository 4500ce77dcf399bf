#include "link/lastprivate.h"

#include "link/testing/module_text.h"
#include "pass/runtime_calls.h"

#include <string>

#include <llvm/IR/Verifier.h>

namespace gantry::link {
namespace {

/// A distribute loop with a copy of a variable, which the team of the last iteration copies back.
std::string loop(const std::string& in_front = "", const std::string& behind = "",
                 const std::string& test = "ne i32 %is, 0") {
  return R"(
  declare ptr @__kmpc_alloc_shared(i64)
  declare void @__kmpc_free_shared(ptr, i64)
  declare void @__kmpc_distribute_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
  declare void @__kmpc_distribute_static_fini(ptr, i32)
  declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
  declare void @construct(ptr)
  define void @kernel(ptr %original) {
    %last = alloca i32
    %shared = alloca [1 x ptr]
    %copy = call align 16 ptr @__kmpc_alloc_shared(i64 8)
)" + in_front +
         R"(
    call void @__kmpc_distribute_static_init_4(ptr null, i32 0, i32 91, ptr %last, ptr null, ptr null, ptr null, i32 1, i32 1)
    store ptr %copy, ptr %shared
    call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr null, ptr null, ptr %shared, i64 1, i32 0)
    call void @__kmpc_distribute_static_fini(ptr null, i32 0)
    %is = load i32, ptr %last
    %test = icmp )" +
         test + R"(
    br i1 %test, label %yes, label %no
  yes:
    %value = load i64, ptr %copy
    store i64 %value, ptr %original
    br label %no
  no:
)" + behind +
         R"(
    call void @__kmpc_free_shared(ptr %copy, i64 8)
    ret void
  })";
}

/// Whether the team has one copy afterwards; then no thread has one of its own.
bool is_shared(const std::string& text) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = module_of(text, context);
  share_lastprivate_copies(*module);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  const llvm::GlobalVariable* const made = module->getGlobalVariable("lastprivate", true);
  const bool is_freed = !module->getFunction("__kmpc_free_shared")->use_empty();
  EXPECT_EQ(made == nullptr, is_freed);
  EXPECT_EQ(made == nullptr,
            module->getFunction("__kmpc_get_hardware_thread_id_in_block") == nullptr);
  if (made != nullptr) {
    EXPECT_EQ(made->getAddressSpace(), pass::kSharedSpace);
    EXPECT_EQ(module->getDataLayout().getTypeAllocSize(made->getValueType()), 8);
  }
  return made != nullptr;
}

TEST(Lastprivate, OfATeamIsOneVariable) {
  EXPECT_TRUE(is_shared(loop()));
  EXPECT_FALSE(is_shared(loop("", "", "eq i32 %is, 0"))) << "copied back by the other teams";
}

TEST(Lastprivate, ThatTheTeamWritesStaysAsItIs) {
  EXPECT_FALSE(is_shared(loop("store i64 0, ptr %copy"))) << "a reduction";
  EXPECT_FALSE(is_shared(loop("call void @construct(ptr %copy)")));
  EXPECT_FALSE(is_shared(loop("", "store i64 0, ptr %copy")));
}

} // namespace
} // namespace gantry::link
