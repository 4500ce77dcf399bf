// A GPU through its driver alone, with the kernels of bare.cpp: what the table compares OpenMP
// with. Where the driver refuses something, the program ends with its message.
#pragma once

#include <cstddef>
#include <memory>

class BareDevice {
public:
  /// The driver's first GPU. `files` are those that bare.cpp has become: for each architecture one,
  /// of which the first that the GPU takes is loaded.
  static std::unique_ptr<BareDevice> open(int count, char** files);
  virtual ~BareDevice() = default;

  /// Each ends when the GPU has done it.
  virtual void launch_empty() = 0;
  virtual void multiply(double* c, const double* a, const double* b, long n) = 0;
  virtual void copy_to(void* device, const void* host, std::size_t size) = 0;
  virtual void copy_from(void* host, const void* device, std::size_t size) = 0;
  virtual void copy_inside(void* to, const void* from, std::size_t size) = 0;
  /// Host memory that the GPU accesses by itself. Nobody frees it.
  virtual void* pinned(std::size_t size) = 0;

  /// Threads of a block of multiply().
  static constexpr unsigned kThreads = 128;
  static unsigned blocks(long n) {
    return static_cast<unsigned>((n * n + kThreads - 1) / kThreads);
  }
};

[[noreturn]] void fail(const char* what);
