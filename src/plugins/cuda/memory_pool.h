// Device memory that programs give back, kept for the next allocation of the same size: the driver
// takes long to allocate, and waits for the whole device when it frees.
//
// Blocks have exactly the size that was asked for, so that whoever checks accesses still can; the
// PTX executor is told which of them are kept, and reports accesses to those as to freed memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <gantry/cuda_driver.h>

namespace gantry::cuda {

/// Any thread.
class MemoryPool {
public:
  /// Keeps `most` bytes at most; 0 keeps nothing.
  void keep(std::uint64_t most);

  /// A kept block of that size; 0 if there is none.
  [[nodiscard]] CUdeviceptr take(std::uint64_t size);
  /// Keeps a block that take() or allocate() gave and nobody uses any more; false if there is no
  /// room for it.
  [[nodiscard]] bool put_back(CUdeviceptr address);

  // By way of the driver, in a thread in which the device's context is current.

  /// GANTRY_SUCCESS or an error, kept. What is kept goes back to the driver before memory is said
  /// to be exhausted.
  std::int32_t allocate(std::uint64_t size, CUdeviceptr& address);
  /// As put_back(), but what was kept longest makes room.
  std::int32_t release(CUdeviceptr address);
  /// Frees all blocks, in use and kept; the pool is as new.
  std::int32_t free_all();

private:
  struct SizeClass;
  struct Block {
    CUdeviceptr address;
    SizeClass* of;
    bool kept;
  };
  using Blocks = std::list<Block>;
  /// The blocks of one size.
  struct SizeClass {
    std::uint64_t size = 0;
    std::size_t blocks = 0;             ///< in use and kept
    std::vector<Blocks::iterator> kept; ///< the longest kept first
  };

  // With the lock held.

  CUdeviceptr take_kept(std::uint64_t size);
  void keep_block(Blocks::iterator block);
  void forget(Blocks::iterator block);
  /// Back to the driver until `bytes` are kept at most.
  std::int32_t shrink(std::uint64_t bytes);

  std::mutex mutex_; ///< for all below
  std::uint64_t most_ = 0;
  std::uint64_t kept_bytes_ = 0;
  Blocks used_;
  Blocks kept_;                                          ///< the longest kept first
  std::unordered_map<std::uint64_t, SizeClass> classes_; ///< by size; of sizes that some block has
  std::unordered_map<CUdeviceptr, Blocks::iterator> blocks_; ///< in use and kept
};

} // namespace gantry::cuda
