// The environment variables that steer the runtime: one table, read once, at the first use of a
// device. A value that is not understood is an error that lists the valid ones.
#pragma once

#include "base/result.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::core {

/// OMP_TARGET_OFFLOAD (OpenMP 5.2, section 21.2.6).
enum class OffloadPolicy : std::uint8_t { kDefault, kMandatory, kDisabled };

/// One item of GANTRY_DEVICES: `name[:kind][:count][+option…]`.
struct DeviceRequest {
  std::string plugin;
  /// Of plugins whose devices are those of other plugins: the other's name; or empty.
  std::string kind;
  /// Devices to open; kAll for as many as the plugin offers.
  std::int32_t count = kAll;
  /// The options, separated by '+', without the first one.
  std::string options;

  static constexpr std::int32_t kAll = -1;
};

/// What GANTRY_INFO can print; a bit each.
enum class Info : std::uint32_t {
  kRegistration = 1u << 0, ///< programs registered and unregistered
  kLoad = 1u << 1,         ///< images loaded onto a device and unloaded
  kLaunch = 1u << 2,       ///< kernels launched, with their arguments
  kMap = 1u << 3,          ///< changes of a device data environment
  kPresent = 1u << 4,      ///< mappings of storage that was present already
  kTransfer = 1u << 5,     ///< bytes copied between host and device
  kTable = 1u << 6,        ///< everything mapped, when a construct fails on a device
  kStale = 1u << 7,        ///< under GANTRY_CHECK=map: objects that a construct made differ
};

/// What GANTRY_CHECK can look for; a bit each.
enum class Check : std::uint32_t {
  kLeaks = 1u << 0,     ///< what is still mapped or allocated when the last program ends
  kAttached = 1u << 1,  ///< storage that goes while a pointer is attached to it
  kFunctions = 1u << 2, ///< calls by pointer of functions that are the host's alone
  kMap = 1u << 3,       ///< values that one side has and the other does not get to see
};

/// GANTRY_PROFILE and GANTRY_PROFILE_OPTIONS.
struct ProfileSettings {
  /// In which each process writes its profile; empty: nothing is recorded.
  std::string folder;
  /// The size of a profile in bytes at most.
  std::uint64_t limit = std::uint64_t{1} << 30;
  /// The bytes that are copied are hashed.
  bool data = false;
};

/// GANTRY_RECORD: which launch becomes a file.
struct RecordRequest {
  enum class What : std::uint8_t {
    kNothing,
    kRegion, ///< the launch of that number, counted from 1, of those of the place
    kFault,  ///< the launch whose kernel ends its device
  };
  What what = What::kNothing;
  /// The end of a position, "app.cpp:31", or a kernel's name; empty: any launch.
  std::string place;
  std::uint64_t number = 1;
  std::string file; ///< GANTRY_RECORD_FILE
};

/// GANTRY_SPREAD: who chooses the device of target regions that name none.
enum class Spread : std::uint8_t {
  kNone, ///< the standard: it is the default device
  kLoad, ///< a device with few regions, where the results are those of the default device
  kData, ///< the same; and where list items are on other devices alone, one of these
};

/// The setting, once the settings are read.
extern std::atomic<Spread> spread_mode;

[[nodiscard]] inline bool is_spreading() {
  return spread_mode.load(std::memory_order_relaxed) != Spread::kNone;
}

struct Settings {
  OffloadPolicy policy = OffloadPolicy::kDefault;
  /// Initial value of default-device-var.
  int default_device = 0;
  Spread spread = Spread::kNone;
  std::vector<DeviceRequest> devices;
  /// GANTRY_DEVICES=auto: the devices are chosen by the images there are (automatic_devices.h).
  bool automatic_devices = false;
  /// Bits of Info.
  std::uint32_t info = 0;
  /// Bits of Check.
  std::uint32_t check = 0;
  /// How long a kernel may take, in milliseconds; 0: as long as it likes.
  std::uint64_t time_limit = 0;
  /// Folder in which a copy of every loaded image is left; empty: none.
  std::string save_images;
  ProfileSettings profile;
  RecordRequest record;
};

/// One row of the table that `gantry env` prints.
struct EnvironmentVariable {
  const char* name;
  const char* default_value;
  const char* meaning;
  /// Takes the variable's value over into `settings`.
  Status (*parse)(std::string_view value, Settings& settings);
};

[[nodiscard]] std::span<const EnvironmentVariable> environment_variables();

/// Those that plugins of the installation read, which `gantry env` shows behind the others; defined
/// in runtime/installed_plugins.cpp.
[[nodiscard]] std::span<const EnvironmentVariable> variables_of_plugins();

/// Whether an item of a value of GANTRY_DEVICES has this name. Cheap enough for library
/// constructors.
[[nodiscard]] bool names_device(std::string_view devices, std::string_view name);

/// Looks a variable up: its value, or null. secure_getenv in a program, a map in a test.
using Environment = std::function<const char*(const char*)>;

[[nodiscard]] Result<Settings> read_settings(const Environment& environment);

/// The bits of Info that GANTRY_INFO and LIBOMPTARGET_INFO ask for; 0 if either is not understood,
/// which read_settings reports. Cheap enough for library constructors.
[[nodiscard]] std::uint32_t read_info_bits(const Environment& environment);

/// Those for profiles alone. Cheap enough for library constructors.
[[nodiscard]] Result<ProfileSettings> read_profile_settings(const Environment& environment);

/// LIBOMPTARGET_INFO's bits (1 arguments, 2 present, 4 table, 8 changes, 16 plugin, 32 transfers)
/// as ours.
[[nodiscard]] std::uint32_t info_from_libomptarget(std::uint32_t bits);

} // namespace gantry::core
