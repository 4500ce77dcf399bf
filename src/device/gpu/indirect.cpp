// Calls through pointers that came from the host (OpenMP 5.2, section 7.8, the indirect clause).
// The passes in src/pass translate the pointer first.
#include "device/gpu/environment.h"
#include "device/gpu/machine.h"

namespace gantry::device {
namespace {

struct Pair {
  uint64_t host, device;
};

} // namespace

extern "C" {

/// The device's address of what is at `pointer` on the host, be it a function or a place in a
/// virtual table; any other pointer as it is. The table is sorted by the host's addresses. It may
/// be replaced meanwhile, so that its size stands in front of it.
void* __kmpc_target_translate_fptr(void* pointer) {
  const auto host = reinterpret_cast<uint64_t>(pointer);
  const auto* const table = reinterpret_cast<const Pair*>(
      *static_cast<const volatile uint64_t*>(&__omp_rtl_device_environment.functions));
  uint64_t first = 0, end = table == nullptr ? 0 : table[-1].host;
  while (first < end) {
    const uint64_t middle = first + (end - first) / 2;
    if (table[middle].host == host) {
      return reinterpret_cast<void*>(table[middle].device);
    }
    if (table[middle].host < host) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return pointer;
}

/// LLVM's name for the same.
void* __llvm_omp_indirect_call_lookup(void* pointer) {
  return __kmpc_target_translate_fptr(pointer);
}

/// Called by what stands in the device's virtual tables for members that are not for devices.
[[noreturn]] void __gantry_virtual_member_not_on_device(const char* member) {
  struct {
    const char* member;
  } arguments = {member};
  machine::print(
      "gantry: error: '%s' was called on a device and has no version there; declare it target "
      "with the indirect clause\n",
      &arguments);
  machine::trap();
}

} // extern "C"

} // namespace gantry::device
