// The agents, a CPU and the simulated GPUs, and the pools of memory that each has.
#pragma once

#include "simt/amdgcn/objects/processor.h"
#include "simt/host/settings.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

namespace gantry::simt::hsa {

/// Ticks a second of the system's clock, which counts nanoseconds.
inline constexpr std::uint64_t kSystemFrequency = 1'000'000'000;

/// Of the queues of a GPU.
inline constexpr std::uint32_t kLeastQueueSize = 64;
inline constexpr std::uint32_t kMostQueueSize = 16384;

enum class PoolKind : std::uint8_t {
  kKernarg, ///< the host's, fine-grained: what the GPU reads its arguments from
  kHost,    ///< the host's, coarse-grained
  kDevice,  ///< a GPU's own
  kGroup,   ///< LDS, of which nothing is allocated
};

struct Agent;

/// A pool, which is called a region in HSA's first interface.
struct Pool {
  std::uint64_t handle = 0;
  PoolKind kind = PoolKind::kHost;
  Agent* owner = nullptr;

  [[nodiscard]] std::uint32_t global_flags() const;
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] bool may_allocate() const { return kind != PoolKind::kGroup; }
};

struct Agent {
  hsa_agent_t handle = {};
  hsa_isa_t isa = {};       ///< of a GPU
  std::int32_t device = -1; ///< a GPU's ordinal
  const amdgcn::Processor* processor = nullptr;
  std::string name;
  std::string product;
  std::uint32_t compute_units = 0;
  std::uint64_t memory = 0;
  std::array<Pool, 2> pools = {};
  std::atomic<std::uint64_t> used = 0; ///< of `memory`

  [[nodiscard]] bool is_gpu() const { return device >= 0; }
  /// Counts memory as used; false if there is not so much left.
  [[nodiscard]] bool take(std::uint64_t bytes);
  void give(std::uint64_t bytes) { used.fetch_sub(bytes); }
};

/// Made once; they live as long as the process.
class Agents {
public:
  [[nodiscard]] static Agents& instance();

  void create(const Settings& settings, const amdgcn::Processor& processor);

  [[nodiscard]] std::span<const std::unique_ptr<Agent>> all() const { return agents_; }
  [[nodiscard]] Agent& cpu() const { return *agents_.front(); }
  /// Null if it is none.
  [[nodiscard]] Agent* find(hsa_agent_t handle) const;
  [[nodiscard]] Agent* of_isa(hsa_isa_t isa) const;
  [[nodiscard]] const Pool* pool(std::uint64_t handle) const;
  /// The GPU of that ordinal.
  [[nodiscard]] Agent* of_device(std::int32_t device) const;

  Agents(const Agents&) = delete;
  Agents& operator=(const Agents&) = delete;

private:
  Agents() = default;
  std::vector<std::unique_ptr<Agent>> agents_; ///< the CPU is the first
};

} // namespace gantry::simt::hsa
