// Kernels are run in processes of their own, so that one that crashes or never ends is a finding
// and not the end of the fuzzer.
#pragma once

#include "engines.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace gantry::simt::fuzz {

/// What a worker tells the process that started it, in memory that both see.
struct Progress {
  std::atomic<std::uint64_t> seed = 0; ///< of the kernel that is being looked at
  std::atomic<const char*> stage = ""; ///< what it is, when something goes wrong: "compiled"
  std::atomic<std::uint64_t> kernels = 0, instructions = 0, compared = 0, faults = 0, failures = 0,
                             not_here = 0;
};
[[nodiscard]] Progress& shared_progress();
void set_stage(const char* stage);

/// How a process that does something ended.
enum class Ending : std::uint8_t { kDone, kCrashed, kStuck };
struct Ended {
  Ending ending = Ending::kDone;
  int status = 0; ///< what the process returned; the signal of a crash
};
/// Runs `work` in a process of its own. It is ended when the kernel of shared_progress() has not
/// changed for `patience` seconds. `meanwhile` is called several times a second.
[[nodiscard]] Ended in_other_process(const std::function<int()>& work, unsigned patience,
                                     const std::function<void()>& meanwhile = {});

/// The verdict on a kernel, found out in another process: a crash or a process that is stuck is a
/// difference.
struct Judgement {
  Ending ending = Ending::kDone;
  Verdict verdict = Verdict::kSame;
  bool operator==(const Judgement&) const = default;
};
[[nodiscard]] Judgement judge(const Kernel& kernel, const std::string& driver, unsigned patience);

/// Leaves statements out of a kernel that fails, as long as it fails in the same way.
void reduce(Kernel& kernel, const std::string& driver,
            const std::function<void(const std::string&)>& say);

} // namespace gantry::simt::fuzz
