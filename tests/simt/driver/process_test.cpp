// Before the driver is initialised, after the process has been forked, while it ends. Each test is
// a process of its own. By their name they run before the others, whose memory forking would copy.
#include "driver_test.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

class ProcessDeathTest : public testing::Test {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

#define REQUIRE(condition)                                                                         \
  if (!(condition)) {                                                                              \
    std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                           \
    std::_Exit(1);                                                                                 \
  }

/// Blocks of `width` × `height` threads, which may still run afterwards.
void launch_something(unsigned width = 32, unsigned height = 1) {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  REQUIRE(cuda().cuInit(0) == CUDA_SUCCESS);
  REQUIRE(cuda().cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS);
  REQUIRE(cuda().cuModuleLoadData(&module, kKernels) == CUDA_SUCCESS);
  REQUIRE(cuda().cuModuleGetFunction(&function, module, "empty") == CUDA_SUCCESS);
  CUstream stream = nullptr;
  REQUIRE(cuda().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  for (int i = 0; i < 10; ++i) {
    REQUIRE(cuda().cuLaunchKernel(function, 10, 1, 1, width, height, 1, 0, stream, nullptr,
                                  nullptr) == CUDA_SUCCESS);
  }
}

TEST_F(ProcessDeathTest, NothingWorksBeforeInit) {
  EXPECT_EXIT(
      {
        int count = 0;
        REQUIRE(cuda().cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
        CUcontext context = nullptr;
        REQUIRE(cuda().cuCtxGetCurrent(&context) == CUDA_ERROR_NOT_INITIALIZED);
        CUdeviceptr address = 0;
        REQUIRE(cuda().cuMemAlloc_v2(&address, 16) == CUDA_ERROR_NOT_INITIALIZED);
        const char* text = nullptr;
        REQUIRE(cuda().cuGetErrorString(CUDA_SUCCESS, &text) == CUDA_SUCCESS);
        REQUIRE(cuda().cuDriverGetVersion(&count) == CUDA_SUCCESS);
        REQUIRE(cuda().cuInit(1) == CUDA_ERROR_INVALID_VALUE);
        REQUIRE(cuda().cuInit(0) == CUDA_SUCCESS);
        REQUIRE(cuda().cuInit(0) == CUDA_SUCCESS);
        REQUIRE(cuda().cuDeviceGetCount(&count) == CUDA_SUCCESS);
        REQUIRE(cuda().cuMemAlloc_v2(&address, 16) == CUDA_ERROR_INVALID_CONTEXT);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(ProcessDeathTest, ForkedChildIsRefused) {
  EXPECT_EXIT(
      {
        launch_something();
        const pid_t child = fork();
        if (child == 0) {
          REQUIRE(cuda().cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED);
          REQUIRE(cuda().cuInit(0) == CUDA_ERROR_NOT_INITIALIZED);
          std::exit(7);
        }
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        REQUIRE(cuda().cuCtxSynchronize() == CUDA_SUCCESS);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(ProcessDeathTest, EndsWithWorkUnderWay) {
  EXPECT_EXIT(
      {
        launch_something();
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
}

TEST_F(ProcessDeathTest, ExitHandlersMayCall) {
  EXPECT_EXIT(
      {
        launch_something();
        std::atexit([] {
          CUcontext context = nullptr;
          REQUIRE(cuda().cuCtxGetCurrent(&context) == CUDA_SUCCESS);
          CUmodule module = nullptr;
          CUfunction function = nullptr;
          REQUIRE(cuda().cuModuleLoadData(&module, kKernels) == CUDA_SUCCESS);
          REQUIRE(cuda().cuModuleGetFunction(&function, module, "empty") == CUDA_SUCCESS);
          REQUIRE(cuda().cuLaunchKernel(function, 10, 1, 1, 32, 1, 1, 0, nullptr, nullptr,
                                        nullptr) == CUDA_SUCCESS);
          REQUIRE(cuda().cuCtxSynchronize() == CUDA_SUCCESS);
          CUdeviceptr address = 0;
          REQUIRE(cuda().cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
          REQUIRE(cuda().cuMemFree_v2(address) == CUDA_SUCCESS);
          REQUIRE(cuda().cuCtxDestroy_v2(context) == CUDA_SUCCESS);
        });
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

// The compiler, which is opened when it is needed, ends before what the program registered earlier.
TEST_F(ProcessDeathTest, LastExitHandlersMayLaunchWhatHasBeenLoaded) {
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "it is about the simulated driver's compiler";
  }
  EXPECT_EXIT(
      {
        setenv("GANTRY_SIMT_CACHE", "off", 1);
        static CUfunction loaded = nullptr;
        static CUfunction other = nullptr;
        std::atexit([] {
          CUdeviceptr out = 0;
          std::uint32_t value = 0;
          std::uint32_t count = 0;
          void* parameters[] = {&out, &value, &count};
          REQUIRE(cuda().cuLaunchKernel(loaded, 10, 1, 1, 32, 1, 1, 0, nullptr, parameters,
                                        nullptr) == CUDA_SUCCESS);
          REQUIRE(cuda().cuCtxSynchronize() == CUDA_SUCCESS);
          REQUIRE(cuda().cuLaunchKernel(other, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters,
                                        nullptr) == CUDA_ERROR_DEINITIALIZED);
        });
        launch_something();
        CUmodule module = nullptr;
        REQUIRE(cuda().cuModuleLoadData(&module, kKernels) == CUDA_SUCCESS);
        REQUIRE(cuda().cuModuleGetFunction(&loaded, module, "fill") == CUDA_SUCCESS);
        REQUIRE(cuda().cuModuleGetFunction(&other, module, "add") == CUDA_SUCCESS);
        REQUIRE(cuda().cuFuncLoad(loaded) == CUDA_SUCCESS);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

// Of a first launch, which is for rows of 16 threads, nothing is compiled for other blocks.
TEST_F(ProcessDeathTest, AFirstLaunchCompilesForItsBlocksOnly) {
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "it counts files in the simulated driver's cache";
  }
  const char* const mode = std::getenv("GANTRY_SIMT_MODE");
  if (mode != nullptr && std::string_view(mode) == "interpret") {
    GTEST_SKIP() << "it is about machine code";
  }
  EXPECT_EXIT(
      {
        std::string folder = std::filesystem::temp_directory_path() / "launch-XXXXXX";
        REQUIRE(mkdtemp(folder.data()) != nullptr);
        setenv("GANTRY_SIMT_CACHE", folder.c_str(), 1);
        launch_something(16, 16);
        REQUIRE(cuda().cuCtxSynchronize() == CUDA_SUCCESS);
        const std::filesystem::recursive_directory_iterator all(folder);
        const auto files = std::count_if(begin(all), end(all),
                                         [](const auto& entry) { return entry.is_regular_file(); });
        std::filesystem::remove_all(folder);
        REQUIRE(files == 1);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(ProcessDeathTest, ThreadsMayEndWithoutCleaningUp) {
  EXPECT_EXIT(
      {
        std::thread([] { launch_something(); }).join();
        // Its calls may be refused from some moment on.
        std::thread([] {
          CUcontext context = nullptr;
          CUstream stream = nullptr;
          cuda().cuCtxCreate_v2(&context, 0, 0);
          while (cuda().cuStreamCreate(&stream, 0) == CUDA_SUCCESS) {
            cuda().cuMemsetD8Async(0, 0, 0, stream);
            cuda().cuStreamSynchronize(stream);
            cuda().cuStreamDestroy_v2(stream);
          }
        }).detach();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(ProcessDeathTest, BadSettingIsToldByInit) {
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "it is a setting of the simulated driver";
  }
  EXPECT_EXIT(
      {
        setenv("GANTRY_SIMT_MODE", "backwards", 1);
        std::exit(cuda().cuInit(0) == CUDA_ERROR_INVALID_VALUE ? 0 : 1);
      },
      testing::ExitedWithCode(0), "gantry: error: .*GANTRY_SIMT_MODE.*'backwards'");
}

TEST_F(ProcessDeathTest, WhatIsNotOfferedIsSaid) {
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "it is a setting of the simulated driver";
  }
  EXPECT_EXIT(
      {
        setenv("GANTRY_INFO", "simt", 1);
        REQUIRE(cuda().cuInit(0) == CUDA_SUCCESS);
        // Entry points that are not offered do not look at their arguments.
        const auto create = reinterpret_cast<CUresult (*)()>(cuda().find("cuArrayDestroy"));
        REQUIRE(create != nullptr);
        std::exit(create() == CUDA_ERROR_NOT_SUPPORTED ? 0 : 1);
      },
      testing::ExitedWithCode(0), "simt: cuArrayDestroy is not offered");
}

} // namespace
