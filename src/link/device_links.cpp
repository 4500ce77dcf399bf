#include "link/device_links.h"

#include "base/mapped_file.h"
#include "link/target.h"

#include <algorithm>
#include <optional>

#include <llvm/Support/ThreadPool.h>
#include <llvm/Support/Threading.h>

namespace gantry::link {
namespace {

namespace fs = std::filesystem;

/// One line for each problem, each with the device link that it comes from.
void append_problems(std::string& problems, const DeviceGroup& group, std::string_view message) {
  while (!message.empty()) {
    const std::size_t end = message.find('\n');
    const std::string_view line = message.substr(0, end);
    problems += problems.empty() ? "" : "\n";
    if (!line.starts_with(">>>")) { // which goes on about the problem before
      problems += fmt::format("device link for {}: ", group.name());
    }
    problems += line;
    message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
  }
}

/// `--override-image=openmp=FILE` stands for what the link of any group would have made.
Result<LinkedImage> overridden(const DeviceGroup& group, const std::string& path) {
  const MappedFile file = GANTRY_TRY(MappedFile::open(path));
  LinkedImage result{.triple = group.triple, .arch = group.arch};
  result.contents.assign(file.bytes().begin(), file.bytes().end());
  return result;
}

Result<LinkedImage> link_group(const DeviceGroup& group, const DeviceLinkContext& context) {
  if (!context.arguments.override_images.empty()) {
    return overridden(group, context.arguments.override_images.back());
  }
  std::error_code error;
  fs::create_directory(context.folder, error);
  if (error) {
    return fail("cannot make the folder '{}': {}", context.folder.string(), error.message());
  }
  return group.target->link(group, context);
}

} // namespace

Result<std::vector<LinkedImage>> link_groups(const std::vector<DeviceGroup>& groups,
                                             const Arguments& arguments, const Scan& scan,
                                             const fs::path& folder) {
  std::vector<std::optional<Result<LinkedImage>>> results(groups.size());
  const auto link_one = [&](std::size_t index) {
    std::string name = groups[index].name();
    std::ranges::replace(name, ' ', '-');
    const DeviceLinkContext context{
        .arguments = arguments, .scan = scan, .folder = folder / fmt::format("{}-{}", index, name)};
    results[index] = link_group(groups[index], context);
  };
  if (groups.size() == 1) {
    link_one(0); // the usual case needs no thread
  } else {
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency(arguments.jobs));
    for (std::size_t index = 0; index < groups.size(); ++index) {
      pool.async(link_one, index);
    }
    pool.wait();
  }

  std::string problems;
  std::vector<LinkedImage> images;
  for (std::size_t index = 0; index < groups.size(); ++index) {
    Result<LinkedImage>& result = *results[index];
    if (result) {
      images.push_back(std::move(*result));
    } else {
      append_problems(problems, groups[index], result.error().message);
    }
  }
  if (!problems.empty()) {
    return tl::unexpected(Error{std::move(problems)});
  }
  return images;
}

} // namespace gantry::link
