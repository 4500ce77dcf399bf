#include "runtime/abi/clang/target_task.h"

#include <cstddef>
#include <cstdint>

// libomp's, when it is in the process.
extern "C" {
__attribute__((weak)) std::int32_t __kmpc_global_thread_num(const void* location);
__attribute__((weak)) bool __kmpc_omp_has_task_team(std::int32_t thread);
__attribute__((weak)) void** __kmpc_omp_get_target_async_handle_ptr(std::int32_t thread);
__attribute__((weak)) int omp_get_num_threads();
__attribute__((weak)) void* __kmpc_omp_task_alloc(const void* location, std::int32_t thread,
                                                  std::int32_t flags, std::size_t size,
                                                  std::size_t shared_size,
                                                  int (*entry)(std::int32_t, void*));
__attribute__((weak)) void __kmpc_omp_task_begin_if0(const void* location, std::int32_t thread,
                                                     void* task);
__attribute__((weak)) void __kmpc_omp_task_complete_if0(const void* location, std::int32_t thread,
                                                        void* task);
}

namespace gantry::abi::clang {
namespace {

/// Works around libomp, whose threads look at one end of a deque only: of their own at the back, of
/// others' at the front. A task whose `mutexinoutset` is held is not taken from there. When the
/// task that holds it is queued again, to be asked about, between two that wait for it, no thread
/// would ever reach it. In a team that has met an untied task, threads search the others' deques
/// whole, so the team meets one here. llvm/llvm-project#97816 describes the same search with
/// priorities; this may go when libomp searches whole deques by itself.
void let_deques_be_searched(std::int32_t thread) {
  constexpr std::int32_t kUntied = 0;
  constexpr std::size_t kTaskSize = 5 * sizeof(void*); // kmp_task_t, as Clang lays it out
  void* task = __kmpc_omp_task_alloc(nullptr, thread, kUntied, kTaskSize, 0,
                                     [](std::int32_t, void*) { return 0; });
  __kmpc_omp_task_begin_if0(nullptr, thread, task);
  __kmpc_omp_task_complete_if0(nullptr, thread, task);
}

} // namespace

void** handle_of_current_target_task() {
  if (__kmpc_global_thread_num == nullptr || __kmpc_omp_has_task_team == nullptr ||
      __kmpc_omp_get_target_async_handle_ptr == nullptr || omp_get_num_threads == nullptr ||
      __kmpc_omp_task_alloc == nullptr || __kmpc_omp_task_begin_if0 == nullptr ||
      __kmpc_omp_task_complete_if0 == nullptr) {
    return nullptr;
  }
  const std::int32_t thread = __kmpc_global_thread_num(nullptr);
  // There is nobody to search the deque of a thread that is alone.
  if (!__kmpc_omp_has_task_team(thread) || omp_get_num_threads() == 1) {
    return nullptr;
  }
  void** handle = __kmpc_omp_get_target_async_handle_ptr(thread);
  if (handle != nullptr) {
    let_deques_be_searched(thread);
  }
  return handle;
}

} // namespace gantry::abi::clang
