// The memory that the program has from the runtime, and memory of its own that it has locked.
#pragma once

#include "simt/amdgcn/hsa/agents.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <set>

#include <hsa/hsa.h>

namespace gantry::simt::hsa {

/// All members may be called from any thread.
class Memory {
public:
  [[nodiscard]] static Memory& instance();

  /// `bytes` > 0 of a pool that may be allocated from, at `at` unless that is 0.
  [[nodiscard]] hsa_status_t allocate(const Pool& pool, std::uint64_t bytes, void** address,
                                      std::uint64_t at = 0);
  /// Frees what begins at the address.
  [[nodiscard]] hsa_status_t free(void* address);

  /// Lets GPUs access the program's memory, until it is unlocked as often as it was locked.
  [[nodiscard]] hsa_status_t lock(void* address, std::uint64_t bytes);
  [[nodiscard]] hsa_status_t unlock(void* address);

  /// Frees and unlocks all.
  void clear();

  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

private:
  Memory() = default;
  struct Registration {
    std::uint64_t bytes = 0;
    std::uint64_t locks = 0;
  };
  void release(std::uint64_t registration);

  std::mutex mutex_;
  std::set<std::uint64_t> allocations_;
  std::map<std::uint64_t, Registration> registrations_;
  /// Address that was locked → address of the registration that it lies in; 0: it needs none.
  std::multimap<std::uint64_t, std::uint64_t> locks_;
};

/// Whether all of the range may be accessed by the host: memory of the arena that is allocated, or
/// what the process has mapped.
[[nodiscard]] bool is_accessible(std::uint64_t address, std::uint64_t bytes, bool for_write);

/// Copies; false, and nothing is done, if part of a range may not be accessed.
[[nodiscard]] bool copy(void* to, const void* from, std::uint64_t bytes);
/// Writes `count` times the value.
void fill(void* to, std::uint32_t value, std::uint64_t count);

} // namespace gantry::simt::hsa
