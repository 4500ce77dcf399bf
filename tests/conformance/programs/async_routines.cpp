// compilers: clang22 clang19
// The routines that end in _async: they return before their work is done, keep copies of their
// arguments, and are target tasks with the dependences of their depend objects.
#include "conformance.h"

#include <atomic>
#include <cstring>
#include <initializer_list>

// Clang 19's omp.h does not declare it.
extern "C" void* omp_target_memset_async(void* pointer, int value, size_t size, int device,
                                         int count, omp_depend_t* objects);

static const int host = omp_get_initial_device();
static int device;

constexpr int kCount = 1000;
constexpr size_t kBytes = kCount * sizeof(int);

/// A depend object for inout on `variable`.
static omp_depend_t depend_on(int& variable) {
  omp_depend_t object = nullptr;
#pragma omp depobj(object) depend(inout : variable)
  (void)variable;
  return object;
}
static void destroy(omp_depend_t object) {
#pragma omp depobj(object) destroy
}

/// Copies there and back, with a region in between; the calling thread may be alone.
static void chain(int* memory) {
  int values[kCount];
  int results[kCount] = {};
  int step = 0;
  omp_depend_t order = depend_on(step);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < kCount; ++i) {
      values[i] = i + round;
    }
    CHECK_EQUAL(omp_target_memcpy_async(memory, values, kBytes, 0, 0, device, host, 1, &order), 0);
#pragma omp target nowait depend(inout : step) is_device_ptr(memory) device(device)
    for (int i = 0; i < kCount; ++i) {
      memory[i] *= 2;
    }
    CHECK(omp_target_memset_async(memory, 0xff, sizeof(int), device, 1, &order) == memory);
    CHECK_EQUAL(omp_target_memcpy_async(results, memory, kBytes, 0, 0, host, device, 1, &order), 0);
#pragma omp taskwait
    CHECK_EQUAL(results[0], -1);
    for (int i = 1; i < kCount; ++i) {
      CHECK_EQUAL(results[i], 2 * (i + round));
    }
  }
  destroy(order);
}

/// Without dependences, ended by a taskgroup and by a taskwait.
static void groups(int* memory) {
  int values[kCount];
#pragma omp taskgroup
  CHECK(omp_target_memset_async(memory, 1, kBytes, device, 0, nullptr) == memory);
#pragma omp taskgroup
  CHECK_EQUAL(omp_target_memcpy_async(values, memory, kBytes, 0, 0, host, device, 0, nullptr), 0);
  CHECK(values[0] == 0x01010101 && values[kCount - 1] == 0x01010101);
  CHECK(omp_target_memset_async(values, 0, kBytes, host, 0, nullptr) == values);
#pragma omp taskwait
  CHECK(values[0] == 0 && values[kCount - 1] == 0);
}

/// Calls the rectangle's routine with arguments that are gone when it has returned.
static int copy_rectangle(int* to, const int* from, int objects, omp_depend_t* list) {
  size_t volume[] = {2, 3}, to_offsets[] = {0, 1}, from_offsets[] = {1, 2};
  size_t to_extents[] = {2, 5}, from_extents[] = {8, 8};
  const int result =
      omp_target_memcpy_rect_async(to, from, sizeof(int), 2, volume, to_offsets, from_offsets,
                                   to_extents, from_extents, host, device, objects, list);
  for (size_t* array : {volume, to_offsets, from_offsets, to_extents, from_extents}) {
    memset(array, 0xff, 2 * sizeof(size_t));
  }
  return result;
}

/// The task that they depend on is not done before they have returned.
static void deferral(int* memory) {
  int values[kCount];
  int block[10] = {};
  int first = 0, second = 0;
  std::atomic<bool> returned = false;
  for (int i = 0; i < kCount; ++i) {
    values[i] = i;
  }
  omp_depend_t objects[] = {depend_on(first), depend_on(second)};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    CHECK_EQUAL(omp_get_num_threads(), 2); // or the next task would be waited for here
#pragma omp task depend(out : second) shared(returned, values)
    {
      while (!returned) {
      }
      values[kCount - 1] = 12345;
    }
    CHECK_EQUAL(omp_target_memcpy_async(memory, values, kBytes, 0, 0, device, host, 2, objects), 0);
    // One object alone; the copy before, which has both, comes first.
    CHECK_EQUAL(copy_rectangle(block, memory, 1, objects), 0);
    CHECK_EQUAL(block[1], 0);
    returned = true;
  }
  const int expected[] = {0, 10, 11, 12, 0, 0, 18, 19, 20, 0};
  CHECK(memcmp(block, expected, sizeof block) == 0);
  CHECK_EQUAL(omp_target_memcpy(values, memory, sizeof(int), 0, kBytes - sizeof(int), host, device),
              0);
  CHECK_EQUAL(values[0], 12345);
  for (omp_depend_t object : objects) {
    destroy(object);
  }
}

/// A depend object of several dependences.
static void iterators(int* memory) {
  int cells[4] = {};
  std::atomic<bool> returned = false;
  omp_depend_t object;
#pragma omp depobj(object) depend(iterator(i = 0 : 4), in : cells[i])
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    CHECK_EQUAL(omp_get_num_threads(), 2);
#pragma omp task depend(out : cells[3]) shared(cells, returned)
    {
      while (!returned) {
      }
      cells[3] = 7;
    }
    CHECK_EQUAL(
        omp_target_memcpy_async(memory, cells, sizeof cells, 0, 0, device, host, 1, &object), 0);
    returned = true;
  }
  CHECK_EQUAL(omp_target_memcpy(cells, memory, 4, 0, 12, host, device), 0);
  CHECK_EQUAL(cells[0], 7);
  destroy(object);
}

/// Runs `work` with memory of each device, which is the default one then.
static void on_each_device(void (*work)(int* memory)) {
  const int before = omp_get_default_device();
  for (device = 0; device < omp_get_num_devices(); ++device) {
    omp_set_default_device(device);
    check_runs_on_device();
    auto* memory = static_cast<int*>(omp_target_alloc(kBytes, device));
    work(memory);
    omp_target_free(memory, device);
  }
  omp_set_default_device(before);
}

CASE(a_chain_of_copies_and_regions, "routine.omp_target_memcpy_async",
     "routine.omp_target_memset_async", "async.depend") {
  on_each_device(chain);
  on_each_device([](int* memory) {
#pragma omp parallel num_threads(2)
#pragma omp single
    chain(memory);
  });
}

CASE(taskwait_and_taskgroup_end_them, "async.task", "routine.omp_target_memset_async") {
  on_each_device(groups);
  on_each_device([](int* memory) {
#pragma omp parallel num_threads(2)
#pragma omp single
    groups(memory);
  });
}

CASE(they_return_before_what_they_depend_on, "async.deferred", "async.depend",
     "routine.omp_target_memcpy_rect_async", "async.arguments") {
  on_each_device(deferral);
}

CASE(depend_objects_of_iterators, "async.depend") {
  on_each_device(iterators);
}

CASE(most_dimensions, "routine.omp_target_memcpy_rect_async") {
  CHECK(omp_target_memcpy_rect_async(nullptr, nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr,
                                     nullptr, 0, host, 0, nullptr) >= 3);
}

// libomp can be told to have no threads of its own for target tasks.
CASE_WITH(without_helper_threads, "LIBOMP_USE_HIDDEN_HELPER_TASK=0", "async.depend", "async.task",
          "async.deferred") {
  on_each_device(chain);
  on_each_device(groups);
  on_each_device(deferral);
}
