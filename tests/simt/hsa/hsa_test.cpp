#include "hsa_test.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace simt_hsa_test {

void* symbol(const char* name) {
  static void* const library = [] {
    const char* const chosen = std::getenv("SIMT_TEST_HSA");
    void* const opened = dlopen(chosen != nullptr ? chosen : SIMT_TEST_DEFAULT_HSA, RTLD_NOW);
    if (opened == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::exit(1);
    }
    return opened;
  }();
  void* const found = dlsym(library, name);
  if (found == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  return found;
}

std::string code_object(const std::string& name) {
  std::ifstream stream(std::string(SIMT_TEST_CODE_OBJECTS) + "/" + name, std::ios::binary);
  std::string contents{std::istreambuf_iterator(stream), {}};
  EXPECT_FALSE(contents.empty()) << name;
  return contents;
}

namespace {

template <typename Handle>
hsa_status_t append(Handle handle, void* list) {
  static_cast<std::vector<Handle>*>(list)->push_back(handle);
  return HSA_STATUS_SUCCESS;
}

} // namespace

void HsaTest::SetUp() {
  ASSERT_EQ(HSA(hsa_init)(), kSuccess);
  std::vector<hsa_agent_t> agents;
  ASSERT_EQ(HSA(hsa_iterate_agents)(append<hsa_agent_t>, &agents), kSuccess);
  ASSERT_GE(agents.size(), 2u);
  cpu = agents.front();
  gpus.assign(agents.begin() + 1, agents.end());
  gpu = gpus.front();
  std::vector<hsa_amd_memory_pool_t> pools;
  for (const hsa_agent_t agent : {cpu, gpu}) {
    ASSERT_EQ(HSA(hsa_amd_agent_iterate_memory_pools)(agent, append<hsa_amd_memory_pool_t>, &pools),
              kSuccess);
  }
  ASSERT_EQ(pools.size(), 4u);
  kernarg = pools[0];
  host = pools[1];
  device = pools[2];
  group = pools[3];
}

void HsaTest::TearDown() {
  EXPECT_EQ(HSA(hsa_shut_down)(), kSuccess);
}

hsa_signal_t HsaTest::signal(std::int64_t value) const {
  hsa_signal_t made = {};
  EXPECT_EQ(HSA(hsa_signal_create)(value, 0, nullptr, &made), kSuccess);
  return made;
}

std::int64_t HsaTest::value(hsa_signal_t signal) {
  return HSA(hsa_signal_load_scacquire)(signal);
}

std::int64_t HsaTest::wait(hsa_signal_t signal, hsa_signal_condition_t condition,
                           std::int64_t compared) {
  return HSA(hsa_signal_wait_scacquire)(signal, condition, compared, 10'000'000'000,
                                        HSA_WAIT_STATE_BLOCKED);
}

void* HsaTest::memory(std::size_t bytes, hsa_amd_memory_pool_t pool) const {
  void* made = nullptr;
  EXPECT_EQ(HSA(hsa_amd_memory_pool_allocate)(pool, bytes, 0, &made), kSuccess);
  return made;
}

void KernelTest::SetUp() {
  HsaTest::SetUp();
  bytes = code_object("gfx906_v6.hsaco");
  hsa_code_object_reader_t reader = {};
  ASSERT_EQ(HSA(hsa_code_object_reader_create_from_memory)(bytes.data(), bytes.size(), &reader),
            kSuccess);
  ASSERT_EQ(HSA(hsa_executable_create_alt)(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO,
                                           "", &executable),
            kSuccess);
  for (const hsa_agent_t agent : gpus) {
    ASSERT_EQ(
        HSA(hsa_executable_load_agent_code_object)(executable, agent, reader, nullptr, nullptr),
        kSuccess);
  }
  ASSERT_EQ(HSA(hsa_executable_freeze)(executable, ""), kSuccess);
  ASSERT_EQ(HSA(hsa_code_object_reader_destroy)(reader), kSuccess);
  hsa_executable_symbol_t first = {};
  ASSERT_EQ(HSA(hsa_executable_get_symbol_by_name)(executable, "first.kd", &gpu, &first), kSuccess);
  ASSERT_EQ(
      HSA(hsa_executable_symbol_get_info)(first, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel),
      kSuccess);
  ASSERT_NE(kernel, 0u);
}

hsa_queue_t* KernelTest::queue(Told* told, std::uint32_t size) const {
  hsa_queue_t* made = nullptr;
  const auto callback = [](hsa_status_t status, hsa_queue_t* source, void* data) {
    if (auto* const of = static_cast<Told*>(data)) {
      of->status = status;
      of->queue = source;
      ++of->times;
    }
  };
  EXPECT_EQ(HSA(hsa_queue_create)(gpu, size, HSA_QUEUE_TYPE_MULTI, callback, told, UINT32_MAX,
                                  UINT32_MAX, &made),
            kSuccess);
  return made;
}

void KernelTest::submit(hsa_queue_t* queue, void* packet, hsa_packet_type_t type,
                        std::uint64_t index) {
  const auto header =
      static_cast<std::uint16_t>(type << HSA_PACKET_HEADER_TYPE |
                                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
  std::atomic_ref(*static_cast<std::uint16_t*>(packet)).store(header, std::memory_order_release);
  HSA(hsa_signal_store_screlease)(queue->doorbell_signal, static_cast<std::int64_t>(index));
}

hsa_signal_t KernelTest::dispatch(hsa_queue_t* queue, const Command& command) const {
  std::uint64_t index = 0;
  auto* const packet = next_packet<hsa_kernel_dispatch_packet_t>(queue, index);
  auto* const argument = memory<Command>();
  *argument = command;
  packet->setup = 1;
  packet->workgroup_size_x = packet->workgroup_size_y = packet->workgroup_size_z = 1;
  packet->grid_size_x = packet->grid_size_y = packet->grid_size_z = 1;
  packet->kernel_object = kernel;
  packet->kernarg_address = argument;
  packet->completion_signal = signal(1);
  const hsa_signal_t completion = packet->completion_signal;
  submit(queue, packet, HSA_PACKET_TYPE_KERNEL_DISPATCH, index);
  return completion;
}

hsa_signal_t KernelTest::barrier(hsa_queue_t* queue, hsa_packet_type_t type,
                                 const std::vector<hsa_signal_t>& signals) const {
  std::uint64_t index = 0;
  auto* const packet = next_packet<hsa_barrier_and_packet_t>(queue, index);
  std::copy(signals.begin(), signals.end(), packet->dep_signal);
  packet->completion_signal = signal(1);
  const hsa_signal_t completion = packet->completion_signal;
  submit(queue, packet, type, index);
  return completion;
}

std::uint64_t KernelTest::address(const char* name) const {
  hsa_executable_symbol_t symbol = {};
  EXPECT_EQ(HSA(hsa_executable_get_symbol_by_name)(executable, name, &gpu, &symbol), kSuccess);
  std::uint64_t found = 0;
  EXPECT_EQ(HSA(hsa_executable_symbol_get_info)(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS,
                                                &found),
            kSuccess);
  return found;
}

} // namespace simt_hsa_test
