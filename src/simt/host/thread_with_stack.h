// Threads whose stack is larger than the usual one.
#pragma once

#include <cstddef>
#include <functional>

#include <pthread.h>

namespace gantry::simt {

/// Bytes of stack that a compiler may need.
inline constexpr std::size_t kCompilerStack = 16 << 20;

/// Starts a thread that calls `work`, which outlives it. 0, or an error's number as errno has it.
/// Who calls joins or detaches the thread.
[[nodiscard]] inline int start_thread(std::size_t stack, const std::function<void()>& work,
                                      pthread_t& thread) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack);
  const int failed = pthread_create(
      &thread, &attributes,
      [](void* function) -> void* {
        (*static_cast<const std::function<void()>*>(function))();
        return nullptr;
      },
      const_cast<void*>(static_cast<const void*>(&work)));
  pthread_attr_destroy(&attributes);
  return failed;
}

} // namespace gantry::simt
