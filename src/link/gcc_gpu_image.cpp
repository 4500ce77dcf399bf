#include "link/gcc_gpu_image.h"

#include "link/process.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <llvm/ADT/SmallString.h>
#include <llvm/ObjCopy/ConfigManager.h>
#include <llvm/ObjCopy/ObjCopy.h>
#include <llvm/Object/Binary.h>
#include <llvm/Support/raw_ostream.h>

namespace gantry::link {
namespace {

namespace fs = std::filesystem;

/// The sections of constructors and destructors: without a priority and with that of the CPU's
/// images.
constexpr std::pair<const char*, const char*> kPriorities[] = {
    {".init_array", ".init_array.00101"}, {".fini_array", ".fini_array.00101"}};

/// The first program of this name, among the folders of GCC's driver, that is not this one.
std::optional<fs::path> find_gccs_own(const GccGpu& gpu) {
  const char* const folders = std::getenv("COMPILER_PATH");
  std::string_view rest = folders == nullptr ? "" : folders;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    fs::path candidate = fs::path(folder) / "accel" / gpu.folder / "mkoffload";
    if (fs::exists(candidate, error) && !fs::equivalent(candidate, self, error)) {
      return candidate;
    }
  }
  return std::nullopt;
}

Error error_of(const std::string& path, llvm::Error error) {
  return {fmt::format("'{}': {}", path, llvm::toString(std::move(error)))};
}

/// Gives the object's constructor and destructor that priority.
Status put_in_front(const std::string& path) {
  llvm::objcopy::ConfigManager config;
  for (const auto& [before, after] : kPriorities) {
    config.Common.SectionsToRename[before] = {before, after, std::nullopt};
  }
  config.Common.InputFilename = config.Common.OutputFilename = path;
  auto object = llvm::object::createBinary(path);
  if (!object) {
    return tl::unexpected(error_of(path, object.takeError()));
  }
  llvm::SmallString<0> contents;
  llvm::raw_svector_ostream stream(contents);
  if (llvm::Error error =
          llvm::objcopy::executeObjcopyOnBinary(config, *object->getBinary(), stream)) {
    return tl::unexpected(error_of(path, std::move(error)));
  }
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  file << contents;
  file.close();
  if (error || file.has_error()) {
    error = error ? error : file.error();
    file.clear_error();
    return fail("cannot write '{}': {}", path, error.message());
  }
  return {};
}

} // namespace

Result<int> make_gcc_gpu_image(const GccGpu& gpu, const std::vector<std::string>& arguments) {
  const std::optional<fs::path> program = find_gccs_own(gpu);
  if (!program) {
    return fail("GCC has no compiler for {} here; install Debian's package {}", gpu.devices,
                gpu.package);
  }
  std::vector<std::string> command = {program->string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const auto done = GANTRY_TRY(run_process(command, Capture::kNothing));
  const auto output = std::ranges::find(arguments, "-o");
  if (done.exit_code != 0 || arguments.end() - output < 2) {
    return done.exit_code;
  }
  return put_in_front(*std::next(output)).map([] { return 0; });
}

} // namespace gantry::link
