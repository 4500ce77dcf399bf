// What the program and the nodes of a job tell each other.
//
// The program numbers everything: requests, images, strands and transfers. A strand is a queue of
// the program's; what is put into it happens in order, each operation with a number that both sides
// count, from 1. Nobody says of an operation that it is done unless it has kTell, or fails.
//
// Bytes up to kInline lie in the record, others are a transfer (transport.h): the program sends
// them with the command, and receives when the node says that they are ready.
#pragma once

#include "plugins/mpi/wire.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <gantry/plugin.h>

namespace gantry::mpi {

inline constexpr std::uint32_t kProtocolVersion = 2;

/// The most bytes of a copy that are part of a record.
inline constexpr std::size_t kInline = 64 << 10;

enum class Kind : std::uint16_t {
  // To a node. Requests, numbered by `id`, each of which has an answer:
  kAddDevices = 1, ///< text kind, i32 count (0: as offered); u32 n, n * (text kind, i32 index)
  kOpenDevice,     ///< u32 device, OpenSettings, text options; OpenedDevice, text description
  kCloseDevice,    ///< u32 device; nothing
  kRankImage,      ///< u32 device, ImageName; u32 rank
  kLoadImage,      ///< u32 device, ImageName, u32 image, text file; nothing
  kFindSymbols,    ///< u32 image, u32 n, n * (i32 kind, text); n * FoundSymbol
  kUnloadImage,    ///< u32 image; nothing
  kAllocate,       ///< u32 device, u64 bytes, u32 count; u64 address for each
  kRelease,        ///< u32 device, u64 address; nothing
  kSetFunctionMap, ///< u32 device, u32 rows in all, u32 n, the next n rows; nothing
  kGetFault,       ///< u32 device; FaultFacts, text kernel, text position, text what
  kGetHint,        ///< u32 device, LaunchFacts; text
  kGetClock,       ///< nothing; u64 the node's time, in nanoseconds: answered at once
  // Of the process:
  kImage = 100, ///< ImageName, u32 transfer, u32 onward, i32 for each process that gets the image
                ///< behind this one: its bytes come, and stay; see images.h
  kEnd,         ///< nothing: the program has come to its end
  kLeave,    ///< the last word, when all have ended that are there: u32, 1: MPI is to be finalised
  kAlive,    ///< of the program: u64 nanoseconds of patience, see silence.h; of a node: nothing
  kPosted,   ///< of the device `id`: u64 address, the bytes; what comes behind it finds them
  kPeerLost, ///< i32 process: a node that is lost, from which nothing comes any more
  kGiveBack, ///< of the device `id`: u64 address, u64 bytes, u32 again: another is granted
  // Of strands, numbered by `id`:
  kCreateStrand = 200, ///< u32 device
  kDestroyStrand,      ///< nothing: all that was put in is done
  kReset,              ///< nothing: the program knows of the failure, what follows happens
  kWrite,              ///< u64 address, the bytes
  kReceive,            ///< CopyFacts
  kRead,               ///< u64 address, u32 size; answered by kData
  kSend,               ///< CopyFacts
  kLaunch,             ///< LaunchFacts, u64 for each argument
  kNothing,            ///< nothing, for its kTell
  // From a node:
  kAnswer = 300, ///< of the request `id`: i32 status, text message, what was asked for
  kDone,         ///< of the strand `id`: u64 operations that are done
  kFailed,       ///< of the strand: u64 operation, i32 status, text message
  kData,         ///< of the strand: u64 operation, the bytes
  kReady,        ///< of the strand: u64 operation, a kSend to the program: the transfer begins
  kHasImage,     ///< ImageName: its bytes are there
  kGranted,      ///< of the device `id`: u64 bytes, u64 address, or 0
  kDamaged,      ///< of the device `id`: text, what was wrong with a kPosted or a kGiveBack
  kEnded,        ///< nothing: the answer to kEnd, and the last that a node says
  kBroken,       ///< text: what ends the connection
  kTimes,        ///< of the strand: a gantry_interval of each of the next operations with kTimed
};

/// A flag of an operation: the node says when it is done.
inline constexpr std::uint16_t kTell = 1;
/// A flag of an operation: the node says when it began and ended, by its clock, before it says that
/// the operation is done. One that has not happened has begun and ended at 0.
inline constexpr std::uint16_t kTimed = 2;

/// The most intervals of a kTimes, and the latest time that is one.
inline constexpr std::size_t kMostTimes = 1024;
inline constexpr std::uint64_t kLastTime = std::uint64_t{1} << 60;

struct OpenSettings {
  std::int32_t openmp_number;
  std::int32_t check_memory;
  std::uint64_t time_limit;
};

struct OpenedDevice {
  std::uint32_t capabilities; ///< the far plugin's
  std::uint32_t is_visible;   ///< not 0: the node's process can access the device's memory
};

/// An image by its content.
struct ImageName {
  std::uint64_t hash[2];
  std::uint64_t size;
  bool operator==(const ImageName&) const = default;
};

struct FoundSymbol {
  std::int32_t status;
  std::uint32_t kernel; ///< its number in the device
  std::uint64_t address;
  std::uint64_t bytes;
};

struct LaunchFacts {
  std::uint32_t kernel;
  std::uint32_t kind;
  std::uint32_t num_teams[3];
  std::uint32_t thread_limit[3];
  std::uint64_t trip_count;
  std::uint32_t dynamic_memory;
  std::uint32_t arguments;
};

[[nodiscard]] inline LaunchFacts facts_of(const gantry_launch& launch, std::uint32_t kernel) {
  return {.kernel = kernel,
          .kind = launch.kind,
          .num_teams = {launch.num_teams[0], launch.num_teams[1], launch.num_teams[2]},
          .thread_limit = {launch.thread_limit[0], launch.thread_limit[1], launch.thread_limit[2]},
          .trip_count = launch.trip_count,
          .dynamic_memory = launch.dynamic_memory,
          .arguments = launch.argument_count};
}
/// The launch, with `arguments` where they lie.
[[nodiscard]] inline gantry_launch launch_of(const LaunchFacts& facts, void* const* arguments) {
  return {.size = sizeof(gantry_launch),
          .kind = facts.kind,
          .argument_count = facts.arguments,
          .arguments = arguments,
          .num_teams = {facts.num_teams[0], facts.num_teams[1], facts.num_teams[2]},
          .thread_limit = {facts.thread_limit[0], facts.thread_limit[1], facts.thread_limit[2]},
          .trip_count = facts.trip_count,
          .dynamic_memory = facts.dynamic_memory};
}

/// A copy whose bytes are transfers of `piece` bytes each, the last one of what is left, with the
/// numbers from `transfer` on; 0: it is one transfer.
struct CopyFacts {
  std::uint64_t address;
  std::uint64_t size;
  std::uint32_t piece;
  std::uint32_t transfer;
  std::int32_t other; ///< the process that sends or receives

  [[nodiscard]] std::uint64_t pieces() const {
    return piece == 0 || size == 0 ? 1 : (size - 1) / piece + 1;
  }
  struct Piece {
    std::uint32_t number; ///< of the transfer
    std::uint64_t offset, size;
  };
  /// `i` is less than pieces().
  [[nodiscard]] Piece piece_at(std::uint64_t i) const {
    const std::uint64_t offset = i * piece;
    const std::uint64_t left = size - offset;
    return {.number = transfer + static_cast<std::uint32_t>(i),
            .offset = offset,
            .size = piece == 0 ? left : std::min<std::uint64_t>(piece, left)};
  }
};
/// Of devices whose memory the node's process cannot access: some pieces are on the wire while
/// others are on their way to the device.
inline constexpr std::uint32_t kPiece = 1 << 20;
inline constexpr std::uint32_t kLeastPiece = 1 << 16; ///< else they are too many

inline constexpr std::uint32_t kNoKernel = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoImage = ~std::uint32_t{0};

/// gantry_fault's members.
struct FaultFacts {
  std::int32_t kind, value, access, address_known;
  std::uint64_t address, code;
  std::uint32_t kernel; ///< or kNoKernel
  std::uint32_t image;  ///< or kNoImage
};

} // namespace gantry::mpi
