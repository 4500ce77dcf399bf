// What a program and the worker process of one of its devices share: two files in memory.
//
// The first holds the device's memory (arena.h). The second begins with a Control, in which
// everything else is said. Both processes are of one build; kProtocolVersion is looked at all the
// same, because a worker's executable can be replaced while a program runs.
//
//   Control
//     what the worker needs to know, written before it starts
//     state          Starting, then Ready or Failed (with `failure`); a futex
//     life           the worker's robust futex: the system marks it when the process ends,
//                    whatever way, so that the program needs no descriptor to know; an emulated
//                    worker's is its guardian's (server/guardian.h)
//     fault          what ended the worker, written by its signal handlers
//     changes        a ring of changes to what the worker can access of the device's memory; it
//                    makes them before it next runs a kernel, so nobody waits for them
//     channel_count  how many channels are in use, each served by a thread of the worker; a futex
//     channels       a channel each
//
// A channel carries one operation at a time. The program fills in the operation, its arguments and
// the payload, and adds 1 to `posted`; the worker fills in the results and makes `finished` equal.
// Either waits for the other's number: for a short while actively, then in the system, for which it
// sets its `sleeps` word first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <linux/futex.h>

namespace gantry::worker {

inline constexpr std::uint32_t kProtocolVersion = 5;

inline constexpr std::size_t kChannels = 1024;
inline constexpr std::size_t kPayload = 128 << 10;
inline constexpr std::uint64_t kPageSize = 4096;

/// What the worker is asked to do.
enum class Operation : std::uint32_t {
  kAppend,       ///< to keep the payload, behind what was appended since an operation last used it
  kCreateImage,  ///< ImageArguments; appended: the image; payload: the file for a copy, or empty
  kLoadImage,    ///< ImageArguments
  kDestroyImage, ///< ImageArguments
  kFindKernel,   ///< SymbolArguments; payload: the name
  kFindVariable, ///< SymbolArguments; payload: the name
  kSetFunctions, ///< appended: the table of set_function_map
  kWrite,        ///< CopyArguments; payload: the bytes
  kRead,         ///< CopyArguments; the payload becomes the bytes
  kApplyChanges, ///< of `changes`, all that there are
  kLaunch,       ///< LaunchArguments; payload: the kernel's arguments
  kEnd,          ///< the worker ends; nothing comes back
};

struct ImageArguments {
  std::uint64_t image; ///< the worker's handle; a result of kCreateImage
  std::uint64_t begin; ///< results of kLoadImage: where it is in memory
  std::uint64_t end;
};

struct SymbolArguments {
  std::uint64_t image;
  std::uint64_t place; ///< results: a kernel's handle or a variable's address,
  std::uint64_t size;  ///< and of a variable its size
};

struct CopyArguments {
  std::uint64_t address; ///< on the device
  std::uint64_t size;    ///< of kRead
};

/// A gantry_launch without the kernel's arguments.
struct LaunchArguments {
  std::uint64_t kernel;
  std::uint32_t kind;
  std::uint32_t num_teams[3];
  std::uint32_t thread_limit[3];
  std::uint64_t trip_count;
  std::uint32_t dynamic_memory;
  std::uint32_t argument_count;
  std::uint32_t timed; ///< 1: `begin` and `end` are wanted
  std::uint64_t begin; ///< results, in nanoseconds of CLOCK_MONOTONIC
  std::uint64_t end;
};

struct Channel {
  // By the program.
  alignas(64) std::atomic<std::uint32_t> posted;
  std::atomic<std::uint32_t> program_sleeps;
  // By the worker.
  alignas(64) std::atomic<std::uint32_t> finished;
  std::atomic<std::uint32_t> worker_sleeps;
  std::int32_t thread;               ///< that serves it
  std::atomic<std::uint64_t> kernel; ///< that is at work; 0: none
  std::atomic<std::uint64_t> since;  ///< when it began, in nanoseconds of CLOCK_MONOTONIC

  alignas(64) Operation operation;
  std::int32_t code; ///< of gantry/plugin.h; the payload is its message if it is an error
  ImageArguments image;
  SymbolArguments symbol;
  CopyArguments copy;
  LaunchArguments launch;
  std::uint64_t payload_size;
  alignas(64) std::byte payload[kPayload];
};

enum class FaultKind : std::uint32_t {
  kNone,
  kAccess,      ///< of memory that is not there, or is not to be written
  kArithmetic,  ///< an integer division by zero, or a trap of the floating-point unit
  kInstruction, ///< one that the processor does not have
  kAbort,       ///< abort(), as after a failed assertion
  kStack,       ///< a thread's stack is exhausted
  kExit,        ///< code on the device called exit()
  kTime,        ///< a kernel took longer than it was given
  kSignal,      ///< another signal that ends a process
};

/// What ended the worker. Only the first fault is written.
struct Fault {
  std::atomic<std::uint32_t> claimed;  ///< somebody writes it
  std::atomic<std::uint32_t> complete; ///< the rest can be read
  FaultKind kind;
  std::int32_t value;    ///< of kExit its status, of kSignal its number
  std::uint64_t address; ///< that was accessed
  std::uint32_t access;  ///< GANTRY_FAULT_ACCESS_*
  std::uint32_t known;   ///< 1: `address` is the one that was accessed
  std::uint64_t code;    ///< where the code is
  std::uint64_t image;   ///< that it belongs to; 0: none
  std::uint64_t image_code;
  std::uint64_t kernel; ///< 0: none was at work, or it is not known which
};

struct Change {
  std::uint64_t first_page;
  std::uint64_t pages; ///< the lowest bit of all of them is in `accessible`
  std::uint64_t accessible;
};
inline constexpr std::size_t kChanges = 4096;

enum class State : std::uint32_t { kStarting, kReady, kFailed };

struct Control {
  std::uint32_t version;
  std::int32_t openmp_number;
  std::uint64_t memory_begin; ///< where the worker has the device's memory
  std::uint64_t memory_size;
  std::uint64_t time_limit; ///< of a kernel, in milliseconds; 0: none
  std::int32_t program;     ///< its process number
  std::uint32_t spins;      ///< how often the two look before they wait in the system
  std::uint32_t emulated;   ///< 1: the worker is of another instruction set, and has a guardian
  std::uint32_t full_teams; ///< 1: threads=limit, see plugins/cpu/full_teams.h

  std::atomic<std::uint32_t> state; ///< a State
  char failure[1024];

  // What the system goes through when the worker's first thread ends: a list with one element,
  // whose futex is the word behind it.
  void* life_list[3];
  struct {
    void* next;
    std::atomic<std::uint32_t> life;
  } life;

  Fault fault;

  alignas(64) std::atomic<std::uint64_t> changes_posted;
  alignas(64) std::atomic<std::uint64_t> changes_made;
  Change changes[kChanges];

  std::atomic<std::uint32_t> channel_count;
  Channel channels[kChannels];

  [[nodiscard]] bool worker_is_gone() const {
    return (life.life.load(std::memory_order_acquire) & FUTEX_OWNER_DIED) != 0;
  }
};

} // namespace gantry::worker
