#include "runtime/core/host/symbols.h"

#include <charconv>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/stat.h>

namespace {

/// The descriptors of this process that are ends of pipes.
std::set<int> ends_of_pipes() {
  std::set<int> ends;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const std::string name = entry.path().filename();
    int descriptor = -1;
    std::from_chars(name.data(), name.data() + name.size(), descriptor);
    struct stat status{};
    if (fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode)) {
      ends.insert(descriptor);
    }
  }
  return ends;
}

std::set<int> ends_before;
/// Of the ends that are there when a program is started, and were not before.
int ends_seen = 0;
int ends_inherited = 0;

} // namespace

/// In the place of the C library's, which it calls.
extern "C" int posix_spawn(pid_t* child, const char* path,
                           const posix_spawn_file_actions_t* actions,
                           const posix_spawnattr_t* attributes, char* const arguments[],
                           char* const environment[]) {
  for (const int end : ends_of_pipes()) {
    if (!ends_before.contains(end)) {
      ++ends_seen;
      ends_inherited += (fcntl(end, F_GETFD) & FD_CLOEXEC) == 0 ? 1 : 0;
    }
  }
  static auto* const of_library =
      reinterpret_cast<decltype(&posix_spawn)>(dlsym(RTLD_NEXT, "posix_spawn"));
  return of_library(child, path, actions, attributes, arguments, environment);
}

namespace gantry::core {
namespace {

TEST(Symbols, ArriveByAPipeThatOtherProgramsDoNotInherit) {
  ends_before = ends_of_pipes();
  const ModuleAddress nowhere[] = {{"/nonexistent", 0}};
  EXPECT_EQ(symbolize(nowhere).size(), 1u);
  EXPECT_EQ(ends_seen, 2);
  EXPECT_EQ(ends_inherited, 0) << "another thread's child would keep it open";
  EXPECT_EQ(ends_of_pipes(), ends_before);
}

} // namespace
} // namespace gantry::core
