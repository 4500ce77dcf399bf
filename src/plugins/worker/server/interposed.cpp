// Functions of the C library that images and the libraries they bring call, and that mean something
// more in a worker: the dynamic loader finds those of the executable first.
#include "plugins/worker/server/faults.h"

#include <cerrno>
#include <new>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

using namespace gantry::worker;

namespace {

struct ThreadStart {
  void* (*function)(void*);
  void* argument;
  Channel* channel;
};

/// Nothing is left to be destroyed when the thread's function is called: pthread_exit() unwinds the
/// stack, by another unwinder than this executable's.
void* enter_and_run(void* argument) {
  const ThreadStart start = *static_cast<ThreadStart*>(argument);
  delete static_cast<ThreadStart*>(argument);
  enter_thread(start.channel);
  return start.function(start.argument);
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" {

/// Every thread can report a fault, the exhaustion of its stack too, and works for the kernel that
/// made it.
__attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                          const pthread_attr_t* attributes,
                                                          void* (*function)(void*),
                                                          void* argument) {
  static auto* const create = next<decltype(pthread_create)>("pthread_create");
  auto* const start = new (std::nothrow) ThreadStart{function, argument, current_channel()};
  if (start == nullptr) {
    return EAGAIN;
  }
  const int result = create(thread, attributes, enter_and_run, start);
  if (result != 0) {
    delete start;
  }
  return result;
}

/// libomp leaves a file of this name for others of its kind in the process, and removes it when the
/// process ends in good order. A worker does not, so what it writes is in memory.
__attribute__((visibility("default"))) int shm_open(const char* name, int flags, mode_t mode) {
  static auto* const open = next<decltype(shm_open)>("shm_open");
  if (std::string_view(name).starts_with("/__KMP_REGISTERED_LIB_")) {
    if ((flags & O_CREAT) != 0) {
      return memfd_create("gantry-libomp", MFD_CLOEXEC);
    }
    errno = ENOENT;
    return -1;
  }
  return open(name, flags, mode);
}

} // extern "C"
