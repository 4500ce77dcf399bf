// Runs kernels at random in both engines of the PTX executor, compiled and interpreted, and
// compares all that they write.
#include "worker.h"

#include "../instructions/operand_values.h"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace gantry::simt::fuzz {
namespace {

constexpr std::string_view kHelp =
    R"(Usage: simt_kernel_fuzz [options]

Makes PTX kernels at random, runs each in both engines of the PTX executor, compiled and interpreted,
and compares what they write, byte by byte. The kernel of a seed is always the same. Without
--seconds and --count it goes on until it is interrupted.

  --seconds N    end after so many seconds
  --count N      end after so many kernels
  --seed N       seed of the first kernel; the others count on from it (default: 1)
  --driver FILE  compare the interpreted kernel with what the first device of this libcuda.so.1 makes
                 of it, not with compiled code; the kernels are others, which any driver takes
  --keep FOLDER  write kernels that fail to FOLDER, as SEED.ptx
  --reduce       leave statements out of kernels that fail, as long as they fail, and print them
  --print        print the kernel of the seed, and run nothing
  --help         this text

The exit status is 0 if all kernels agree, 1 if one differs, 2 if the options are wrong.
)";

/// Kernels of one process: what LLVM and the executor keep for good does not pile up.
constexpr std::uint64_t kKernelsOfWorker = 1000;
constexpr unsigned kPatience = 60;  ///< seconds for one kernel, on a machine that is busy
constexpr double kReportEvery = 10; ///< seconds

using Clock = std::chrono::steady_clock;

struct Options {
  std::optional<std::uint64_t> seconds, count;
  std::uint64_t seed = 1;
  std::string driver, keep;
  bool reduces = false, prints = false;

  [[nodiscard]] Audience audience() const {
    return driver.empty() ? Audience::kExecutor : Audience::kHardware;
  }
};

/// Standard output, line by line also where it is a file.
void say(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

[[noreturn]] void refuse(const std::string& why) {
  fmt::print(stderr, "simt_kernel_fuzz: error: {}; see --help\n", why);
  std::exit(2);
}

Options options_of(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    const auto value = [&]() -> std::string_view {
      if (++i == count) {
        refuse(fmt::format("{} takes a value", name));
      }
      return arguments[i];
    };
    const auto number = [&] {
      const std::string_view text = value();
      std::uint64_t result = 0;
      const auto parsed = std::from_chars(text.data(), text.data() + text.size(), result);
      if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
        refuse(fmt::format("{} takes a number, not '{}'", name, text));
      }
      return result;
    };
    if (name == "--help") {
      say(std::string(kHelp));
      std::exit(0);
    } else if (name == "--seconds") {
      options.seconds = number();
    } else if (name == "--count") {
      options.count = number();
    } else if (name == "--seed") {
      options.seed = number();
    } else if (name == "--driver") {
      options.driver = value();
    } else if (name == "--keep") {
      options.keep = value();
    } else if (name == "--reduce") {
      options.reduces = true;
    } else if (name == "--print") {
      options.prints = true;
    } else {
      refuse(fmt::format("'{}' is no option", name));
    }
  }
  return options;
}

void keep(const Options& options, const Kernel& kernel) {
  if (!options.keep.empty()) {
    const std::string path = fmt::format("{}/{}.ptx", options.keep, kernel.seed);
    if (!(std::ofstream(path) << kernel.text.text())) {
      say(fmt::format("  cannot write {}\n", path));
    }
  }
}

void report_failure(const Options& options, const Kernel& kernel, const std::string& what) {
  say(fmt::format("seed {}: {}\n  launch: {}\n  repeat: simt_kernel_fuzz --seed {} --count 1{}\n",
                  kernel.seed, what, kernel.launch(), kernel.seed,
                  options.driver.empty() ? "" : " --driver " + options.driver));
  keep(options, kernel);
}

/// The work of one process: kernels from a seed on.
int run_kernels(const Options& options, std::uint64_t seed, Clock::time_point end) {
  Progress& progress = shared_progress();
  for (std::uint64_t i = 0; i < kKernelsOfWorker && Clock::now() < end; ++i, ++seed) {
    if (options.count && progress.kernels == *options.count) {
      break;
    }
    progress.seed = seed;
    set_stage("made");
    const Kernel kernel = random_kernel(seed, options.audience());
    const Comparison result = compare(kernel, options.driver, set_stage);
    ++progress.kernels;
    progress.instructions += result.instructions;
    switch (result.verdict) {
    case Verdict::kSame:
      ++progress.compared;
      break;
    case Verdict::kFaults:
      ++progress.faults;
      report_failure(options, kernel, "it ends in a fault in both engines\n" + result.report);
      break;
    case Verdict::kDiffers:
      ++progress.failures;
      report_failure(options, kernel, "the engines differ\n" + result.report);
      if (!options.driver.empty()) {
        progress.seed = seed + 1;
        return 0; // a driver whose kernel has failed launches nothing more in this process
      }
      break;
    case Verdict::kNotHere:
      ++progress.not_here;
      if (progress.not_here == 1) {
        say(fmt::format("seed {}: not for this device, {}\n", seed, result.report));
      }
      break;
    case Verdict::kRefused:
      ++progress.failures;
      report_failure(options, kernel, "the executor does not take it\n" + result.report);
      break;
    }
  }
  progress.seed = seed;
  return 0;
}

std::string text_of(const Ended& ended) {
  const char* const stage = shared_progress().stage;
  return ended.ending == Ending::kDone ? ""
         : ended.ending == Ending::kStuck
             ? fmt::format("it does not end when it is {}", stage)
             : fmt::format("signal {} when it is {}", ended.status, stage);
}

void reduce_and_print(Kernel kernel, const std::string& driver) {
  reduce(kernel, driver, [](const std::string& line) { say("  " + line + "\n"); });
  say(kernel.text.text());
  // Once more, with what the compiler has to say.
  const Ended ended = in_other_process(
      [&] {
        say(compare(kernel, driver, set_stage).report);
        return 0;
      },
      5);
  say(fmt::format("{}\n", text_of(ended)));
}

int run(const Options& options) {
  Progress& progress = shared_progress();
  const auto begin = Clock::now();
  const auto end =
      options.seconds ? begin + std::chrono::seconds(*options.seconds) : Clock::time_point::max();
  auto reported = begin;
  const auto seconds_since = [](Clock::time_point time) {
    return std::chrono::duration<double>(Clock::now() - time).count();
  };
  const auto summary = [&] {
    return fmt::format("{:.0f} s: {} kernels, {} instructions, {} compared, {} failures",
                       seconds_since(begin), progress.kernels.load(), progress.instructions.load(),
                       progress.compared.load(), progress.failures.load());
  };
  const auto meanwhile = [&] {
    if (seconds_since(reported) > kReportEvery) {
      reported = Clock::now();
      say(fmt::format("{} (seed {})\n", summary(), progress.seed.load()));
    }
  };
  std::uint64_t seed = options.seed;
  while (Clock::now() < end && (!options.count || progress.kernels < *options.count)) {
    progress.seed = seed;
    const Ended ended =
        in_other_process([&] { return run_kernels(options, seed, end); }, kPatience, meanwhile);
    seed = progress.seed;
    if (ended.ending != Ending::kDone) {
      ++progress.kernels;
      ++progress.failures;
      report_failure(options, random_kernel(seed, options.audience()), text_of(ended));
      ++seed;
    }
  }
  say(fmt::format("{}, {} ended in the same fault, {} not for this device\n", summary(),
                  progress.faults.load(), progress.not_here.load()));
  return progress.failures == 0 ? 0 : 1;
}

} // namespace
} // namespace gantry::simt::fuzz

int main(int count, char** arguments) {
  using namespace gantry::simt::fuzz;
  const Options options = options_of(count, arguments);
  if (options.prints) {
    say(random_kernel(options.seed, options.audience()).text.text());
    return 0;
  }
  // Every kernel is another one.
  setenv("GANTRY_SIMT_CACHE", "off", 1);
  if (options.reduces && options.count == 1) {
    reduce_and_print(random_kernel(options.seed, options.audience()), options.driver);
    return 1;
  }
  return run(options);
}
