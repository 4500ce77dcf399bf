// Part of every image from GCC's link (docs/gcc.md): says where the image's tables are.
#include "device/cpu/gcc_image.h"

extern "C" {

// Where the tables begin and end, as GCC's startup files define it.
extern GANTRY_HIDDEN void (*const __offload_func_table[])(void*);
extern GANTRY_HIDDEN void (*const __offload_funcs_end[])(void*);
extern GANTRY_HIDDEN const gantry_gcc_variable __offload_var_table[];
extern GANTRY_HIDDEN const gantry_gcc_variable __offload_vars_end[];

__attribute__((visibility("default"), used)) const gantry_gcc_image __gantry_gcc_image = {
    __offload_func_table, __offload_funcs_end, __offload_var_table, __offload_vars_end,
    gantry_run_region};

} // extern "C"
