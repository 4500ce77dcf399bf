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
//
// An image for a foreign CPU is the same with libraries of that CPU; see foreign_libraries.h.

#include "link/cpu_target.h"

#include "base/output_file.h"
#include "format/file_kind.h"
#include "link/device_diagnostics.h"
#include "link/foreign_libraries.h"
#include "link/image_check.h"
#include "link/installation.h"
#include "link/kernel_check.h"
#include "link/library_images.h"
#include "link/lto.h"
#include "link/process.h"
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

/// The group's machine code in files, each with the object it comes from. Compiled bitcode comes
/// first; see link/symbol_resolution.h.
Result<ObjectOrigins> write_objects(const DeviceGroup& group, const DeviceLinkContext& context) {
  ObjectOrigins objects;
  if (std::ranges::any_of(group.inputs, is_bitcode, [](auto* input) -> auto& { return *input; })) {
    auto compiled =
        GANTRY_TRY(compile_bitcode(group, context, {.cpu = group.target->baseline_cpu}));
    for (const std::string& path : compiled.files) {
      objects.files.push_back({.path = path, .origin = ""});
    }
    objects.references = std::move(compiled.references);
  }
  for (const DeviceInput* input : group.inputs) {
    if (is_bitcode(*input)) {
      continue;
    }
    const fs::path path = context.folder / file_name_for(*input, objects.files.size());
    GANTRY_TRY(write_file(path, input->contents));
    objects.files.push_back({.path = path.string(), .origin = input->origin});
  }
  return objects;
}

/// The part of the command that all images of a linker's emulation share.
std::vector<std::string> begin_command(std::string_view linker, std::string_view emulation,
                                       const fs::path& image) {
  return {std::string(linker),
          "-m",
          std::string(emulation),
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

/// A linker for `cpu`: lld is one for every CPU.
Result<std::string> foreign_linker(const ForeignCpu& cpu) {
  if (const fs::path preferred = preferred_device_linker(); !preferred.empty()) {
    return preferred.string();
  }
  std::string cross = fmt::format("/usr/bin/{}-ld", cpu.triple);
  if (fs::exists(cross)) {
    return cross;
  }
  return fail("no linker for {} is there; install Debian's package lld-22 or binutils-{}",
              cpu.triple, cpu.triple);
}

fs::path device_library(const Target& target) {
  return target.foreign == nullptr ? cpu_device_library() : foreign_device_library(*target.foreign);
}

void add_objects(const DeviceGroup& group, const DeviceLinkContext& context,
                 const ObjectOrigins& objects, std::vector<std::string>& command) {
  command.insert(command.end(), {"-u", "__gantry_device_number"});
  if (group.target->foreign != nullptr || !shares_sanitizer_runtime(group, objects, context)) {
    command.emplace_back("-z");
    command.emplace_back("defs");
  }
  for (const ObjectFile& object : objects.files) {
    command.push_back(object.path);
  }
  command.push_back(device_library(*group.target).string());
}

Result<std::vector<std::string>> link_command(const DeviceGroup& group,
                                              const DeviceLinkContext& context,
                                              const ObjectOrigins& objects, const fs::path& image) {
  const Arguments& arguments = context.arguments;
  std::vector<std::string> command;
  if (const ForeignCpu* const cpu = group.target->foreign; cpu == nullptr) {
    command = cpu_image_command(arguments, image);
    add_objects(group, context, objects, command);
    // libomp comes before a program's libgomp, because libgomp has functions of the same names.
    if (const fs::path openmp = openmp_library(); fs::exists(openmp)) {
      command.push_back(openmp.string());
    }
    offer_libraries(arguments, context.scan, command);
  } else {
    const std::string linker = GANTRY_TRY(foreign_linker(*cpu));
    const ForeignLibraries libraries = GANTRY_TRY(find_foreign_libraries(*cpu));
    command = begin_command(linker, cpu->emulation, image);
    add_objects(group, context, objects, command);
    offer_foreign_libraries(libraries, context.scan, command);
  }
  for (const std::string& argument : arguments_for(arguments.device_linker, group.triple)) {
    command.push_back(argument);
  }
  return command;
}

Status check_device_library(const Target& target) {
  const fs::path library = device_library(target);
  if (fs::exists(library)) {
    return {};
  }
  if (target.foreign == nullptr) {
    return fail("'{}' is missing; Gantry's installation at '{}' is not complete", library.string(),
                installation_root().string());
  }
  return fail("'{}' is missing: Gantry was built without Debian's cross packages for {}; run "
              "scripts/setup foreign and build Gantry again",
              library.string(), target.foreign->triple);
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
  return begin_command(preferred.empty() ? arguments.linker_path : preferred.string(), "elf_x86_64",
                       image);
}

Result<LinkedImage> link_for_cpu(const DeviceGroup& group, const DeviceLinkContext& context) {
  GANTRY_TRY(check_device_library(*group.target));
  GANTRY_TRY(check_kernels(group));
  ObjectOrigins objects = GANTRY_TRY(write_objects(group, context));
  objects.definitions_in_libraries = device_definitions(context.scan.libraries, *group.target);
  const fs::path image = context.folder / "image.so";
  const auto command = GANTRY_TRY(link_command(group, context, objects, image));

  LinkedImage result{
      .kind = format::ImageKind::kObject, .triple = group.triple, .arch = group.arch};
  show_command(context.arguments, command);
  if (context.arguments.dry_run) {
    return result;
  }
  const ProcessResult linked = GANTRY_TRY(
      run_process(command, Capture::kDiagnostics, (context.folder / "arguments").string()));
  if (linked.exit_code != 0) {
    if (group.target->foreign == nullptr && !fs::exists(openmp_library())) {
      return fail("libomp is missing: '{}' leads nowhere; install Debian's package libomp-22-dev "
                  "and build Gantry again",
                  openmp_library().string());
    }
    return tl::unexpected(explain_link_failure(linked.captured, objects, command.front()));
  }
  std::vector<std::byte> contents = GANTRY_TRY(read_file(image));
  GANTRY_TRY(check_entries(group, contents));
  GANTRY_TRY(check_undefined(group, objects, context, contents));
  result.contents = std::move(contents);
  return result;
}

} // namespace gantry::link
