#include "link/host_files.h"

#include "format/file_kind.h"
#include "link/linker_script.h"
#include "link/member_selection.h"
#include "link/process.h"

#include <filesystem>

namespace gantry::link {
namespace {

namespace fs = std::filesystem;

/// Scripts name scripts; a cycle among them is the host linker's to report.
constexpr unsigned kDeepestScript = 8;

/// Groups of linker scripts get numbers that no --start-group has.
constexpr unsigned kFirstScriptGroup = 1U << 30;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::optional<HostFileKind> kind_of(Bytes contents) {
  switch (format::identify(contents)) {
  case format::FileKind::kElfRelocatable:
    return HostFileKind::kObject;
  case format::FileKind::kBitcode:
    return HostFileKind::kBitcode;
  case format::FileKind::kArchive:
  case format::FileKind::kThinArchive:
    return HostFileKind::kArchive;
  case format::FileKind::kElfShared:
    return HostFileKind::kSharedLibrary;
  case format::FileKind::kOther:
    return HostFileKind::kLinkerScript;
  case format::FileKind::kOffloadBinary:
  case format::FileKind::kElfExecutable:
  case format::FileKind::kElfOther:
    break;
  }
  return std::nullopt;
}

/// The first of `file_names` in the first of `folders` that has one; empty if none has.
std::string find_in(const Arguments& arguments, const std::vector<std::string>& folders,
                    const std::vector<std::string>& file_names) {
  for (const std::string& search_path : folders) {
    std::string folder = search_path;
    if (folder.starts_with('=')) {
      folder = arguments.sysroot + folder.substr(1);
    } else if (folder.starts_with("$SYSROOT")) {
      folder = arguments.sysroot + folder.substr(std::string_view("$SYSROOT").size());
    }
    for (const std::string& file_name : file_names) {
      const fs::path candidate = fs::path(folder) / file_name;
      if (is_file(candidate)) {
        return candidate.string();
      }
    }
  }
  return "";
}

/// The folders in which GNU ld searches by itself, such as /usr/local/lib, which Clang does not
/// name: SEARCH_DIR commands of the script that it prints. The other linkers have none.
std::vector<std::string> built_in_folders(const Arguments& arguments) {
  if (linker_kind(arguments.linker_path) != LinkerKind::kGnu) {
    return {};
  }
  const Result<ProcessResult> printed =
      run_process({arguments.linker_path, "--verbose"}, Capture::kOutput);
  return printed ? read_linker_script(printed->captured).search_folders
                 : std::vector<std::string>{};
}

} // namespace

HostFiles HostFiles::open(const Arguments& arguments) {
  HostFiles result;
  for (const HostInput& input : arguments.inputs) {
    result.add(arguments, input, 0);
  }
  return result;
}

Result<Bytes> HostFiles::map(const std::string& path) {
  auto found = mapped_.find(path);
  if (found == mapped_.end()) {
    found = mapped_.emplace(path, GANTRY_TRY(MappedFile::open(path))).first;
  }
  return found->second.bytes();
}

/// Where the linker finds `-l name` (`:file` included): an empty path if nowhere.
std::string HostFiles::find_library(const Arguments& arguments, const HostInput& input) {
  std::vector<std::string> file_names;
  if (input.name.starts_with(':')) {
    file_names.emplace_back(input.name.substr(1));
  } else {
    if (input.allow_shared) {
      file_names.push_back(fmt::format("lib{}.so", input.name));
    }
    file_names.push_back(fmt::format("lib{}.a", input.name));
  }
  std::string path = find_in(arguments, arguments.search_paths, file_names);
  if (path.empty()) {
    path = find_in(arguments, script_folders_, file_names);
  }
  if (!path.empty()) {
    return path;
  }
  // Starts a process only here, because hardly any command line has a library that is not found by
  // now.
  if (!built_in_folders_) {
    built_in_folders_ = built_in_folders(arguments);
  }
  return find_in(arguments, *built_in_folders_, file_names);
}

void HostFiles::add(const Arguments& arguments, const HostInput& input, unsigned depth) {
  const std::string path = input.is_library ? find_library(arguments, input) : input.name;
  has_unknown_libraries_ |= path.empty();
  if (path.empty() || !is_file(path)) {
    return;
  }
  const Result<Bytes> contents = map(path);
  if (!contents) {
    return;
  }
  const std::optional<HostFileKind> kind = kind_of(*contents);
  if (!kind) {
    return;
  }
  files_.push_back({.kind = *kind,
                    .path = path,
                    .argument = input.is_library ? "-l" + input.name : path,
                    .contents = *contents,
                    .whole_archive = input.whole_archive,
                    .lazy = input.lazy,
                    .as_needed = input.as_needed,
                    .group = input.group});
  if (*kind == HostFileKind::kLinkerScript && depth < kDeepestScript) {
    add_script(arguments, input, as_text(*contents), depth + 1);
  }
}

void HostFiles::add_script(const Arguments& arguments, const HostInput& script,
                           std::string_view text, unsigned depth) {
  const unsigned group = script.group != 0 ? script.group : kFirstScriptGroup + script_groups_++;
  const LinkerScript contents = read_linker_script(text);
  externals_.insert(externals_.end(), contents.externals.begin(), contents.externals.end());
  script_folders_.insert(script_folders_.end(), contents.search_folders.begin(),
                         contents.search_folders.end());
  for (const auto& [name, as_needed] : contents.files) {
    HostInput input = script;
    input.as_needed |= as_needed;
    input.group = group;
    input.is_library = name.starts_with("-l");
    input.name = input.is_library ? name.substr(2) : name;
    if (!input.is_library && !is_file(input.name)) {
      // A bare name is searched for like a library.
      input.is_library = true;
      input.name.insert(0, ":");
    }
    add(arguments, input, depth);
  }
}

} // namespace gantry::link
