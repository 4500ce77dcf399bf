// A recorded launch on a device of this process.
#pragma once

#include "recording/recording.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gantry/plugin.h>

namespace gantry::cli {

/// What a replay does otherwise than the recording says.
struct ReplayChanges {
  std::uint32_t teams = 0;   ///< 0: as recorded
  std::uint32_t threads = 0; ///< likewise
};

/// What is behind a kernel.
struct ReplayResult {
  /// Why it failed; empty if it did not.
  std::string failure;
  std::vector<std::vector<std::byte>> blocks; ///< in the recording's order, as are the variables
  std::vector<std::vector<std::byte>> variables;
  std::int64_t nanoseconds = 0; ///< of the launch
};

/// The device address at which the memory of a device that replays has to begin; 0: it does not
/// matter.
[[nodiscard]] std::uint64_t arena_of(const recording::Recording& recording);

/// Holds a device with the image and memory of a recording. Of one thread.
class ReplayedLaunch {
public:
  /// Opens the plugin's first device. Both outlive the object. `image_file`: where a copy of the
  /// image is left for a debugger; empty: nowhere.
  [[nodiscard]] static Result<std::unique_ptr<ReplayedLaunch>>
  open(const gantry_plugin& plugin, const std::string& options,
       const recording::Recording& recording, const std::string& image_file);
  ReplayedLaunch(const ReplayedLaunch&) = delete;
  ReplayedLaunch& operator=(const ReplayedLaunch&) = delete;
  ~ReplayedLaunch();

  /// Fills in memory and runs the kernel. An error if it could not be tried.
  [[nodiscard]] Result<ReplayResult> run(const ReplayChanges& changes);

private:
  ReplayedLaunch(const gantry_plugin& plugin, const recording::Recording& recording)
      : plugin_(plugin), recording_(recording) {}

  void close();
  [[nodiscard]] Status open_device(const std::string& options);
  [[nodiscard]] Status allocate(const std::string& options);
  /// `by_pages`: those that share a page as one.
  [[nodiscard]] Status allocate_blocks(bool by_pages);
  [[nodiscard]] gantry_status allocate_at(std::uint64_t begin, std::uint64_t end);
  [[nodiscard]] Status map_blocks();
  [[nodiscard]] Status load(const std::string& image_file);
  [[nodiscard]] Status set_functions();
  [[nodiscard]] Status fill_in();
  [[nodiscard]] Status read(ReplayResult& result);
  [[nodiscard]] std::string failure() const;
  [[nodiscard]] Status check(gantry_status status, std::string_view what) const;

  const gantry_plugin& plugin_;
  const recording::Recording& recording_;
  gantry_device* device_ = nullptr;
  gantry_image* image_ = nullptr;
  gantry_kernel* kernel_ = nullptr;
  std::vector<void*> allocated_;
  std::vector<void*> variables_; ///< device addresses, in the recording's order
};

} // namespace gantry::cli
