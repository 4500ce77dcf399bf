#include "plugins/hsa/gcc.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

namespace gantry::hsa {

namespace {

constexpr std::size_t kText = 128;
constexpr std::uint32_t kEntries = 1024;

/// A piece of what a kernel prints.
struct Output {
  /// What stands behind the message, and whether a line ends there.
  enum Type : std::int32_t { kInteger = 0, kReal = 1, kTextLine = 2, kTextAlone = 3 };
  std::int32_t written; ///< by the kernel, when the rest is complete
  char message[kText];
  std::int32_t type;
  union {
    char text[kText];
    std::int64_t integer;
    double real;
  };
};

/// What a kernel that returns leaves in place, and what exit() and abort() put there in the upper
/// half; the lower one has the signal and the status then.
constexpr std::uint32_t kNotSet = 0xcafe0000;
constexpr std::uint32_t kEnded = 0xffff;

} // namespace

struct GccArguments {
  std::uint64_t variables; ///< the address of what the region uses
  std::uint64_t unused;
  std::uint64_t output; ///< the address of the next member
  std::uint64_t heap;
  std::uint64_t arena;
  // The output:
  std::uint32_t return_value;
  std::uint32_t next; ///< the entry to be begun next; entries are used in turn
  std::array<Output, kEntries> entries;
  std::uint32_t consumed; ///< entries that the host has printed
};
static_assert(sizeof(Output) == 264 && offsetof(GccArguments, return_value) == 40 &&
              sizeof(GccArguments) == 270'392);

namespace {

constexpr std::uint32_t kLanes = 64;
constexpr std::uint32_t kMostThreads = 16;
/// On gfx900, whose code GCC makes for no more.
constexpr std::uint32_t kThreadsOfGfx900 = 4;
constexpr std::size_t kArenaBytes = 64 << 10; ///< of a team
/// What the memory of the teams may take of the device's: 1 of so many bytes.
constexpr std::size_t kArenaPart = 8;

std::uint32_t threads_of(const gantry_kernel& kernel, const gantry_launch& launch) {
  const std::uint32_t usual =
      kernel.device->processor.name == "gfx900" ? kThreadsOfGfx900 : kMostThreads;
  const std::uint32_t wanted = launch.thread_limit[0] != 0 ? launch.thread_limit[0] : usual;
  return std::clamp(wanted, 1U, std::min(kMostThreads, std::max(kernel.waves_at_once, 1U)));
}

std::uint32_t teams_of(const gantry_kernel& kernel, const gantry_launch& launch) {
  if (launch.kind == GANTRY_LAUNCH_TARGET) {
    return 1;
  }
  const Device& device = *kernel.device;
  const std::uint64_t room = device.total_memory / kArenaPart / kArenaBytes;
  const std::uint32_t most = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(room, 1, std::max(device.max_grid_size, 1U)));
  return std::min(launch.num_teams[0] != 0 ? launch.num_teams[0] : device.compute_units, most);
}

void print_text(const char* text) {
  std::fwrite(text, 1, strnlen(text, kText), stdout);
}

void print_entry(const Output& entry) {
  print_text(entry.message);
  switch (entry.type) {
  case Output::kInteger:
    fmt::print("{}\n", entry.integer);
    break;
  case Output::kReal:
    fmt::print("{:f}\n", entry.real);
    break;
  case Output::kTextLine:
    print_text(entry.text);
    std::fputc('\n', stdout);
    break;
  case Output::kTextAlone:
    print_text(entry.text);
    break;
  default: // nothing that GCC's code writes
    break;
  }
}

} // namespace

std::int32_t GccLaunches::reserve_arena(std::uint32_t teams) {
  if (teams <= arena_teams_) {
    return GANTRY_SUCCESS;
  }
  if (arena_ != 0) {
    arena_teams_ = 0;
    GANTRY_STATUS_TRY(device_.memory.release(std::exchange(arena_, 0)));
  }
  GANTRY_STATUS_TRY(device_.memory.allocate(teams * kArenaBytes, arena_));
  arena_teams_ = teams;
  return GANTRY_SUCCESS;
}

std::int32_t GccLaunches::start(const gantry_kernel& kernel, const gantry_launch& launch,
                                Stream& stream) {
  if (at_work_) {
    GANTRY_STATUS_TRY(stream.wait_for_all());
    GANTRY_STATUS_TRY(end());
  }
  const std::uint32_t threads = threads_of(kernel, launch);
  const std::uint32_t teams = teams_of(kernel, launch);
  GANTRY_STATUS_TRY(reserve_arena(teams));
  if (arguments_ == nullptr) {
    void* memory = nullptr;
    GANTRY_STATUS_TRY(device_.source.allocate_pinned(sizeof(GccArguments), memory));
    arguments_ = new (memory) GccArguments();
    stream.call_while_waiting([this] { poll(); });
  }
  arguments_->variables =
      launch.argument_count == 0 ? 0 : reinterpret_cast<std::uint64_t>(launch.arguments[0]);
  arguments_->output = reinterpret_cast<std::uint64_t>(&arguments_->return_value);
  arguments_->heap = kernel.image->heap();
  arguments_->arena = arena_;
  arguments_->return_value = kNotSet;
  arguments_->next = 0;
  arguments_->consumed = 0;
  for (Output& entry : arguments_->entries) {
    entry.written = 0;
  }
  hsa_kernel_dispatch_packet_t packet = {};
  packet.setup = 3 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  packet.workgroup_size_x = 1;
  packet.workgroup_size_y = kLanes;
  packet.workgroup_size_z = static_cast<std::uint16_t>(threads);
  packet.grid_size_x = teams;
  packet.grid_size_y = kLanes;
  packet.grid_size_z = threads;
  packet.private_segment_size = kernel.private_bytes;
  packet.group_segment_size = kernel.group_bytes;
  packet.kernel_object = kernel.object;
  packet.kernarg_address = arguments_;
  GANTRY_STATUS_TRY(stream.dispatch(packet, &kernel));
  kernel_ = &kernel;
  at_work_ = true;
  return GANTRY_SUCCESS;
}

void GccLaunches::print(bool all) {
  const std::uint32_t end = std::atomic_ref(arguments_->next).load(std::memory_order_acquire);
  std::uint32_t at = arguments_->consumed;
  if (at >= end) {
    return;
  }
  for (; at < end; ++at) {
    Output& entry = arguments_->entries[at % kEntries];
    std::atomic_ref written(entry.written);
    if (written.load(std::memory_order_acquire) == 0 && !all) {
      break;
    }
    print_entry(entry);
    written.store(0, std::memory_order_relaxed);
    // The kernel waits for room.
    std::atomic_ref(arguments_->consumed).store(at + 1, std::memory_order_release);
  }
  std::fflush(stdout);
}

std::int32_t GccLaunches::end() {
  at_work_ = false;
  print(true);
  const std::uint32_t value = arguments_->return_value;
  if (value >> 16 != kEnded) {
    return GANTRY_SUCCESS;
  }
  const bool aborted = (value >> 8 & 0xff) == SIGABRT;
  const auto status = static_cast<std::int32_t>(value & 0xff);
  device_.loss.happen({.what = aborted ? std::string("the kernel called abort()")
                                       : fmt::format("the kernel called exit({})", status),
                       .kind = aborted ? GANTRY_FAULT_ABORT : GANTRY_FAULT_EXIT,
                       .value = aborted ? 0 : status,
                       .kernel = kernel_,
                       .kernel_name = kernel_->name});
  return device_.loss.refusal();
}

std::int32_t GccLaunches::release() {
  std::int32_t status = GANTRY_SUCCESS;
  if (arguments_ != nullptr) {
    keep_failure(status, device_.source.free_pinned(std::exchange(arguments_, nullptr)));
  }
  if (arena_ != 0) {
    keep_failure(status, device_.memory.release(std::exchange(arena_, 0)));
    arena_teams_ = 0;
  }
  return status;
}

} // namespace gantry::hsa
