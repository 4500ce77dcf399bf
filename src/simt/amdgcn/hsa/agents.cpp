#include "simt/amdgcn/hsa/agents.h"

#include "simt/amdgcn/exec/executor.h"
#include "simt/amdgcn/hsa/handles.h"
#include "simt/host/thread_pool.h"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

namespace gantry::simt::hsa {

std::uint32_t Pool::global_flags() const {
  switch (kind) {
  case PoolKind::kKernarg:
    return HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT |
           HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
  case PoolKind::kHost:
  case PoolKind::kDevice:
    return HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
  case PoolKind::kGroup:
    return 0;
  }
  return 0;
}

std::uint64_t Pool::size() const {
  return kind == PoolKind::kGroup ? amdgcn::kMostGroupBytes : owner->memory;
}

bool Agent::take(std::uint64_t bytes) {
  std::uint64_t now = used.load();
  do {
    if (bytes > memory - std::min(now, memory)) {
      return false;
    }
  } while (!used.compare_exchange_weak(now, now + bytes));
  return true;
}

Agents& Agents::instance() {
  static auto* const agents = new Agents;
  return *agents;
}

void Agents::create(const Settings& settings, const amdgcn::Processor& processor) {
  const unsigned threads = settings.threads != 0 ? settings.threads : ThreadPool::cores();
  const auto add = [&](std::int32_t device, PoolKind first, PoolKind second) -> Agent& {
    Agent& agent = *agents_.emplace_back(std::make_unique<Agent>());
    agent.handle = {new_handle()};
    agent.device = device;
    agent.pools = {Pool{new_handle(), first, &agent}, Pool{new_handle(), second, &agent}};
    return agent;
  };
  Agent& host = add(-1, PoolKind::kKernarg, PoolKind::kHost);
  host.name = "CPU";
  host.product = "Host of the Gantry executor";
  host.compute_units = ThreadPool::cores();
  host.memory = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  for (unsigned i = 0; i < settings.devices; ++i) {
    Agent& gpu = add(static_cast<std::int32_t>(i), PoolKind::kDevice, PoolKind::kGroup);
    gpu.isa = {new_handle()};
    gpu.processor = &processor;
    gpu.name = processor.name;
    gpu.product = fmt::format("Gantry executor ({})", processor.name);
    gpu.compute_units = settings.multiprocessors != 0 ? settings.multiprocessors : threads;
    gpu.memory = settings.memory;
  }
}

Agent* Agents::find(hsa_agent_t handle) const {
  const auto found = std::ranges::find_if(
      agents_, [&](const auto& agent) { return agent->handle.handle == handle.handle; });
  return found == agents_.end() ? nullptr : found->get();
}

Agent* Agents::of_isa(hsa_isa_t isa) const {
  const auto found = std::ranges::find_if(agents_, [&](const auto& agent) {
    return agent->is_gpu() && agent->isa.handle == isa.handle;
  });
  return found == agents_.end() ? nullptr : found->get();
}

const Pool* Agents::pool(std::uint64_t handle) const {
  for (const auto& agent : agents_) {
    for (const Pool& pool : agent->pools) {
      if (pool.handle == handle) {
        return &pool;
      }
    }
  }
  return nullptr;
}

Agent* Agents::of_device(std::int32_t device) const {
  const auto index = static_cast<std::size_t>(device) + 1;
  return device >= 0 && index < agents_.size() ? agents_[index].get() : nullptr;
}

} // namespace gantry::simt::hsa
