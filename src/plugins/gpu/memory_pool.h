// Device memory that programs give back, kept for the next allocation of the same size: drivers
// take long to allocate, and some wait for the whole device when they free.
//
// Blocks have exactly the size that was asked for, so that whoever checks accesses still can; an
// executor is told which of them are kept, and reports accesses to those as to freed memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gantry::gpu {

/// An address in device memory, of the type that CUDA's driver has for one; 0 is none.
using DeviceAddress = unsigned long long;

/// Where a pool's memory comes from. Functions with a status return GANTRY_SUCCESS or an error,
/// kept. Any thread.
class MemorySource {
public:
  virtual ~MemorySource() = default;
  /// GANTRY_OUT_OF_MEMORY where there is no more.
  virtual std::int32_t allocate(std::uint64_t size, DeviceAddress& address) = 0;
  virtual std::int32_t free(DeviceAddress address) = 0;
  /// Memory at an address; GANTRY_OUT_OF_MEMORY where that is not to be had.
  virtual std::int32_t allocate_at(std::uint64_t size, DeviceAddress address) = 0;
  /// Whether accesses to the memory are to be taken for mistakes from now on.
  virtual void set_freed(DeviceAddress /*address*/, std::uint64_t /*size*/, bool /*freed*/) {}
};

/// Any thread.
class MemoryPool {
public:
  explicit MemoryPool(MemorySource& source) : source_(source) {}

  /// Keeps `most` bytes at most; 0 keeps nothing.
  void keep(std::uint64_t most);

  /// A kept block of that size; 0 if there is none.
  [[nodiscard]] DeviceAddress take(std::uint64_t size);
  /// Keeps a block that take() or allocate() gave and nobody uses any more; false if there is no
  /// room for it.
  [[nodiscard]] bool put_back(DeviceAddress address);

  // By way of the source, in a thread that may use it.

  /// GANTRY_SUCCESS or an error, kept. What is kept goes back to the source before memory is said
  /// to be exhausted.
  std::int32_t allocate(std::uint64_t size, DeviceAddress& address);
  /// Likewise at an address; what is kept goes back to the source before.
  std::int32_t allocate_at(std::uint64_t size, DeviceAddress address);
  /// As put_back(), but what was kept longest makes room.
  std::int32_t release(DeviceAddress address);
  /// Frees all blocks, in use and kept; the pool is as new.
  std::int32_t free_all();

private:
  struct SizeClass;
  struct Block {
    DeviceAddress address;
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

  DeviceAddress take_kept(std::uint64_t size);
  void add(std::uint64_t size, DeviceAddress address);
  void keep_block(Blocks::iterator block);
  void forget(Blocks::iterator block);
  /// Back to the source until `bytes` are kept at most.
  std::int32_t shrink(std::uint64_t bytes);

  MemorySource& source_;
  std::mutex mutex_; ///< for all below
  std::uint64_t most_ = 0;
  std::uint64_t kept_bytes_ = 0;
  Blocks used_;
  Blocks kept_;                                          ///< the longest kept first
  std::unordered_map<std::uint64_t, SizeClass> classes_; ///< by size; of sizes that some block has
  std::unordered_map<DeviceAddress, Blocks::iterator> blocks_; ///< in use and kept
};

} // namespace gantry::gpu
