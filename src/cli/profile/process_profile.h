// What one process has recorded (profile/record.h), as the reports look at it.
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "profile/record.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::cli::profile {

/// Nanoseconds of CLOCK_MONOTONIC, or of a duration.
using Time = std::int64_t;

struct Interval {
  Time begin = 0;
  Time end = 0;
  [[nodiscard]] Time length() const { return end - begin; }
};

/// An index into a list of the profile.
using Index = std::uint32_t;
inline constexpr Index kNone = ~Index{0};

/// What a list item is called, as its compiler says it or, of GCC's programs, as the symbol table
/// does.
struct Name {
  std::string variable; ///< "x[0:N]"; empty: not known
  std::string position; ///< of the item: "app.cpp:14"; empty: not known
};

/// A construct in the source.
struct Place {
  std::string construct; ///< "target enter data"
  std::string position;  ///< "src/app.cpp:31"; empty: not known
  std::string function;
  std::uint64_t code = 0; ///< where the runtime returns to
  bool nowait = false;
  std::string file;  ///< the source's absolute path; empty: not known, or not asked for
  std::string shown; ///< for people: "app.cpp:31", or what else is known; see merge_equal()
};

struct Module {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t bias = 0; ///< what the loader has added to the addresses of its file
  std::string path;
};

struct Thread {
  std::uint64_t number = 0; ///< the system's
  std::string name;
};

/// One execution of a construct.
struct Construct {
  std::uint64_t id = 0;
  Index place = 0;
  std::int32_t device = 0;
  Index thread = 0;     ///< that began it
  Index end_thread = 0; ///< that ended it
  Interval time;
  bool ended = false; ///< else the process ended in it, or its end has found no room
};

/// A list item that was mapped, was present, or is gone.
struct Presence {
  Index construct = kNone;
  std::int32_t device = 0;
  gantry::profile::Presence what = gantry::profile::kMapped;
  std::uint16_t clause = 0;
  std::uint64_t host = 0;
  std::uint64_t size = 0;
  Time time = 0; ///< not before this, and before the thread's next event
  Index name = 0;
  Index thread = 0;
};

/// A copy or a kernel.
struct Operation {
  std::uint64_t id = 0;
  Index construct = kNone;
  std::int32_t device = 0;
  Index thread = 0;
  Time told = 0;           ///< when the host began with it
  Interval time;           ///< by the device's clock, or as the host saw it
  Time known = 0;          ///< when the host knew that it was done
  std::uint64_t queue = 0; ///< 0: in none
  bool done = false;
};

struct Copy : Operation {
  gantry::profile::CopyKind kind = gantry::profile::kItem;
  bool to_device = false;
  bool has_hash = false;
  std::uint16_t clause = 0;
  Index name = 0;
  std::uint64_t host = 0;
  std::uint64_t device_address = 0;
  std::uint64_t size = 0;
  std::uint64_t hash = 0; ///< of its bytes
};

struct Launch : Operation {
  bool has_teams = false; ///< the region is a teams region
  std::uint32_t teams = 0;
  std::uint32_t threads = 0;
  std::uint64_t trip_count = 0;
  Index kernel = 0; ///< of `texts`
};

struct Wait {
  Index construct = kNone;
  std::int32_t device = 0;
  Index thread = 0;
  Interval time;
};

struct Device {
  std::int32_t number = 0;
  std::string label; ///< "device 0 (worker)"
  std::string description;
  std::string clock; ///< empty: it has none
  Interval opened;
  std::string lost; ///< why; empty: it is not
  Time lost_at = 0;
};

struct Image {
  std::int32_t device = 0;
  Index thread = 0;
  Interval time;
};

struct ProcessProfile {
  std::uint64_t process = 0;
  std::uint64_t parent = 0;
  std::string program; ///< its file
  Interval time;       ///< of the process, as far as it is known
  bool exited = false; ///< by exit() or the end of main
  bool has_content = false;
  std::uint64_t events = 0;  ///< that were recorded
  std::uint64_t dropped = 0; ///< events for which there was no room
  std::uint64_t damaged = 0; ///< records that make no sense
  std::uint64_t limit = 0;

  std::vector<std::string> texts;
  std::vector<Name> names; ///< the first is nobody's
  std::vector<Place> places;
  std::vector<Module> modules;
  std::vector<Thread> threads;
  std::vector<Device> devices; ///< in order of number
  std::vector<std::string> missing_devices;
  std::vector<Image> images;
  // In order of time where that is one thread's; all in order of begin.
  std::vector<Construct> constructs;
  std::vector<Presence> presences;
  std::vector<Copy> copies;
  std::vector<Launch> launches;
  std::vector<Wait> waits;
  std::vector<std::string> failures; ///< messages with which the process has ended

  [[nodiscard]] const Place* place_of(Index construct) const {
    return construct == kNone ? nullptr : &places[constructs[construct].place];
  }
};

/// When a process is known to have ended: what it was in then has lasted so long.
struct KnownEnd {
  std::uint64_t process = 0;
  Time time = 0;
};

/// Reads a profile's bytes. Whatever they are, the indices in the answer are good; a file that is
/// no profile is an error.
[[nodiscard]] Result<ProcessProfile> read_profile(Bytes bytes, KnownEnd end = {});

/// Lets equal places, and equal names, be one, and says how places are shown: without a file's
/// folder where no other file has its name. After their positions are known.
void merge_equal(ProcessProfile& profile);

} // namespace gantry::cli::profile
