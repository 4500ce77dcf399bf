// Programs that cannot be loaded and launches that cannot be made: the error of each, and what the
// log says. None of them harms the context.
#include "../kernels/cuda.h"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::simt::testing {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kHeader = ".version 7.8\n.target sm_80\n.address_size 64\n";

Driver& driver() {
  static Driver shared;
  return shared;
}

struct Load {
  CUresult result = CUDA_SUCCESS;
  std::string log;
};

/// Loads an image with a log for errors.
Load load(const std::string& image) {
  std::array<char, 2048> log = {};
  log.fill('#');
  std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER,
                                         CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size())};
  CUmodule module = nullptr;
  Load outcome;
  outcome.result = driver().entries().cuModuleLoadDataEx(
      &module, image.c_str(), static_cast<unsigned>(options.size()), options.data(), values.data());
  outcome.log = log.data();
  if (module != nullptr) {
    driver().entries().cuModuleUnload(module);
  }
  // The size is updated to what was written.
  EXPECT_EQ(outcome.log.size(), reinterpret_cast<std::size_t>(values[1]));
  return outcome;
}

Load load_body(const std::string& body) {
  return load(std::string(kHeader) + ".visible .entry kernel()\n{\n" + body + "\nret;\n}\n");
}

TEST(Refusals, GoodPtxHasNoLog) {
  const Load outcome = load_body("");
  EXPECT_EQ(outcome.result, CUDA_SUCCESS);
  EXPECT_THAT(outcome.log, IsEmpty());
}

TEST(Refusals, ASyntaxErrorIsNamedWithItsLine) {
  const Load outcome = load_body(".reg .b32 %r<3>;\nadd.u32 %r1, %r2 7;");
  EXPECT_EQ(outcome.result, CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(outcome.log, AllOf(HasSubstr("ptxas"), HasSubstr("line 7"), HasSubstr("error")));
}

TEST(Refusals, TooManyBytesOfParametersAreNamed) {
  const auto kernel = [](const char* bytes) {
    return std::string(kHeader) +
           ".visible .entry kernel(.param .u32 first, .param .align 8 .b8 p[" + bytes +
           "])\n{\nret;\n}\n";
  };
  EXPECT_EQ(load(kernel("32756")).result, CUDA_SUCCESS);
  const Load outcome = load(kernel("32757"));
  EXPECT_EQ(outcome.result, CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(outcome.log, AllOf(HasSubstr("line 4"), HasSubstr("32765 bytes"),
                                 HasSubstr("32764 bytes"), HasSubstr("'kernel'")));
}

TEST(Refusals, AnUnknownNameIsNamed) {
  const Load outcome = load_body(".reg .b32 %r<3>;\nmov.u32 %r1, nowhere;");
  EXPECT_EQ(outcome.result, CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(outcome.log, AllOf(HasSubstr("line 7"), HasSubstr("nowhere")));
}

TEST(Refusals, AnUnclosedFunctionIsNamed) {
  const Load outcome = load(std::string(kHeader) + ".visible .entry kernel()\n{\nret;\n");
  EXPECT_EQ(outcome.result, CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(outcome.log, HasSubstr("error"));
}

TEST(Refusals, ANewerVersionIsNamed) {
  const Load outcome = load(".version 99.1\n.target sm_80\n.address_size 64\n");
  EXPECT_EQ(outcome.result, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_THAT(outcome.log, HasSubstr("99.1"));
}

TEST(Refusals, ANewerTargetIsNamed) {
  const Load outcome = load(".version 8.8\n.target sm_121\n.address_size 64\n");
  EXPECT_EQ(outcome.result, CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_THAT(outcome.log, HasSubstr("sm_121"));
}

TEST(Refusals, AMissingFunctionIsNamed) {
  const Load outcome = load(std::string(kHeader) + ".extern .func absent();\n"
                                                   ".visible .entry kernel()\n{\n"
                                                   "call absent;\nret;\n}\n");
  EXPECT_EQ(outcome.result, CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(outcome.log, HasSubstr("absent"));
}

TEST(Refusals, AMissingVariableIsNamed) {
  const Load outcome = load(std::string(kHeader) + ".extern .global .u32 elsewhere;\n"
                                                   ".visible .entry kernel()\n{\n.reg .b32 %r<2>;\n"
                                                   "ld.global.u32 %r1, [elsewhere];\nret;\n}\n");
  EXPECT_EQ(outcome.result, CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(outcome.log, HasSubstr("elsewhere"));
}

TEST(Refusals, MachineCodeAndOtherThingsAreNoPtx) {
  EXPECT_EQ(load("\x7F"
                 "ELF and so on")
                .result,
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  const Load nothing = load("no program at all");
  EXPECT_THAT(nothing.result, ::testing::AnyOf(CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_INVALID_PTX));
  EXPECT_THAT(nothing.log, Not(IsEmpty()));
  EXPECT_NE(load("").result, CUDA_SUCCESS);
}

/// What a launch of the function `odd` says, in a module with one that is as good as any.
std::string refusal_of(const std::string& odd) {
  Module module(driver(), std::string(kHeader) + odd + "\n.visible .entry good()\n{\nret;\n}\n");
  std::uint64_t argument = 0;
  std::array<void*, 1> arguments = {&argument};
  const auto launch = [&](const char* kernel) {
    const CUresult result = driver().entries().cuLaunchKernel(
        module.kernel(kernel).function(), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments.data(), nullptr);
    const CUresult ended = driver().entries().cuCtxSynchronize();
    return result != CUDA_SUCCESS ? result : ended;
  };
  EXPECT_EQ(launch("good"), CUDA_SUCCESS) << odd;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(launch("odd"), CUDA_ERROR_INVALID_PTX) << odd;
  return ::testing::internal::GetCapturedStderr();
}

TEST(Refusals, WhatIsNotKnownOfAFunctionIsAnErrorOfItsLaunch) {
  const std::pair<const char*, const char*> cases[] = {
      {".visible .entry odd()\n{\n.reg .b32 %r<3>;\nmov.b32 {%r1, {%r2, %r1}}, 5;\nret;\n}",
       "line 7:1; error   : Feature 'mov.b32 {%r1, {%r2, %r1}}, 5' not supported in function "
       "'odd'"},
      {".visible .entry odd()\n{\n.reg .b64 %r<3>;\nld.b64 %r1, [%r2, {%r1, 0}];\nret;\n}",
       "line 7:1; error   : Feature 'ld.b64 %r1, [%r2, {%r1, 0}]' not supported in function 'odd'"},
      {".visible .entry odd()\n{\n.novelty 1, abc;\nret;\n}",
       "line 6:1; error   : Feature '.novelty' not supported in function 'odd'"},
      {".visible .entry odd()\n{\n.reg .novel %x, %y<2>;\nmov.b64 %x, %y1;\nret;\n}",
       "line 6:6; error   : Feature '.novel' not supported in function 'odd'"},
      {".visible .entry odd() .novelty 1, 2\n{\nret;\n}",
       "line 4:23; error   : Feature '.novelty' not supported in function 'odd'"},
      {".visible .entry odd(.param .texref t)\n{\nret;\n}",
       "line 4:28; error   : Feature '.texref' not supported in function 'odd'"},
      {".func inner()\n{\n.novelty x;\nret;\n}\n"
       ".visible .entry odd()\n{\ncall inner;\nret;\n}",
       "line 6:1; error   : Feature '.novelty' not supported in function 'inner'"},
      {".func inner(.param .b32 a, .param .b64 b) { ret; }\n"
       ".visible .entry odd()\n{\n.param .b32 x;\ncall inner, (x, x);\nret;\n}",
       "line 8:1; error   : Type of argument does not match formal parameter 'b' of 'inner' in "
       "function 'odd'"},
      {".func (.param .align 8 .b8 r[8]) inner() { ret; }\n"
       ".visible .entry odd()\n{\n.param .b64 x;\ncall (x), inner;\nret;\n}",
       "line 8:1; error   : Type of argument does not match formal parameter 'r' of 'inner' in "
       "function 'odd'"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(refusal_of(text), HasSubstr(message));
  }
}

TEST(Refusals, WhatIsNotKnownOfAModuleIsNamedWithItsLine) {
  const std::string function = ".visible .entry kernel()\n{\nret;\n}\n";
  const Load type = load(std::string(kHeader) + ".global .texref t;\n" + function);
  EXPECT_EQ(type.result, CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(type.log, AllOf(HasSubstr("line 4"), HasSubstr(".texref")));
  const Load directive = load(std::string(kHeader) + function + ".novelty 5;\n");
  EXPECT_EQ(directive.result, CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(directive.log, AllOf(HasSubstr("line 8"), HasSubstr(".novelty")));
}

TEST(Refusals, AShortLogIsCutAndEnds) {
  std::array<char, 16> log = {};
  log.fill('#');
  std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER,
                                         CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // The last bytes are behind the buffer, as far as the driver knows.
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(8)};
  CUmodule module = nullptr;
  EXPECT_NE(driver().entries().cuModuleLoadDataEx(&module, "bad", 2, options.data(), values.data()),
            CUDA_SUCCESS);
  EXPECT_EQ(log[7], '\0');
  EXPECT_EQ(log[8], '#');
}

TEST(Refusals, AbsentImagesAndKernels) {
  CUmodule module = nullptr;
  EXPECT_EQ(driver().entries().cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().entries().cuModuleLoad(&module, "/nonexistent.ptx"),
            CUDA_ERROR_FILE_NOT_FOUND);
  Module good(driver(), std::string(kHeader) + ".visible .entry kernel()\n{\nret;\n}\n");
  EXPECT_THROW(
      try {
        [[maybe_unused]] const Kernel other = good.kernel("other");
      } catch (const CudaError& error) {
        EXPECT_EQ(error.code, CUDA_ERROR_NOT_FOUND);
        throw;
      },
      CudaError);
}

/// A kernel with two parameters of 12 bytes, one of at most 128 threads, and one with exactly 32.
class Launches : public ::testing::Test {
protected:
  CUresult launch(const char* kernel, Dimensions grid, Dimensions block, unsigned shared,
                  void** arguments, void** extra) {
    const Driver::Entries& entries = driver().entries();
    const CUresult result =
        entries.cuLaunchKernel(module_.kernel(kernel).function(), grid.x, grid.y, grid.z, block.x,
                               block.y, block.z, shared, nullptr, arguments, extra);
    const CUresult ended = entries.cuCtxSynchronize();
    return result != CUDA_SUCCESS ? result : ended;
  }
  CUresult launch(const char* kernel, Dimensions grid, Dimensions block, unsigned shared = 0) {
    return launch(kernel, grid, block, shared, nullptr, nullptr);
  }

  void TearDown() override {
    EXPECT_EQ(launch("plain", {1}, {32}), CUDA_SUCCESS) << "an argument's error harms nothing";
  }

  Module module_{driver(), std::string(kHeader) +
                               ".visible .entry plain()\n{\nret;\n}\n"
                               ".visible .entry small() .maxntid 128\n{\nret;\n}\n"
                               ".visible .entry fixed() .reqntid 32, 1, 1\n{\nret;\n}\n"
                               ".visible .entry cluster() .reqnctapercluster 2\n{\nret;\n}\n"
                               ".visible .entry explicit_one() .explicitcluster\n{\nret;\n}\n"
                               ".visible .entry at_most_four() .reqnctapercluster 8 "
                               ".maxclusterrank 4\n{\nret;\n}\n"
                               ".visible .entry grids_of_clusters() .reqnctapercluster 2 "
                               ".blocksareclusters\n{\nret;\n}\n"
                               ".visible .entry alone() .reqnctapercluster 1, 1\n{\nret;\n}\n"
                               ".visible .entry shared()\n{\n.shared .b8 bytes[40000];\nret;\n}\n"
                               ".visible .entry two(.param .u64 a, .param .u32 b)\n{\n"
                               ".reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n"
                               "ld.param.u64 %rd1, [a];\nld.param.u32 %r1, [b];\n"
                               "st.global.u32 [%rd1], %r1;\nret;\n}\n"};
};

TEST_F(Launches, TooManyThreads) {
  EXPECT_EQ(launch("plain", {1}, {1024}), CUDA_SUCCESS);
  EXPECT_EQ(launch("plain", {1}, {1025}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("plain", {1}, {33, 32}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("plain", {1}, {1, 1, 65}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("small", {1}, {128}), CUDA_SUCCESS);
  EXPECT_THAT(launch("small", {1}, {129}),
              ::testing::AnyOf(CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES));
  EXPECT_EQ(launch("fixed", {1}, {32}), CUDA_SUCCESS);
  EXPECT_THAT(launch("fixed", {1}, {31}),
              ::testing::AnyOf(CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES));
}

TEST_F(Launches, EmptyAndTooLargeGrids) {
  EXPECT_EQ(launch("plain", {0}, {32}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("plain", {1}, {0}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("plain", {1, 65536}, {1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("plain", {1, 1, 65536}, {1}), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launches, ClustersOfSeveralBlocks) {
  EXPECT_EQ(launch("alone", {2}, {32}), CUDA_SUCCESS);
  EXPECT_EQ(launch("cluster", {2}, {32}), CUDA_SUCCESS);
  EXPECT_EQ(launch("cluster", {3}, {32}), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch("explicit_one", {2}, {32}), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch("at_most_four", {8}, {32}), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch("grids_of_clusters", {2}, {32}), CUDA_ERROR_INVALID_PTX);
}

TEST_F(Launches, TooMuchSharedMemory) {
  EXPECT_EQ(launch("plain", {1}, {32}, 48 << 10), CUDA_SUCCESS);
  // More than 48 KiB must be asked for first.
  EXPECT_EQ(launch("plain", {1}, {32}, 64 << 10), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("shared", {1}, {32}, 9000), CUDA_SUCCESS);
  EXPECT_EQ(launch("shared", {1}, {32}, 10000), CUDA_ERROR_INVALID_VALUE);
  const auto set = [&](int bytes) {
    return driver().entries().cuFuncSetAttribute(
        module_.kernel("plain").function(), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
  };
  EXPECT_EQ(set(64 << 10), CUDA_SUCCESS);
  EXPECT_EQ(launch("plain", {1}, {32}, 64 << 10), CUDA_SUCCESS);
  EXPECT_EQ(launch("plain", {1}, {32}, (64 << 10) + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set(1 << 20), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launches, BadArguments) {
  const DeviceBuffer<unsigned> result(driver(), 1);
  struct {
    CUdeviceptr address;
    unsigned number;
  } buffer = {result.address(), 42};
  const auto launch_extra = [&](std::size_t size) {
    std::array<void*, 5> extra = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer,
                                  CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    return launch("two", {1}, {1}, 0, nullptr, extra.data());
  };
  EXPECT_EQ(launch_extra(12), CUDA_SUCCESS);
  EXPECT_EQ(result.download()[0], 42U);
  EXPECT_EQ(launch_extra(8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch_extra(0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("two", {1}, {1}), CUDA_ERROR_INVALID_VALUE);
  std::array<void*, 2> one = {&buffer.address, nullptr};
  EXPECT_EQ(launch("two", {1}, {1}, 0, one.data(), nullptr), CUDA_ERROR_INVALID_VALUE);
  std::array<void*, 2> both = {&buffer.address, &buffer.number};
  std::array<void*, 1> end = {CU_LAUNCH_PARAM_END};
  EXPECT_EQ(launch("two", {1}, {1}, 0, both.data(), end.data()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("two", {1}, {1}, 0, both.data(), nullptr), CUDA_SUCCESS);
  EXPECT_EQ(
      driver().entries().cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
      CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Launches, LinksThatCannotBeMade) {
  const Driver::Entries& entries = driver().entries();
  std::array<char, 1024> log = {};
  std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER,
                                         CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size())};
  CUlinkState state = nullptr;
  ASSERT_EQ(entries.cuLinkCreate_v2(2, options.data(), values.data(), &state), CUDA_SUCCESS);
  std::string twice = std::string(kHeader) + ".visible .global .u32 shared_name;\n";
  const auto add = [&](std::string& text) {
    return entries.cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, text.data(), text.size() + 1, nullptr,
                                    0, nullptr, nullptr);
  };
  EXPECT_EQ(add(twice), CUDA_SUCCESS);
  EXPECT_EQ(add(twice), CUDA_SUCCESS);
  void* image = nullptr;
  std::size_t size = 0;
  EXPECT_NE(entries.cuLinkComplete(state, &image, &size), CUDA_SUCCESS);
  EXPECT_THAT(std::string(log.data()), HasSubstr("shared_name"));
  EXPECT_EQ(entries.cuLinkDestroy(state), CUDA_SUCCESS);
}

} // namespace

} // namespace gantry::simt::testing
