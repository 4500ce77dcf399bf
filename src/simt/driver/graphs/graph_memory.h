// Memory that nodes of graphs allocate and free. Its address is known, and its place taken, from
// the time when the node is made, so that other nodes can name it; between launches it stays there.
#pragma once

#include "gantry/cuda_driver.h"

#include <atomic>
#include <cstdint>
#include <memory>

#include <tl/expected.hpp>

namespace gantry::simt::driver {

class Context;
class Device;

/// The allocation of one node and its clones. Free again for the device when the last of them is
/// gone, or, if it is allocated then, when the program frees it.
class GraphAllocation {
public:
  [[nodiscard]] static tl::expected<std::shared_ptr<GraphAllocation>, CUresult>
  create(Context& context, std::uint64_t bytes);
  ~GraphAllocation();
  GraphAllocation(const GraphAllocation&) = delete;
  GraphAllocation& operator=(const GraphAllocation&) = delete;

  /// The one that starts at the address; null if none does.
  [[nodiscard]] static std::shared_ptr<GraphAllocation> at(CUdeviceptr address);

  [[nodiscard]] CUdeviceptr address() const { return address_; }

  // Whether the program has it: from a launch of a graph that allocates it on until it, or a launch
  // of a graph that does so, frees it.
  [[nodiscard]] bool allocated() const { return allocated_.load(); }
  void set_allocated(bool allocated);

  /// What the work of the allocating node does: the memory's contents are those of new memory.
  void begin() const;

private:
  GraphAllocation(Device& device, std::uint64_t address, std::uint64_t bytes)
      : device_(device), address_(address), bytes_(bytes) {}

  Device& device_;
  const std::uint64_t address_;
  const std::uint64_t bytes_;
  std::atomic<bool> allocated_ = false;
};

/// Frees memory of a graph that the program has; false if it is none, or not allocated.
[[nodiscard]] bool free_graph_memory(CUdeviceptr address);

/// cuDeviceGetGraphMemAttribute and its like.
[[nodiscard]] CUresult graph_memory_attribute(const Device& device, CUgraphMem_attribute attribute,
                                              void* value);
[[nodiscard]] CUresult reset_graph_memory_attribute(const Device& device,
                                                    CUgraphMem_attribute attribute,
                                                    const void* value);

} // namespace gantry::simt::driver
