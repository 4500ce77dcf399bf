// Replaces the startup file that GCC 12 adds to a link with device code. In GCC's own file the
// table is in read-only memory, so that the loader of position-independent code has to make code
// writable to relocate it (DT_TEXTREL).

extern "C" {

#define GANTRY_HIDDEN __attribute__((visibility("hidden")))
extern GANTRY_HIDDEN const void* const __offload_func_table[];
extern GANTRY_HIDDEN const void* const __offload_funcs_end[];
extern GANTRY_HIDDEN const void* const __offload_var_table[];
extern GANTRY_HIDDEN const void* const __offload_vars_end[];

extern const void* const __OFFLOAD_TABLE__[4];
GANTRY_HIDDEN const void* const __OFFLOAD_TABLE__[4] = {
    static_cast<const void*>(__offload_func_table), static_cast<const void*>(__offload_funcs_end),
    static_cast<const void*>(__offload_var_table), static_cast<const void*>(__offload_vars_end)};

} // extern "C"
