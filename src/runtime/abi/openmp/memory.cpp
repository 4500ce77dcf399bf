// Device memory routines (OpenMP 5.2, section 18.8): presence and association. Allocation is in
// allocators.cpp, the copies are in copies.cpp.
#include "runtime/abi/export.h"
#include "runtime/abi/openmp/routine.h"

using namespace gantry;
using abi::openmp::Routine;
using core::Event;
using core::Operation;
using core::OperationScope;

namespace {

constexpr int kSuccess = 0;
constexpr int kFailure = -1;

/// Associations are made on devices; the host's storage is its own corresponding storage.
Result<core::DataEnvironment*> environment_of(const Routine& routine, int device_number) {
  const auto device = GANTRY_TRY(routine.device(device_number));
  if (device == nullptr) {
    return fail("device number {} is the host, whose storage is associated with itself; pass the "
                "number of another device",
                device_number);
  }
  return &device->data_environment();
}

} // namespace

/// Section 18.8.3. A null pointer refers to no storage, also on the host.
GANTRY_EXPORT int omp_target_is_present(const void* pointer, int device_number) {
  const Routine routine("omp_target_is_present");
  const auto device = routine.device(device_number);
  if (!device) {
    return routine.failed(device.error(), 0);
  }
  return pointer != nullptr &&
         (*device == nullptr || (*device)->data_environment().is_present(pointer, 1));
}

/// Section 18.8.4. The address is one of the device's: of the host's memory where the device can
/// access that, or of device memory that the program allocated there.
GANTRY_EXPORT int omp_target_is_accessible(const void* pointer, std::size_t size,
                                           int device_number) {
  const Routine routine("omp_target_is_accessible");
  const auto device = routine.device(device_number);
  if (!device) {
    return routine.failed(device.error(), 0);
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  if (pointer == nullptr || size > ~begin) {
    return 0;
  }
  return *device == nullptr || (*device)->plugin_device().host_accessible() ||
         (*device)->allocations().contains(begin, size);
}

/// Section 18.8.9.
GANTRY_EXPORT int omp_target_associate_ptr(const void* host, const void* device_pointer,
                                           std::size_t size, std::size_t device_offset,
                                           int device_number) {
  const Routine routine("omp_target_associate_ptr");
  const auto environment = environment_of(routine, device_number);
  if (!environment) {
    return routine.failed(environment.error(), kFailure);
  }
  if (host == nullptr || device_pointer == nullptr || size == 0) {
    return routine.failed(
        Error{fmt::format("host pointer {}, device pointer {} and size {}: neither pointer may be "
                          "null, nor the size 0",
                          fmt::ptr(host), fmt::ptr(device_pointer), size)},
        kFailure);
  }
  const core::Memory host_memory{nullptr, static_cast<std::byte*>(const_cast<void*>(host))};
  const auto device_memory = routine.memory(device_pointer, device_number);
  Status status = core::check(host_memory, 0, size, "host_ptr");
  if (status) {
    status = core::check(*device_memory, device_offset, size, "device_ptr");
  }
  if (status) {
    OperationScope operation;
    if (routine.construct().tells(Event::kOperation)) [[unlikely]] {
      operation.begin(routine.construct(), (*environment)->device().name(),
                      {Operation::What::kAssociate, Operation::kHost, device_number,
                       reinterpret_cast<std::uintptr_t>(host),
                       reinterpret_cast<std::uintptr_t>(device_memory->pointer + device_offset),
                       size});
    }
    status = (*environment)->associate(host, size, device_memory->pointer + device_offset);
  }
  return status ? kSuccess : routine.failed(status.error(), kFailure);
}

/// Section 18.8.10.
GANTRY_EXPORT int omp_target_disassociate_ptr(const void* host, int device_number) {
  const Routine routine("omp_target_disassociate_ptr");
  const auto environment = environment_of(routine, device_number);
  if (!environment) {
    return routine.failed(environment.error(), kFailure);
  }
  OperationScope operation;
  if (routine.construct().tells(Event::kOperation)) [[unlikely]] {
    operation.begin(routine.construct(), (*environment)->device().name(),
                    {.what = Operation::What::kDisassociate,
                     .from = Operation::kHost,
                     .to = device_number,
                     .from_address = reinterpret_cast<std::uintptr_t>(host)});
  }
  const Status status = (*environment)->disassociate(host);
  return status ? kSuccess : routine.failed(status.error(), kFailure);
}

/// Section 18.8.11.
GANTRY_EXPORT void* omp_get_mapped_ptr(const void* host, int device_number) {
  const Routine routine("omp_get_mapped_ptr");
  const auto device = routine.device(device_number);
  if (!device) {
    return routine.failed(device.error(), nullptr);
  }
  if (host == nullptr || *device == nullptr) {
    return const_cast<void*>(host);
  }
  return (*device)->data_environment().tell_corresponding(host);
}
