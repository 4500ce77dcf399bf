// A device of the runtime's, an agent, as Gantry opens it.
#pragma once

#include "plugins/gpu/function_tables.h"
#include "plugins/gpu/memory_pool.h"
#include "plugins/gpu/queues_of_thread.h"
#include "plugins/gpu/staging.h"
#include "plugins/hsa/code.h"
#include "plugins/hsa/device_options.h"
#include "plugins/hsa/hardware_queue.h"
#include "plugins/hsa/library.h"
#include "plugins/hsa/loss.h"
#include "plugins/hsa/output.h"
#include "plugins/hsa/signals.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gantry::hsa {

class Stream;

/// Memory of one device, and of the host for it. Functions with a status return GANTRY_SUCCESS or
/// an error, kept. Any thread.
class DeviceMemory final : public gpu::MemorySource, public gpu::PinnedSource {
public:
  std::int32_t allocate(std::uint64_t size, gpu::DeviceAddress& address) override;
  std::int32_t free(gpu::DeviceAddress address) override;
  std::int32_t allocate_at(std::uint64_t size, gpu::DeviceAddress address) override;
  void set_freed(gpu::DeviceAddress address, std::uint64_t size, bool freed) override;
  /// Of the host, which the device can use at the same address.
  std::int32_t allocate_pinned(std::size_t size, void*& memory) override;
  std::int32_t free_pinned(void* memory) override;

  // Set when the device is opened.
  hsa_agent_t agent = {};
  hsa_amd_memory_pool_t of_device = {};
  hsa_amd_memory_pool_t of_host = {}; ///< for kernel arguments, fine-grained
  std::vector<hsa_agent_t> readers;   ///< agents that may use the device's memory, itself too
};

} // namespace gantry::hsa

/// The opaque device of gantry/plugin.h. What is not said to be locked is immutable while the
/// device is open.
struct gantry_device {
  hsa_agent_t agent = {};
  std::int32_t openmp_number = -1;
  std::string instruction_set;
  gantry::AmdProcessor processor; ///< refers to that
  /// Kernels can use any memory of the program; becomes true if the executor is told to allow it.
  std::atomic<bool> host_accessible = false;
  std::uint32_t wave_size = 64;
  std::uint32_t compute_units = 1;
  std::uint32_t waves_per_unit = 1;
  std::uint32_t max_block_size = 1024;
  std::uint32_t max_grid_size = 0;   ///< in threads
  std::uint64_t group_memory = 0;    ///< of a block, in bytes, at most
  std::uint64_t clock_frequency = 0; ///< of the clock that kernels read, in Hz
  std::uint64_t total_memory = 0;
  std::string description;
  gantry::hsa::DeviceOptions options;
  gantry::hsa::Loss loss;                      ///< any thread
  gantry::hsa::DeviceMemory source;            ///< any thread
  gantry::gpu::MemoryPool memory{source};      ///< any thread
  gantry::gpu::PinnedBuffers pinned{source};   ///< any thread
  gantry::hsa::Signals signals;                ///< any thread
  gantry::hsa::DeviceOutput output{source};    ///< any thread
  gantry::hsa::HardwareQueues hardware{*this}; ///< any thread
  /// Not null while the device is open. Shared with the threads, which may end later than it.
  std::shared_ptr<gantry::gpu::ThreadQueues> thread_queues;

  std::mutex mutex;                        ///< for all below
  gantry::gpu::FunctionTables functions;   ///< called by pointer
  std::vector<const gantry_image*> images; ///< loaded

  std::mutex streams_mutex;                        ///< for all below; taken behind the other one
  std::vector<const gantry::hsa::Stream*> streams; ///< of the queues that there are
};

namespace gantry::hsa {

/// GANTRY_SUCCESS, or why the device cannot be used any more, kept.
[[nodiscard]] std::int32_t usable(const Device& device);

/// The runtime has stopped a queue of the device's.
void queue_failed(Device& device, hsa_status_t status, const hsa_queue_t* queue);

/// As the plugin's own copies: done on return, and seen by kernels that are launched from then on.
std::int32_t write(Device& device, void* to, const void* from, std::size_t size);
std::int32_t read(Device& device, void* to, const void* from, std::size_t size);

inline void* pointer_to(gpu::DeviceAddress address) {
  return reinterpret_cast<void*>(address);
}

} // namespace gantry::hsa
