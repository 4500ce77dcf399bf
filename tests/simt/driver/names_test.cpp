#include "driver_test.h"

#include <string>
#include <string_view>

namespace {

TEST(ErrorTest, HaveNamesAndTexts) {
  const char* text = nullptr;
  EXPECT_OK(cuda().cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_OK(cuda().cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  EXPECT_STREQ(text, "an illegal memory access was encountered");
  EXPECT_OK(cuda().cuGetErrorString(CUDA_SUCCESS, &text));
  EXPECT_STREQ(text, "no error");
  EXPECT_EQ(cuda().cuGetErrorName(static_cast<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
  if (cuda().is_simulated) { // NVIDIA's driver writes there
    EXPECT_EQ(cuda().cuGetErrorString(CUDA_SUCCESS, nullptr), CUDA_ERROR_INVALID_VALUE);
  }
}

void* address(const char* name, int version, std::uint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT) {
  void* function = nullptr;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  EXPECT_OK(cuda().cuGetProcAddress_v2(name, &function, version, flags, &status)) << name;
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SUCCESS) << name;
  return function;
}

class ProcAddressTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_OK(cuda().cuInit(0));
    if (!cuda().is_simulated) {
      GTEST_SKIP() << "the addresses of NVIDIA's driver are not those of its exports";
    }
  }
};

TEST_F(ProcAddressTest, GivesTheVersionAskedFor) {
  EXPECT_EQ(address("cuCtxCreate", 3020), cuda().find("cuCtxCreate_v2"));
  EXPECT_EQ(address("cuCtxCreate", 11000), cuda().find("cuCtxCreate_v2"));
  EXPECT_EQ(address("cuCtxCreate", 11040), cuda().find("cuCtxCreate_v3"));
  EXPECT_EQ(address("cuCtxCreate", 13000), cuda().find("cuCtxCreate_v4"));
  EXPECT_EQ(address("cuEventElapsedTime", 2000), cuda().find("cuEventElapsedTime"));
  EXPECT_EQ(address("cuEventElapsedTime", 12080), cuda().find("cuEventElapsedTime_v2"));
  EXPECT_EQ(address("cuMemPrefetchAsync", 8000), cuda().find("cuMemPrefetchAsync"));
  EXPECT_EQ(address("cuMemPrefetchAsync", 12020), cuda().find("cuMemPrefetchAsync_v2"));
  EXPECT_EQ(address("cuGetProcAddress", 12000), cuda().find("cuGetProcAddress_v2"));
}

TEST_F(ProcAddressTest, GivesThreadsTheirStream) {
  const std::uint64_t flag = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  EXPECT_EQ(address("cuLaunchKernel", 12000, flag), cuda().find("cuLaunchKernel_ptsz"));
  EXPECT_EQ(address("cuMemcpyHtoD", 12000, flag), cuda().find("cuMemcpyHtoD_v2_ptds"));
  EXPECT_EQ(address("cuMemAlloc", 12000, flag), cuda().find("cuMemAlloc_v2"));
}

TEST_F(ProcAddressTest, SaysWhyNot) {
  void* function = &function;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
  EXPECT_EQ(cuda().cuGetProcAddress_v2("cuNothing", &function, 12000, 0, &status),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(cuda().cuGetProcAddress_v2("cuLaunchKernelEx", &function, 11000, 0, &status),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(cuda().cuGetProcAddress("", &function, 12000, 0), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuda().cuGetProcAddress("cuInit", nullptr, 12000, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGetProcAddress(nullptr, &function, 12000, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ProcAddressTest, FindsAllOfTheTable) {
  const auto check = [](std::string_view exported) {
    std::string name(exported);
    const std::size_t suffix = name.rfind("_v");
    if (suffix != std::string::npos) {
      name.resize(suffix);
    }
    EXPECT_NE(address(name.c_str(), CUDA_VERSION), nullptr);
  };
#define GANTRY_CUDA_CHECK(result, name, parameters) check(#name);
  GANTRY_CUDA_ENTRIES(GANTRY_CUDA_CHECK)
#undef GANTRY_CUDA_CHECK
}

TEST_F(ProcAddressTest, PlainNamesAreExportedToo) {
  for (const char* const name :
       {"cuCtxCreate", "cuCtxDestroy", "cuEventDestroy", "cuLinkAddData", "cuLinkCreate",
        "cuMemAlloc", "cuMemFree", "cuStreamDestroy", "cuModuleGetGlobal", "cuMemcpyHtoD",
        "cuMemGetInfo", "cuDevicePrimaryCtxRelease", "cuMemcpy2D"}) {
    EXPECT_NE(cuda().find(name), nullptr) << name;
  }
}

TEST_F(ProcAddressTest, PrivateTablesAreNotThere) {
  const void* table = &table;
  CUuuid id = {};
  EXPECT_EQ(cuda().cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(table, nullptr);
}

} // namespace
