#include "hsa_test.h"

#include <array>
#include <numeric>
#include <sys/mman.h>

namespace simt_hsa_test {
namespace {

class MemoryTest : public HsaTest {
protected:
  static hsa_amd_pointer_info_t info(const void* pointer) {
    hsa_amd_pointer_info_t answer = {};
    answer.size = sizeof answer;
    EXPECT_EQ(HSA(hsa_amd_pointer_info)(pointer, &answer, nullptr, nullptr, nullptr), kSuccess);
    return answer;
  }
};

TEST_F(MemoryTest, IsAllocatedInPools) {
  for (const hsa_amd_memory_pool_t pool : {kernarg, host, device}) {
    auto* const made = static_cast<char*>(memory(1000, pool));
    ASSERT_NE(made, nullptr);
    std::memset(made, 1, 1000);
    EXPECT_EQ(HSA(hsa_amd_agents_allow_access)(1, &gpu, nullptr, made), kSuccess);
    const auto answer = info(made + 999);
    EXPECT_EQ(answer.type, HSA_EXT_POINTER_TYPE_HSA);
    EXPECT_EQ(answer.agentBaseAddress, made);
    EXPECT_EQ(answer.sizeInBytes, 1000u);
    EXPECT_EQ(answer.agentOwner.handle, pool.handle == device.handle ? gpu.handle : cpu.handle);
    EXPECT_EQ(HSA(hsa_amd_memory_pool_free)(made), kSuccess);
    EXPECT_EQ(info(made).type, HSA_EXT_POINTER_TYPE_UNKNOWN);
    EXPECT_EQ(HSA(hsa_amd_memory_pool_free)(made), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  }
}

TEST_F(MemoryTest, RefusesWhatIsWrong) {
  void* made = nullptr;
  EXPECT_EQ(HSA(hsa_amd_memory_pool_allocate)(device, 0, 0, &made),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_amd_memory_pool_allocate)(device, 8, 1, &made),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_amd_memory_pool_allocate)(device, 8, 0, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_amd_memory_pool_allocate)({1}, 8, 0, &made),
            static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL));
  EXPECT_EQ(HSA(hsa_amd_memory_pool_allocate)(group, 8, 0, &made),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(HSA(hsa_amd_memory_pool_allocate)(device, SIZE_MAX, 0, &made),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(HSA(hsa_memory_allocate)({1}, 8, &made), HSA_STATUS_ERROR_INVALID_REGION);
  EXPECT_EQ(HSA(hsa_amd_memory_pool_free)(&made), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(HSA(hsa_memory_free)(nullptr), kSuccess);
  auto* const some = static_cast<char*>(memory(64, host));
  EXPECT_EQ(HSA(hsa_amd_memory_pool_free)(some + 8), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(HSA(hsa_amd_agents_allow_access)(0, nullptr, nullptr, some),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const hsa_agent_t none = {1};
  EXPECT_EQ(HSA(hsa_amd_agents_allow_access)(1, &none, nullptr, some),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(HSA(hsa_amd_agents_allow_access)(1, &gpu, nullptr, &made),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_memory_assign_agent)(some, gpu, HSA_ACCESS_PERMISSION_RW), kSuccess);
  EXPECT_EQ(HSA(hsa_memory_assign_agent)(some, none, HSA_ACCESS_PERMISSION_RW),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(HSA(hsa_memory_assign_agent)(some, gpu, static_cast<hsa_access_permission_t>(9)),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(MemoryTest, AGpuHasSoMuch) {
  std::size_t size = 0;
  ASSERT_EQ(HSA(hsa_amd_memory_pool_get_info)(device, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size),
            kSuccess);
  void* most = nullptr;
  void* more = nullptr;
  ASSERT_EQ(HSA(hsa_amd_memory_pool_allocate)(device, size - 4096, 0, &most), kSuccess);
  EXPECT_EQ(HSA(hsa_amd_memory_pool_allocate)(device, 8192, 0, &more),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(HSA(hsa_amd_memory_pool_free)(most), kSuccess);
  EXPECT_EQ(HSA(hsa_amd_memory_pool_allocate)(device, 8192, 0, &more), kSuccess);
}

TEST_F(MemoryTest, OfTheProgramIsLocked) {
  std::vector<char> own(10000);
  void* agent = nullptr;
  EXPECT_EQ(info(own.data()).type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  ASSERT_EQ(HSA(hsa_amd_memory_lock)(own.data(), own.size(), &gpu, 1, &agent), kSuccess);
  EXPECT_EQ(agent, own.data());
  const auto answer = info(own.data() + 5000);
  EXPECT_EQ(answer.type, HSA_EXT_POINTER_TYPE_LOCKED);
  EXPECT_EQ(answer.hostBaseAddress, own.data());
  EXPECT_EQ(answer.sizeInBytes, own.size());
  // Twice, and a part of it.
  ASSERT_EQ(HSA(hsa_amd_memory_lock)(own.data(), own.size(), nullptr, 0, &agent), kSuccess);
  ASSERT_EQ(HSA(hsa_amd_memory_lock)(own.data() + 100, 50, nullptr, 0, &agent), kSuccess);
  EXPECT_EQ(HSA(hsa_amd_memory_unlock)(own.data()), kSuccess);
  EXPECT_EQ(HSA(hsa_amd_memory_unlock)(own.data()), kSuccess);
  EXPECT_EQ(info(own.data()).type, HSA_EXT_POINTER_TYPE_LOCKED);
  EXPECT_EQ(HSA(hsa_amd_memory_unlock)(own.data() + 100), kSuccess);
  EXPECT_EQ(info(own.data()).type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  EXPECT_EQ(HSA(hsa_amd_memory_unlock)(own.data()), HSA_STATUS_ERROR_INVALID_ARGUMENT);

  EXPECT_EQ(HSA(hsa_amd_memory_lock)(nullptr, 8, nullptr, 0, &agent),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_amd_memory_lock)(own.data(), 0, nullptr, 0, &agent),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_amd_memory_lock)(own.data(), 8, nullptr, 1, &agent),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_amd_memory_lock)(reinterpret_cast<void*>(64), 8, nullptr, 0, &agent),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(MemoryTest, PointersAreDescribedInTheCallersStructure) {
  void* const made = memory(64, device);
  struct {
    hsa_amd_pointer_info_t info = {};
    std::uint64_t more = 7;
  } answer;
  answer.info.size = 32; // type, both bases, and the size
  answer.info.global_flags = 99;
  ASSERT_EQ(HSA(hsa_amd_pointer_info)(made, &answer.info, nullptr, nullptr, nullptr), kSuccess);
  EXPECT_EQ(answer.info.size, 32u);
  EXPECT_EQ(answer.info.sizeInBytes, 64u);
  EXPECT_EQ(answer.info.global_flags, 99u);
  answer.info.size = sizeof answer; // of a later version
  ASSERT_EQ(HSA(hsa_amd_pointer_info)(made, &answer.info, nullptr, nullptr, nullptr), kSuccess);
  EXPECT_EQ(answer.info.size, sizeof answer.info);
  EXPECT_EQ(answer.more, 7u);
  answer.info.size = 4;
  EXPECT_EQ(HSA(hsa_amd_pointer_info)(made, &answer.info, nullptr, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_amd_pointer_info)(made, nullptr, nullptr, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);

  std::uint32_t count = 0;
  hsa_agent_t* accessible = nullptr;
  answer.info.size = sizeof answer.info;
  ASSERT_EQ(HSA(hsa_amd_pointer_info)(made, &answer.info, std::malloc, &count, &accessible),
            kSuccess);
  EXPECT_EQ(count, gpus.size() + 1);
  ASSERT_NE(accessible, nullptr);
  EXPECT_EQ(accessible[0].handle, cpu.handle);
  std::free(accessible);
}

TEST_F(MemoryTest, IsCopiedAndFilled) {
  auto* const on_gpu = static_cast<std::uint32_t*>(memory(400, device));
  std::array<std::uint32_t, 100> numbers = {};
  std::iota(numbers.begin(), numbers.end(), 1);
  EXPECT_EQ(HSA(hsa_memory_copy)(on_gpu, numbers.data(), sizeof numbers), kSuccess);
  EXPECT_EQ(on_gpu[99], 100u);
  EXPECT_EQ(HSA(hsa_amd_memory_fill)(on_gpu, 0xabcd, 50), kSuccess);
  EXPECT_EQ(on_gpu[49], 0xabcdu);
  EXPECT_EQ(on_gpu[50], 51u);
  EXPECT_EQ(HSA(hsa_memory_copy)(nullptr, on_gpu, 4), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_memory_copy)(on_gpu, numbers.data(), 0), kSuccess);
  EXPECT_EQ(HSA(hsa_memory_copy)(on_gpu, numbers.data(), 404), HSA_STATUS_ERROR_INVALID_ARGUMENT)
      << "more than was allocated";
  EXPECT_EQ(HSA(hsa_memory_copy)(on_gpu, reinterpret_cast<void*>(16), 4),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_amd_memory_fill)(on_gpu, 1, 101), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(HSA(hsa_amd_memory_fill)(on_gpu, 1, SIZE_MAX), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_amd_memory_fill)(reinterpret_cast<char*>(on_gpu) + 1, 1, 1),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_amd_memory_fill)(numbers.data(), 1, 1), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  void* const read_only = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_EQ(HSA(hsa_memory_copy)(read_only, on_gpu, 4), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  munmap(read_only, 4096);
}

// Debian's headers are older than these.
using Reserve = hsa_status_t (*)(void**, std::size_t, std::uint64_t, std::uint64_t);
using Range = hsa_status_t (*)(void*, std::size_t);
using Create = hsa_status_t (*)(hsa_amd_memory_pool_t, std::size_t, int, std::uint64_t,
                                std::uint64_t*);
using Release = hsa_status_t (*)(std::uint64_t);
using Map = hsa_status_t (*)(void*, std::size_t, std::size_t, std::uint64_t, std::uint64_t);
struct Access {
  int permissions;
  hsa_agent_t agent;
};
using SetAccess = hsa_status_t (*)(void*, std::size_t, const Access*, std::size_t);

template <typename Function>
Function vmem(const char* name) {
  return reinterpret_cast<Function>(symbol(("hsa_amd_vmem_" + std::string(name)).c_str()));
}

TEST_F(MemoryTest, IsMappedByTheProgram) {
  constexpr std::size_t kBytes = 64 << 10;
  void* address = nullptr;
  std::uint64_t handle = 0;
  ASSERT_EQ(vmem<Reserve>("address_reserve")(&address, 2 * kBytes, 0, 0), kSuccess);
  ASSERT_EQ(vmem<Create>("handle_create")(device, kBytes, 0, 0, &handle), kSuccess);
  auto* const first = static_cast<std::uint64_t*>(address);
  auto* const second = first + kBytes / 8;
  ASSERT_EQ(vmem<Map>("map")(first, kBytes, 0, handle, 0), kSuccess);
  ASSERT_EQ(vmem<Map>("map")(second, kBytes, 0, handle, 0), kSuccess);
  std::uint64_t number = 5;
  EXPECT_EQ(HSA(hsa_memory_copy)(first, &number, sizeof number), HSA_STATUS_ERROR_INVALID_ARGUMENT)
      << "before access is given";
  const Access access = {HSA_ACCESS_PERMISSION_RW, gpu};
  for (void* const place : {first, second}) {
    ASSERT_EQ(vmem<SetAccess>("set_access")(place, kBytes, &access, 1), kSuccess);
  }
  EXPECT_EQ(HSA(hsa_memory_copy)(first, &number, sizeof number), kSuccess);
  EXPECT_EQ(*second, 5u) << "the same memory";

  EXPECT_EQ(vmem<Map>("map")(first, kBytes, 0, handle, 0), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(vmem<Map>("map")(first, 2 * kBytes, 0, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(vmem<Map>("map")(&number, kBytes, 0, 1, 0), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(vmem<Create>("handle_create")(device, 100, 0, 0, &handle),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(vmem<Range>("address_free")(address, 2 * kBytes), HSA_STATUS_ERROR_RESOURCE_FREE);
  EXPECT_EQ(vmem<Release>("handle_release")(handle), kSuccess);
  EXPECT_EQ(vmem<Release>("handle_release")(handle), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(*second, 5u) << "still mapped";
  EXPECT_EQ(vmem<Range>("unmap")(first, kBytes), kSuccess);
  EXPECT_EQ(vmem<Range>("unmap")(first, kBytes), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(vmem<Range>("unmap")(second, kBytes), kSuccess);
  EXPECT_EQ(vmem<Range>("address_free")(address, kBytes), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(vmem<Range>("address_free")(address, 2 * kBytes), kSuccess);
}

} // namespace
} // namespace simt_hsa_test
