// Device routines under the versions that programs of GCC ask for, beside that of LLVM's library:
// libgomp's own know nothing of the devices here. Fortran calls names with an underscore. Whatever
// the parameters of a routine are, each of these goes on with them in the routine of that name.

/// `symbol` in the version node `node` of libgomp, as `name` with `@` beside another version of
/// this library, or `@@` if it is the only one.
#define GANTRY_VERSION_OF(routine, symbol, name, node)                                             \
  __asm__(".globl " symbol "\n.type " symbol ", @function\n" symbol                                \
          ":\n.cfi_startproc\njmp " #routine "@PLT\n.cfi_endproc\n.size " symbol ", . - " symbol   \
          "\n.symver " symbol ", " name node)
#define GANTRY_C(routine, node) GANTRY_VERSION_OF(routine, "gcc_" #routine, #routine "@", node)
#define GANTRY_FORTRAN(routine, node)                                                              \
  GANTRY_VERSION_OF(routine, "fortran_" #routine, #routine "_@@", node)

__asm__(".text");
GANTRY_C(omp_get_num_devices, "OMP_4.0");
GANTRY_C(omp_get_initial_device, "OMP_4.5");
GANTRY_C(omp_get_device_num, "OMP_5.0.2");
GANTRY_FORTRAN(omp_get_num_devices, "OMP_4.0");
GANTRY_FORTRAN(omp_get_initial_device, "OMP_4.5");
GANTRY_FORTRAN(omp_get_device_num, "OMP_5.0.2");
GANTRY_C(omp_target_alloc, "OMP_4.5");
GANTRY_C(omp_target_free, "OMP_4.5");
GANTRY_C(omp_target_is_present, "OMP_4.5");
GANTRY_C(omp_target_memcpy, "OMP_4.5");
GANTRY_C(omp_target_memcpy_rect, "OMP_4.5");
GANTRY_C(omp_target_associate_ptr, "OMP_4.5");
GANTRY_C(omp_target_disassociate_ptr, "OMP_4.5");
GANTRY_C(omp_get_mapped_ptr, "OMP_5.1.1");
GANTRY_C(omp_target_is_accessible, "OMP_5.1.1");
GANTRY_C(omp_target_memcpy_async, "OMP_5.1.1");
GANTRY_C(omp_target_memcpy_rect_async, "OMP_5.1.1");
