// One kernel for each single fault: the error that the launch ends with, and the report on standard
// error. Each runs in a process of its own, as a fault ends its context.
#include "fault_case.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gantry::simt::testing {

namespace {

using ::testing::HasSubstr;
using ::testing::ValuesIn;

/// Seconds after which a kernel hangs rather than fails.
constexpr unsigned kPatience = 120;

std::string read_ptx(const FaultCase& fault) {
  const char* const folder = std::strcmp(fault.check, "memory") == 0 ? "/" : "/checks/";
  std::ifstream file(GANTRY_SIMT_FAULTS + std::string(folder) + fault.name + ".ptx",
                     std::ios::binary);
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
  std::vector<FaultCase> cases = fault_cases();
  cases.insert(cases.end(), check_cases().begin(), check_cases().end());
  for (const FaultCase& fault : cases) {
    if (std::strcmp(fault.name, name) != 0) {
      continue;
    }
    Driver driver;
    Module module(driver, read_ptx(fault));
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

/// What a command writes, to both streams.
std::string output_of(const std::string& command) {
  // NOLINTNEXTLINE(bugprone-command-processor): the command is this program and a name of the table
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "re");
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

/// What the process for a case writes.
std::string output_of_case(const FaultCase& fault) {
  return output_of(std::string("GANTRY_SIMT_CHECK=") + fault.check + " '" + own_path() +
                   "' --fault " + fault.name);
}

std::string name_of(const ::testing::TestParamInfo<FaultCase>& test) {
  return test.param.name;
}

class Faults : public ::testing::TestWithParam<FaultCase> {};

TEST_P(Faults, EndTheLaunchWithAReport) {
  const FaultCase& fault = GetParam();
  const std::string output = output_of_case(fault);
  const CUresult after = is_sticky(fault.expected) ? fault.expected : CUDA_SUCCESS;
  EXPECT_THAT(output, HasSubstr("result " + std::to_string(fault.expected) + ", then " +
                                std::to_string(after) + "\n"));
  const std::string ptx = read_ptx(fault);
  for (const std::string& fragment : fault.fragments) {
    EXPECT_THAT(output, HasSubstr(with_line(fragment, ptx)));
  }
  if (fault.expected == CUDA_SUCCESS) {
    EXPECT_THAT(output, ::testing::Not(HasSubstr("error")));
  }
}

/// A program that runs with more rights than who starts it takes nothing from its environment.
TEST(Environment, OfAProgramWithRightsOfItsOwnSaysNothing) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root can give a program a group of its own";
  }
  namespace fs = std::filesystem;
  constexpr gid_t kOtherGroup = 65534;
  const std::string program = own_path() + "-" + std::to_string(getpid());
  const std::string cache = program + "-cache";
  const std::string command =
      "GANTRY_SIMT_MODE=compile GANTRY_SIMT_DUMP=scalar GANTRY_SIMT_CACHE='" + cache + "' '" +
      program + "' --fault past_end";
  fs::copy_file(own_path(), program);
  EXPECT_THAT(output_of(command), HasSubstr("; scalar\n"));
  EXPECT_TRUE(fs::remove_all(cache) > 0) << "the cache is there";
  ASSERT_EQ(chown(program.c_str(), 0, kOtherGroup), 0);
  ASSERT_EQ(chmod(program.c_str(), S_ISGID | S_IRWXU | S_IRWXG), 0);
  const std::string output = output_of(command);
  EXPECT_THAT(output, HasSubstr("then " + std::to_string(CUDA_ERROR_ILLEGAL_ADDRESS)));
  EXPECT_THAT(output, ::testing::Not(HasSubstr("; scalar\n")));
  EXPECT_FALSE(fs::exists(cache));
  fs::remove(program);
  fs::remove_all(cache);
}

INSTANTIATE_TEST_SUITE_P(All, Faults, ValuesIn(fault_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Checks, Faults, ValuesIn(check_cases()), name_of);

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
