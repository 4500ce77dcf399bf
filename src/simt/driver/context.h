// Contexts: what a program makes on a device, and what ends with it.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/driver/stream.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_set>

namespace gantry::simt::driver {

class Device;

/// What cuCtxGetApiVersion says of contexts that cuCtxCreate_v2 and the primary one make.
inline constexpr unsigned kNewestContextVersion = 3020;

/// Of streams: smaller numbers go first. They are kept, and have no effect.
inline constexpr int kLeastPriority = 0;
inline constexpr int kGreatestPriority = -5;

/// All members may be called from any thread.
class Context : public std::enable_shared_from_this<Context> {
public:
  [[nodiscard]] static std::shared_ptr<Context> create(Device& device, unsigned flags,
                                                       unsigned api_version);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Waits for its streams, then ends its handles and frees its memory. Threads may still have it
  /// as their current context, and find it closed.
  void close();
  [[nodiscard]] bool closed() const { return closed_.load(std::memory_order_acquire); }

  [[nodiscard]] Device& device() const { return device_; }
  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] CUcontext handle() const { return handle_; }
  /// The handle of the open context with that id; null if there is none.
  [[nodiscard]] static CUcontext handle_of(std::uint64_t id);
  [[nodiscard]] unsigned api_version() const { return api_version_; }
  [[nodiscard]] unsigned flags() const { return flags_.load(std::memory_order_relaxed); }
  void set_flags(unsigned flags) { flags_.store(flags, std::memory_order_relaxed); }
  [[nodiscard]] CUresult error() const { return group_->error(); }

  [[nodiscard]] const std::shared_ptr<StreamGroup>& streams() const { return group_; }
  [[nodiscard]] const std::shared_ptr<Stream>& legacy_stream() const { return legacy_; }
  /// The calling thread's default stream.
  [[nodiscard]] Stream* thread_stream();
  /// The stream that a handle given by the program means, alive until the thread asks for another;
  /// null if it is none.
  [[nodiscard]] Stream* stream(CUstream handle);

  /// Waits for all that its streams have been given; returns the context's error.
  CUresult synchronize();

  /// Handles that end with the context (of modules, streams and events).
  void adopt(const void* handle);
  void forget(const void* handle);

  // Settings that are kept for those who ask for them.
  std::atomic<CUfunc_cache> cache_config = CU_FUNC_CACHE_PREFER_NONE;
  std::atomic<std::size_t> printf_fifo = 1 << 20;
  std::atomic<std::size_t> sync_depth = 2;
  std::atomic<std::size_t> pending_launches = 2048;
  std::atomic<std::size_t> l2_granularity = 128;
  std::atomic<std::size_t> persisting_l2 = 0;

  /// Peer access, by the peer's id. False if that is what it is already.
  bool enable_peer(std::uint64_t context_id);
  bool disable_peer(std::uint64_t context_id);

private:
  Context(Device& device, unsigned flags, unsigned api_version);

  Device& device_;
  const std::uint64_t id_;
  const unsigned api_version_;
  std::atomic<unsigned> flags_;
  std::atomic<bool> closed_ = false;
  CUcontext handle_ = nullptr; ///< set before anybody else knows the context
  std::shared_ptr<StreamGroup> group_;
  std::shared_ptr<Stream> legacy_;

  std::mutex mutex_;
  std::unordered_set<std::uint64_t> owned_; ///< handles
  std::unordered_set<std::uint64_t> peers_;
};

} // namespace gantry::simt::driver
