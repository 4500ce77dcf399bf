// The option threads=limit: a team has as many threads as its construct names with thread_limit or
// num_threads, as on a GPU (docs/devices.md).
//
// libomp does not do that: it gives a team of a league OMP_NUM_THREADS threads at most, or as many
// as there are processors, whatever thread_limit and num_threads say, and it runs all teams of a
// league at once, so a grid of thousands of teams would be as many threads. Images of such a device
// therefore make their leagues with this file's functions: their references to libomp's functions
// for leagues are bound to these, which run the teams one after the other. The parallel regions in
// the teams are libomp's own, with the ICVs that a team of that size has. Nothing changes for the
// host's code, nor for images of other devices.
//
// Each kernel runs on a thread that libomp takes for an initial thread (initial_threads.h): the one
// that meets the construct may be in a team of the host's, and libomp 22 ends by SIGSEGV or not at
// all where its hidden helper threads, which run nowait regions, have large teams.
//
// Code of GCC's runs the teams of a league one after the other by itself; its teams only need the
// ICV.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <gantry/plugin.h>

namespace gantry::cpu {

class ElfImage;

/// Prepares an image that the dynamic loader has just loaded as `handle`, before any other of the
/// functions below.
void find_openmp(void* handle);

/// Binds an image of Clang's, which is loaded at `base`, to the functions that give teams all of
/// their threads. The error is a sentence.
[[nodiscard]] std::optional<std::string> bind_full_teams(const ElfImage& elf, std::byte* base);

/// Gives the calling thread, which runs nothing but kernels (initial_threads.h), the ICVs with
/// which one of Clang's begins.
void begin_full_teams(const gantry_launch& launch);

/// A region of GCC's, and the threads that the construct names for its teams; 0: none.
struct RegionOfFullTeam {
  void (*function)(void*);
  void* block;
  std::uint32_t limit;
};

/// Runs a RegionOfFullTeam, as libgomp runs regions: in an initial task of their own.
void run_in_full_team(void* region);

} // namespace gantry::cpu
