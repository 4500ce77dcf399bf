// Allocation of memory: OpenMP's routines (OpenMP 5.2, sections 18.8.1 and 18.8.2), and LLVM's for
// memory of a given kind, which libomp's allocators call for the memory spaces
// llvm_omp_target_{device,host,shared}_mem_space and for pinned memory, and programs directly.
#include "runtime/abi/export.h"
#include "runtime/abi/openmp/routine.h"

using namespace gantry;
using abi::openmp::Routine;
using core::MemoryKind;
using core::Operation;

namespace {

void* allocate(const Routine& routine, std::size_t size, int device_number, MemoryKind kind) {
  const auto device = routine.device(device_number);
  if (!device) {
    return routine.failed(device.error(), nullptr);
  }
  if (size == 0) {
    return nullptr;
  }
  core::OperationScope operation;
  if (*device != nullptr && routine.construct().tells(core::Event::kOperation)) [[unlikely]] {
    operation.begin(routine.construct(), (*device)->plugin_device().name(),
                    {.what = Operation::What::kAllocate,
                     .from = Operation::kHost,
                     .to = device_number,
                     .size = size});
  }
  const auto allocated = core::allocate(*device, size, kind);
  operation.set_allocated(reinterpret_cast<std::uintptr_t>(allocated.value_or(nullptr)));
  return allocated ? *allocated : routine.failed(allocated.error(), nullptr);
}

void release(const Routine& routine, void* pointer, int device_number, MemoryKind kind) {
  const auto memory = routine.memory(pointer, device_number);
  if (!memory) {
    routine.end(memory.error());
  }
  if (pointer == nullptr) {
    return;
  }
  core::OperationScope operation;
  if (memory->device != nullptr && routine.construct().tells(core::Event::kOperation))
      [[unlikely]] {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory->pointer);
    operation.begin(routine.construct(), memory->device->plugin_device().name(),
                    {.what = Operation::What::kRelease,
                     .from = device_number,
                     .from_address = begin,
                     .size = memory->device->allocations()
                                 .holding(begin)
                                 .value_or(core::AllocationTable::Located{})
                                 .size});
  }
  if (Status status = core::release(*memory, kind); !status) {
    routine.end(status.error());
  }
}

/// Memory of the host that the device can read and write as it is.
Status check_accessible(const core::Memory& memory) {
  if (memory.pointer == nullptr) {
    return fail("the pointer is null");
  }
  if (memory.device != nullptr && !memory.device->plugin_device().host_accessible()) {
    return fail("{}: the device has no access to the host's memory, which cannot be locked for it",
                memory.device->label());
  }
  return {};
}

} // namespace

#define GANTRY_ALLOCATION(allocation, free, kind)                                                  \
  GANTRY_EXPORT void* allocation(std::size_t size, int device) {                                   \
    return allocate(Routine(#allocation), size, device, MemoryKind::kind);                         \
  }                                                                                                \
  GANTRY_EXPORT void free(void* pointer, int device) {                                             \
    release(Routine(#free), pointer, device, MemoryKind::kind);                                    \
  }

GANTRY_ALLOCATION(omp_target_alloc, omp_target_free, kDevice)
GANTRY_ALLOCATION(llvm_omp_target_alloc_device, llvm_omp_target_free_device, kDevice)
GANTRY_ALLOCATION(llvm_omp_target_alloc_host, llvm_omp_target_free_host, kHost)
GANTRY_ALLOCATION(llvm_omp_target_alloc_shared, llvm_omp_target_free_shared, kShared)

/// Makes host memory fit for the device to access and returns its address there. A device that can
/// access the host's memory does so by the host's addresses, locked or not; nothing has to be done
/// for it, or undone.
GANTRY_EXPORT void* llvm_omp_target_lock_mem(void* pointer, std::size_t size, int device_number) {
  const Routine routine("llvm_omp_target_lock_mem");
  const auto memory = routine.memory(pointer, device_number);
  Status status = memory ? check_accessible(*memory) : tl::unexpected(memory.error());
  if (status) {
    status = core::check({nullptr, memory->pointer}, 0, size, "ptr");
  }
  return status ? pointer : routine.failed(status.error(), nullptr);
}

GANTRY_EXPORT void llvm_omp_target_unlock_mem(void* pointer, int device_number) {
  const Routine routine("llvm_omp_target_unlock_mem");
  const auto memory = routine.memory(pointer, device_number);
  if (const Status status = memory ? check_accessible(*memory) : tl::unexpected(memory.error());
      !status) {
    routine.end(status.error());
  }
}

/// The dynamic group-private memory of the calling contention group: the host has none.
GANTRY_EXPORT void* llvm_omp_target_dynamic_shared_alloc() {
  return nullptr;
}
