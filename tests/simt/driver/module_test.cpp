#include "driver_test.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

class ModuleTest : public DriverTest {};

/// Loads with a log of errors; what it says is in `log`.
CUresult load_with_log(const void* image, std::string& log) {
  char buffer[2048] = "not written";
  CUjit_option options[] = {CU_JIT_WALL_TIME, CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {nullptr, buffer, reinterpret_cast<void*>(sizeof(buffer))};
  CUmodule module = nullptr;
  const CUresult result = cuda().cuModuleLoadDataEx(&module, image, 3, options, values);
  log = buffer;
  return result;
}

TEST_F(ModuleTest, FindsFunctions) {
  EXPECT_EQ(function("fill"), function("fill"));
  EXPECT_NE(function("fill"), function("add"));
  CUfunction none = nullptr;
  EXPECT_EQ(cuda().cuModuleGetFunction(&none, module_, "nothing"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuda().cuModuleGetFunction(&none, module_, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuModuleGetFunction(nullptr, module_, "fill"), CUDA_ERROR_INVALID_VALUE);
  unsigned count = 0;
  EXPECT_OK(cuda().cuModuleGetFunctionCount(&count, module_));
  ASSERT_EQ(count, 10U);
  std::vector<CUfunction> all(count);
  EXPECT_OK(cuda().cuModuleEnumerateFunctions(all.data(), count, module_));
  EXPECT_NE(std::ranges::find(all, function("trap")), all.end());
  const char* name = nullptr;
  EXPECT_OK(cuda().cuFuncGetName(&name, function("mixed")));
  EXPECT_STREQ(name, "mixed");
  CUmodule owner = nullptr;
  EXPECT_OK(cuda().cuFuncGetModule(&owner, function("mixed")));
  EXPECT_EQ(owner, module_);
}

TEST_F(ModuleTest, FindsVariables) {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  ASSERT_OK(cuda().cuModuleGetGlobal_v2(&address, &bytes, module_, "words"));
  EXPECT_EQ(bytes, 64U);
  EXPECT_EQ(words(address, 4), (std::vector<std::uint32_t>{1, 2, 3, 0}));
  CUdeviceptr base = 0;
  EXPECT_OK(cuda().cuMemGetAddressRange_v2(&base, &bytes, address + 20));
  if (cuda().is_simulated) { // NVIDIA's answer is the module's whole block
    EXPECT_EQ(base, address);
    EXPECT_EQ(bytes, 64U);
  }
  CUdeviceptr pointer = 0;
  EXPECT_OK(cuda().cuModuleGetGlobal_v2(&pointer, nullptr, module_, "pointer"));
  CUdeviceptr stored = 0;
  EXPECT_OK(cuda().cuMemcpyDtoH_v2(&stored, pointer, sizeof(stored)));
  EXPECT_EQ(stored, address);
  EXPECT_OK(cuda().cuModuleGetGlobal_v2(nullptr, &bytes, module_, "constant"));
  EXPECT_EQ(bytes, 16U);
  EXPECT_EQ(cuda().cuModuleGetGlobal_v2(&address, &bytes, module_, "nothing"),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuda().cuModuleGetGlobal_v2(nullptr, nullptr, module_, "words"),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ModuleTest, EachLoadHasItsOwnVariables) {
  CUmodule second = nullptr;
  ASSERT_OK(cuda().cuModuleLoadData(&second, kKernels));
  CUdeviceptr a = 0;
  CUdeviceptr b = 0;
  ASSERT_OK(cuda().cuModuleGetGlobal_v2(&a, nullptr, module_, "words"));
  ASSERT_OK(cuda().cuModuleGetGlobal_v2(&b, nullptr, second, "words"));
  EXPECT_NE(a, b);
  EXPECT_OK(cuda().cuMemsetD32_v2(b, 42, 16));
  EXPECT_EQ(words(a, 1)[0], 1U);
  EXPECT_OK(cuda().cuModuleUnload(second));
  EXPECT_EQ(cuda().cuMemsetD32_v2(b, 1, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ModuleTest, UnloadedOneIsRefused) {
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "NVIDIA's driver follows stale handles";
  }
  const CUfunction empty = function("empty");
  EXPECT_OK(cuda().cuModuleUnload(module_));
  EXPECT_EQ(cuda().cuModuleUnload(module_), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuda().cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuda().cuModuleUnload(reinterpret_cast<CUmodule>(0xDEADBEEF)),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuda().cuModuleUnload(reinterpret_cast<CUmodule>(context_)), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(ModuleTest, SyntaxErrorHasALine) {
  std::string log;
  EXPECT_EQ(load_with_log(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry f()\n{\n"
                          "  this is no instruction;\n}\n",
                          log),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(log.find("line 6"), std::string::npos) << log;
}

TEST_F(ModuleTest, NewerPtxIsUnsupported) {
  std::string log;
  EXPECT_EQ(load_with_log(".version 99.0\n.target sm_70\n.address_size 64\n", log),
            CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_NE(log.find("99.0"), std::string::npos) << log;
}

TEST_F(ModuleTest, MachineCodeIsNoBinaryForThisDevice) {
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "the image is only the first bytes of one";
  }
  std::string log;
  const char elf[16] = "\x7F"
                       "ELF\x02\x01\x01";
  EXPECT_EQ(load_with_log(elf, log), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(log.find("cubin"), std::string::npos) << log;
}

TEST_F(ModuleTest, OtherTextIsNoImage) {
  std::string log;
  EXPECT_NE(load_with_log("hello", log), CUDA_SUCCESS);
  EXPECT_NE(load_with_log("", log), CUDA_SUCCESS);
  CUmodule module = nullptr;
  EXPECT_EQ(cuda().cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ModuleTest, MissingExternIsNamed) {
  std::string log;
  EXPECT_NE(load_with_log(".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".extern .func nobody_has_this();\n"
                          ".visible .entry f()\n{\n  call nobody_has_this;\n  ret;\n}\n",
                          log),
            CUDA_SUCCESS);
  EXPECT_NE(log.find("nobody_has_this"), std::string::npos) << log;
}

TEST_F(ModuleTest, SmallLogsAreEnded) {
  char buffer[8];
  std::memset(buffer, 'x', sizeof(buffer));
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {buffer, reinterpret_cast<void*>(5)};
  CUmodule module = nullptr;
  EXPECT_NE(
      cuda().cuModuleLoadDataEx(&module, ".version 7.0\n.target sm_70\nfoo;\n", 2, options, values),
      CUDA_SUCCESS);
  EXPECT_LT(strnlen(buffer, sizeof(buffer)), 5U);
  EXPECT_EQ(buffer[5], 'x');
  EXPECT_EQ(cuda().cuModuleLoadDataEx(&module, kKernels, 1, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ModuleTest, LoadsFiles) {
  const std::string path = testing::TempDir() + "simt_driver_module.ptx";
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  std::fputs(kKernels, file);
  std::fclose(file);
  CUmodule module = nullptr;
  EXPECT_OK(cuda().cuModuleLoad(&module, path.c_str()));
  EXPECT_OK(cuda().cuModuleUnload(module));
  std::remove(path.c_str());
  EXPECT_EQ(cuda().cuModuleLoad(&module, path.c_str()), CUDA_ERROR_FILE_NOT_FOUND);
}

constexpr const char* kCaller = R"(.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) seven();
.extern .global .u32 shared_word;
.visible .entry call_it(.param .u64 out)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd;
  ld.param.u64 %rd, [out];
  {
    .param .b32 result;
    call (result), seven;
    ld.param.b32 %r0, [result];
  }
  ld.global.u32 %r1, [shared_word];
  add.u32 %r0, %r0, %r1;
  st.global.u32 [%rd], %r0;
  ret;
}
)";
constexpr const char* kCallee = R"(.version 7.0
.target sm_70
.address_size 64
.visible .global .u32 shared_word = 30;
.visible .func (.param .b32 r) seven()
{
  .reg .b32 %r;
  mov.u32 %r, 7;
  st.param.b32 [r], %r;
  ret;
}
)";

class LinkTest : public DriverTest {
protected:
  void SetUp() override {
    DriverTest::SetUp();
    ASSERT_OK(cuda().cuLinkCreate_v2(6, options_, values_, &state_));
  }
  CUresult add(const char* text, CUjitInputType type = CU_JIT_INPUT_PTX) {
    return cuda().cuLinkAddData_v2(state_, type, const_cast<char*>(text), std::strlen(text) + 1,
                                   nullptr, 0, nullptr, nullptr);
  }
  std::uint32_t run(CUmodule module) {
    CUfunction kernel = nullptr;
    EXPECT_OK(cuda().cuModuleGetFunction(&kernel, module, "call_it"));
    CUdeviceptr out = allocate(4);
    void* parameters[] = {&out};
    EXPECT_OK(cuda().cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    return words(out, 1)[0];
  }

  char info_[1024] = {};
  char errors_[1024] = {};
  // What GCC's runtime gives.
  CUjit_option options_[6] = {CU_JIT_WALL_TIME,
                              CU_JIT_INFO_LOG_BUFFER,
                              CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_LOG_VERBOSE};
  void* values_[6] = {nullptr,
                      info_,
                      reinterpret_cast<void*>(sizeof(info_)),
                      errors_,
                      reinterpret_cast<void*>(sizeof(errors_)),
                      reinterpret_cast<void*>(1)};
  CUlinkState state_ = nullptr;
};

TEST_F(LinkTest, LinksTexts) {
  EXPECT_OK(add(kCaller));
  EXPECT_OK(add(kCallee));
  void* image = nullptr;
  std::size_t size = 0;
  ASSERT_OK(cuda().cuLinkComplete(state_, &image, &size)) << errors_;
  EXPECT_GT(size, 0U);
  CUmodule module = nullptr;
  EXPECT_OK(cuda().cuModuleLoadData(&module, image));
  const std::vector<char> copy(static_cast<char*>(image), static_cast<char*>(image) + size);
  EXPECT_OK(cuda().cuLinkDestroy(state_));
  EXPECT_EQ(run(module), 37U);
  EXPECT_OK(cuda().cuModuleUnload(module));
  // The link is gone, and with it what the image could stand for.
  EXPECT_OK(cuda().cuModuleLoadData(&module, copy.data()));
  EXPECT_EQ(run(module), 37U);
}

TEST_F(LinkTest, MissingDefinitionIsNamed) {
  EXPECT_OK(add(kCaller));
  void* image = nullptr;
  std::size_t size = 0;
  EXPECT_NE(cuda().cuLinkComplete(state_, &image, &size), CUDA_SUCCESS);
  EXPECT_TRUE(std::string_view(errors_).find("seven") != std::string_view::npos ||
              std::string_view(errors_).find("shared_word") != std::string_view::npos)
      << errors_;
  EXPECT_OK(cuda().cuLinkDestroy(state_));
}

TEST_F(LinkTest, BadInputIsRefused) {
  EXPECT_EQ(add(".version 7.0\n.target sm_70\n.address_size 64\nnonsense;\n"),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_GT(std::strlen(errors_), 0U);
  EXPECT_NE(add(kCallee, CU_JIT_INPUT_CUBIN), CUDA_SUCCESS);
  EXPECT_NE(add(kCallee, static_cast<CUjitInputType>(55)), CUDA_SUCCESS);
  EXPECT_OK(cuda().cuLinkDestroy(state_));
  if (cuda().is_simulated) {
    EXPECT_EQ(cuda().cuLinkDestroy(state_), CUDA_ERROR_INVALID_HANDLE);
  }
}

class LibraryTest : public DriverTest {};

TEST_F(LibraryTest, GivesKernelsToContexts) {
  CUlibrary library = nullptr;
  ASSERT_OK(cuda().cuLibraryLoadData(&library, kKernels, nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned count = 0;
  EXPECT_OK(cuda().cuLibraryGetKernelCount(&count, library));
  EXPECT_EQ(count, 10U);
  CUkernel kernel = nullptr;
  ASSERT_OK(cuda().cuLibraryGetKernel(&kernel, library, "fill"));
  EXPECT_EQ(cuda().cuLibraryGetKernel(&kernel, library, "nothing"), CUDA_ERROR_NOT_FOUND);
  CUdeviceptr out = allocate(256);
  std::uint32_t value = 3;
  std::uint32_t n = 64;
  void* parameters[] = {&out, &value, &n};
  // A kernel may be launched as it is.
  EXPECT_OK(cuda().cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 64, 1, 1, 0,
                                  nullptr, parameters, nullptr));
  EXPECT_EQ(words(out, 64), std::vector<std::uint32_t>(64, 3));
  CUfunction function = nullptr;
  EXPECT_OK(cuda().cuKernelGetFunction(&function, kernel));
  value = 4;
  EXPECT_OK(cuda().cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(words(out, 1)[0], 4U);
  std::size_t offset = 99;
  std::size_t size = 0;
  EXPECT_OK(cuda().cuKernelGetParamInfo(kernel, 1, &offset, &size));
  EXPECT_EQ(offset, 8U);
  EXPECT_EQ(size, 4U);
  int threads = 0;
  EXPECT_OK(cuda().cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel,
                                        device_));
  EXPECT_EQ(threads, 1024);
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  EXPECT_OK(cuda().cuLibraryGetGlobal(&address, &bytes, library, "words"));
  EXPECT_EQ(bytes, 64U);
  EXPECT_OK(cuda().cuLibraryUnload(library));
  if (cuda().is_simulated) {
    EXPECT_EQ(cuda().cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuda().cuKernelGetFunction(&function, kernel), CUDA_ERROR_INVALID_HANDLE);
  }
}

TEST_F(LibraryTest, LibrariesHaveManagedVariables) {
  CUlibrary library = nullptr;
  ASSERT_OK(cuda().cuLibraryLoadData(
      &library,
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .global .attribute(.managed) .u32 shared_with_host[2] = {4, 5};\n"
      ".visible .global .u32 of_device;\n.visible .entry k() { ret; }\n",
      nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  EXPECT_OK(cuda().cuLibraryGetManaged(&address, &bytes, library, "shared_with_host"));
  EXPECT_EQ(bytes, 8U);
  EXPECT_EQ(reinterpret_cast<const std::uint32_t*>(address)[1], 5U);
  EXPECT_EQ(cuda().cuLibraryGetManaged(&address, &bytes, library, "of_device"),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuda().cuLibraryGetManaged(&address, &bytes, library, "absent"), CUDA_ERROR_NOT_FOUND);
  void* function = nullptr;
  EXPECT_EQ(cuda().cuLibraryGetUnifiedFunction(&function, library, "k"), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuLibraryGetUnifiedFunction(nullptr, library, "k"), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuLibraryUnload(library));
}

} // namespace
