// In every image that is made of GCC's objects (docs/gcc.md): where its tables are, and how its
// regions are run.
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

void GOMP_target_ext(int device, void (*region)(void*), size_t count, void** addresses,
                     size_t* sizes, uint16_t* kinds, unsigned flags, void** dependences,
                     void** arguments);

/// libgomp runs a region on the host as an initial thread with the limits that the construct has,
/// and hands the region the array of addresses: the block, here.
static void run(void (*region)(void*), void* block, uint32_t teams, uint32_t thread_limit) {
  constexpr int kOnHost = -2;
  constexpr uintptr_t kTeams = 0x100;
  constexpr uintptr_t kThreadLimit = 0x200;
  constexpr unsigned kValueShift = 16;
  void* arguments[] = {
      reinterpret_cast<void*>(uintptr_t{teams} << kValueShift | kTeams),
      reinterpret_cast<void*>(uintptr_t{thread_limit} << kValueShift | kThreadLimit), nullptr};
  GOMP_target_ext(kOnHost, region, 0, static_cast<void**>(block), nullptr, nullptr, 0, nullptr,
                  arguments);
}

extern const gantry_gcc_image __gantry_gcc_image;
__attribute__((visibility("default"), used)) const gantry_gcc_image __gantry_gcc_image = {
    __offload_func_table, __offload_funcs_end, __offload_var_table, __offload_vars_end, run};

} // extern "C"
