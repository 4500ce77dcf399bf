// A launch that becomes a file, from which `gantry replay` runs it again: GANTRY_RECORD.
//
// Memory is read in front of the launch, and once more behind it: what the launch can reach, which
// is every block whose address is in an argument, in a declare target variable, or in a block that
// is reached. Memory that other constructs change meanwhile is recorded as it happens to be.
#pragma once

#include "recording/recording.h"
#include "runtime/core/queues/private_storage.h"
#include "runtime/core/runtime/device.h"
#include "runtime/core/runtime/runtime.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace gantry::core {

/// Whether some launch of the process is yet to be recorded, perhaps.
[[nodiscard]] inline bool is_recording() {
  return record_request.load(std::memory_order_acquire) != nullptr;
}

/// Of one launch; one thread at a time.
class LaunchRecording {
public:
  /// Reads memory in front of the launch, for which nothing is left in a queue. `storage`: what the
  /// launch alone uses, or null; `items`: what it maps. Null if the launch is not one that is asked
  /// for, or cannot be recorded, which is then said.
  [[nodiscard]] static std::unique_ptr<LaunchRecording>
  begin(Device& device, const Kernel& kernel, const Construct& construct,
        const gantry_launch& launch, const PrivateStorage* storage, Items items);

  /// The kernel is done: writes the file, if it was asked for.
  void done();
  /// Likewise if the kernel failed. `lost`: with its device.
  void failed(const Error& error, bool lost);

private:
  using Bytes = std::vector<std::byte>;

  LaunchRecording(Device& device, const RecordRequest& request)
      : device_(device), request_(request) {}

  [[nodiscard]] Status read(const Kernel& kernel, const gantry_launch& launch,
                            const PrivateStorage* storage, Items items);
  void note_launch(const gantry_launch& launch);
  [[nodiscard]] Status read_variables(const LoadedProgram& program);
  [[nodiscard]] Status read_blocks(const PrivateStorage* storage, Items items);
  [[nodiscard]] Status read_after();
  void write();

  Device& device_;
  const RecordRequest& request_;
  recording::Recording recording_;
  std::map<std::uint64_t, Bytes> contents_; ///< of blocks, by address
  std::vector<std::uint64_t> variables_;    ///< their device addresses
  std::vector<Bytes> values_;               ///< of the variables
};

} // namespace gantry::core
