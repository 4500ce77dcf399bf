#include "link/sanitizers.h"

#include <gtest/gtest.h>

namespace gantry::link {
namespace {

TEST(Sanitizers, RuntimesThatAProcessHasOnce) {
  EXPECT_TRUE(is_sanitizer_runtime("/usr/lib/linux/libclang_rt.asan-x86_64.a"));
  EXPECT_TRUE(is_sanitizer_runtime("libclang_rt.ubsan_standalone_cxx-x86_64.a"));
  EXPECT_TRUE(is_sanitizer_runtime("/usr/lib/x86_64-pc-linux-gnu/libclang_rt.tsan.a"));
}

TEST(Sanitizers, LibrariesThatEverySharedObjectMayHave) {
  EXPECT_FALSE(is_sanitizer_runtime("/usr/lib/linux/libclang_rt.builtins-x86_64.a"));
  EXPECT_FALSE(is_sanitizer_runtime("/usr/lib/linux/libclang_rt.profile-x86_64.a"));
  EXPECT_FALSE(is_sanitizer_runtime("/usr/lib/linux/libclang_rt.asan_static-x86_64.a"));
  EXPECT_FALSE(is_sanitizer_runtime("/usr/lib/linux/libclang_rt.asan-x86_64.so"));
  EXPECT_FALSE(is_sanitizer_runtime("/home/libclang_rt.asan/libmine.a"));
}

TEST(Sanitizers, Symbols) {
  for (const char* name : {"__asan_init", "__tsan_func_entry", "__ubsan_handle_add_overflow",
                           "__sanitizer_cov_trace_pc_guard", "__hwasan_tag_memory"}) {
    EXPECT_TRUE(is_sanitizer_symbol(name)) << name;
  }
  for (const char* name : {"asan_init", "__kmpc_fork_call", "_Z4san_v", "__san", "__", ""}) {
    EXPECT_FALSE(is_sanitizer_symbol(name)) << name;
  }
}

} // namespace
} // namespace gantry::link
