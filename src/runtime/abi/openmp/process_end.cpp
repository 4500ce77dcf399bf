#include "runtime/abi/openmp/process_end.h"

#include "runtime/core/runtime/early_plugins.h"
#include "runtime/core/runtime/runtime.h"

#include <cstdint>
#include <cstdlib>

#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>
#include <unistd.h>

// Of the OpenMP runtime in the process, libomp or libgomp, if there is any.
extern "C" {
__attribute__((weak)) std::int32_t __kmpc_global_num_threads(const void* location);
__attribute__((weak)) std::int32_t __kmpc_global_thread_num(const void* location);
__attribute__((weak)) std::int32_t __kmpc_omp_taskwait(const void* location, std::int32_t thread);
__attribute__((weak)) int omp_in_parallel();
__attribute__((weak)) int omp_in_explicit_task();
}

namespace gantry::abi::openmp {

constinit thread_local bool RegionUse::thread_counts = false;
constinit std::atomic<int> RegionUse::users{0};
constinit std::atomic<RegionUse::Ending> RegionUse::ending{Ending::kNot};

namespace {

/// exit() has been called, or main has ended.
std::atomic<bool> exiting{false};
/// This process was forked from one that had begun to use devices.
constinit std::atomic<bool> forked{false};
/// The thread that runs exit handlers and destructors, regions of other libraries among them.
constinit thread_local bool ends_process = false;

bool libomp_is_here() {
  return __kmpc_global_num_threads != nullptr && __kmpc_global_thread_num != nullptr &&
         __kmpc_omp_taskwait != nullptr;
}

/// Whatever else libomp is asked makes it initialise itself, which takes a millisecond.
bool openmp_is_unused() {
  return libomp_is_here() && __kmpc_global_num_threads(nullptr) == 0;
}

bool in_parallel() {
  return !openmp_is_unused() && omp_in_parallel != nullptr && omp_in_parallel() != 0;
}

bool in_task() {
  return !openmp_is_unused() && omp_in_explicit_task != nullptr && omp_in_explicit_task() != 0;
}

bool is_executable(const core::Module& module) {
  const std::uintptr_t headers = getauxval(AT_PHDR);
  return headers >= module.begin && headers < module.end;
}

} // namespace

/// Counts the thread that it belongs to until that ends. Not an object of the thread: making one
/// with a destructor may wait for the dynamic loader's lock.
struct ThreadEnd {
  pthread_key_t key{};
  bool made = pthread_key_create(&key, [](void*) { RegionUse::users.fetch_sub(1); }) == 0;
};

namespace {

/// An exit handler. Regions of static objects' destructors are still to come.
void wait_for_tasks() {
  exiting.store(true);
  if (libomp_is_here() && !openmp_is_unused() && !in_parallel() && !in_task()) {
    __kmpc_omp_taskwait(nullptr, __kmpc_global_thread_num(nullptr));
  }
}

/// Once the process ends a handler would run at once, and libomp's may have run: asking it anything
/// makes it begin anew.
void register_again() {
  if (!exiting.load()) {
    (void)std::atexit(wait_for_tasks);
  }
}

} // namespace

void RegionUse::begin() {
  if (in_target_task_) {
    users.fetch_add(1);
  } else if (!thread_counts) {
    note_thread();
  }
  // After it was counted: who ends the process looks in the other order.
  if (ends_process) {
    return;
  }
  if (in_target_task_ && core::early_plugins_are_ended()) {
    permitted_ = false;
    return;
  }
  Ending state = ending.load();
  for (; state == Ending::kDeciding; state = ending.load()) {
    sched_yield();
  }
  if (state != Ending::kImagesGo) {
    return;
  }
  if (in_target_task_) {
    permitted_ = false; // libomp waits for the task
    return;
  }
  for (;;) { // until the process is gone
    pause();
  }
}

void RegionUse::note_thread() {
  // Registers the handler a second time: handlers run in the reverse order of registration, and
  // this one has to run before the handler of the C library, registered before main, in which
  // libraries that were loaded at the start unregister.
  [[maybe_unused]] static const int registered = std::atexit(wait_for_tasks);
  static const ThreadEnd thread_end;
  thread_counts = true;
  users.fetch_add(1);
  // Without the key it counts for ever, and images stay where they need not.
  if (thread_end.made) {
    pthread_setspecific(thread_end.key, &thread_counts); // anything but null
  }
}

/// The first program is unregistered because the process ends.
void end_process() {
  const bool at_rest = !in_parallel() && !in_task();
  ends_process = true;
  if (forked.load()) {
    // Locks that other threads had when the process was forked are taken for ever.
    RegionUse::ending.store(RegionUse::Ending::kImagesStay);
    return;
  }
  RegionUse::ending.store(RegionUse::Ending::kDeciding);
  const bool stay = !at_rest || RegionUse::users.load() > (RegionUse::thread_counts ? 1 : 0);
  RegionUse::ending.store(stay ? RegionUse::Ending::kImagesStay : RegionUse::Ending::kImagesGo);
  if (stay) {
    core::Runtime::instance().report_leaks();
  }
}

void prepare_for_exit() {
  // If there is no memory for one, exit() waits for nothing.
  [[maybe_unused]] static const int registered = std::atexit(wait_for_tasks);
  core::Runtime::instance().set_device_opened(register_again);
  [[maybe_unused]] static const int noting =
      pthread_atfork(nullptr, nullptr, [] { forked.store(core::Runtime::instance().in_use()); });
}

bool images_stay(const core::Module& module) {
  if (is_executable(module) && !exiting.load()) {
    wait_for_tasks(); // LLVM's wrapper registers an exit handler of its own, which runs before ours
  }
  if (exiting.load()) {
    static const bool ended = (end_process(), true);
    (void)ended;
  }
  return RegionUse::ending.load() == RegionUse::Ending::kImagesStay;
}

} // namespace gantry::abi::openmp
