#include "runtime/abi/openmp/target_task.h"

#include "base/monotonic.h"
#include "base/short_sleep.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

// libomp's, when it is in the process.
extern "C" {
__attribute__((weak)) std::int32_t __kmpc_global_thread_num(const void* location);
__attribute__((weak)) bool __kmpc_omp_has_task_team(std::int32_t thread);
__attribute__((weak)) void** __kmpc_omp_get_target_async_handle_ptr(std::int32_t thread);
__attribute__((weak)) int omp_get_num_threads();
__attribute__((weak)) int omp_get_thread_num();
__attribute__((weak)) int omp_get_level();
__attribute__((weak)) std::int32_t __kmpc_omp_taskyield(const void* location, std::int32_t thread,
                                                        int end_part);
__attribute__((weak)) void* __kmpc_omp_task_alloc(const void* location, std::int32_t thread,
                                                  std::int32_t flags, std::size_t size,
                                                  std::size_t shared_size,
                                                  int (*entry)(std::int32_t, void*));
__attribute__((weak)) void __kmpc_omp_task_begin_if0(const void* location, std::int32_t thread,
                                                     void* task);
__attribute__((weak)) void __kmpc_omp_task_complete_if0(const void* location, std::int32_t thread,
                                                        void* task);
}

namespace gantry::abi::openmp {
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

/// libomp has threads for target tasks alone, unless it is told not to.
bool may_have_helpers() {
  const auto says_no = [](const char* variable) {
    const char* const text = std::getenv(variable);
    std::string_view value = text == nullptr ? "" : text;
    // As libomp reads it: "0", "false", "no", "off", "disabled" and what they begin with.
    value = value.substr(std::min(value.find_first_not_of(" ."), value.size()));
    return value.starts_with("of") || value.starts_with("OF") ||
           (!value.empty() && std::string_view("0fFnNdD").find(value[0]) != std::string_view::npos);
  };
  return !says_no("LIBOMP_USE_HIDDEN_HELPER_TASK") && !says_no("LIBOMP_NUM_HIDDEN_HELPER_THREADS");
}

/// This thread runs nothing but target tasks. They are a team of their own, whose threads have
/// the numbers from 1 on among all of libomp's.
bool is_helper() {
  static const bool may_be = may_have_helpers() && omp_get_thread_num != nullptr &&
                             omp_get_level != nullptr && __kmpc_omp_taskyield != nullptr;
  return may_be && omp_get_level() == 1 &&
         __kmpc_global_thread_num(nullptr) == omp_get_thread_num() + 1;
}

/// Works around libomp, whose threads take the last task of their deque first, and put one that is
/// under way back as the last: a helper would ask for one task again and again, while those behind
/// it wait for another helper. So it begins one of them in between. Threads of the program may not:
/// the task that they begin may wait for the one under way, which cannot end below it on the stack.
void begin_another_task() {
  (void)__kmpc_omp_taskyield(nullptr, __kmpc_global_thread_num(nullptr), 0);
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

void leave(void** handle, std::shared_ptr<UnderWay> begun) {
  *handle = begun.get();
  begun->self_ = std::move(begun);
}

/// Short beside the time that it has taken so far, and not too short: threads that sleep and wake
/// up thousands of times in a second were seen to keep those of other sessions from running, for
/// seconds (Linux 6.18, where a session's threads are one group for its scheduler).
std::chrono::nanoseconds UnderWay::next_pause() {
  constexpr std::uint64_t kShortest = 20'000;
  constexpr std::uint64_t kLongest = 500'000;
  constexpr std::uint64_t kPart = 32;
  const std::uint64_t now = monotonic_now();
  asked_ = asked_ == 0 ? now : asked_;
  return std::chrono::nanoseconds(std::clamp((now - asked_) / kPart, kShortest, kLongest));
}

void ask(void** handle) {
  constexpr int kQueriesWithoutPause = 64;
  constexpr int kDeepest = 64;
  thread_local int depth = 0;
  auto* const begun = static_cast<UnderWay*>(*handle);
  if (begun->try_end()) {
    const auto ended = std::exchange(begun->self_, nullptr);
    *handle = nullptr;
    return;
  }
  if (depth < kDeepest && is_helper()) {
    ++depth;
    begin_another_task();
    --depth;
  }
  // libomp's idle threads do nothing but ask.
  if (++begun->fruitless_queries_ > kQueriesWithoutPause && depth == 0) {
    sleep_shortly(begun->next_pause());
  }
}

} // namespace gantry::abi::openmp
