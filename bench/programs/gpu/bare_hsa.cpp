// AMD's HSA runtime, libhsa-runtime64.so.1, or what GPU_TABLE_DRIVER names.
#include "bare_device.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include <dlfcn.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

namespace {

#define CALLS(X)                                                                                   \
  X(hsa_init)                                                                                      \
  X(hsa_iterate_agents)                                                                            \
  X(hsa_agent_get_info)                                                                            \
  X(hsa_amd_agent_iterate_memory_pools)                                                            \
  X(hsa_amd_memory_pool_get_info)                                                                  \
  X(hsa_amd_memory_pool_allocate)                                                                  \
  X(hsa_amd_agents_allow_access)                                                                   \
  X(hsa_memory_copy)                                                                               \
  X(hsa_queue_create)                                                                              \
  X(hsa_queue_add_write_index_relaxed)                                                             \
  X(hsa_signal_create)                                                                             \
  X(hsa_signal_store_relaxed)                                                                      \
  X(hsa_signal_store_screlease)                                                                    \
  X(hsa_signal_wait_scacquire)                                                                     \
  X(hsa_code_object_reader_create_from_memory)                                                     \
  X(hsa_executable_create_alt)                                                                     \
  X(hsa_executable_load_agent_code_object)                                                         \
  X(hsa_executable_freeze)                                                                         \
  X(hsa_executable_get_symbol_by_name)                                                             \
  X(hsa_executable_symbol_get_info)                                                                \
  X(hsa_status_string)

struct Runtime {
#define POINTER(name) decltype(&::name) name;
  CALLS(POINTER)
};

Runtime open_runtime() {
  const char* const path = std::getenv("GPU_TABLE_DRIVER");
  void* const library = dlopen(path != nullptr ? path : "libhsa-runtime64.so.1", RTLD_NOW);
  if (library == nullptr) {
    fail(dlerror());
  }
  Runtime runtime = {};
#define LOOK_UP(name)                                                                              \
  runtime.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name));                       \
  if (runtime.name == nullptr) {                                                                   \
    fail("the HSA runtime has no " #name);                                                         \
  }
  CALLS(LOOK_UP)
  return runtime;
}

struct Kernel {
  std::uint64_t object = 0;
  std::uint32_t group_bytes = 0, private_bytes = 0;
};

class HsaDevice final : public BareDevice {
public:
  HsaDevice(int count, char** files) : runtime_(open_runtime()) {
    check(runtime_.hsa_init());
    check(runtime_.hsa_iterate_agents(note_agent, this));
    if (gpu_.handle == 0 || cpu_.handle == 0) {
      fail("the HSA runtime has no GPU");
    }
    check(runtime_.hsa_amd_agent_iterate_memory_pools(cpu_, note_pool, this));
    arguments_ = pinned(kArgumentBytes);
    check(runtime_.hsa_queue_create(gpu_, kPackets, HSA_QUEUE_TYPE_SINGLE, nullptr, nullptr,
                                    UINT32_MAX, UINT32_MAX, &queue_));
    check(runtime_.hsa_signal_create(0, 0, nullptr, &done_));
    load(count, files);
  }

  void launch_empty() override { launch(empty_, 1); }
  void multiply(double* c, const double* a, const double* b, long n) override {
    struct Arguments {
      double* c;
      const double *a, *b;
      long n;
    };
    static_assert(sizeof(Arguments) <= kArgumentBytes);
    const Arguments arguments = {c, a, b, n};
    std::memcpy(arguments_, &arguments, sizeof arguments);
    launch(multiply_, blocks(n));
  }
  void copy_to(void* device, const void* host, std::size_t size) override {
    check(runtime_.hsa_memory_copy(device, host, size));
  }
  void copy_from(void* host, const void* device, std::size_t size) override {
    check(runtime_.hsa_memory_copy(host, device, size));
  }
  void copy_inside(void* to, const void* from, std::size_t size) override {
    check(runtime_.hsa_memory_copy(to, from, size));
  }
  void* pinned(std::size_t size) override {
    void* memory = nullptr;
    check(runtime_.hsa_amd_memory_pool_allocate(host_pool_, size, 0, &memory));
    check(runtime_.hsa_amd_agents_allow_access(1, &gpu_, nullptr, memory));
    return memory;
  }

private:
  static constexpr std::size_t kArgumentBytes = 64;
  static constexpr std::uint32_t kPackets = 64;

  void check(hsa_status_t status) const {
    if (status != HSA_STATUS_SUCCESS) {
      const char* text = nullptr;
      runtime_.hsa_status_string(status, &text);
      fail(text != nullptr ? text : "the HSA runtime says an error without a name");
    }
  }

  static hsa_status_t note_agent(hsa_agent_t agent, void* data) {
    auto* const self = static_cast<HsaDevice*>(data);
    hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;
    self->check(self->runtime_.hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    hsa_agent_t& first = type == HSA_DEVICE_TYPE_GPU ? self->gpu_ : self->cpu_;
    if (first.handle == 0) {
      first = agent;
    }
    return HSA_STATUS_SUCCESS;
  }
  /// The host's pool that has arguments of kernels.
  static hsa_status_t note_pool(hsa_amd_memory_pool_t pool, void* data) {
    auto* const self = static_cast<HsaDevice*>(data);
    std::uint32_t flags = 0;
    self->check(self->runtime_.hsa_amd_memory_pool_get_info(
        pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
    if (self->host_pool_.handle == 0 ||
        (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) != 0) {
      self->host_pool_ = pool;
    }
    return HSA_STATUS_SUCCESS;
  }

  void load(int count, char** files) {
    for (int i = 0; i < count; ++i) {
      std::ifstream file(files[i], std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(file)), {});
      hsa_code_object_reader_t reader = {};
      check(
          runtime_.hsa_code_object_reader_create_from_memory(bytes.data(), bytes.size(), &reader));
      hsa_executable_t executable = {};
      check(runtime_.hsa_executable_create_alt(
          HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &executable));
      if (runtime_.hsa_executable_load_agent_code_object(executable, gpu_, reader, nullptr,
                                                         nullptr) != HSA_STATUS_SUCCESS) {
        continue; // of another architecture
      }
      check(runtime_.hsa_executable_freeze(executable, nullptr));
      empty_ = kernel(executable, "empty.kd");
      multiply_ = kernel(executable, "multiply.kd");
      return;
    }
    fail("the bare kernels are not compiled for this GPU");
  }

  Kernel kernel(hsa_executable_t executable, const char* name) {
    hsa_executable_symbol_t symbol = {};
    check(runtime_.hsa_executable_get_symbol_by_name(executable, name, &gpu_, &symbol));
    Kernel made;
    const auto get = [&](hsa_executable_symbol_info_t what, void* to) {
      check(runtime_.hsa_executable_symbol_get_info(symbol, what, to));
    };
    get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &made.object);
    get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &made.group_bytes);
    get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &made.private_bytes);
    return made;
  }

  void launch(const Kernel& kernel, std::uint32_t groups) {
    runtime_.hsa_signal_store_relaxed(done_, 1);
    const std::uint64_t index = runtime_.hsa_queue_add_write_index_relaxed(queue_, 1);
    auto* const packet = static_cast<hsa_kernel_dispatch_packet_t*>(queue_->base_address) +
                         (index & (queue_->size - 1));
    packet->setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
    packet->workgroup_size_x = kThreads;
    packet->workgroup_size_y = packet->workgroup_size_z = 1;
    packet->grid_size_x = kThreads * groups;
    packet->grid_size_y = packet->grid_size_z = 1;
    packet->private_segment_size = kernel.private_bytes;
    packet->group_segment_size = kernel.group_bytes;
    packet->kernel_object = kernel.object;
    packet->kernarg_address = arguments_;
    packet->completion_signal = done_;
    constexpr unsigned kHeader = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    __atomic_store_n(&packet->header, static_cast<std::uint16_t>(kHeader), __ATOMIC_RELEASE);
    runtime_.hsa_signal_store_screlease(queue_->doorbell_signal,
                                        static_cast<hsa_signal_value_t>(index));
    while (runtime_.hsa_signal_wait_scacquire(done_, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                                              HSA_WAIT_STATE_ACTIVE) >= 1) {
    }
  }

  Runtime runtime_;
  hsa_agent_t gpu_ = {}, cpu_ = {};
  hsa_amd_memory_pool_t host_pool_ = {};
  void* arguments_ = nullptr;
  hsa_queue_t* queue_ = nullptr;
  hsa_signal_t done_ = {};
  Kernel empty_, multiply_;
};

} // namespace

std::unique_ptr<BareDevice> BareDevice::open(int count, char** files) {
  return std::make_unique<HsaDevice>(count, files);
}
