// GCC's host runtime, which keeps everything but offloading.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gantry::abi::gcc {

/// What is called of libgomp.so.1; null where the process does not have it.
struct Libgomp {
  int (*default_device)() = nullptr;
  void (*task)(void (*function)(void*), void* data, void (*copy)(void*, void*), long size,
               long alignment, bool deferred, unsigned flags, void** dependences, int priority,
               void* detach) = nullptr;
  void (*wait_for_dependences)(void** dependences) = nullptr;
  void (*target)(int device, void (*function)(void*), std::size_t count, void** addresses,
                 std::size_t* sizes, std::uint16_t* kinds, unsigned flags, void** dependences,
                 void** arguments) = nullptr;
  bool (*teams)(unsigned least, unsigned most, unsigned limit, bool first) = nullptr;
  void* team_number = nullptr; ///< omp_get_team_num()
};

/// Looked up at the first call. Any thread.
[[nodiscard]] const Libgomp& libgomp();

} // namespace gantry::abi::gcc
