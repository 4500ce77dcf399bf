// A running worker, as the program sees it: its memory, what is in use of it, and its channels.
#pragma once

#include "plugins/worker/arena.h"
#include "plugins/worker/blocks.h"
#include "plugins/worker/device_options.h"
#include "plugins/worker/fault.h"
#include "plugins/worker/line.h"
#include "plugins/worker/process.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

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
  std::int32_t take_line(Line*& line);
  /// The same for one operation that must not be left out. One channel more is there for such, and
  /// while all are taken they wait for each other. An error means that the device is lost.
  std::int32_t wait_for_line(Line*& line);
  void give_back(Line* line);

private:
  Worker(Control& control, Arena memory, const WorkerSettings& settings, LifeLine life_line);
  /// False if the worker can take no change; the reason is kept.
  bool post_change(const Change& change);
  [[nodiscard]] std::size_t lines_in_use() const { return lines_.size() - idle_.size(); }
  Line& next_line();

  Control& control_;
  LifeLine life_line_;
  Arena memory_;
  Blocks blocks_;
  std::mutex mutex_; ///< for the two below
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Line>> lines_;
  std::vector<Line*> idle_;
};

/// A line for one call.
class BorrowedLine {
public:
  explicit BorrowedLine(Worker& worker) : worker_(worker), code_(worker.take_line(line_)) {}
  BorrowedLine(const BorrowedLine&) = delete;
  BorrowedLine& operator=(const BorrowedLine&) = delete;
  ~BorrowedLine() {
    if (line_ != nullptr) {
      worker_.give_back(line_);
    }
  }

  /// GANTRY_SUCCESS, or why there is no line; kept.
  [[nodiscard]] std::int32_t code() const { return code_; }
  Line* operator->() const { return line_; }

private:
  Worker& worker_;
  Line* line_ = nullptr;
  std::int32_t code_;
};

} // namespace gantry::worker
