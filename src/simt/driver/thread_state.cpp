#include "simt/driver/thread_state.h"

#include "simt/driver/context.h"

#include <pthread.h>

namespace gantry::simt::driver {

namespace {

// Not an object with a destructor: runtimes call the driver from destructors and exit handlers that
// run after those of the main thread's thread_local objects.
constinit thread_local ThreadState* current = nullptr;

constinit thread_local bool ending = false;

struct EndMark {
  ~EndMark() { ending = true; }
};

pthread_key_t make_key() {
  pthread_key_t key = 0;
  pthread_key_create(&key, [](void* state) {
    current = nullptr;
    delete static_cast<ThreadState*>(state);
  });
  return key;
}

} // namespace

bool ThreadState::is_ending() {
  // Registers the destructor at the first call.
  thread_local const EndMark mark;
  return ending;
}

constinit thread_local bool HostFunctionScope::inside = false;
constinit thread_local bool PerThreadDefault::inside = false;

ThreadState& ThreadState::of_caller() {
  if (current == nullptr) {
    static const pthread_key_t key = make_key();
    current = new ThreadState;
    pthread_setspecific(key, current);
  }
  return *current;
}

} // namespace gantry::simt::driver
