// Explicit tasks (OpenMP 5.2, chapter 12). The generating thread executes a task at once, like an
// included task. So dependences are always satisfied, and task groups and taskwait have nothing to
// wait for. What remains is the task's data environment, its reductions and its destructors.
#include "device/gpu/heap.h"
#include "device/gpu/team.h"
#include "device/gpu/thread_state.h"

namespace gantry::device {
namespace {

struct Task;
using Routine = int32_t (*)(int32_t thread, Task* task);

/// Clang's, with private variables behind it.
struct Task {
  void* shared;
  Routine routine;
  int32_t part;
  Routine destructors; ///< only if the flag says so
  void* unused;
};

/// Of a taskloop, behind the above.
struct LoopPart {
  uint64_t lower, upper;
  int64_t stride;
  int32_t last;
};

enum TaskFlag : int32_t { kFinal = 2, kHasDestructors = 8 };

/// In front of each Task.
struct alignas(16) Header {
  int32_t flags;
};

Header& header_of(Task& task) {
  return reinterpret_cast<Header*>(&task)[-1];
}

GANTRY_NOINLINE void enter_task(const Task& task) {
  ThreadState& state = thread_state();
  ++state.tasks;
  if (state.final_tasks != 0 || (header_of(const_cast<Task&>(task)).flags & kFinal) != 0) {
    ++state.final_tasks;
  }
}

GANTRY_NOINLINE void leave_task(Task& task) {
  if ((header_of(task).flags & kHasDestructors) != 0) {
    task.destructors(static_cast<int32_t>(thread_number()), &task);
  }
  leave_environment();
  ThreadState& state = *find_thread_state();
  --state.tasks;
  if (state.final_tasks != 0) {
    --state.final_tasks;
  }
  drop_thread_state();
  free(&header_of(task));
}

void execute(Task& task) {
  enter_task(task);
  task.routine(static_cast<int32_t>(thread_number()), &task);
  leave_task(task);
}

/// A list item of a reduction over tasks, as Clang gives it.
struct ReductionItem {
  void* shared;
  void* original;
  uint64_t size;
  void (*initialise)(void* copy, void* original);
  void (*finish)(void* copy);
  void (*combine)(void* into, void* copy);
  int32_t flags;
};

} // namespace

/// The innermost task group of a thread, and its reductions.
struct TaskGroup {
  TaskGroup* outer;
  uint32_t count;
  ReductionItem* items;
  void** copies;
};

namespace {

GANTRY_NOINLINE void begin_group() {
  ThreadState& state = thread_state();
  auto* const group = static_cast<TaskGroup*>(allocate(sizeof(TaskGroup)));
  *group = {state.groups, 0, nullptr, nullptr};
  state.groups = group;
}

GANTRY_NOINLINE void end_group() {
  ThreadState& state = *find_thread_state();
  TaskGroup* const group = state.groups;
  for (uint32_t i = 0; i < group->count; ++i) {
    const ReductionItem& item = group->items[i];
    item.combine(item.shared, group->copies[i]);
    if (item.finish != nullptr) {
      item.finish(group->copies[i]);
    }
    free(group->copies[i]);
  }
  if (group->count != 0) {
    free(group->items);
    free(group->copies);
  }
  state.groups = group->outer;
  free(group);
  drop_thread_state();
}

void* begin_reduction(int32_t count, const ReductionItem* items) {
  TaskGroup& group = *thread_state().groups;
  const auto number = static_cast<uint32_t>(count);
  group.items = static_cast<ReductionItem*>(allocate(number * sizeof(ReductionItem)));
  group.copies = static_cast<void**>(allocate(number * sizeof(void*)));
  group.count = number;
  for (uint32_t i = 0; i < number; ++i) {
    group.items[i] = items[i];
    group.copies[i] = allocate(items[i].size);
    if (items[i].initialise != nullptr) {
      items[i].initialise(group.copies[i], items[i].original);
    } else {
      __builtin_memset(group.copies[i], 0, items[i].size);
    }
  }
  return &group;
}

} // namespace

extern "C" {

Task* __kmpc_omp_task_alloc(Ident*, int32_t, int32_t flags, uint64_t size, uint64_t shared_size,
                            Routine routine) {
  const uint64_t task_size = (size + 15) & ~uint64_t{15};
  auto* const header = static_cast<Header*>(allocate(sizeof(Header) + task_size + shared_size));
  header->flags = flags;
  auto* const task = reinterpret_cast<Task*>(header + 1);
  task->shared = shared_size == 0 ? nullptr : reinterpret_cast<unsigned char*>(task) + task_size;
  task->routine = routine;
  task->part = 0;
  return task;
}

int32_t __kmpc_omp_task(Ident*, int32_t, Task* task) {
  execute(*task);
  return 0;
}

int32_t __kmpc_omp_task_with_deps(Ident*, int32_t, Task* task, int32_t, void*, int32_t, void*) {
  execute(*task);
  return 0;
}

void __kmpc_omp_task_begin_if0(Ident*, int32_t, Task* task) {
  enter_task(*task);
}
void __kmpc_omp_task_complete_if0(Ident*, int32_t, Task* task) {
  leave_task(*task);
}

GANTRY_ANSWER(int32_t, __kmpc_omp_taskwait, (Ident*, int32_t), 0)
void __kmpc_omp_wait_deps(Ident*, int32_t, int32_t, void*, int32_t, void*) {}
void __kmpc_omp_taskwait_deps_51(Ident*, int32_t, int32_t, void*, int32_t, void*, int32_t) {}
GANTRY_ANSWER(int32_t, __kmpc_omp_taskyield, (Ident*, int32_t, int32_t), 0)

void __kmpc_taskgroup(Ident*, int32_t) {
  begin_group();
}
void __kmpc_end_taskgroup(Ident*, int32_t) {
  end_group();
}

/// One task executes all iterations: the number of tasks is the implementation's choice, and a
/// program cannot observe the grain size.
void __kmpc_taskloop(Ident*, int32_t, Task* task, int32_t, const uint64_t* lower,
                     const uint64_t* upper, int64_t stride, int32_t, int32_t, uint64_t, void*) {
  const auto from = static_cast<int64_t>(*lower);
  const auto to = static_cast<int64_t>(*upper);
  auto& part = *reinterpret_cast<LoopPart*>(task + 1);
  part.last = 1;
  if (stride > 0 ? from <= to : from >= to) {
    execute(*task);
  } else {
    free(&header_of(*task));
  }
}

void* __kmpc_taskred_init(int32_t, int32_t count, const ReductionItem* items) {
  return begin_reduction(count, items);
}
void* __kmpc_taskred_modifier_init(Ident*, int32_t, int32_t, int32_t count,
                                   const ReductionItem* items) {
  begin_group();
  return begin_reduction(count, items);
}
void __kmpc_task_reduction_modifier_fini(Ident*, int32_t, int32_t) {
  end_group();
}

void* __kmpc_task_reduction_get_th_data(int32_t, void* given, void* item) {
  const auto* group = static_cast<const TaskGroup*>(given);
  if (group == nullptr) {
    const ThreadState* const state = find_thread_state();
    group = state == nullptr ? nullptr : state->groups;
  }
  for (; group != nullptr; group = group->outer) {
    for (uint32_t i = 0; i < group->count; ++i) {
      if (group->items[i].shared == item || group->items[i].original == item ||
          group->copies[i] == item) {
        return group->copies[i];
      }
    }
  }
  return item;
}

/// The event of a detachable task, which is complete when it is returned from and the event is
/// fulfilled; nobody waits for either.
void* __kmpc_task_allow_completion_event(Ident*, int32_t, Task* task) {
  return task;
}
void omp_fulfill_event(uint64_t) {}

GANTRY_ANSWER(int32_t, __kmpc_omp_reg_task_with_affinity, (Ident*, int32_t, Task*, int32_t, void*),
              0)

int32_t omp_in_final() {
  const ThreadState* const state = find_thread_state();
  return state != nullptr && state->final_tasks != 0 ? 1 : 0;
}
int32_t omp_in_explicit_task() {
  const ThreadState* const state = find_thread_state();
  return state != nullptr && state->tasks != 0 ? 1 : 0;
}

} // extern "C"

} // namespace gantry::device
