// Device routines under the versions that programs of GCC ask for, beside that of LLVM's library:
// libgomp's own know nothing of the devices here. Fortran calls names with an underscore.
#include "runtime/abi/export.h"

#include <cstddef>

extern "C" {
int omp_get_num_devices();
int omp_get_initial_device();
int omp_get_device_num();
void* omp_target_alloc(std::size_t size, int device);
void omp_target_free(void* memory, int device);
int omp_target_is_present(const void* host, int device);
int omp_target_is_accessible(const void* host, std::size_t size, int device);
void* omp_get_mapped_ptr(const void* host, int device);
int omp_target_memcpy(void* to, const void* from, std::size_t size, std::size_t to_offset,
                      std::size_t from_offset, int to_device, int from_device);
int omp_target_memcpy_async(void* to, const void* from, std::size_t size, std::size_t to_offset,
                            std::size_t from_offset, int to_device, int from_device, int count,
                            void* dependences);
int omp_target_memcpy_rect(void* to, const void* from, std::size_t element, int dimensions,
                           const std::size_t* volume, const std::size_t* to_offsets,
                           const std::size_t* from_offsets, const std::size_t* to_dimensions,
                           const std::size_t* from_dimensions, int to_device, int from_device);
int omp_target_memcpy_rect_async(void* to, const void* from, std::size_t element, int dimensions,
                                 const std::size_t* volume, const std::size_t* to_offsets,
                                 const std::size_t* from_offsets, const std::size_t* to_dimensions,
                                 const std::size_t* from_dimensions, int to_device, int from_device,
                                 int count, void* dependences);
int omp_target_associate_ptr(const void* host, const void* device_address, std::size_t size,
                             std::size_t offset, int device);
int omp_target_disassociate_ptr(const void* host, int device);
}

/// `name` in the version node `node` of libgomp; `@` beside another version of this library, `@@`
/// if it is the only one.
#define GANTRY_VERSION_OF(type, name, at, node, parameters, arguments)                             \
  GANTRY_EXPORT type gcc_##name parameters {                                                       \
    return name arguments;                                                                         \
  }                                                                                                \
  __asm__(".symver gcc_" #name ", " #name at node)

#define GANTRY_FORTRAN(name, node)                                                                 \
  GANTRY_EXPORT int fortran_##name() {                                                             \
    return name();                                                                                 \
  }                                                                                                \
  __asm__(".symver fortran_" #name ", " #name "_@@" node)

GANTRY_VERSION_OF(int, omp_get_num_devices, "@", "OMP_4.0", (), ());
GANTRY_VERSION_OF(int, omp_get_initial_device, "@", "OMP_4.5", (), ());
GANTRY_VERSION_OF(int, omp_get_device_num, "@", "OMP_5.0.2", (), ());
GANTRY_FORTRAN(omp_get_num_devices, "OMP_4.0");
GANTRY_FORTRAN(omp_get_initial_device, "OMP_4.5");
GANTRY_FORTRAN(omp_get_device_num, "OMP_5.0.2");
GANTRY_VERSION_OF(void*, omp_target_alloc, "@", "OMP_4.5", (std::size_t size, int device),
                  (size, device));
GANTRY_VERSION_OF(void, omp_target_free, "@", "OMP_4.5", (void* memory, int device),
                  (memory, device));
GANTRY_VERSION_OF(int, omp_target_is_present, "@", "OMP_4.5", (const void* host, int device),
                  (host, device));
GANTRY_VERSION_OF(int, omp_target_memcpy, "@", "OMP_4.5",
                  (void* to, const void* from, std::size_t size, std::size_t to_offset,
                   std::size_t from_offset, int to_device, int from_device),
                  (to, from, size, to_offset, from_offset, to_device, from_device));
GANTRY_VERSION_OF(int, omp_target_memcpy_rect, "@", "OMP_4.5",
                  (void* to, const void* from, std::size_t element, int dimensions,
                   const std::size_t* volume, const std::size_t* to_offsets,
                   const std::size_t* from_offsets, const std::size_t* to_dimensions,
                   const std::size_t* from_dimensions, int to_device, int from_device),
                  (to, from, element, dimensions, volume, to_offsets, from_offsets, to_dimensions,
                   from_dimensions, to_device, from_device));
GANTRY_VERSION_OF(int, omp_target_associate_ptr, "@", "OMP_4.5",
                  (const void* host, const void* device_address, std::size_t size,
                   std::size_t offset, int device),
                  (host, device_address, size, offset, device));
GANTRY_VERSION_OF(int, omp_target_disassociate_ptr, "@", "OMP_4.5", (const void* host, int device),
                  (host, device));
GANTRY_VERSION_OF(void*, omp_get_mapped_ptr, "@", "OMP_5.1.1", (const void* host, int device),
                  (host, device));
GANTRY_VERSION_OF(int, omp_target_is_accessible, "@", "OMP_5.1.1",
                  (const void* host, std::size_t size, int device), (host, size, device));
GANTRY_VERSION_OF(int, omp_target_memcpy_async, "@", "OMP_5.1.1",
                  (void* to, const void* from, std::size_t size, std::size_t to_offset,
                   std::size_t from_offset, int to_device, int from_device, int count,
                   void* dependences),
                  (to, from, size, to_offset, from_offset, to_device, from_device, count,
                   dependences));
GANTRY_VERSION_OF(int, omp_target_memcpy_rect_async, "@", "OMP_5.1.1",
                  (void* to, const void* from, std::size_t element, int dimensions,
                   const std::size_t* volume, const std::size_t* to_offsets,
                   const std::size_t* from_offsets, const std::size_t* to_dimensions,
                   const std::size_t* from_dimensions, int to_device, int from_device, int count,
                   void* dependences),
                  (to, from, element, dimensions, volume, to_offsets, from_offsets, to_dimensions,
                   from_dimensions, to_device, from_device, count, dependences));
