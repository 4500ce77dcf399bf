// The HSA runtime in this process: whether calls may be made.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <system_error>

#include <hsa/hsa.h>

namespace gantry::simt::hsa {

class Process {
public:
  [[nodiscard]] static Process& instance();

  /// hsa_init and hsa_shut_down, which count.
  [[nodiscard]] hsa_status_t initialise();
  [[nodiscard]] hsa_status_t shut_down();

  /// Not before the first hsa_init, after the last hsa_shut_down, in a child process that was
  /// forked after it (which has not its parent's threads), and while the process ends.
  [[nodiscard]] bool is_ready() const { return ready_.load(std::memory_order_acquire); }
  /// Whether this process, or one that it was forked from, ends or has ended what there was.
  void end();

  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

private:
  Process() = default;
  [[nodiscard]] hsa_status_t open();

  std::atomic<bool> ready_ = false;
  std::atomic<bool> ended_ = false; ///< for good
  std::mutex mutex_;
  std::int32_t count_ = 0;
  bool opened_ = false; ///< once in the process: the agents exist
};

/// While it exists, this thread is in a callback that tells the program of a fault. If that ends
/// the process, its exit handlers do not run: those of runtimes wait for kernels, which will not
/// end, or for threads that wait for them.
class InFaultCallback {
public:
  InFaultCallback();
  ~InFaultCallback();
  InFaultCallback(const InFaultCallback&) = delete;
  InFaultCallback& operator=(const InFaultCallback&) = delete;
};

/// Runs an entry point's work, if calls may be made. Work that runs out of memory or threads says
/// so.
template <typename Work>
hsa_status_t call(Work&& work) {
  if (!Process::instance().is_ready()) {
    return HSA_STATUS_ERROR_NOT_INITIALIZED;
  }
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  } catch (const std::system_error&) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
}

/// A status that only AMD's extensions have.
constexpr hsa_status_t status_of(int number) {
  return static_cast<hsa_status_t>(number);
}

} // namespace gantry::simt::hsa
