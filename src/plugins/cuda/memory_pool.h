// Device memory that programs give back, kept for the next allocation of the same size: the driver
// takes long to allocate, and waits for the whole device when it frees.
//
// Blocks have exactly the size that was asked for, so that whoever checks accesses still can.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <unordered_map>

#include <gantry/cuda_driver.h>

namespace gantry::cuda {

/// Any thread, in which the device's context is current.
class MemoryPool {
public:
  /// Keeps `most` bytes at most; 0 keeps nothing.
  void keep(std::uint64_t most);

  /// GANTRY_SUCCESS or an error, kept. What is kept goes back to the driver before memory is said
  /// to be exhausted.
  std::int32_t allocate(std::uint64_t size, CUdeviceptr& address);
  /// What allocate() gave and nobody uses any more. What was kept longest makes room.
  std::int32_t release(CUdeviceptr address);

private:
  struct Block {
    CUdeviceptr address;
    std::uint64_t size;
  };
  using Blocks = std::list<Block>; ///< the longest kept first

  /// Back to the driver until `bytes` are kept at most.
  std::int32_t shrink(std::uint64_t bytes);
  /// Takes a kept block of that size out; 0 if there is none.
  CUdeviceptr take(std::uint64_t size);

  std::mutex mutex_; ///< for all below
  std::uint64_t most_ = 0;
  std::uint64_t kept_bytes_ = 0;
  Blocks kept_;
  std::unordered_multimap<std::uint64_t, Blocks::iterator> kept_by_size_;
  std::unordered_map<CUdeviceptr, std::uint64_t> sizes_; ///< of what is in use
};

} // namespace gantry::cuda
