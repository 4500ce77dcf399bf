// One kernel for each single fault: the error that the launch ends with, and the report on standard
// error. Each runs in a process of its own, as a fault ends its context.
#include "../kernels/cuda.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::simt::testing {

namespace {

using ::testing::HasSubstr;

/// Seconds after which a kernel hangs rather than fails.
constexpr unsigned kPatience = 120;

/// The kernel's argument. What it allocates lives as long as the process.
using Argument = CUdeviceptr (*)(Driver& driver);

template <std::size_t bytes, long offset>
CUdeviceptr in_buffer(Driver& driver) {
  CUdeviceptr address = 0;
  GANTRY_CUDA_CALL(driver, cuMemAlloc_v2, &address, bytes);
  return address + static_cast<CUdeviceptr>(offset);
}
CUdeviceptr in_freed_buffer(Driver& driver) {
  CUdeviceptr address = 0;
  GANTRY_CUDA_CALL(driver, cuMemAlloc_v2, &address, 1000);
  GANTRY_CUDA_CALL(driver, cuMemFree_v2, address);
  return address + 40;
}
CUdeviceptr in_host_memory(Driver&) {
  return reinterpret_cast<CUdeviceptr>(new std::array<int, 64>());
}
template <CUdeviceptr value>
CUdeviceptr number(Driver&) {
  return value;
}

struct FaultCase {
  const char* name; ///< of the file, and of the kernel in it
  Argument argument;
  Shape shape;
  CUresult expected;
  /// What the report says; "{line}" is the number of the PTX line that has the word FAULT.
  std::vector<std::string> fragments;
};
/// How GoogleTest names one that fails.
void PrintTo(const FaultCase& fault, std::ostream* out) {
  *out << fault.name;
}

const Shape kGrid = {{4}, {64}};
const Shape kBlock = {{1}, {64}};
const Shape kWarp = {{1}, {32}};
/// Of the line with the word FAULT.
constexpr const char* kLine = "PTX line {line}";
constexpr const char* kThread = "block (2,0,0), thread (37,0,0)";

const std::vector<FaultCase>& fault_cases() {
  static const std::vector<FaultCase> cases = {
      {"past_end",
       in_buffer<400, 400>,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"kernel 'past_end' (past_end.cu:12)", "invalid global store of 4 bytes", kThread, kLine,
        "st.global.u32 [%rd1], %r2;", "the end of device memory of 400 bytes"}},
      {"past_end_in_part",
       in_buffer<36, 32>,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid global store of 8 bytes", kThread, kLine,
        "reaches 4 bytes past the end of device memory of 36 bytes"}},
      {"load_at_end", in_buffer<36, 32>, kGrid, CUDA_SUCCESS, {}},
      {"before_start",
       in_buffer<256, -4>,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid load of 4 bytes", kThread, kLine, "4 bytes before device memory of 256 bytes"}},
      {"freed_memory",
       in_freed_buffer,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid global store of 4 bytes", kThread, kLine, "40 bytes into device memory",
        "which was freed"}},
      {"null_pointer",
       number<0>,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid global load of 1 byte", kThread, kLine, "null plus 24 bytes"}},
      {"host_memory",
       in_host_memory,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid load of 4 bytes", kThread, kLine, "host memory", "cuMemAllocManaged"}},
      {"unmapped",
       number<0x123456789000>,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid atomic operation of 4 bytes at 0x123456789000", kThread, kLine}},
      {"misaligned",
       in_buffer<64, 2>,
       kGrid,
       CUDA_ERROR_MISALIGNED_ADDRESS,
       {"misaligned global load of 4 bytes", kThread, kLine, "2 bytes past a multiple of 4"}},
      {"misaligned_vector",
       in_buffer<64, 8>,
       kGrid,
       CUDA_ERROR_MISALIGNED_ADDRESS,
       {"misaligned global load of 16 bytes", kThread, kLine, "8 bytes past a multiple of 16"}},
      {"misaligned_atomic",
       in_buffer<64, 4>,
       kGrid,
       CUDA_ERROR_MISALIGNED_ADDRESS,
       {"misaligned global atomic operation of 8 bytes", kThread, kLine}},
      {"past_variable",
       number<0>,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid global load of 4 bytes", kThread, kLine, "variable 'table' of 48 bytes"}},
      {"past_static_shared",
       number<0>,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid shared store of 4 bytes at offset 64", kThread, kLine,
        "shared memory of 64 bytes (64 static, 0 dynamic)", "'buffer'"}},
      {"past_dynamic_shared",
       number<0>,
       {{4}, {64}, 128},
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid shared load of 4 bytes at offset 128", kThread, kLine,
        "shared memory of 128 bytes (0 static, 128 dynamic)", "'dynamic'"}},
      {"no_dynamic_shared",
       number<0>,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid shared store of 4 bytes at offset 0", kThread, kLine,
        "the launch gives no dynamic shared memory"}},
      {"past_local",
       number<0>,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid local store of 4 bytes", kThread, kLine, "the thread's local memory"}},
      {"past_local_generic",
       number<0>,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"store of 4 bytes", kThread, kLine, "the thread's local memory"}},
      {"global_in_local",
       number<0>,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid global store of 4 bytes", kThread, kLine, "the thread's local memory"}},
      {"global_in_shared",
       number<0>,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid global atomic operation of 4 bytes", kThread, kLine,
        "the block's shared memory of 64 bytes"}},
      {"shared_of_another_block",
       number<0>,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid store of 8 bytes", kThread, kLine, "the shared memory of another block"}},
      {"local_of_another_warp",
       number<0>,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid load of 4 bytes", kThread, kLine, "the local memory of another warp"}},
      {"no_parameter",
       number<0x123456789000>,
       kGrid,
       CUDA_ERROR_ILLEGAL_ADDRESS,
       {"invalid load of 4 bytes at 0x", kThread, kLine}},
      {"trap", number<0>, kGrid, CUDA_ERROR_LAUNCH_FAILED, {"trap", kThread, kLine}},
      {"bad_function_pointer",
       number<0x1234560>,
       kGrid,
       CUDA_ERROR_INVALID_PC,
       {"call of 0x1234560, which is no function", kThread, kLine}},
      {"double_free",
       number<0>,
       kGrid,
       CUDA_ERROR_LAUNCH_FAILED,
       {"freed already", kThread, kLine}},
      {"failed_assertion",
       number<0>,
       kGrid,
       CUDA_ERROR_ASSERT,
       {"check.cu:77: verify: block: [2,0,0], thread: [37,0,0] Assertion `x > 0` failed."}},
      {"endless_recursion",
       in_buffer<4, 0>,
       kWarp,
       CUDA_ERROR_HARDWARE_STACK_ERROR,
       {"kernel 'endless_recursion'", "overflows", "function 'deeper'", "recursion"}},
      {"deadlock_two_barriers",
       number<0>,
       kBlock,
       CUDA_ERROR_LAUNCH_FAILED,
       {"deadlock", "block (0,0,0)", "warp 0, thread (0,0,0) and 31 more",
        "barrier 1 for 64 threads", "warp 1, thread (32,0,0) and 31 more",
        "barrier 2 for 64 threads", kLine}},
      {"deadlock_counted_exit",
       number<0>,
       kBlock,
       CUDA_ERROR_LAUNCH_FAILED,
       {"deadlock", "warp 0", "barrier 3 for 64 threads", kLine}},
      // Of a warp's groups any one may be named.
      {"deadlock_lanes",
       number<0>,
       kWarp,
       CUDA_ERROR_LAUNCH_FAILED,
       {"deadlock", "warp 0", "waits for lanes 0x", "PTX line"}},
      {"deadlock_missing_lanes",
       number<0>,
       kBlock,
       CUDA_ERROR_LAUNCH_FAILED,
       {"deadlock", "warp 0", "warp 1", "waits for", "PTX line"}},
      {"barrier_count",
       number<0>,
       kBlock,
       CUDA_ERROR_LAUNCH_FAILED,
       {"barrier 1 for 33 threads", "a multiple of 32", kLine}},
      {"barrier_number",
       number<0>,
       kBlock,
       CUDA_ERROR_LAUNCH_FAILED,
       {"barrier 16", "there are barriers 0 to 15", kLine}},
      {"barrier_counts_differ",
       number<0>,
       {{1}, {96}},
       CUDA_ERROR_LAUNCH_FAILED,
       {"barrier 1", "another count", kLine}},
      {"exited_threads", in_buffer<4, 0>, kBlock, CUDA_SUCCESS, {}},
      {"matrix_instruction",
       in_buffer<4, 0>,
       kWarp,
       CUDA_ERROR_INVALID_PTX,
       {"kernel 'matrix_instruction'", "mma.sync.aligned.m8n8k16", "line {line}:"}},
      {"matrix_instruction_elsewhere", in_buffer<4, 0>, kWarp, CUDA_SUCCESS, {}},
  };
  return cases;
}

std::string read_ptx(const std::string& name) {
  std::ifstream file(std::string(GANTRY_SIMT_FAULTS) + "/" + name + ".ptx", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The fragment with the number of the line.
std::string with_line(std::string fragment, const std::string& ptx) {
  static constexpr std::string_view kPlace = "{line}";
  const std::size_t place = fragment.find(kPlace);
  const std::size_t mark = ptx.find("// FAULT");
  if (place != std::string::npos && mark != std::string::npos) {
    const auto end = ptx.begin() + static_cast<std::ptrdiff_t>(mark);
    const auto line = std::count(ptx.begin(), end, '\n') + 1;
    fragment.replace(place, kPlace.size(), std::to_string(line));
  }
  return fragment;
}

/// Whether a context is of no use any more after the error.
bool is_sticky(CUresult result) {
  return result >= CUDA_ERROR_ILLEGAL_ADDRESS && result < CUDA_ERROR_NOT_PERMITTED;
}

/// In the process of its own: launches the kernel and prints what it ended with. What it prints on
/// standard error is the driver's.
int run_case(const char* name) {
  alarm(kPatience);
  for (const FaultCase& fault : fault_cases()) {
    if (std::strcmp(fault.name, name) != 0) {
      continue;
    }
    Driver driver;
    Module module(driver, read_ptx(name));
    Kernel kernel = module.kernel(name);
    const CUdeviceptr argument = fault.argument(driver);
    CUresult result = CUDA_SUCCESS;
    try {
      kernel.launch(fault.shape, argument);
    } catch (const CudaError& error) {
      result = error.code;
    }
    // All that is asked of the context afterwards gives the same error.
    CUdeviceptr address = 0;
    const CUresult after = driver.entries().cuMemAlloc_v2(&address, 16);
    std::printf("result %d, then %d\n", result, after);
    // Whatever happens at the end of a process with a broken context is not what is tested.
    std::fflush(nullptr);
    _exit(0);
  }
  return 2;
}

/// The path of this program.
std::string own_path() {
  std::array<char, 4096> path = {};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return {path.data(), static_cast<std::size_t>(length > 0 ? length : 0)};
}

/// What the process for a case writes, to both streams.
std::string output_of_case(const char* name) {
  const std::string command = "'" + own_path() + "' --fault " + name + " 2>&1";
  // NOLINTNEXTLINE(bugprone-command-processor): the command is this program and a name of the table
  std::FILE* const pipe = popen(command.c_str(), "re");
  if (pipe == nullptr) {
    return {};
  }
  std::string output;
  std::array<char, 4096> part = {};
  for (std::size_t count = 0; (count = std::fread(part.data(), 1, part.size(), pipe)) != 0;) {
    output.append(part.data(), count);
  }
  pclose(pipe);
  return output;
}

class Faults : public ::testing::TestWithParam<FaultCase> {};

TEST_P(Faults, EndTheLaunchWithAReport) {
  const FaultCase& fault = GetParam();
  const std::string output = output_of_case(fault.name);
  const CUresult after = is_sticky(fault.expected) ? fault.expected : CUDA_SUCCESS;
  EXPECT_THAT(output, HasSubstr("result " + std::to_string(fault.expected) + ", then " +
                                std::to_string(after) + "\n"));
  const std::string ptx = read_ptx(fault.name);
  for (const std::string& fragment : fault.fragments) {
    EXPECT_THAT(output, HasSubstr(with_line(fragment, ptx)));
  }
  if (fault.expected == CUDA_SUCCESS) {
    EXPECT_THAT(output, ::testing::Not(HasSubstr("error")));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Faults, ::testing::ValuesIn(fault_cases()),
                         [](const auto& test) { return std::string(test.param.name); });

} // namespace

} // namespace gantry::simt::testing

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--fault") == 0) {
    try {
      return gantry::simt::testing::run_case(argv[2]);
    } catch (const std::exception& error) {
      std::printf("%s\n", error.what());
      return 1;
    }
  }
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
