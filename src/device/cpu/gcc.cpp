// In every image that is made of GCC's objects (docs/gcc.md): where its tables are, and how its
// regions are run.
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include <gantry/cpu_image.h>

extern "C" {

// Where the tables begin and end, as GCC's startup files define it.
#define GANTRY_HIDDEN __attribute__((visibility("hidden")))
extern GANTRY_HIDDEN void (*const __offload_func_table[])(void*);
extern GANTRY_HIDDEN void (*const __offload_funcs_end[])(void*);
extern GANTRY_HIDDEN const gantry_gcc_variable __offload_var_table[];
extern GANTRY_HIDDEN const gantry_gcc_variable __offload_vars_end[];

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
static void run(void (*region)(void*), void* block, uint32_t teams, uint32_t thread_limit) {
  constexpr uintptr_t kTeams = 0x100;
  constexpr uintptr_t kThreadLimit = 0x200;
  constexpr unsigned kValueShift = 16;
  void* arguments[] = {
      reinterpret_cast<void*>(uintptr_t{teams} << kValueShift | kTeams),
      reinterpret_cast<void*>(uintptr_t{thread_limit} << kValueShift | kThreadLimit), nullptr};
  target_construct()(kOnHost, region, 0, static_cast<void**>(block), nullptr, nullptr, 0, nullptr,
                     arguments);
}

// Constructs in the device's code, which constructors of the image come to first of all: it is on
// the device already, and its data with it.

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

extern const gantry_gcc_image __gantry_gcc_image;
__attribute__((visibility("default"), used)) const gantry_gcc_image __gantry_gcc_image = {
    __offload_func_table, __offload_funcs_end, __offload_var_table, __offload_vars_end, run};

} // extern "C"
