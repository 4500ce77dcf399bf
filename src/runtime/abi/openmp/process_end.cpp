#include "runtime/abi/openmp/process_end.h"

#include "runtime/core/runtime.h"

#include <cstdint>
#include <cstdlib>

#include <pthread.h>
#include <sys/auxv.h>

// Of the OpenMP runtime in the process, libomp or libgomp, if there is any.
extern "C" {
__attribute__((weak)) std::int32_t __kmpc_global_num_threads(const void* location);
__attribute__((weak)) std::int32_t __kmpc_global_thread_num(const void* location);
__attribute__((weak)) std::int32_t __kmpc_omp_taskwait(const void* location, std::int32_t thread);
__attribute__((weak)) int omp_in_parallel();
__attribute__((weak)) int omp_in_explicit_task();
__attribute__((weak)) int omp_get_level();
__attribute__((weak)) int omp_get_ancestor_thread_num(int level);
}

namespace gantry::abi::openmp {

constinit thread_local bool RegionUse::thread_is_known = false;
constinit thread_local bool RegionUse::thread_counts = false;
constinit std::atomic<int> RegionUse::users{0};
constinit std::atomic<bool> RegionUse::ending{false};

namespace {

std::atomic<bool> stay{false};

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

/// True for a thread that no parallel region has brought: in each it is number 0.
bool is_programs_own() {
  if (openmp_is_unused() || omp_get_level == nullptr || omp_get_ancestor_thread_num == nullptr) {
    return true;
  }
  int level = omp_get_level();
  while (level > 0 && omp_get_ancestor_thread_num(level) == 0) {
    --level;
  }
  return level == 0;
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

void RegionUse::begin() {
  if (!thread_is_known) {
    if (in_task()) {
      in_task_ = true;
      users.fetch_add(1);
    } else {
      note_thread();
    }
  }
  // After it was counted: who ends the process looks in the other order.
  permitted_ = !ending.load() || stay.load() || !in_task();
}

void RegionUse::note_thread() {
  thread_is_known = true;
  thread_counts = is_programs_own();
  if (thread_counts) {
    static const ThreadEnd thread_end;
    users.fetch_add(1);
    // Without the key it counts for ever, and images stay where they need not.
    if (thread_end.made) {
      pthread_setspecific(thread_end.key, &thread_counts); // anything but null
    }
  }
}

void end_process() {
  if (RegionUse::ending.load()) {
    return;
  }
  if (in_parallel() || in_task()) {
    stay.store(true);
    RegionUse::ending.store(true);
    return;
  }
  if (libomp_is_here() && !openmp_is_unused()) {
    __kmpc_omp_taskwait(nullptr, __kmpc_global_thread_num(nullptr));
  }
  RegionUse::ending.store(true);
  stay.store(RegionUse::users.load() > (RegionUse::thread_counts ? 1 : 0));
}

void prepare_for_exit() {
  // Exit handlers run before destructors of libraries. If there is no memory for one, exit() waits
  // when the executable unregisters.
  [[maybe_unused]] static const int registered = std::atexit(end_process);
}

bool images_stay(const core::Module& module) {
  // LLVM's wrapper registers an exit handler of its own, which runs before ours.
  const bool executable = is_executable(module);
  if (executable) {
    end_process();
  }
  if (stay.load() && executable) {
    core::Runtime::instance().report_leaks();
  }
  return stay.load();
}

} // namespace gantry::abi::openmp
