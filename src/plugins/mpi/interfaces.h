// The binary interfaces of MPI libraries: what a handle is, the values of constants, and where a
// status has what we read of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <dlfcn.h>

namespace gantry::mpi {

/// Open MPI 4 and 5: handles are pointers, constants are variables of the library's.
struct OpenMpi {
  using Handle = void*;
  struct Status {
    int source, tag, error, is_cancelled;
    std::size_t bytes;
  };
  static constexpr int kAnySource = -1;
  static constexpr std::array kThreadLevels = {0, 1, 2, 3}; ///< ThreadLevel's
  static constexpr int kLargestTag = 0;                     ///< the attribute's key

  explicit OpenMpi(void* library) : library(library) {}
  [[nodiscard]] Handle world() const { return variable("ompi_mpi_comm_world"); }
  [[nodiscard]] Handle self() const { return variable("ompi_mpi_comm_self"); }
  [[nodiscard]] Handle byte() const { return variable("ompi_mpi_byte"); }
  [[nodiscard]] Handle errors_return() const { return variable("ompi_mpi_errors_return"); }
  [[nodiscard]] Handle variable(const char* name) const { return dlsym(library, name); }

  void* library;
};

/// MPICH since 3.1, and what follows its interface: Intel MPI, MVAPICH2, Cray MPICH.
struct Mpich {
  using Handle = int;
  struct Status {
    int count_low, count_high_and_cancelled, source, tag, error;
  };
  static constexpr int kAnySource = -2;
  static constexpr std::array kThreadLevels = {0, 1, 2, 3};
  static constexpr int kLargestTag = 0x64400001;

  explicit Mpich(void* /*library*/) {}
  [[nodiscard]] static Handle world() { return 0x44000000; }
  [[nodiscard]] static Handle self() { return 0x44000001; }
  [[nodiscard]] static Handle byte() { return 0x4c00010d; }
  [[nodiscard]] static Handle errors_return() { return 0x54000001; }
};

/// MPI 5.0, chapter 20: handles are pointers, constants are small numbers.
struct Mpi5 {
  using Handle = void*;
  struct Status {
    int source, tag, error, internal[5];
  };
  static constexpr int kAnySource = -1;
  static constexpr std::array kThreadLevels = {0, 1024, 2048, 4096};
  static constexpr int kLargestTag = 501;

  explicit Mpi5(void* /*library*/) {}
  [[nodiscard]] static Handle world() { return handle(257); }
  [[nodiscard]] static Handle self() { return handle(258); }
  [[nodiscard]] static Handle byte() { return handle(583); }
  [[nodiscard]] static Handle errors_return() { return handle(323); }

private:
  static Handle handle(std::uintptr_t number) { return reinterpret_cast<Handle>(number); }
};

} // namespace gantry::mpi
