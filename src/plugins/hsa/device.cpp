#include "plugins/hsa/device.h"

#include "plugins/hsa/entries.h"
#include "plugins/hsa/fault.h"
#include "plugins/hsa/functions.h"
#include "plugins/hsa/times.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace gantry::hsa {

namespace {

/// What is kept of memory that programs give back: 1 of so many bytes of the device's.
constexpr std::uint64_t kKeptPart = 16;

template <typename Value>
std::int32_t ask(hsa_agent_t agent, int what, Value& value) {
  GANTRY_HSA_TRY(hsa_agent_get_info, agent, static_cast<hsa_agent_info_t>(what), &value);
  return GANTRY_SUCCESS;
}

/// What a pool of memory is.
struct Pool {
  hsa_amd_memory_pool_t handle = {};
  hsa_amd_segment_t segment = HSA_AMD_SEGMENT_GLOBAL;
  std::uint32_t flags = 0; ///< of a global one
  std::uint64_t size = 0;
};

std::vector<Pool> pools_of(hsa_agent_t agent) {
  const Library& hsa = library();
  std::vector<Pool> pools;
  const auto iterate = [&](auto callback, void* data) {
    return hsa.hsa_amd_agent_iterate_memory_pools(agent, callback, data);
  };
  (void)for_each<hsa_amd_memory_pool_t>(iterate, [&](hsa_amd_memory_pool_t handle) {
    Pool pool{.handle = handle};
    (void)hsa.hsa_amd_memory_pool_get_info(handle, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &pool.segment);
    std::size_t size = 0;
    (void)hsa.hsa_amd_memory_pool_get_info(handle, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size);
    pool.size = size;
    if (pool.segment == HSA_AMD_SEGMENT_GLOBAL) {
      (void)hsa.hsa_amd_memory_pool_get_info(handle, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS,
                                             &pool.flags);
    }
    pools.push_back(pool);
  });
  return pools;
}

const Pool* find_global(const std::vector<Pool>& pools, std::uint32_t flag) {
  const auto found = std::ranges::find_if(pools, [&](const Pool& pool) {
    return pool.segment == HSA_AMD_SEGMENT_GLOBAL && (pool.flags & flag) != 0;
  });
  return found == pools.end() ? nullptr : &*found;
}

std::int32_t find_memory(Device& opened) {
  const std::vector<Pool> of_device = pools_of(opened.agent);
  const std::vector<Pool> of_host = pools_of(library().host);
  const Pool* const coarse = find_global(of_device, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
  const Pool* const arguments = find_global(of_host, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT);
  if (coarse == nullptr || arguments == nullptr) {
    return report(GANTRY_FAILURE, "the HSA runtime offers no memory of the {}",
                  coarse == nullptr ? "GPU" : "host for kernel arguments");
  }
  opened.total_memory = coarse->size;
  for (const Pool& pool : of_device) {
    if (pool.segment == HSA_AMD_SEGMENT_GROUP) {
      opened.group_memory = pool.size;
    }
  }
  DeviceMemory& source = opened.source;
  source.agent = opened.agent;
  source.of_device = coarse->handle;
  source.of_host = arguments->handle;
  for (const hsa_agent_t other : library().gpus) {
    hsa_amd_memory_pool_access_t access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
    const bool known = library().hsa_amd_agent_memory_pool_get_info(
                           other, coarse->handle, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access) ==
                       HSA_STATUS_SUCCESS;
    if (other.handle == opened.agent.handle ||
        (known && access != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED)) {
      source.readers.push_back(other);
    }
  }
  return GANTRY_SUCCESS;
}

/// The name of the agent's instruction set, the first if it has several.
std::string instruction_set_of(hsa_agent_t agent) {
  std::string name;
  const auto iterate = [&](auto callback, void* data) {
    return library().hsa_agent_iterate_isas(agent, callback, data);
  };
  (void)for_each<hsa_isa_t>(iterate, [&](hsa_isa_t isa) {
    std::uint32_t length = 0;
    if (!name.empty() || library().hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length) !=
                             HSA_STATUS_SUCCESS) {
      return;
    }
    std::string text(length, '\0');
    if (library().hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, text.data()) == HSA_STATUS_SUCCESS) {
      name = text.substr(0, text.find('\0'));
    }
  });
  return name;
}

std::int32_t describe(Device& opened) {
  // Not in the headers of older runtimes.
  constexpr int kTimestampFrequency = 0xA016;
  constexpr std::size_t kMostName = 64;
  const hsa_agent_t agent = opened.agent;
  opened.instruction_set = instruction_set_of(agent);
  opened.processor = processor_of_device(opened.instruction_set);
  if (opened.processor.name.empty()) {
    return report(GANTRY_FAILURE, "the HSA runtime does not say what processor the GPU has");
  }
  GANTRY_STATUS_TRY(ask(agent, HSA_AGENT_INFO_WAVEFRONT_SIZE, opened.wave_size));
  GANTRY_STATUS_TRY(ask(agent, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, opened.compute_units));
  GANTRY_STATUS_TRY(ask(agent, HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU, opened.waves_per_unit));
  std::uint16_t block[3] = {};
  GANTRY_STATUS_TRY(ask(agent, HSA_AGENT_INFO_WORKGROUP_MAX_DIM, block));
  hsa_dim3_t grid = {};
  GANTRY_STATUS_TRY(ask(agent, HSA_AGENT_INFO_GRID_MAX_DIM, grid));
  opened.max_block_size = block[0];
  opened.max_grid_size = grid.x;
  if (ask(agent, kTimestampFrequency, opened.clock_frequency) != GANTRY_SUCCESS ||
      opened.clock_frequency == 0) {
    opened.clock_frequency = library().timestamp_frequency;
  }
  bool accessible = false;
  if (library().hsa_system_get_info(
          static_cast<hsa_system_info_t>(HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT),
          &accessible) == HSA_STATUS_SUCCESS) {
    opened.host_accessible = accessible;
  }
  char product[kMostName + 1] = {};
  (void)ask(agent, HSA_AMD_AGENT_INFO_PRODUCT_NAME, product);
  opened.description =
      fmt::format("{}{}{}, {} compute units, {:.1f} GiB", text_of(opened.processor),
                  *product == '\0' ? "" : ", ", product, opened.compute_units,
                  static_cast<double>(opened.total_memory) / (1 << 30));
  return GANTRY_SUCCESS;
}

std::int32_t open(Device& opened, std::size_t index) {
  opened.agent = library().gpus[index];
  GANTRY_STATUS_TRY(find_memory(opened));
  GANTRY_STATUS_TRY(describe(opened));
  opened.memory.keep(opened.total_memory / kKeptPart);
  return GANTRY_SUCCESS;
}

} // namespace

std::int32_t DeviceMemory::allocate(std::uint64_t size, gpu::DeviceAddress& address) {
  void* memory = nullptr;
  const hsa_status_t status = library().hsa_amd_memory_pool_allocate(of_device, size, 0, &memory);
  if (status == HSA_STATUS_ERROR_OUT_OF_RESOURCES ||
      status == HSA_STATUS_ERROR_INVALID_ALLOCATION) {
    return report(GANTRY_OUT_OF_MEMORY, "hsa_amd_memory_pool_allocate: {}", text_of(status));
  }
  GANTRY_STATUS_TRY(check(status, "hsa_amd_memory_pool_allocate"));
  if (readers.size() > 1) {
    (void)library().hsa_amd_agents_allow_access(static_cast<std::uint32_t>(readers.size()),
                                                readers.data(), nullptr, memory);
  }
  address = reinterpret_cast<gpu::DeviceAddress>(memory);
  return GANTRY_SUCCESS;
}

std::int32_t DeviceMemory::free(gpu::DeviceAddress address) {
  GANTRY_HSA_TRY(hsa_amd_memory_pool_free, pointer_to(address));
  return GANTRY_SUCCESS;
}

std::int32_t DeviceMemory::allocate_at(std::uint64_t size, gpu::DeviceAddress address) {
  const hsa_status_t status = library().allocate_at(of_device, pointer_to(address), size);
  return status == HSA_STATUS_ERROR_OUT_OF_RESOURCES ? std::int32_t{GANTRY_OUT_OF_MEMORY}
                                                     : check(status, "gantry_simt_hsa_allocate_at");
}

void DeviceMemory::set_freed(gpu::DeviceAddress address, std::uint64_t size, bool freed) {
  if (library().set_freed != nullptr) {
    library().set_freed(pointer_to(address), size, freed ? 1 : 0);
  }
}

std::int32_t DeviceMemory::allocate_pinned(std::size_t size, void*& memory) {
  GANTRY_HSA_TRY(hsa_amd_memory_pool_allocate, of_host, size, 0, &memory);
  const std::int32_t code = check(library().hsa_amd_agents_allow_access(1, &agent, nullptr, memory),
                                  "hsa_amd_agents_allow_access");
  if (code != GANTRY_SUCCESS) {
    (void)library().hsa_amd_memory_pool_free(memory);
  }
  return code;
}

std::int32_t DeviceMemory::free_pinned(void* memory) {
  GANTRY_HSA_TRY(hsa_amd_memory_pool_free, memory);
  return GANTRY_SUCCESS;
}

std::int32_t usable(const Device& device) {
  if (is_forked()) [[unlikely]] {
    return report(GANTRY_FAILURE, "the HSA runtime cannot be used: {}", plugins::kForked);
  }
  return device.loss.has_happened() ? device.loss.refusal() : std::int32_t{GANTRY_SUCCESS};
}

std::int32_t write(Device& device, void* to, const void* from, std::size_t size) {
  return entries::copy_to_device(&device, to, from, size);
}

std::int32_t read(Device& device, void* to, const void* from, std::size_t size) {
  return entries::copy_to_host(&device, to, from, size);
}

namespace entries {

gantry_status count_devices(std::int32_t* count) noexcept {
  *count = 0;
  if (!library().problem.empty()) {
    return set_error(GANTRY_NOT_FOUND, library().problem);
  }
  if (is_forked()) {
    return report(GANTRY_NOT_FOUND, "the HSA runtime cannot be used: {}", plugins::kForked);
  }
  *count = static_cast<std::int32_t>(library().gpus.size());
  return *count > 0
             ? gantry_status{GANTRY_SUCCESS}
             : set_error(GANTRY_NOT_FOUND, "the HSA runtime shows no GPU (ROCR_VISIBLE_DEVICES may "
                                           "hide them)");
}

gantry_status open_device(std::int32_t index, const gantry_device_settings* settings,
                          gantry_device** device) noexcept {
  auto wanted = read_device_options(settings->options);
  if (!wanted) {
    return report(GANTRY_INVALID_OPTION, "{}", wanted.error());
  }
  std::int32_t count = 0;
  if (count_devices(&count) != GANTRY_SUCCESS) {
    return set_error(GANTRY_FAILURE, std::string(plugins::last_error()));
  }
  if (index < 0 || index >= count) {
    return report(GANTRY_INVALID_OPTION, "there {} {} of these devices{}",
                  count == 1 ? "is only" : "are only", count,
                  library().set_freed != nullptr ? "; GANTRY_SIMT_DEVICES says how many there are"
                                                 : "");
  }
  auto opened = std::make_unique<Device>();
  opened->openmp_number = settings->openmp_number;
  opened->options = *std::move(wanted);
  GANTRY_STATUS_TRY(open(*opened, static_cast<std::size_t>(index)));
  opened->thread_queues = std::make_shared<gpu::ThreadQueues>(
      opened.get(), gpu::ThreadQueues::Functions{create_queue, destroy_queue});
  watch_faults(*opened);
  *device = opened.release();
  return GANTRY_SUCCESS;
}

gantry_status close_device(gantry_device* device) noexcept {
  watch_no_more(*device);
  if (is_forked()) {
    // Left alone: its locks may be held by threads that are not here.
    return report(GANTRY_FAILURE, "the HSA runtime cannot be used: {}", plugins::kForked);
  }
  const std::unique_ptr<Device> closed(device);
  gantry_status status = closed->thread_queues->close();
  keep_failure(status, free_functions(*closed));
  keep_failure(status, closed->hardware.destroy());
  closed->output.print(closed->loss.has_happened() ? DeviceOutput::State::kLost
                                                   : DeviceOutput::State::kDone);
  keep_failure(status, closed->output.free());
  keep_failure(status, closed->memory.free_all());
  keep_failure(status, closed->pinned.free_kept());
  if (!closed->loss.has_happened()) {
    keep_failure(status, closed->signals.free_kept());
  }
  return status;
}

gantry_status get_properties(gantry_device* device, gantry_device_properties* properties) noexcept {
  const std::uint32_t host = device->host_accessible ? GANTRY_CAPABILITY_HOST_ACCESSIBLE : 0U;
  const std::uint32_t of_executor =
      library().allocate_at != nullptr
          ? GANTRY_CAPABILITY_CHOSEN_ADDRESS | GANTRY_CAPABILITY_CHECKED_MEMORY
          : 0U;
  plugins::fill_in(properties, {.size = 0,
                                .capabilities = GANTRY_CAPABILITY_QUEUES |
                                                GANTRY_CAPABILITY_DIRECT | host | of_executor,
                                .description = device->description.c_str(),
                                .clock = library().has_times ? QueueTimes::kClock : nullptr});
  return GANTRY_SUCCESS;
}

gantry_status use_host_memory(gantry_device* device) noexcept {
  if (device->host_accessible) {
    return GANTRY_SUCCESS;
  }
  if (library().use_host_memory == nullptr) {
    return report(GANTRY_FAILURE,
                  "the GPU cannot access pageable host memory (some can, with HSA_XNACK=1)");
  }
  GANTRY_HSA_TRY(use_host_memory, device->agent);
  device->host_accessible = true;
  return GANTRY_SUCCESS;
}

} // namespace entries
} // namespace gantry::hsa
