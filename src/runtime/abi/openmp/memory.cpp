// Device memory routines (OpenMP 5.2, section 18.8). A routine's device argument is a device number
// or omp_get_initial_device(); any other ends the program with a message, as it does in a
// construct. What a device refuses comes back as the standard says, without a message.
#include "runtime/abi/export.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/runtime.h"

#include <cstdlib>
#include <cstring>
#include <memory>

using namespace gantry;
using core::Runtime;

namespace {

/// A device argument: a device, or the host.
struct Place {
  core::Device* device = nullptr; ///< null: the host
};

Place place(int number, std::string_view routine) {
  return {Runtime::instance().select(number, {routine})};
}

std::byte* bytes(void* pointer) {
  return static_cast<std::byte*>(pointer);
}
const std::byte* bytes(const void* pointer) {
  return static_cast<const std::byte*>(pointer);
}

Status copy(std::byte* to, Place to_place, const std::byte* from, Place from_place,
            std::uint64_t size) {
  if (to_place.device == nullptr && from_place.device == nullptr) {
    std::memmove(to, from, size);
    return {};
  }
  if (from_place.device == nullptr) {
    return to_place.device->plugin_device().submit(to, from, size);
  }
  if (to_place.device == nullptr) {
    return from_place.device->plugin_device().retrieve(to, from, size);
  }
  // From device to device by way of the host, piece by piece.
  constexpr std::uint64_t kPiece = 1u << 20;
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(std::min(size, kPiece));
  for (std::uint64_t done = 0; done < size; done += kPiece) {
    const std::uint64_t count = std::min(kPiece, size - done);
    Status status = from_place.device->plugin_device().retrieve(buffer.get(), from + done, count);
    if (status) {
      status = to_place.device->plugin_device().submit(to + done, buffer.get(), count);
    }
    if (!status) {
      return status;
    }
  }
  return {};
}

constexpr int kSuccess = 0;
constexpr int kFailure = -1;

int result(const Status& status) {
  return status ? kSuccess : kFailure;
}

} // namespace

/// Section 18.8.1.
GANTRY_EXPORT void* omp_target_alloc(std::size_t size, int device_number) {
  const Place where = place(device_number, "omp_target_alloc");
  if (size == 0) {
    return nullptr;
  }
  if (where.device == nullptr) {
    return std::malloc(size);
  }
  const auto allocated = where.device->plugin_device().allocate(size);
  return allocated ? *allocated : nullptr;
}

/// Section 18.8.2.
GANTRY_EXPORT void omp_target_free(void* pointer, int device_number) {
  const Place where = place(device_number, "omp_target_free");
  if (pointer == nullptr) {
    return;
  }
  if (where.device == nullptr) {
    std::free(pointer);
    return;
  }
  if (Status status = where.device->plugin_device().release(pointer); !status) {
    core::fatal(with_context(status.error(), where.device->label()).value(), {"omp_target_free"});
  }
}

/// Section 18.8.3.
GANTRY_EXPORT int omp_target_is_present(const void* pointer, int device_number) {
  const Place where = place(device_number, "omp_target_is_present");
  if (pointer == nullptr) {
    return 0;
  }
  return where.device == nullptr ||
         where.device->data_environment().is_present(pointer, 1);
}

/// Section 18.8.4.
GANTRY_EXPORT int omp_target_is_accessible(const void* pointer, std::size_t /*size*/,
                                           int device_number) {
  const Place where = place(device_number, "omp_target_is_accessible");
  if (pointer == nullptr) {
    return 0;
  }
  return where.device == nullptr || where.device->plugin_device().host_accessible();
}

/// Section 18.8.5.
GANTRY_EXPORT int omp_target_memcpy(void* to, const void* from, std::size_t size,
                                    std::size_t to_offset, std::size_t from_offset, int to_device,
                                    int from_device) {
  if (to == nullptr || from == nullptr) {
    return kFailure;
  }
  const Place to_place = place(to_device, "omp_target_memcpy");
  const Place from_place = place(from_device, "omp_target_memcpy");
  return result(copy(bytes(to) + to_offset, to_place, bytes(from) + from_offset, from_place, size));
}

namespace {

struct Rectangle {
  std::size_t element_size;
  int dimensions;
  const std::size_t* volume;
  const std::size_t* to_offsets;
  const std::size_t* from_offsets;
  const std::size_t* to_extents;
  const std::size_t* from_extents;
};

/// Copies dimensions [dimension, …) of a rectangle, the outermost being 0.
Status copy_rectangle(const Rectangle& rectangle, int dimension, std::byte* to, Place to_place,
                      const std::byte* from, Place from_place) {
  std::size_t to_stride = rectangle.element_size;
  std::size_t from_stride = rectangle.element_size;
  for (int inner = dimension + 1; inner < rectangle.dimensions; ++inner) {
    to_stride *= rectangle.to_extents[inner];
    from_stride *= rectangle.from_extents[inner];
  }
  to += rectangle.to_offsets[dimension] * to_stride;
  from += rectangle.from_offsets[dimension] * from_stride;
  const std::size_t count = rectangle.volume[dimension];
  if (dimension + 1 == rectangle.dimensions) {
    return copy(to, to_place, from, from_place, count * rectangle.element_size);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (Status status = copy_rectangle(rectangle, dimension + 1, to + i * to_stride, to_place,
                                       from + i * from_stride, from_place);
        !status) {
      return status;
    }
  }
  return {};
}

} // namespace

/// Section 18.8.6. With two null pointers: the number of dimensions supported, which has no limit.
GANTRY_EXPORT int
omp_target_memcpy_rect(void* to, const void* from, std::size_t element_size, int dimensions,
                       const std::size_t* volume, const std::size_t* to_offsets,
                       const std::size_t* from_offsets, const std::size_t* to_extents,
                       const std::size_t* from_extents, int to_device, int from_device) {
  if (to == nullptr && from == nullptr) {
    return INT32_MAX;
  }
  if (to == nullptr || from == nullptr || element_size == 0 || dimensions < 1 ||
      volume == nullptr || to_offsets == nullptr || from_offsets == nullptr ||
      to_extents == nullptr || from_extents == nullptr) {
    return kFailure;
  }
  const Rectangle rectangle{element_size, dimensions, volume,      to_offsets,
                            from_offsets, to_extents, from_extents};
  return result(copy_rectangle(rectangle, 0, bytes(to), place(to_device, "omp_target_memcpy_rect"),
                               bytes(from), place(from_device, "omp_target_memcpy_rect")));
}

/// Section 18.8.9.
GANTRY_EXPORT int omp_target_associate_ptr(const void* host, const void* device_pointer,
                                           std::size_t size, std::size_t device_offset,
                                           int device_number) {
  const Place where = place(device_number, "omp_target_associate_ptr");
  if (host == nullptr || device_pointer == nullptr || size == 0 || where.device == nullptr) {
    return kFailure;
  }
  return result(where.device->data_environment().associate(
      host, size, const_cast<std::byte*>(bytes(device_pointer)) + device_offset));
}

/// Section 18.8.10.
GANTRY_EXPORT int omp_target_disassociate_ptr(const void* host, int device_number) {
  const Place where = place(device_number, "omp_target_disassociate_ptr");
  if (host == nullptr || where.device == nullptr) {
    return kFailure;
  }
  return result(where.device->data_environment().disassociate(host));
}

/// Section 18.8.11.
GANTRY_EXPORT void* omp_get_mapped_ptr(const void* host, int device_number) {
  const int count = Runtime::instance().device_count({"omp_get_mapped_ptr"});
  if (host == nullptr || device_number < 0 || device_number > count) {
    return nullptr;
  }
  const Place where = place(device_number, "omp_get_mapped_ptr");
  return where.device == nullptr ? const_cast<void*>(host)
                                 : where.device->data_environment().corresponding(host, 1);
}
