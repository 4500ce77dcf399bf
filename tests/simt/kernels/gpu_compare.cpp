// Runs every kernel case on one libcuda.so.1 and writes what came out, or compares two such runs.
// scripts/gpu-compare drives it.
//
// A folder of results has results.txt, a line for each output
//
//   CASE/OUTPUT ELEMENT ULPS HASH pass|fail
//
// with the bytes themselves in CASE.OUTPUT.bin, and device.txt, the device's name.
#include "kernel_case.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::simt::testing {

namespace {

namespace fs = std::filesystem;

constexpr int kSkipped = 77;

constexpr const char* kUsage =
    "usage: gpu_compare --run LIBRARY FOLDER       run all kernels on LIBRARY (a libcuda.so.1)\n"
    "       gpu_compare --compare FOLDER FOLDER    compare the results of two runs\n"
    "\n"
    "--run goes on behind a case that ends with an error, in another process. It ends with 0 if "
    "all\n"
    "outputs are as the host computes them, 1 if not, 77 if LIBRARY cannot be loaded or has no "
    "device.\n";

const char* word_of(Element element) {
  switch (element) {
  case Element::kFloat:
    return "float";
  case Element::kDouble:
    return "double";
  case Element::kBytes:
    break;
  }
  return "bytes";
}

Element element_of(const std::string& word) {
  return word == "float" ? Element::kFloat : word == "double" ? Element::kDouble : Element::kBytes;
}

/// FNV-1a.
std::uint64_t hash_of(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const std::byte byte : bytes) {
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3;
  }
  return hash;
}

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::byte> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::byte> bytes;
  for (std::istreambuf_iterator<char> at(file), end; at != end; ++at) {
    bytes.push_back(static_cast<std::byte>(*at));
  }
  return bytes;
}

/// How far the cases are, in memory that the processes that run them share with their parent.
struct Progress {
  std::size_t begun = 0, passed = 0;
};

/// Runs cases[progress.begun] and those behind it until one throws. Returns 77 if the library
/// cannot be used.
int run_cases(const std::vector<KernelCase>& cases, const std::string& library,
              const fs::path& folder, Progress& progress) {
  std::unique_ptr<Driver> driver;
  try {
    driver = std::make_unique<Driver>(library);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpu_compare: {}: {}\n", library, error.what());
    return kSkipped;
  }
  std::ofstream(folder / "device.txt") << driver->device_name() << '\n';
  std::ofstream lines(folder / "results.txt", std::ios::app);
  while (progress.begun < cases.size()) {
    const KernelCase& kernel_case = cases[progress.begun++];
    Result result;
    try {
      result = kernel_case.run(*driver);
    } catch (const std::exception& error) {
      fmt::print(stderr, "gpu_compare: {}: {}\n", kernel_case.name, error.what());
      return 1;
    }
    bool good = true;
    for (const Output& output : result.outputs) {
      const Difference found =
          difference(output.element, output.ulps, output.actual, output.expected);
      write_file(folder / fmt::format("{}.{}.bin", kernel_case.name, output.name), output.actual);
      fmt::print(lines, "{}/{} {} {} {:016x} {}\n", kernel_case.name, output.name,
                 word_of(output.element), output.ulps, hash_of(output.actual),
                 found.text.empty() ? "pass" : "fail");
      if (!found.text.empty()) {
        fmt::print(stderr, "gpu_compare: {}/{}: {}; {} differ\n", kernel_case.name, output.name,
                   found.text, found.differing);
        good = false;
      }
    }
    lines.flush();
    progress.passed += good ? 1 : 0;
  }
  return 0;
}

/// Calls `body` in a process of its own and returns its exit status, 128 and the signal if one
/// ended it. This process never touches the driver: a child of one that has may not.
template <typename Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    std::exit(body()); // NOLINT(concurrency-mt-unsafe): this is the only thread that is ours
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    throw std::runtime_error("no process can be started");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A fault of a kernel is the last thing that a process can do with a driver: what comes behind it
// is run by another one.
int run(const std::string& library, const fs::path& folder) {
  const std::vector<KernelCase> cases = kernel_cases();
  fs::create_directories(folder);
  void* memory =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::runtime_error("no memory can be shared");
  }
  Progress& progress = *new (memory) Progress;
  fs::remove(folder / "results.txt");
  while (progress.begun < cases.size()) {
    const std::size_t before = progress.begun;
    const int status = in_child([&] { return run_cases(cases, library, folder, progress); });
    if (progress.begun == before) {
      return before == 0 ? status : 1;
    }
    if (status != 0) {
      const KernelCase& failed = cases[progress.begun - 1];
      if (status > 128) {
        fmt::print(stderr, "gpu_compare: {}: ended by signal {}\n", failed.name, status - 128);
      }
      std::ofstream lines(folder / "results.txt", std::ios::app);
      fmt::print(lines, "{} bytes 0 - fail\n", failed.name);
    }
  }
  const std::size_t failed = cases.size() - progress.passed;
  fmt::print("gpu_compare: {} cases passed, {} failed\n", progress.passed, failed);
  return failed == 0 ? 0 : 1;
}

struct Line {
  Element element = Element::kBytes;
  double ulps = 0;
  std::string hash;
};

std::map<std::string, Line> read_results(const fs::path& folder) {
  std::ifstream file(folder / "results.txt");
  std::map<std::string, Line> lines;
  for (std::string text; std::getline(file, text);) {
    std::istringstream words(text);
    std::string name;
    std::string element;
    Line line;
    words >> name >> element >> line.ulps >> line.hash;
    line.element = element_of(element);
    lines[name] = line;
  }
  return lines;
}

int compare(const fs::path& left, const fs::path& right) {
  const std::map<std::string, Line> lefts = read_results(left);
  std::map<std::string, Line> rights = read_results(right);
  if (lefts.empty() || rights.empty()) {
    fmt::print(stderr, "gpu_compare: {} has no results.txt with results\n",
               (lefts.empty() ? left : right).string());
    return 2;
  }
  int equal = 0;
  int within = 0;
  int different = 0;
  for (const auto& [name, line] : lefts) {
    const auto other = rights.find(name);
    if (other == rights.end()) {
      fmt::print("{}: only in {}\n", name, left.string());
      ++different;
      continue;
    }
    if (line.hash == other->second.hash && line.hash != "-") {
      ++equal;
    } else {
      std::string file = name + ".bin";
      std::replace(file.begin(), file.end(), '/', '.');
      const std::vector<std::byte> bytes = read_file(left / file);
      // Each may be that far from the true value, to its own side.
      const Difference found =
          difference(line.element, 2 * line.ulps, bytes, read_file(right / file));
      if (found.text.empty() && line.hash != "-") {
        fmt::print("{}: {} elements differ, by {} units in the last place at most\n", name,
                   found.differing, found.largest_ulps);
        found.differing == 0 ? ++equal : ++within;
      } else {
        fmt::print("{}: {}; {} differ\n", name, line.hash == "-" ? "did not run" : found.text,
                   found.differing);
        ++different;
      }
    }
    rights.erase(other);
  }
  for (const auto& [name, line] : rights) {
    fmt::print("{}: only in {}\n", name, right.string());
    ++different;
  }
  fmt::print("{} outputs are the same bit for bit, {} within their bounds, {} different\n", equal,
             within, different);
  return different == 0 ? 0 : 1;
}

int main_of(const std::vector<std::string>& arguments) {
  if (arguments.size() == 3 && arguments[0] == "--run") {
    return run(arguments[1], arguments[2]);
  }
  if (arguments.size() == 3 && arguments[0] == "--compare") {
    return compare(arguments[1], arguments[2]);
  }
  const bool asked = arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h");
  fmt::print(asked ? stdout : stderr, "{}", kUsage);
  return asked ? 0 : 2;
}

} // namespace

} // namespace gantry::simt::testing

int main(int argc, char** argv) {
  try {
    return gantry::simt::testing::main_of({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpu_compare: {}\n", error.what());
    return 2;
  }
}
