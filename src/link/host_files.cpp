#include "link/host_files.h"

#include "format/file_kind.h"
#include "link/linker_script.h"

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

} // namespace

std::string find_library(const Arguments& arguments, std::string_view name, bool allow_shared) {
  std::vector<std::string> file_names;
  if (name.starts_with(':')) {
    file_names.emplace_back(name.substr(1));
  } else {
    if (allow_shared) {
      file_names.push_back(fmt::format("lib{}.so", name));
    }
    file_names.push_back(fmt::format("lib{}.a", name));
  }
  for (const std::string& search_path : arguments.search_paths) {
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
    Result<MappedFile> file = MappedFile::open(path);
    if (!file) {
      return tl::unexpected(std::move(file).error());
    }
    found = mapped_.emplace(path, std::move(*file)).first;
  }
  return found->second.bytes();
}

void HostFiles::add(const Arguments& arguments, const HostInput& input, unsigned depth) {
  const std::string path =
      input.is_library ? find_library(arguments, input.name, input.allow_shared) : input.name;
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
                    .group = input.group});
  if (*kind == HostFileKind::kLinkerScript && depth < kDeepestScript) {
    add_script(arguments, input, as_text(*contents), depth + 1);
  }
}

void HostFiles::add_script(const Arguments& arguments, const HostInput& script,
                           std::string_view text, unsigned depth) {
  const unsigned group = script.group != 0 ? script.group : kFirstScriptGroup + script_groups_++;
  for (const std::string& name : files_of_linker_script(text)) {
    HostInput input = script;
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
