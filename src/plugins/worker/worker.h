// A running worker, as the program sees it: its memory, what is in use of it, and its channels.
#pragma once

#include "plugins/worker/arena.h"
#include "plugins/worker/blocks.h"
#include "plugins/worker/channel_client.h"
#include "plugins/worker/device_options.h"
#include "plugins/worker/fault.h"
#include "plugins/worker/process.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include <gantry/plugin.h>
#include <tl/expected.hpp>

namespace gantry::worker {

/// What a worker is to be.
struct WorkerSettings {
  std::int32_t openmp_number = -1;
  DeviceOptions options;
  std::uint64_t time_limit = 0;          ///< of a kernel, in milliseconds; 0: none
  bool check_memory = false;             ///< new blocks are poisoned
  std::vector<unsigned long> processors; ///< a bit each; none: those of the thread that starts it
};

/// Any thread. A device that is not closed keeps its worker: kernels may run while the program
/// ends, and the worker sees its end by itself.
class Worker {
public:
  /// Starts the process. The error is a sentence.
  [[nodiscard]] static tl::expected<Worker*, std::string> start(const WorkerSettings& settings);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  /// Ends the process and waits for its end; nothing else uses the worker. GANTRY_SUCCESS, or an
  /// error, kept, if it had ended before.
  std::int32_t end();

  [[nodiscard]] const Arena& memory() const { return memory_; }
  [[nodiscard]] Blocks& blocks() { return blocks_; }
  [[nodiscard]] const Control& control() const { return control_; }
  [[nodiscard]] bool lost() const { return is_lost(control_); }

  /// A channel that nothing else uses until it is given back. GANTRY_SUCCESS or an error, kept.
  std::int32_t take_channel(ChannelClient& channel);
  /// The same for one operation that must not be left out. One channel more is there for such, and
  /// while all are taken they wait for each other. An error means that the device is lost.
  std::int32_t wait_for_channel(ChannelClient& channel);
  void give_back(ChannelClient channel);

private:
  Worker(Control& control, Arena memory, const WorkerSettings& settings, LifeLine life_line);
  /// False if the worker can take no change; the reason is kept.
  bool post_change(const Change& change);
  [[nodiscard]] std::size_t channels_in_use() const { return channels_ - idle_.size(); }
  ChannelClient next_channel();

  Control& control_;
  LifeLine life_line_;
  Arena memory_;
  Blocks blocks_;
  std::mutex mutex_; ///< for all below
  std::condition_variable returned_;
  std::size_t channels_ = 0; ///< that the worker serves
  std::vector<ChannelClient> idle_;
};

/// A channel for one call.
class BorrowedChannel : public ChannelClient {
public:
  explicit BorrowedChannel(Worker& worker) : worker_(worker), status_(worker.take_channel(*this)) {}
  BorrowedChannel(const BorrowedChannel&) = delete;
  BorrowedChannel& operator=(const BorrowedChannel&) = delete;
  ~BorrowedChannel() {
    if (status_ == GANTRY_SUCCESS) {
      worker_.give_back(*this);
    }
  }

  /// GANTRY_SUCCESS, or why there is no channel; kept.
  [[nodiscard]] std::int32_t status() const { return status_; }

private:
  Worker& worker_;
  std::int32_t status_;
};

} // namespace gantry::worker
