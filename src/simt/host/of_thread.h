// Thread-local objects that work while the process ends and inside dlclose.
#pragma once

#include <pthread.h>

namespace gantry::simt {

namespace of_thread_detail {
template <typename T>
inline constinit thread_local T* object = nullptr;
}

/// The calling thread's T, made at its first call and deleted when the thread ends; may be called
/// at any time, also while the process ends. Not a thread_local object with a destructor, because
/// the C library waits for the dynamic loader to register one, and a thread inside dlclose may wait
/// for the kernels that the calling thread is to run. Moreover, runtimes call the driver from exit
/// handlers that run after the destructors of the main thread's thread_local objects.
template <typename T>
[[nodiscard]] T& of_thread() {
  T*& object = of_thread_detail::object<T>;
  if (object == nullptr) {
    static const pthread_key_t key = [] {
      pthread_key_t made = 0;
      pthread_key_create(&made, [](void* gone) {
        of_thread_detail::object<T> = nullptr;
        delete static_cast<T*>(gone);
      });
      return made;
    }();
    object = new T;
    pthread_setspecific(key, object);
  }
  return *object;
}

} // namespace gantry::simt
