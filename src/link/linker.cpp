#include "link/linker.h"

#include "base/output_file.h"
#include "link/device_code.h"
#include "link/device_links.h"
#include "link/group.h"
#include "link/host_link.h"
#include "link/installation.h"
#include "link/openmp_target.h"
#include "link/output_check.h"
#include "link/registration.h"
#include "link/scan.h"
#include "link/temporary_directory.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/TimeProfiler.h>

namespace gantry::link {
namespace {

/// `--save-temps` keeps the folder beside the output.
std::filesystem::path kept_folder(const Arguments& arguments) {
  return arguments.save_temps ? arguments.output + ".gantry-temps" : "";
}

/// Lets the output find the runtimes, after the user's own run paths.
void add_run_path(Arguments& arguments) {
  for (const std::string& folder : runtime_folders()) {
    arguments.run_paths.push_back(folder);
    arguments.host_arguments.emplace_back("-rpath");
    arguments.host_arguments.push_back(folder);
  }
}

/// Puts libgantry before libomp, because libomp defines some of libgomp's functions
/// (GOMP_target_end_data, for one) to do nothing, and GCC's libraries in the program have to find
/// libgantry's.
void put_runtime_before_openmp(Arguments& arguments) {
  std::vector<std::string>& all = arguments.host_arguments;
  const auto openmp = std::ranges::find(all, "-lomp");
  const auto runtime = std::find(openmp, all.end(), "-lomptarget");
  if (runtime != all.end()) {
    std::rotate(openmp, runtime, std::next(runtime));
  }
}

/// The host link, whose output is removed again where its entries and the images do not agree.
Result<int> link_host(const Arguments& arguments, const Scan& scan, const DeviceCode& code,
                      const std::vector<LinkedImage>& images, const AddedObjects& added) {
  llvm::timeTraceProfilerBegin("Host link", "");
  Result<int> exit_code = run_host_linker(arguments, added);
  llvm::timeTraceProfilerEnd();
  if (!exit_code || *exit_code != 0 || arguments.dry_run) {
    return exit_code;
  }
  const llvm::TimeTraceScope trace("Check");
  Status status = check_output(arguments, scan, code, images);
  if (status && !code.paired.empty()) {
    status = check_openmp_target(code, arguments);
  }
  if (!status) {
    std::error_code ignored;
    std::filesystem::remove(arguments.output, ignored);
    return tl::unexpected(std::move(status).error());
  }
  return exit_code;
}

Result<AddedObjects> wrap(const Arguments& arguments, const Scan& scan, const DeviceCode& code,
                          const std::vector<LinkedImage>& images,
                          const std::filesystem::path& folder) {
  AddedObjects added;
  if (!images.empty()) {
    const RegistrationObject registration = GANTRY_TRY(build_registration_object(
        images, code.tables, arguments.host_triple, arguments.print_wrapped_module));
    const std::filesystem::path path = folder / "registration.o";
    GANTRY_TRY(write_file(path, as_bytes(registration.object)));
    std::fputs(registration.module_text.c_str(), stdout);
    std::fflush(stdout);
    added.first.push_back(path.string());
  }
  if (!code.paired.empty()) {
    const auto objects = GANTRY_TRY(build_openmp_target(code, arguments, scan, folder));
    added.first.push_back(objects.begin);
    added.last.push_back(objects.end);
  }
  return added;
}

void initialize_llvm() {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmParsers();
  llvm::InitializeAllAsmPrinters();
}

/// Runs a stage, whose time goes into the file of --wrapper-time-trace.
template <typename Stage>
auto timed(llvm::StringRef name, Stage&& stage) {
  const llvm::TimeTraceScope scope(name);
  return stage();
}

} // namespace

Result<int> link(Arguments arguments) {
  // A relocatable output keeps its objects' device code and entries, concatenated by the host
  // linker: the link of the program is the first place where all of it is known.
  if (arguments.relocatable) {
    return replace_with_host_linker(arguments);
  }
  GANTRY_TRY(check_installation());
  add_run_path(arguments);
  put_runtime_before_openmp(arguments);

  // Scan: the relocatable objects that the host program consists of.
  const Scan scan = GANTRY_TRY(timed("Scan", [&] { return scan_inputs(arguments); }));

  // Extract: their device images. Contents still point into the scanned files.
  const DeviceCode code =
      GANTRY_TRY(timed("Extract", [&] { return extract_device_code(scan.objects); }));

  // Group: one image a target and architecture. Without any, there is nothing to wrap.
  const std::vector<DeviceGroup> groups =
      GANTRY_TRY(group_by_target(code, arguments.skip_unsupported));
  if (groups.empty() && code.paired.empty()) {
    return scan.may_be_incomplete() ? link_host(arguments, scan, code, {}, {})
                                    : replace_with_host_linker(arguments);
  }
  GANTRY_TRY(check_host_link(arguments));

  initialize_llvm();
  const TemporaryDirectory folder = GANTRY_TRY(TemporaryDirectory::create(kept_folder(arguments)));

  // Device link: groups at the same time.
  const std::vector<LinkedImage> images = GANTRY_TRY(
      timed("Device link", [&] { return link_groups(groups, arguments, scan, folder.path()); }));

  // Wrap: the images and their registration become more objects of the host link.
  const AddedObjects added =
      GANTRY_TRY(timed("Wrap", [&] { return wrap(arguments, scan, code, images, folder.path()); }));
  return link_host(arguments, scan, code, images, added);
}

} // namespace gantry::link
