// compilers: clang22
// Memory of LLVM's predefined memory spaces, by libomp's allocators and by the routines they call.
#include "conformance.h"

#include <cstdint>

extern "C" {
void* llvm_omp_target_alloc_device(size_t size, int device);
void* llvm_omp_target_alloc_host(size_t size, int device);
void* llvm_omp_target_alloc_shared(size_t size, int device);
void llvm_omp_target_free_device(void* pointer, int device);
void llvm_omp_target_free_host(void* pointer, int device);
void llvm_omp_target_free_shared(void* pointer, int device);
void* llvm_omp_target_lock_mem(void* pointer, size_t size, int device);
void llvm_omp_target_unlock_mem(void* pointer, int device);
}

constexpr int kCount = 100;
constexpr size_t kBytes = kCount * sizeof(int);

/// Has the default device fill memory of its own.
static void fill_on_device(int* memory) {
#pragma omp target is_device_ptr(memory)
  for (int i = 0; i < kCount; ++i) {
    memory[i] = omp_is_initial_device() ? -1 : i;
  }
}

static void check_device_memory(int* memory) {
  CHECK(memory != nullptr);
  fill_on_device(memory);
  int values[kCount];
  CHECK_EQUAL(omp_target_memcpy(values, memory, kBytes, 0, 0, omp_get_initial_device(),
                                omp_get_default_device()),
              0);
  CHECK_EQUAL(values[kCount - 1], kCount - 1);
}

/// Of memory that host and device use with the same address.
static void check_common_memory(int* memory) {
  CHECK(memory != nullptr);
  fill_on_device(memory);
  CHECK_EQUAL(memory[kCount - 1], kCount - 1);
  memory[0] = 5;
  int seen = 0;
#pragma omp target is_device_ptr(memory) map(from : seen)
  seen = memory[0];
  CHECK_EQUAL(seen, 5);
}

template <typename Check>
static void check_allocator(omp_allocator_handle_t allocator, Check&& check) {
  auto* memory = static_cast<int*>(omp_alloc(kBytes, allocator));
  check(memory);
  omp_free(memory, allocator);
}

CASE(predefined_allocators, "allocator.llvm_omp_target") {
  check_allocator(llvm_omp_target_device_mem_alloc, check_device_memory);
  check_allocator(llvm_omp_target_host_mem_alloc, check_common_memory);
  check_allocator(llvm_omp_target_shared_mem_alloc, check_common_memory);
}

CASE(memory_of_each_kind, "routine.llvm_omp_target_alloc", "routine.llvm_omp_target_lock_mem") {
  const int before = omp_get_default_device();
  for (int device = 0; device <= omp_get_num_devices(); ++device) {
    if (device < omp_get_num_devices()) {
      omp_set_default_device(device);
      check_runs_on_device();
      auto* memory = static_cast<int*>(llvm_omp_target_alloc_device(kBytes, device));
      check_device_memory(memory);
      llvm_omp_target_free_device(memory, device);
    }
    auto* memory = static_cast<int*>(llvm_omp_target_alloc_host(kBytes, device));
    check_common_memory(memory);
    llvm_omp_target_free_host(memory, device);
    memory = static_cast<int*>(llvm_omp_target_alloc_shared(kBytes, device));
    check_common_memory(memory);
    llvm_omp_target_free_shared(memory, device);

    int object[kCount];
    auto* locked = static_cast<int*>(llvm_omp_target_lock_mem(object, sizeof object, device));
    check_common_memory(locked);
    llvm_omp_target_unlock_mem(object, device);
    CHECK(llvm_omp_target_alloc_device(0, device) == nullptr);
    llvm_omp_target_free_device(nullptr, device);
  }
  omp_set_default_device(before);
}

CASE(dynamic_memory_on_the_host, "routine.llvm_omp_target_dynamic_shared_alloc") {
  CHECK(llvm_omp_target_dynamic_shared_alloc() == nullptr);
}
