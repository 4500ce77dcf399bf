// Entry points: copies and fills.
#include "simt/driver/api.h"
#include "simt/driver/copy.h"

#include <cstring>

using namespace gantry::simt::driver;

namespace {

std::uint64_t bits(CUdeviceptr address) {
  return address;
}

CUresult copy_bytes(CUstream handle, std::uint64_t destination, RangeSide destination_side,
                    std::uint64_t source, RangeSide source_side, std::size_t bytes,
                    Returns returns) {
  return call_for_stream(handle, [&](Stream& stream) {
    Copy copy;
    copy.source = {source, bytes, bytes, source_side};
    copy.destination = {destination, bytes, bytes, destination_side};
    copy.width = bytes;
    return copy_in(stream, copy, returns);
  });
}

template <typename Parameters>
CUresult copy_box(CUstream handle, const Parameters* parameters, Returns returns) {
  return call_for_stream(handle, [&](Stream& stream) {
    if (parameters == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto copy = copy_of(*parameters);
    return copy ? copy_in(stream, *copy, returns) : copy.error();
  });
}

/// The contexts of a copy between devices only say what the addresses say already.
CUresult check_peers(CUcontext destination, CUcontext source) {
  return call([&] {
    return handles().contexts.find(destination) == nullptr ||
                   handles().contexts.find(source) == nullptr
               ? CUDA_ERROR_INVALID_CONTEXT
               : CUDA_SUCCESS;
  });
}

CUresult copy_peer_box(CUstream handle, const CUDA_MEMCPY3D_PEER* parameters, Returns returns) {
  if (parameters == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  // The same but for the reserved words.
  CUDA_MEMCPY3D copy;
  static_assert(sizeof(copy) == sizeof(*parameters));
  std::memcpy(&copy, parameters, sizeof(copy));
  return copy_box(handle, &copy, returns);
}

CUresult fill_rows(CUstream handle, CUdeviceptr destination, std::size_t pitch, std::uint32_t value,
                   std::uint8_t element, std::size_t width, std::size_t height, Returns returns) {
  return call_for_stream(handle, [&](Stream& stream) {
    return fill_in(stream, {destination, pitch, value, element, width, height}, returns);
  });
}

} // namespace

// Copies between an address of a side and one of another: at once, or in a stream's order.
#define GANTRY_CUDA_COPIES(name, version, To, to_side, From, from_side)                            \
  GANTRY_CUDA_API cuMemcpy##name##version(To to, From from, size_t bytes) {                        \
    return copy_bytes(nullptr, bits(to), RangeSide::to_side, bits(from), RangeSide::from_side,     \
                      bytes, Returns::kWhenDone);                                                  \
  }                                                                                                \
  GANTRY_CUDA_API cuMemcpy##name##Async##version(To to, From from, size_t bytes,                   \
                                                 CUstream stream) {                                \
    return copy_bytes(stream, bits(to), RangeSide::to_side, bits(from), RangeSide::from_side,      \
                      bytes, Returns::kAtOnce);                                                    \
  }
GANTRY_CUDA_COPIES(, , CUdeviceptr, kEither, CUdeviceptr, kEither)
GANTRY_CUDA_COPIES(HtoD, _v2, CUdeviceptr, kDevice, const void*, kHost)
GANTRY_CUDA_COPIES(DtoH, _v2, void*, kHost, CUdeviceptr, kDevice)
GANTRY_CUDA_COPIES(DtoD, _v2, CUdeviceptr, kDevice, CUdeviceptr, kDevice)

GANTRY_CUDA_API cuMemcpyBatchAsync(CUdeviceptr* destinations, CUdeviceptr* sources, size_t* sizes,
                                   size_t count, CUmemcpyAttributes* attributes,
                                   size_t* first_of_attributes, size_t attribute_count,
                                   size_t* failed, CUstream handle) {
  return call_for_stream(handle, [&](Stream& stream) {
    give(failed, SIZE_MAX); // of no copy by itself
    if (destinations == nullptr || sources == nullptr || sizes == nullptr || count == 0 ||
        attributes == nullptr || first_of_attributes == nullptr || attribute_count == 0 ||
        attribute_count > count || first_of_attributes[0] != 0 ||
        stream.kind() == Stream::Kind::kLegacy) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    for (std::size_t i = 0; i < attribute_count; ++i) {
      const CUmemcpySrcAccessOrder order = attributes[i].srcAccessOrder;
      const bool in_order = i == 0 || first_of_attributes[i] > first_of_attributes[i - 1];
      if (order < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM || order > CU_MEMCPY_SRC_ACCESS_ORDER_ANY ||
          !in_order || first_of_attributes[i] >= count) {
        return CUDA_ERROR_INVALID_VALUE;
      }
    }
    const auto copy_at = [&](std::size_t i) {
      Copy copy;
      copy.source = {sources[i], sizes[i], sizes[i], RangeSide::kEither};
      copy.destination = {destinations[i], sizes[i], sizes[i], RangeSide::kEither};
      copy.width = sizes[i];
      return copy;
    };
    for (std::size_t i = 0; i < count; ++i) {
      const CUresult result = sizes[i] == 0 ? CUDA_ERROR_INVALID_VALUE : check(copy_at(i));
      if (result != CUDA_SUCCESS) {
        give(failed, i);
        return result;
      }
    }
    for (std::size_t i = 0, next = 0; i < count; ++i) {
      next += next + 1 < attribute_count && first_of_attributes[next + 1] == i ? 1 : 0;
      const bool now =
          attributes[next].srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
      const CUresult result =
          copy_in(stream, copy_at(i), now ? Returns::kWhenDone : Returns::kAtOnce);
      if (result != CUDA_SUCCESS) {
        give(failed, i);
        return result;
      }
    }
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuMemcpyBatchAsync_v2(CUdeviceptr* destinations, CUdeviceptr* sources,
                                      size_t* sizes, size_t count, CUmemcpyAttributes* attributes,
                                      size_t* first_of_attributes, size_t attribute_count,
                                      CUstream stream) {
  return cuMemcpyBatchAsync(destinations, sources, sizes, count, attributes, first_of_attributes,
                            attribute_count, nullptr, stream);
}

GANTRY_CUDA_API cuMemcpyPeer(CUdeviceptr destination, CUcontext destination_context,
                             CUdeviceptr source, CUcontext source_context, size_t bytes) {
  const CUresult result = check_peers(destination_context, source_context);
  return result != CUDA_SUCCESS ? result : cuMemcpyDtoD_v2(destination, source, bytes);
}

GANTRY_CUDA_API cuMemcpyPeerAsync(CUdeviceptr destination, CUcontext destination_context,
                                  CUdeviceptr source, CUcontext source_context, size_t bytes,
                                  CUstream stream) {
  const CUresult result = check_peers(destination_context, source_context);
  return result != CUDA_SUCCESS ? result : cuMemcpyDtoDAsync_v2(destination, source, bytes, stream);
}

// Copies of rectangles and boxes.
#define GANTRY_CUDA_BOX_COPIES(name, version, Parameters, copy_of)                                 \
  GANTRY_CUDA_API name##version(const Parameters* copy) {                                          \
    return copy_of(nullptr, copy, Returns::kWhenDone);                                             \
  }                                                                                                \
  GANTRY_CUDA_API name##Async##version(const Parameters* copy, CUstream stream) {                  \
    return copy_of(stream, copy, Returns::kAtOnce);                                                \
  }
GANTRY_CUDA_BOX_COPIES(cuMemcpy2D, _v2, CUDA_MEMCPY2D, copy_box)
GANTRY_CUDA_BOX_COPIES(cuMemcpy3D, _v2, CUDA_MEMCPY3D, copy_box)
GANTRY_CUDA_BOX_COPIES(cuMemcpy3DPeer, , CUDA_MEMCPY3D_PEER, copy_peer_box)

GANTRY_CUDA_API cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* copy) {
  return copy_box(nullptr, copy, Returns::kWhenDone);
}

// Fills with elements of so many bits: a row or rows, at once or in a stream's order.
#define GANTRY_CUDA_FILLS(bits, type)                                                              \
  GANTRY_CUDA_API cuMemsetD##bits##_v2(CUdeviceptr to, type value, size_t count) {                 \
    return fill_rows(nullptr, to, 0, value, bits / 8, count, 1, Returns::kWhenDone);               \
  }                                                                                                \
  GANTRY_CUDA_API cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count,                 \
                                         CUstream stream) {                                        \
    return fill_rows(stream, to, 0, value, bits / 8, count, 1, Returns::kAtOnce);                  \
  }                                                                                                \
  GANTRY_CUDA_API cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, type value, size_t width,   \
                                         size_t height) {                                          \
    return fill_rows(nullptr, to, pitch, value, bits / 8, width, height, Returns::kWhenDone);      \
  }                                                                                                \
  GANTRY_CUDA_API cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width, \
                                           size_t height, CUstream stream) {                       \
    return fill_rows(stream, to, pitch, value, bits / 8, width, height, Returns::kAtOnce);         \
  }

GANTRY_CUDA_FILLS(8, unsigned char)
GANTRY_CUDA_FILLS(16, unsigned short)
GANTRY_CUDA_FILLS(32, unsigned int)
