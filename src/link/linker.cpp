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

/// Lets the output find the runtimes: after what the user's own run paths hold.
void add_run_path(Arguments& arguments) {
  for (const std::string& folder : runtime_folders()) {
    arguments.run_paths.push_back(folder);
    arguments.host_arguments.emplace_back("-rpath");
    arguments.host_arguments.push_back(folder);
  }
}

/// libomp has functions of libgomp's that do nothing, GOMP_target_end_data among them. Libraries of
/// GCC's that the program loads are to find libgantry's, so the program names that library first.
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
    const Result<RegistrationObject> registration = build_registration_object(
        images, code.tables, arguments.host_triple, arguments.print_wrapped_module);
    if (!registration) {
      return tl::unexpected(registration.error());
    }
    const std::filesystem::path path = folder / "registration.o";
    if (Status written = write_file(path, as_bytes(registration->object)); !written) {
      return tl::unexpected(std::move(written).error());
    }
    std::fputs(registration->module_text.c_str(), stdout);
    std::fflush(stdout);
    added.first.push_back(path.string());
  }
  if (!code.paired.empty()) {
    const auto objects = build_openmp_target(code, arguments, scan, folder);
    if (!objects) {
      return tl::unexpected(objects.error());
    }
    added.first.push_back(objects->begin);
    added.last.push_back(objects->end);
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

} // namespace

Result<int> link(Arguments arguments) {
  // A relocatable output keeps its objects' device code and entries, concatenated by the host
  // linker: the link of the program is the first place where all of it is known.
  if (arguments.relocatable) {
    return replace_with_host_linker(arguments);
  }
  if (Status status = check_installation(); !status) {
    return tl::unexpected(std::move(status).error());
  }
  add_run_path(arguments);
  put_runtime_before_openmp(arguments);

  // Scan: the relocatable objects that the host program consists of.
  llvm::timeTraceProfilerBegin("Scan", "");
  const Result<Scan> scan = scan_inputs(arguments);
  llvm::timeTraceProfilerEnd();
  if (!scan) {
    return tl::unexpected(scan.error());
  }

  // Extract: their device images. Contents still point into the scanned files.
  llvm::timeTraceProfilerBegin("Extract", "");
  const Result<DeviceCode> code = extract_device_code(scan->objects);
  llvm::timeTraceProfilerEnd();
  if (!code) {
    return tl::unexpected(code.error());
  }

  // Group: one image a target and architecture. Without any, there is nothing to wrap.
  const Result<std::vector<DeviceGroup>> groups =
      group_by_target(*code, arguments.skip_unsupported);
  if (!groups) {
    return tl::unexpected(groups.error());
  }
  if (groups->empty() && code->paired.empty()) {
    return scan->may_be_incomplete() ? link_host(arguments, *scan, *code, {}, {})
                                     : replace_with_host_linker(arguments);
  }
  if (Status status = check_host_link(arguments); !status) {
    return tl::unexpected(std::move(status).error());
  }

  initialize_llvm();
  const Result<TemporaryDirectory> folder = TemporaryDirectory::create(kept_folder(arguments));
  if (!folder) {
    return tl::unexpected(folder.error());
  }

  // Device link: groups at the same time.
  llvm::timeTraceProfilerBegin("Device link", "");
  const Result<std::vector<LinkedImage>> images =
      link_groups(*groups, arguments, *scan, folder->path());
  llvm::timeTraceProfilerEnd();
  if (!images) {
    return tl::unexpected(images.error());
  }

  // Wrap: the images and their registration become more objects of the host link.
  llvm::timeTraceProfilerBegin("Wrap", "");
  const Result<AddedObjects> added = wrap(arguments, *scan, *code, *images, folder->path());
  llvm::timeTraceProfilerEnd();
  return added ? link_host(arguments, *scan, *code, *images, *added)
               : tl::unexpected(added.error());
}

} // namespace gantry::link
