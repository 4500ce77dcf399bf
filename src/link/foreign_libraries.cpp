#include "link/foreign_libraries.h"

#include "link/installation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>

namespace gantry::link {
namespace {

namespace fs = std::filesystem;

/// Debian's version of GCC, whose libraries Gantry is built with.
constexpr std::string_view kGcc = "12";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// The folder of GCC's newest cross libraries; empty if there is none.
std::string gcc_folder(const ForeignCpu& cpu) {
  std::string newest;
  int newest_version = 0;
  std::error_code ignored;
  for (const auto& folder :
       fs::directory_iterator(fmt::format("/usr/lib/gcc-cross/{}", cpu.triple), ignored)) {
    const std::string name = folder.path().filename().string();
    int version = 0;
    std::from_chars(name.data(), name.data() + name.size(), version);
    if (version > newest_version && is_there(folder.path() / "libstdc++.so")) {
      newest = folder.path().string();
      newest_version = version;
    }
  }
  return newest;
}

tl::unexpected<Error> missing(const ForeignCpu& cpu, std::string_view what,
                              const std::string& package) {
  return fail("{} is missing, which images for {} are linked with; install Debian's package {}, or "
              "run scripts/setup foreign",
              what, cpu.triple, package);
}

bool has_library(const std::vector<std::string>& folders, std::string_view name) {
  return std::ranges::any_of(folders, [&](const std::string& folder) {
    return is_there(fmt::format("{}/lib{}.so", folder, name)) ||
           is_there(fmt::format("{}/lib{}.a", folder, name));
  });
}

} // namespace

Result<ForeignLibraries> find_foreign_libraries(const ForeignCpu& cpu) {
  const std::string root = folder_of(cpu) + "/lib";
  if (!is_there(root + "/libc.so")) {
    return missing(cpu, fmt::format("'{}/libc.so'", root),
                   fmt::format("libc6-dev-{}-cross", cpu.debian));
  }
  const std::string gcc = gcc_folder(cpu);
  if (gcc.empty()) {
    return missing(cpu, fmt::format("'/usr/lib/gcc-cross/{}/{}/libstdc++.so'", cpu.triple, kGcc),
                   fmt::format("libstdc++-{}-dev-{}-cross", kGcc, cpu.debian));
  }
  const std::string own = foreign_folder(cpu).string();
  for (const std::string& folder : {own, root, fmt::format("/usr/lib/{}", cpu.triple)}) {
    if (const std::string library = folder + "/libomp.so.5"; is_there(library)) {
      return ForeignLibraries{.folders = {gcc, root}, .openmp = library};
    }
  }
  return fail("libomp for {} is missing, which images for it are linked with: there is no "
              "'libomp.so.5' in '{}', '{}' or '/usr/lib/{}'; run scripts/setup foreign, or take it "
              "from Debian's package libomp5-19:{}",
              cpu.triple, own, root, cpu.triple, cpu.debian);
}

void offer_foreign_libraries(const ForeignLibraries& libraries, const Scan& scan,
                             std::vector<std::string>& command) {
  constexpr auto kAlways =
      std::to_array<std::string_view>({"stdc++", "m", "gcc_s", "gcc", "dl", "pthread", "c"});
  for (const std::string& folder : libraries.folders) {
    command.push_back("-L" + folder);
  }
  command.emplace_back("--start-group");
  command.push_back(libraries.openmp);
  for (const HostLibrary& library : scan.libraries) {
    const std::string_view name(library.argument);
    if (name.starts_with("-l") && std::ranges::find(kAlways, name.substr(2)) == kAlways.end() &&
        has_library(libraries.folders, name.substr(2))) {
      command.push_back(library.argument);
    }
  }
  for (const std::string_view name : kAlways) {
    if (has_library(libraries.folders, name)) {
      command.push_back(fmt::format("-l{}", name));
    }
  }
  command.emplace_back("--end-group");
}

} // namespace gantry::link
