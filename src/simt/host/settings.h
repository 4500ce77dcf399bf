// The environment variables of the executor, read once. A value that is not understood is an error
// that is printed with the valid ones when the first device is asked for, and makes cuInit fail.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace gantry::simt {

enum class Mode : std::uint8_t { kCompile, kInterpret, kSkip };

/// Which errors of kernels are looked for (docs/simt.md, "What is checked").
struct Checks {
  bool memory = true; ///< accesses that are not allowed
  bool race = false;  ///< unordered accesses by two threads (race_checker.h); needs `memory`
  bool init = false;  ///< loads of what was never written (uninitialised_bytes.h); needs `memory`
  bool sync = false;  ///< barriers and warp-level operations that are not used as they must be

  /// Whether the history of each access to shared and global memory is followed.
  [[nodiscard]] bool watches_accesses() const { return race || init; }
  /// Whether blocks have a watch (blocks/block_watch.h).
  [[nodiscard]] bool watches_blocks() const { return race || init || sync; }
};

/// Which machine code kernels get.
enum class CodeChoice : std::uint8_t {
  kAuto,      ///< quick code, and optimised code in its place once they have run for a while
  kQuick,     ///< quick code alone
  kOptimised, ///< optimised code from the start
};

struct Settings {
  Mode mode = Mode::kCompile;          ///< GANTRY_SIMT_MODE=compile|interpret|skip
  CodeChoice code = CodeChoice::kAuto; ///< GANTRY_SIMT_CODE=auto|quick|optimised
  Checks checks;            ///< GANTRY_SIMT_CHECK=none, or some of memory, race, init, sync
  unsigned threads = 0;     ///< GANTRY_SIMT_THREADS: host threads that run blocks; 0: all cores
  unsigned devices = 1;     ///< GANTRY_SIMT_DEVICES
  std::uint64_t memory = 0; ///< GANTRY_SIMT_MEMORY: bytes of each device, "4G"
  std::uint64_t arena = 0;  ///< GANTRY_SIMT_ARENA: where device memory begins; 0: anywhere
  unsigned capability_major = 9; ///< GANTRY_SIMT_CAPABILITY=9.0
  unsigned capability_minor = 0;
  unsigned multiprocessors = 0; ///< GANTRY_SIMT_MULTIPROCESSORS; 0: as many as threads
  std::string name;             ///< GANTRY_SIMT_NAME
  std::string processor; ///< GANTRY_SIMT_PROCESSOR=gfx906, of AMD's; HSA knows which there are
  std::string cache;     ///< GANTRY_SIMT_CACHE: folder, or "off"; empty: the user's cache folder
  bool info = false;     ///< GANTRY_INFO names simt or all: what is not offered is said
  std::string error;     ///< not empty: a variable was not understood
};

[[nodiscard]] const Settings& settings();

/// Looks a variable up: its value, or null. secure_getenv in a program, a map in a test.
using Environment = std::function<const char*(const char*)>;
/// What the variables of `environment` say. Of several that are not understood, `error` has all, a
/// line each; those keep their defaults.
[[nodiscard]] Settings read_settings(const Environment& environment);

/// A row of the table of variables, for --help and documents.
struct SettingRow {
  const char* name;
  const char* default_value;
  const char* meaning;
};
[[nodiscard]] std::span<const SettingRow> setting_rows();

} // namespace gantry::simt
