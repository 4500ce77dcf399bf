#include "runtime/abi/openmp/tasks.h"

#include "runtime/abi/clang/layouts.h"

#include <memory>

namespace gantry::abi::openmp {

namespace {

/// A task of libomp with what is private to ours behind it.
struct Task {
  void* shareds;
  std::int32_t (*routine)(std::int32_t thread, Task* task);
  std::int32_t part;
  void* data[2];
  std::function<void()>* work;
};
static_assert(offsetof(Task, work) == 40);

} // namespace

} // namespace gantry::abi::openmp

using gantry::abi::clang::Ident;
using gantry::abi::openmp::Dependence;
using gantry::abi::openmp::Task;

extern "C" {
__attribute__((weak)) std::int32_t __kmpc_global_thread_num(const Ident* location);
__attribute__((weak)) Task*
__kmpc_omp_target_task_alloc(const Ident* location, std::int32_t thread, std::int32_t flags,
                             std::size_t task_size, std::size_t shareds_size,
                             std::int32_t (*routine)(std::int32_t, Task*), std::int64_t device);
__attribute__((weak)) std::int32_t
__kmpc_omp_task_with_deps(const Ident* location, std::int32_t thread, Task* task,
                          std::int32_t count, const Dependence* dependences,
                          std::int32_t noalias_count, const Dependence* noalias);
__attribute__((weak)) void __kmpc_omp_wait_deps(const Ident* location, std::int32_t thread,
                                                std::int32_t count, const Dependence* dependences,
                                                std::int32_t noalias_count,
                                                const Dependence* noalias);
}

namespace gantry::abi::openmp {

namespace {

constexpr Ident kLocation{0, 2, 0, 22, ";unknown;unknown;0;0;;"};
constexpr std::int32_t kTied = 1;

bool libomp_is_here() {
  return __kmpc_global_thread_num != nullptr && __kmpc_omp_target_task_alloc != nullptr &&
         __kmpc_omp_task_with_deps != nullptr && __kmpc_omp_wait_deps != nullptr;
}

std::int32_t run(std::int32_t /*thread*/, Task* task) {
  const std::unique_ptr<std::function<void()>> work(task->work);
  (*work)();
  return 0;
}

} // namespace

Result<std::vector<Dependence>> dependences_of(int count, void* const* objects) {
  std::vector<Dependence> dependences;
  if (count < 0 || (count > 0 && objects == nullptr)) {
    return fail("'depobj_count' is {} and 'depobj_list' {}; there are no fewer than 0 depend "
                "objects, and a list of them if there are any",
                count, fmt::ptr(objects));
  }
  for (int i = 0; i < count; ++i) {
    if (objects[i] == nullptr) {
      return fail("depend object {} of 'depobj_list' is null; initialise it with the depobj "
                  "construct",
                  i);
    }
    // An object points behind a first record that holds the number of those that follow.
    const auto* first = static_cast<const Dependence*>(objects[i]);
    dependences.insert(dependences.end(), first, first + first[-1].address);
  }
  return dependences;
}

void run_deferred(std::span<const Dependence> dependences, std::function<void()> work) {
  if (!libomp_is_here()) {
    work();
    return;
  }
  const std::int32_t thread = __kmpc_global_thread_num(&kLocation);
  // libomp looks at no device number here; a routine may have two.
  Task* task = __kmpc_omp_target_task_alloc(&kLocation, thread, kTied, sizeof(Task), 0, run, -1);
  task->work = new std::function<void()>(std::move(work));
  __kmpc_omp_task_with_deps(&kLocation, thread, task, static_cast<std::int32_t>(dependences.size()),
                            dependences.data(), 0, nullptr);
}

void wait_for(std::span<const Dependence> dependences) {
  if (dependences.empty() || !libomp_is_here()) {
    return;
  }
  __kmpc_omp_wait_deps(&kLocation, __kmpc_global_thread_num(&kLocation),
                       static_cast<std::int32_t>(dependences.size()), dependences.data(), 0,
                       nullptr);
}

} // namespace gantry::abi::openmp
