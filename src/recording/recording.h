// One launch of a kernel as a file: what `gantry replay` needs to run it again, and what it came
// to.
//
// The runtime writes such a file where GANTRY_RECORD asks for it. Device addresses are those of the
// device that the kernel ran on: a replay places memory at the same ones, so that pointers in it
// stay as they are. Numbers are little-endian, of 64 bits; texts and bytes follow their length. A
// file begins with "gantry recording 2\n" and the XXH3 checksum, of 64 bits, of all that follows.
// One that was made by another version of Gantry is refused.
#pragma once

#include "base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gantry::recording {

/// Bytes at a device address.
struct Extent {
  std::uint64_t address = 0;
  std::vector<std::byte> bytes;
};

/// Memory that the kernel can reach.
struct Block {
  std::uint64_t address = 0;
  std::uint64_t size = 0; ///< in bytes
  /// Of the variable that is mapped there; empty for what the program allocated, and for a launch's
  /// own memory.
  std::string name;
};

/// A declare target variable, which has its storage in the image.
struct Variable {
  std::string name; ///< in the image
  std::uint64_t size = 0;
  std::vector<std::byte> before; ///< the launch; empty: all zero
  std::vector<std::byte> after;  ///< the kernel; empty if it is the same
};

/// A function, or a virtual table, that the kernel may use by the host's address
/// (OpenMP 5.2, section 7.8, the indirect clause).
struct Indirect {
  std::uint64_t host_address = 0;
  std::string name; ///< of the image's pointer to it
  /// Of a table, in bytes: pointers to every place in it behind the second word, its end too, are
  /// in the device's table of functions. 0: a function.
  std::uint64_t table_size = 0;
};

/// The value of a kernel's parameter.
struct Argument {
  std::uint64_t value = 0; ///< or how far into the variable it points
  /// The number of the variable that it points into, and 1 more; 0: none.
  std::uint64_t variable = 0;
};

/// Members of gantry_launch.
struct Launch {
  std::uint64_t kind = 0;
  std::array<std::uint64_t, 3> num_teams = {};
  std::array<std::uint64_t, 3> thread_limit = {};
  std::uint64_t trip_count = 0;
  std::uint64_t dynamic_memory = 0;
};

struct Recording {
  std::string construct; ///< of the source, "app.cpp:31", as messages have it
  std::string program;   ///< the path of what was run
  std::string plugin;    ///< that drove the device: "worker"
  std::string kernel;    ///< its name in the images
  /// Of the program, for every target; the one that ran is the first.
  std::vector<std::vector<std::byte>> images;
  Launch launch;
  std::vector<Argument> arguments;
  std::vector<Block> blocks; ///< in order of address; they do not overlap
  /// What blocks held in front of the launch; zero where nothing is said.
  std::vector<Extent> before;
  /// What was different behind it; nothing if the kernel failed.
  std::vector<Extent> after;
  std::vector<Variable> variables;
  std::vector<Indirect> indirect;
  /// Why the kernel failed; empty if it did not.
  std::string failure;

  /// What the blocks hold in front of the launch or, with what the kernel has changed, behind it;
  /// one after the other.
  enum class Moment : std::uint8_t { kBefore, kAfter };
  [[nodiscard]] std::vector<std::vector<std::byte>> contents(Moment moment) const;

  /// The block that has all of [address, address + size); null if none has.
  [[nodiscard]] const Block* find(std::uint64_t address, std::uint64_t size) const;
};

/// The bytes of a file.
[[nodiscard]] std::vector<std::byte> encode(const Recording& recording);

/// Gives the bytes of a file that were changed the checksum that they have now: for tests.
void set_checksum(std::span<std::byte> file);

/// What such bytes say. An error, in one sentence, for anything else: all that a Recording promises
/// holds of the result.
[[nodiscard]] Result<Recording> decode(std::span<const std::byte> bytes);

} // namespace gantry::recording
