#include "link/scan.h"

#include "format/elf.h"
#include "format/file_kind.h"
#include "link/member_selection.h"
#include "link/sanitizers.h"

#include <algorithm>

namespace gantry::link {
namespace {

/// True if the device link may need the object, if it is a member that is taken. Bitcode always
/// counts, because only parsing shows what it holds.
bool is_candidate(const HostObject& object) {
  return object.is_bitcode || format::has_offload_sections(object.contents);
}

/// The members that are objects, with the archive they are from in their origin.
Result<std::vector<HostObject>> members_of(const HostFile& file, HostFiles& files) {
  const format::Archive archive =
      GANTRY_TRY_CONTEXT(format::Archive::read(file.contents), file.path);
  std::vector<HostObject> members;
  members.reserve(archive.members().size());
  for (const format::ArchiveMember& member : archive.members()) {
    Bytes contents = member.contents;
    if (archive.is_thin()) {
      const Bytes mapped = GANTRY_TRY_CONTEXT(
          files.map(format::thin_member_path(file.path, member).string()), file.path);
      contents = mapped;
    }
    const format::FileKind kind = format::identify(contents);
    if (kind == format::FileKind::kElfRelocatable || kind == format::FileKind::kBitcode) {
      members.push_back({.origin = fmt::format("{}({})", file.path, member.name),
                         .contents = contents,
                         .is_bitcode = kind == format::FileKind::kBitcode});
    }
  }
  return members;
}

/// An input as the selection of members sees it.
Result<SelectionInput> selection_input(const HostFile& file, HostFiles& files) {
  SelectionInput input{.group = file.group};
  switch (file.kind) {
  case HostFileKind::kObject:
  case HostFileKind::kBitcode:
    input.optional = file.lazy;
    input.objects.push_back({.origin = file.path,
                             .contents = file.contents,
                             .is_bitcode = file.kind == HostFileKind::kBitcode});
    break;
  case HostFileKind::kArchive: {
    auto members = GANTRY_TRY(members_of(file, files));
    input.optional = !file.whole_archive;
    input.objects = std::move(members);
    break;
  }
  case HostFileKind::kSharedLibrary:
    input.shared_library = file.contents;
    input.as_needed = file.as_needed;
    break;
  case HostFileKind::kLinkerScript:
    break;
  }
  return input;
}

/// The runtime's own libraries must not become part of an image: they belong to the host.
bool is_offload_runtime(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("libomptarget") || name.starts_with("libgantry");
}

/// Adds `file` to the libraries that device code may use, once. An archive with device code is
/// none: its members are in the image, where they are taken. A shared library with device code is
/// one: device code may call what exists on the host only (see link/library_images.h).
void add_library(Scan& scan, const HostFile& file, bool has_device_code) {
  const bool is_shared = file.kind == HostFileKind::kSharedLibrary;
  if ((file.kind != HostFileKind::kArchive && !is_shared) || has_device_code ||
      is_offload_runtime(file.path) || is_sanitizer_runtime(file.path)) {
    return;
  }
  if (std::ranges::find(scan.libraries, file.path, &HostLibrary::path) == scan.libraries.end()) {
    scan.libraries.push_back({.path = file.path,
                              .argument = is_shared ? file.argument : file.path,
                              .contents = file.contents,
                              .is_shared = is_shared});
  }
}

} // namespace

Result<Scan> scan_inputs(const Arguments& arguments) {
  Scan scan{.files = HostFiles::open(arguments)};
  // By name: where it is not installed, the host linker says so.
  scan.has_sanitizer_runtime = std::ranges::any_of(
      arguments.inputs, [](const HostInput& input) { return is_sanitizer_runtime(input.name); });
  const std::vector<HostFile>& host_files = scan.files.files();

  std::vector<SelectionInput> inputs;
  inputs.reserve(host_files.size());
  bool selection_matters = false;
  for (const HostFile& file : host_files) {
    SelectionInput input = GANTRY_TRY(selection_input(file, scan.files));
    const bool has_device_code = std::ranges::any_of(input.objects, is_candidate);
    add_library(scan, file, has_device_code);
    selection_matters |= input.optional && has_device_code;
    inputs.push_back(std::move(input));
  }

  if (selection_matters) {
    GANTRY_TRY(select_members(inputs, arguments, scan.files.externals()));
  }
  for (SelectionInput& input : inputs) {
    if (!input.optional) {
      std::ranges::move(input.objects, std::back_inserter(scan.objects));
      continue;
    }
    for (std::size_t index = 0, next = 0; index < input.objects.size(); ++index) {
      HostObject& object = input.objects[index];
      if (next < input.selected.size() && input.selected[next] == index) {
        scan.objects.push_back(std::move(object));
        ++next;
      } else if (is_candidate(object)) {
        scan.left_out.push_back(std::move(object));
      }
    }
  }
  return scan;
}

void offer_libraries(const Arguments& arguments, const Scan& scan,
                     std::vector<std::string>& command) {
  for (const std::string& path : arguments.run_paths) {
    command.push_back("-rpath");
    command.push_back(path);
  }
  if (!arguments.sysroot.empty()) {
    command.push_back("--sysroot=" + arguments.sysroot);
  }
  for (const std::string& folder : arguments.search_paths) {
    command.push_back("-L" + folder);
  }
  command.emplace_back("--start-group");
  for (const HostLibrary& library : scan.libraries) {
    command.push_back(library.argument);
  }
  command.emplace_back("--end-group");
}

} // namespace gantry::link
