// Calls by pointer inside an image for a CPU-like device (OpenMP 5.2, section 7.8, the indirect
// clause). The passes in src/pass make every such call through the translation below.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <gantry/cpu_image.h>

extern "C" {

extern const gantry_functions* const volatile __gantry_functions;

/// The device's address of what is at `pointer` on the host, be it a function or a place in a
/// virtual table; any other pointer as it is. A look-up in a table that may change meanwhile,
/// without a lock.
__attribute__((visibility("hidden"))) void* __kmpc_target_translate_fptr(void* pointer) {
  const gantry_functions* functions = __gantry_functions;
  if (functions == nullptr) {
    return pointer; // no plugin of Gantry's runs the image
  }
  const auto host = reinterpret_cast<uintptr_t>(pointer);
  for (;;) {
    const uint64_t version = __atomic_load_n(&functions->version, __ATOMIC_ACQUIRE);
    const uint64_t mask = __atomic_load_n(&functions->mask, __ATOMIC_ACQUIRE);
    const gantry_function_slot* slots = __atomic_load_n(&functions->slots, __ATOMIC_ACQUIRE);
    uintptr_t found = 0;
    if ((version & 1) == 0) {
      for (uint64_t i = gantry_function_hash(host) & mask;; i = (i + 1) & mask) {
        const uintptr_t candidate = __atomic_load_n(&slots[i].host, __ATOMIC_RELAXED);
        if (candidate == host) {
          found = __atomic_load_n(&slots[i].device, __ATOMIC_RELAXED);
          break;
        }
        if (candidate == 0) {
          break;
        }
      }
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if ((version & 1) == 0 && __atomic_load_n(&functions->version, __ATOMIC_RELAXED) == version)
        [[likely]] {
      if (found != 0) [[likely]] {
        return reinterpret_cast<void*>(found);
      }
      if (pointer != nullptr) {
        auto* const check = __atomic_load_n(&functions->check, __ATOMIC_RELAXED);
        if (check != nullptr) [[unlikely]] {
          check(pointer, __builtin_return_address(0));
        }
      }
      return pointer;
    }
  }
}

/// Called by what stands in the device's virtual tables for members that are not for devices.
__attribute__((visibility("hidden"), noreturn)) void
__gantry_virtual_member_not_on_device(const char* member) {
  fprintf(stderr,
          "gantry: error: '%s' was called on a device and has no version there; declare it target "
          "with the indirect clause\n",
          member);
  abort();
}

} // extern "C"
