// The image of a CPU target is a shared object that the runtime loads beside the program.
//
// -Bsymbolic binds the image's references to its own definitions: the program has symbols of the
// same names (a global that is `declare target`, say), and the device's are the ones meant. -z defs
// makes a missing definition an error here rather than at the first use of the device. Libraries of
// the host link are offered to the image as well, archives with device code excepted, because code
// for the CPU may call them (libm, libc, libomp, libgcc); --as-needed keeps those it does not call
// from being loaded with it. The device library comes before them all, so that its
// omp_is_initial_device() and the like win over libomp's, and its __gantry_device_number is kept
// for the runtime to set.

#include "link/cpu_target.h"

#include "format/file_kind.h"
#include "link/device_diagnostics.h"
#include "link/image_check.h"
#include "link/installation.h"
#include "link/kernel_check.h"
#include "link/library_images.h"
#include "link/lto.h"
#include "link/process.h"
#include "link/temporary_directory.h"
#include "link/undefined_check.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace gantry::link {
namespace {

namespace fs = std::filesystem;

/// "libfoo.a(bar.o)" as a file name that a user of --save-temps recognises.
std::string file_name_for(const DeviceInput& input, std::size_t number) {
  std::string name = fs::path(input.origin).filename().string();
  for (char& character : name) {
    if (character == '(' || character == ')' || character == ' ') {
      character = '-';
    }
  }
  return fmt::format("{}-{}.o", number, name);
}

bool is_bitcode(const DeviceInput& input) {
  return format::identify(input.contents) == format::FileKind::kBitcode;
}

/// The group's machine code in files, with who each is from. What was bitcode comes first; see
/// link/symbol_resolution.h.
Result<ObjectOrigins> write_objects(const DeviceGroup& group, const DeviceLinkContext& context) {
  ObjectOrigins objects;
  if (std::ranges::any_of(group.inputs, is_bitcode, [](auto* input) -> auto& { return *input; })) {
    auto compiled = compile_bitcode(group, context, {.cpu = group.target->baseline_cpu});
    if (!compiled) {
      return tl::unexpected(std::move(compiled).error());
    }
    for (const std::string& path : compiled->files) {
      objects.files.push_back({.path = path, .origin = ""});
    }
    objects.references = std::move(compiled->references);
  }
  for (const DeviceInput* input : group.inputs) {
    if (is_bitcode(*input)) {
      continue;
    }
    const fs::path path = context.folder / file_name_for(*input, objects.files.size());
    if (Status status = write_file(path, as_text(input->contents)); !status) {
      return tl::unexpected(std::move(status).error());
    }
    objects.files.push_back({.path = path.string(), .origin = input->origin});
  }
  return objects;
}

std::vector<std::string> link_command(const DeviceGroup& group, const DeviceLinkContext& context,
                                      const ObjectOrigins& objects, const fs::path& image) {
  const Arguments& arguments = context.arguments;
  std::vector<std::string> command = cpu_image_command(arguments, image);
  command.insert(command.end(), {"-u", "__gantry_device_number"});
  if (!shares_sanitizer_runtime(group, objects, context)) {
    command.emplace_back("-z");
    command.emplace_back("defs");
  }
  for (const ObjectFile& object : objects.files) {
    command.push_back(object.path);
  }
  command.push_back(cpu_device_library().string());
  offer_libraries(arguments, context.scan, command);
  for (const std::string& argument : arguments_for(arguments.device_linker, group.triple)) {
    command.push_back(argument);
  }
  return command;
}

Result<std::vector<std::byte>> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> contents{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    return fail("the device linker made no image '{}'", path.string());
  }
  const Bytes bytes = as_bytes({contents.data(), contents.size()});
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

} // namespace

std::vector<std::string> cpu_image_command(const Arguments& arguments, const fs::path& image) {
  const fs::path preferred = preferred_device_linker();
  return {preferred.empty() ? arguments.linker_path : preferred.string(),
          "-m",
          "elf_x86_64",
          "-shared",
          "-Bsymbolic",
          "-z",
          "noexecstack",
          "--hash-style=gnu",
          "--eh-frame-hdr",
          "--as-needed",
          "-o",
          image.string()};
}

Result<LinkedImage> link_for_cpu(const DeviceGroup& group, const DeviceLinkContext& context) {
  if (!fs::exists(cpu_device_library())) {
    return fail("'{}' is missing; Gantry's installation at '{}' is not complete",
                cpu_device_library().string(), installation_root().string());
  }
  if (Status status = check_kernels(group); !status) {
    return tl::unexpected(std::move(status).error());
  }
  Result<ObjectOrigins> objects = write_objects(group, context);
  if (!objects) {
    return tl::unexpected(objects.error());
  }
  objects->library_definitions = device_definitions(context.scan.libraries, *group.target);
  const fs::path image = context.folder / "image.so";
  const std::vector<std::string> command = link_command(group, context, *objects, image);

  LinkedImage result{
      .kind = format::ImageKind::kObject, .triple = group.triple, .arch = group.arch};
  show_command(context.arguments, command);
  if (context.arguments.dry_run) {
    return result;
  }
  const Result<ProcessResult> linked =
      run_process(command, Capture::kDiagnostics, (context.folder / "arguments").string());
  if (!linked) {
    return tl::unexpected(linked.error());
  }
  if (linked->exit_code != 0) {
    return tl::unexpected(explain_link_failure(linked->captured, *objects, command.front()));
  }
  Result<std::vector<std::byte>> contents = read_file(image);
  if (!contents) {
    return tl::unexpected(std::move(contents).error());
  }
  if (Status status = check_entries(group, *contents); !status) {
    return tl::unexpected(std::move(status).error());
  }
  if (Status status = check_undefined(group, *objects, context, *contents); !status) {
    return tl::unexpected(std::move(status).error());
  }
  result.contents = std::move(*contents);
  return result;
}

} // namespace gantry::link
