// Images and kernels that GCC makes for amdgcn.
//
// An image is a code object with all of GCC's own libraries that the program needs. Of what the
// host sees of it libgomp's plugin was the only user; docs/gcc.md has it byte by byte.
//
// A kernel's thread of OpenMP is a wave of 64 lanes, so a block is (1, 64, threads). A kernel gets
// the address of one structure, in memory of the host: what the region uses, where the heap is and
// the memory of the teams, and a buffer for what it prints, which the host has to empty.
#pragma once

#include "plugins/hsa/image.h"
#include "plugins/hsa/stream.h"

#include <cstdint>
#include <string_view>

namespace gantry::hsa {

/// The kernels that run constructors and destructors of a whole image.
inline constexpr const char* kGccConstructors = "_init_array";
inline constexpr const char* kGccDestructors = "_fini_array";
/// A variable: the table of the image's variables, pairs of addresses and sizes, in the order of
/// the host's table. They have no other names that are theirs alone: the first is "#0" for Gantry.
inline constexpr const char* kGccVariables = ".offload_var_table";

/// What GCC's code keeps in front of its heap.
struct GccHeap {
  std::int64_t size; ///< of what follows
};

/// The structure of a kernel; in gcc.cpp.
struct GccArguments;

/// The launches of GCC's kernels in one stream: one has to end before the next is put in. Used by
/// one thread at a time. Functions with a status return GANTRY_SUCCESS or an error, kept.
class GccLaunches {
public:
  explicit GccLaunches(Device& device) : device_(device) {}
  GccLaunches(const GccLaunches&) = delete;
  GccLaunches& operator=(const GccLaunches&) = delete;

  /// Puts a launch in. Waits for the one before.
  std::int32_t start(const gantry_kernel& kernel, const gantry_launch& launch, Stream& stream);
  /// Prints what the kernel at work has printed since.
  void poll() {
    if (at_work_) {
      print(false);
    }
  }
  /// The stream is done: prints the rest; a kernel that has ended the program has ended the device.
  std::int32_t finish() { return at_work_ ? end() : std::int32_t{GANTRY_SUCCESS}; }
  /// Frees it all; nothing uses it any more.
  std::int32_t release();

private:
  /// `all`: also what the kernel has begun and not said to be complete.
  void print(bool all);
  std::int32_t end();
  std::int32_t reserve_arena(std::uint32_t teams);

  Device& device_;
  GccArguments* arguments_ = nullptr; ///< pinned
  gpu::DeviceAddress arena_ = 0;      ///< memory of the teams
  std::uint32_t arena_teams_ = 0;
  bool at_work_ = false;
  const gantry_kernel* kernel_ = nullptr; ///< that was put in last
};

/// Tells the device runtime in an image what it is asked by omp_get_device_num(). `write_to(name,
/// bytes, size)` writes to a variable, if the image has that.
template <typename WriteTo>
std::int32_t introduce_device(std::int32_t number, WriteTo&& write_to) {
  // Since GCC 13, in place of the device's number: what omp_get_device_num(),
  // omp_get_default_device(), omp_get_max_teams() and omp_get_teams_thread_limit() answer.
  const std::int32_t control_variables[] = {number, 0, 0, 0};
  GANTRY_STATUS_TRY(write_to("__gomp_device_num", &number, sizeof number));
  return write_to("__gomp_additional_icvs", control_variables, sizeof control_variables);
}

} // namespace gantry::hsa
