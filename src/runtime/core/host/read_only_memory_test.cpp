#include "runtime/core/host/read_only_memory.h"

#include <memory>
#include <typeinfo>

#include <dlfcn.h>
#include <link.h>

#include <gtest/gtest.h>

namespace gantry::core {
namespace {

std::uintptr_t of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

constexpr int kTable[] = {1, 2, 3};
int variable = 1;
int zeros[1000];
/// Relocated, then protected.
const void* const kAddresses[] = {&kTable, &variable};

struct ReadOnly : ::testing::Test {
  ReadOnly() { memory.refresh(); }
  ReadOnlyMemory memory;
};

TEST_F(ReadOnly, ConstantsOfTheProgramAndOfLibraries) {
  EXPECT_TRUE(memory.holds(of(&kTable)));
  EXPECT_TRUE(memory.holds(of(&kTable[2])));
  EXPECT_TRUE(memory.holds(of("text")));
  EXPECT_TRUE(memory.holds(of(&kAddresses)));
  EXPECT_TRUE(memory.holds(of(&typeid(int)))) << "of the C++ library";
}

TEST_F(ReadOnly, NoVariables) {
  int local = 0;
  const auto block = std::make_unique<int>(0);
  EXPECT_FALSE(memory.holds(of(&variable)));
  EXPECT_FALSE(memory.holds(of(&zeros[999])));
  EXPECT_FALSE(memory.holds(of(&local)));
  EXPECT_FALSE(memory.holds(of(block.get())));
  EXPECT_FALSE(memory.holds(0));
  EXPECT_FALSE(memory.holds(~std::uintptr_t{0}));
}

TEST_F(ReadOnly, LibrariesThatComeAndGo) {
  void* const library = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    GTEST_SKIP() << "no libresolv.so.2";
  }
  const link_map* map = nullptr;
  ASSERT_EQ(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
  const std::uintptr_t header = map->l_addr;
  memory.refresh();
  EXPECT_TRUE(memory.holds(header));
  ASSERT_EQ(dlclose(library), 0);
  if (void* const still = dlopen("libresolv.so.2", RTLD_NOW | RTLD_NOLOAD); still != nullptr) {
    GTEST_SKIP() << "libresolv.so.2 stays loaded";
  }
  EXPECT_FALSE(memory.holds(header));
}

} // namespace
} // namespace gantry::core
