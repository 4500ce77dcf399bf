// Constructs and regions of GCC's in an image for a CPU-like device (docs/gcc.md).
#include "device/cpu/gcc_image.h"

#include <dlfcn.h>
#include <stddef.h>

extern "C" {

/// libgomp's form of a target construct.
using TargetConstruct = void(int device, void (*region)(void*), size_t count, void** addresses,
                             size_t* sizes, uint16_t* kinds, unsigned flags, void** dependences,
                             void** arguments);

/// libgomp's own, which the image is linked to: GOMP_target_ext is another one here.
static TargetConstruct* target_construct() {
  static TargetConstruct* found = nullptr; // the same whoever looks it up
  TargetConstruct* construct = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (construct == nullptr) {
    construct = reinterpret_cast<TargetConstruct*>(
        dlsym(dlopen("libgomp.so.1", RTLD_LAZY), "GOMP_target_ext"));
    __atomic_store_n(&found, construct, __ATOMIC_RELAXED);
  }
  return construct;
}

constexpr int kOnHost = -2;

/// libgomp runs a region on the host as an initial thread with the limits that the construct has,
/// and hands the region the array of addresses: the block, here.
void gantry_run_region(void (*region)(void*), void* block, uint32_t teams, uint32_t thread_limit) {
  if (target_construct() == nullptr) {
    region(block); // the program has no libgomp, and its regions nothing of it
    return;
  }
  constexpr uintptr_t kTeams = 0x100;
  constexpr uintptr_t kThreadLimit = 0x200;
  constexpr unsigned kValueShift = 16;
  void* arguments[] = {
      reinterpret_cast<void*>(uintptr_t{teams} << kValueShift | kTeams),
      reinterpret_cast<void*>(uintptr_t{thread_limit} << kValueShift | kThreadLimit), nullptr};
  target_construct()(kOnHost, region, 0, static_cast<void**>(block), nullptr, nullptr, 0, nullptr,
                     arguments);
}

// Target constructs inside device code, which constructors of the image may execute: code and data
// are on the device already.

GANTRY_HIDDEN void GOMP_target_ext(int /*device*/, void (*region)(void*), size_t count,
                                   void** addresses, size_t* sizes, uint16_t* kinds, unsigned flags,
                                   void** dependences, void** arguments) {
  target_construct()(kOnHost, region, count, addresses, sizes, kinds, flags, dependences,
                     arguments);
}

GANTRY_HIDDEN void GOMP_target_data_ext(int, size_t, void**, size_t*, uint16_t*) {}

GANTRY_HIDDEN void GOMP_target_end_data() {}

GANTRY_HIDDEN void GOMP_target_update_ext(int, size_t, void**, size_t*, uint16_t*, unsigned,
                                          void**) {}

GANTRY_HIDDEN void GOMP_target_enter_exit_data(int, size_t, void**, size_t*, uint16_t*, unsigned,
                                               void**) {}

// The forms of GCC 4.9 and 5.

GANTRY_HIDDEN void GOMP_target(int /*device*/, void (*region)(void*), const void* /*table*/, size_t,
                               void** addresses, size_t*, uint8_t*) {
  gantry_run_region(region, addresses, 0, 0);
}

GANTRY_HIDDEN void GOMP_target_data(int, const void*, size_t, void**, size_t*, uint8_t*) {}

GANTRY_HIDDEN void GOMP_target_update(int, const void*, size_t, void**, size_t*, uint8_t*) {}

} // extern "C"
