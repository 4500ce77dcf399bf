#include "link/host_link.h"

#include "link/member_selection.h"
#include "link/process.h"
#include "link/sanitizers.h"
#include "link/temporary_directory.h"
#include "link/text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include <unistd.h>

namespace gantry::link {
namespace {

namespace fs = std::filesystem;

Status check_linker(const Arguments& arguments) {
  if (arguments.linker_path.empty()) {
    return fail("no host linker is given; add --linker-path=PATH (Clang passes it)");
  }
  if (access(arguments.linker_path.c_str(), X_OK) != 0) {
    return fail("the host linker '{}' cannot be run: {}; install it, or choose another with "
                "-fuse-ld=",
                arguments.linker_path, std::strerror(errno));
  }
  return {};
}

std::vector<std::string> host_command(const Arguments& arguments) {
  std::vector<std::string> command{arguments.linker_path};
  command.insert(command.end(), arguments.host_arguments.begin(), arguments.host_arguments.end());
  return command;
}

/// Runs `command`, through `response_file`, or one in a folder of its own, if it is too long.
Result<int> run(const std::vector<std::string>& command, std::string response_file) {
  std::optional<TemporaryDirectory> folder;
  if (response_file.empty() && needs_response_file(command)) {
    folder.emplace(GANTRY_TRY(TemporaryDirectory::create()));
    response_file = (folder->path() / "arguments").string();
  }
  return run_process(command, Capture::kNothing, response_file)
      .map([](const ProcessResult& result) { return result.exit_code; });
}

/// Makes lld keep the offload entries, because only the bounds __start_X and __stop_X refer to
/// them. GNU ld and mold keep them anyway and accept the option; gold keeps them and does not know
/// it.
bool must_keep_entries(const Arguments& arguments) {
  return arguments.gc_sections && linker_kind(arguments.linker_path) == LinkerKind::kLld;
}

bool has_memory_sanitizer(const Arguments& arguments) {
  return std::ranges::any_of(arguments.inputs, [](const HostInput& input) {
    return is_sanitizer_runtime(input.name) && contains(input.name, "/libclang_rt.msan");
  });
}

} // namespace

Status check_host_link(const Arguments& arguments) {
  if (arguments.static_link) {
    // Clang passes -static -pie for -static-pie.
    const bool pie =
        std::ranges::find(arguments.host_arguments, "-pie") != arguments.host_arguments.end();
    const std::string_view option = pie ? "-static-pie" : "-static";
    return fail("this program holds device code and is linked with {}; the runtime that loads "
                "device code, libgantry.so, is a shared library, so link without {}",
                option, option);
  }
  if (has_memory_sanitizer(arguments)) {
    return fail("this program holds device code and is linked with -fsanitize=memory, which takes "
                "all that a library without it writes for uninitialised, and the runtime, "
                "libgantry.so, is built without; use -fsanitize=address or valgrind");
  }
  GANTRY_TRY(check_linker(arguments));
  if (arguments.dry_run) {
    return {};
  }
  const fs::path output(arguments.output);
  const fs::path folder = output.has_parent_path() ? output.parent_path() : ".";
  // Linkers write into an existing file or replace it.
  if (access(output.c_str(), W_OK) != 0 && access(folder.c_str(), W_OK) != 0) {
    return fail("cannot write the output '{}': {}", arguments.output, std::strerror(errno));
  }
  return {};
}

Result<int> run_host_linker(const Arguments& arguments, const AddedObjects& added) {
  GANTRY_TRY(check_linker(arguments));
  std::vector<std::string> command = host_command(arguments);
  std::string response_file;
  if (!added.first.empty()) {
    command.insert(command.begin() + 1, added.first.begin(), added.first.end());
    command.insert(command.end(), added.last.begin(), added.last.end());
    response_file = added.first.front() + ".arguments";
    if (must_keep_entries(arguments)) {
      command.emplace_back("-z");
      command.emplace_back("nostart-stop-gc");
    }
  }
  show_command(arguments, command);
  return arguments.dry_run ? 0 : run(command, response_file);
}

Result<int> replace_with_host_linker(const Arguments& arguments) {
  GANTRY_TRY(check_linker(arguments));
  const std::vector<std::string> command = host_command(arguments);
  show_command(arguments, command);
  if (arguments.dry_run) {
    return 0;
  }
  if (needs_response_file(command)) {
    return run(command, "");
  }
  restore_signals();
  return tl::unexpected(replace_process(command));
}

} // namespace gantry::link
