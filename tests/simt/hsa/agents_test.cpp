#include "hsa_test.h"

#include <array>

namespace simt_hsa_test {
namespace {

using AgentTest = HsaTest;

template <typename T>
T info(hsa_agent_t agent, int attribute) {
  // Longer than the answer, to see that nothing is written behind it.
  struct {
    T value = {};
    std::array<char, 32> guard = {};
  } answer;
  answer.guard.fill('x');
  EXPECT_EQ(HSA(hsa_agent_get_info)(agent, static_cast<hsa_agent_info_t>(attribute), &answer.value),
            kSuccess)
      << attribute;
  EXPECT_EQ(std::string(answer.guard.begin(), answer.guard.end()), std::string(32, 'x'))
      << attribute;
  return answer.value;
}

TEST_F(AgentTest, AnswersWhatRuntimesAsk) {
  EXPECT_EQ(info<hsa_device_type_t>(cpu, HSA_AGENT_INFO_DEVICE), HSA_DEVICE_TYPE_CPU);
  EXPECT_EQ(info<hsa_device_type_t>(gpu, HSA_AGENT_INFO_DEVICE), HSA_DEVICE_TYPE_GPU);
  EXPECT_EQ(info<std::uint32_t>(gpu, HSA_AGENT_INFO_FEATURE),
            std::uint32_t{HSA_AGENT_FEATURE_KERNEL_DISPATCH});
  EXPECT_EQ(info<std::uint32_t>(cpu, HSA_AGENT_INFO_FEATURE), 0u);
  using Text = std::array<char, 64>;
  EXPECT_STREQ(info<Text>(gpu, HSA_AGENT_INFO_NAME).data(), "gfx906");
  EXPECT_STREQ(info<Text>(gpu, HSA_AGENT_INFO_VENDOR_NAME).data(), "AMD");
  EXPECT_STREQ(info<Text>(gpu, HSA_AMD_AGENT_INFO_PRODUCT_NAME).data(), "Gantry executor (gfx906)");
  using Uuid = std::array<char, 21>;
  EXPECT_STREQ(info<Uuid>(gpu, HSA_AMD_AGENT_INFO_UUID).data(), "GPU-XX");
  EXPECT_EQ(info<std::uint32_t>(gpu, HSA_AGENT_INFO_QUEUE_TYPE),
            std::uint32_t{HSA_QUEUE_TYPE_MULTI});
  EXPECT_EQ(info<std::uint32_t>(gpu, HSA_AGENT_INFO_WAVEFRONT_SIZE), 64u);
  EXPECT_GE(info<std::uint32_t>(gpu, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT), 1u);
  EXPECT_EQ(info<std::uint32_t>(gpu, HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU), 40u);
  EXPECT_GE(info<std::uint32_t>(gpu, HSA_AGENT_INFO_QUEUE_MAX_SIZE), 512u);
  EXPECT_EQ((info<std::array<std::uint16_t, 3>>(gpu, HSA_AGENT_INFO_WORKGROUP_MAX_DIM)),
            (std::array<std::uint16_t, 3>{1024, 1024, 1024}));
  EXPECT_NE(info<hsa_dim3_t>(gpu, HSA_AGENT_INFO_GRID_MAX_DIM).x, 0u);
  EXPECT_NE(info<std::uint64_t>(gpu, 0xA016), 0u);
  EXPECT_EQ(info<std::uint32_t>(cpu, HSA_AGENT_INFO_NODE), 0u);
  EXPECT_EQ(info<std::uint32_t>(gpu, HSA_AGENT_INFO_NODE), 1u);
}

TEST_F(AgentTest, RefusesWhatIsNone) {
  std::uint64_t value[32] = {};
  EXPECT_EQ(HSA(hsa_agent_get_info)({0}, HSA_AGENT_INFO_NAME, value),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(HSA(hsa_agent_get_info)({device.handle}, HSA_AGENT_INFO_NAME, value),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(HSA(hsa_agent_get_info)(gpu, HSA_AGENT_INFO_NAME, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_agent_get_info)(gpu, static_cast<hsa_agent_info_t>(0xB000), value),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_iterate_agents)(nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_agent_iterate_isas)(gpu, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_isa_get_info_alt)({0}, HSA_ISA_INFO_NAME, value), HSA_STATUS_ERROR_INVALID_ISA);
  EXPECT_EQ(HSA(hsa_amd_memory_pool_get_info)({gpu.handle}, HSA_AMD_MEMORY_POOL_INFO_SIZE, value),
            static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL));
  EXPECT_EQ(HSA(hsa_region_get_info)({0}, HSA_REGION_INFO_SIZE, value),
            HSA_STATUS_ERROR_INVALID_REGION);
  EXPECT_EQ(HSA(hsa_amd_agent_iterate_memory_pools)({5}, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_AGENT);
}

TEST_F(AgentTest, ACallbackEndsATraversal) {
  int times = 0;
  const auto once = [](hsa_agent_t, void* data) {
    ++*static_cast<int*>(data);
    return HSA_STATUS_INFO_BREAK;
  };
  EXPECT_EQ(HSA(hsa_iterate_agents)(once, &times), HSA_STATUS_INFO_BREAK);
  EXPECT_EQ(times, 1);
}

TEST_F(AgentTest, NamesItsInstructionSet) {
  hsa_isa_t isa = {};
  const auto keep = [](hsa_isa_t found, void* data) {
    *static_cast<hsa_isa_t*>(data) = found;
    return HSA_STATUS_SUCCESS;
  };
  ASSERT_EQ(HSA(hsa_agent_iterate_isas)(gpu, keep, &isa), kSuccess);
  std::uint32_t length = 0;
  ASSERT_EQ(HSA(hsa_isa_get_info_alt)(isa, HSA_ISA_INFO_NAME_LENGTH, &length), kSuccess);
  std::string name(length, 'x');
  ASSERT_EQ(HSA(hsa_isa_get_info_alt)(isa, HSA_ISA_INFO_NAME, name.data()), kSuccess);
  EXPECT_EQ(name, std::string("amdgcn-amd-amdhsa--gfx906:sramecc-:xnack-") + '\0');
}

TEST_F(AgentTest, PoolsAndRegionsSayWhatTheyAre) {
  const auto flags = [](hsa_amd_memory_pool_t pool) {
    std::uint32_t answer = 0;
    EXPECT_EQ(
        HSA(hsa_amd_memory_pool_get_info)(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &answer),
        kSuccess);
    return answer;
  };
  EXPECT_EQ(flags(kernarg), 3u);
  EXPECT_EQ(flags(host), 4u);
  EXPECT_EQ(flags(device), 4u);
  hsa_amd_segment_t segment = HSA_AMD_SEGMENT_GLOBAL;
  EXPECT_EQ(HSA(hsa_amd_memory_pool_get_info)(group, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment),
            kSuccess);
  EXPECT_EQ(segment, HSA_AMD_SEGMENT_GROUP);
  std::size_t size = 0;
  EXPECT_EQ(HSA(hsa_amd_memory_pool_get_info)(group, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size),
            kSuccess);
  EXPECT_EQ(size, 65536u);
  hsa_amd_memory_pool_access_t access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  EXPECT_EQ(HSA(hsa_amd_agent_memory_pool_get_info)(gpu, kernarg,
                                                    HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access),
            kSuccess);
  EXPECT_NE(access, HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);

  // A kernarg and a coarse region, as GCC's runtime looks for them.
  std::vector<hsa_region_t> regions;
  const auto append = [](hsa_region_t region, void* list) {
    static_cast<std::vector<hsa_region_t>*>(list)->push_back(region);
    return HSA_STATUS_SUCCESS;
  };
  ASSERT_EQ(HSA(hsa_agent_iterate_regions)(gpu, append, &regions), kSuccess);
  std::vector<std::uint32_t> found;
  for (const hsa_region_t region : regions) {
    int kind = 0;
    std::uint32_t of = 0;
    ASSERT_EQ(HSA(hsa_region_get_info)(region, HSA_REGION_INFO_SEGMENT, &kind), kSuccess);
    ASSERT_EQ(HSA(hsa_region_get_info)(region, HSA_REGION_INFO_GLOBAL_FLAGS, &of), kSuccess);
    if (kind == HSA_REGION_SEGMENT_GLOBAL) {
      found.push_back(of);
    }
  }
  EXPECT_THAT(found, testing::ElementsAre(3u, 4u));
}

} // namespace
} // namespace simt_hsa_test
