#include "simt/driver/copy.h"

#include "base/result.h"
#include "simt/driver/graphs/capture.h"
#include "simt/driver/stream.h"
#include "simt/memory/device_memory.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace gantry::simt::driver {

namespace {

/// Pageable memory up to this size is copied aside, so that the call need not wait for its turn.
constexpr std::uint64_t kStaged = 64 << 10;

std::byte* pointer(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);
}

/// Bytes from the first to behind the last that a side touches; nothing if that is past all
/// addresses.
tl::expected<std::uint64_t, CUresult> extent_of(const CopySide& side, std::uint64_t width,
                                                std::uint64_t height, std::uint64_t depth) {
  std::uint64_t rows = 0;
  std::uint64_t slices = 0;
  std::uint64_t extent = 0;
  if (__builtin_mul_overflow(height - 1, side.pitch, &rows) ||
      __builtin_mul_overflow(depth - 1, side.slice, &slices) ||
      __builtin_add_overflow(rows, slices, &extent) ||
      __builtin_add_overflow(extent, width, &extent)) {
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  return extent;
}

tl::expected<RangeKind, CUresult> check_side(const CopySide& side, const Copy& copy) {
  return extent_of(side, copy.width, copy.height, copy.depth).and_then([&](std::uint64_t extent) {
    return classify(side.address, extent, side.side);
  });
}

/// Runs the work now if it is the stream's turn, waits for it otherwise.
template <typename Work>
CUresult run_and_wait(Stream& stream, const Work& work) {
  if (stream.settled()) {
    work.run();
    return stream.group().error();
  }
  const Position position = stream.enqueue([work](CUresult status) noexcept {
    if (status == CUDA_SUCCESS) {
      work.run();
    }
  });
  stream.wait(position.sequence);
  return stream.group().error();
}

/// A call that waits for its work cannot be captured.
tl::expected<Capture::Action, CUresult> admit(const Stream& stream, Returns returns) {
  if (returns == Returns::kAtOnce) {
    return Capture::admit(stream);
  }
  const CUresult result = Capture::refuse_captured(stream);
  return result == CUDA_SUCCESS ? tl::expected<Capture::Action, CUresult>(Capture::Action::kRun)
                                : tl::unexpected(result);
}

/// Appends the work to the stream.
template <typename Work>
void enqueue_work(Stream& stream, const Work& work) {
  stream.enqueue([work](CUresult status) noexcept {
    if (status == CUDA_SUCCESS) {
      work.run();
    }
  });
}

/// What an empty copy does, which waits for its turn all the same.
struct Nothing {
  void run() const {}
};

/// A copy from memory that was copied aside: `copy` says where it goes.
struct StagedCopy {
  std::unique_ptr<std::byte[]> bytes;
  Copy copy;
};

template <typename Side>
tl::expected<CopySide, CUresult> side_of(CUmemorytype type, Side* host, CUdeviceptr device,
                                         std::uint64_t pitch, std::uint64_t rows_of_slice,
                                         std::uint64_t x, std::uint64_t y, std::uint64_t z,
                                         const Copy& copy) {
  CopySide side;
  switch (type) {
  case CU_MEMORYTYPE_HOST:
    side.address = reinterpret_cast<std::uint64_t>(host);
    side.side = RangeSide::kHost;
    break;
  case CU_MEMORYTYPE_DEVICE:
    side.address = device;
    side.side = RangeSide::kDevice;
    break;
  case CU_MEMORYTYPE_UNIFIED:
    side.address = device;
    side.side = RangeSide::kEither;
    break;
  case CU_MEMORYTYPE_ARRAY:
    return tl::unexpected(CUDA_ERROR_NOT_SUPPORTED);
  default:
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  if (copy.empty()) {
    return side;
  }
  // A pitch of 0 means rows without gaps, as does a height of 0 for slices.
  std::uint64_t row_end = 0;
  if (__builtin_add_overflow(x, copy.width, &row_end)) {
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  side.pitch = pitch == 0 ? row_end : pitch;
  const std::uint64_t rows = rows_of_slice == 0 ? y + copy.height : rows_of_slice;
  std::uint64_t rows_before = 0;
  std::uint64_t slices_before = 0;
  if ((copy.height * copy.depth > 1 && side.pitch < row_end) || y > UINT64_MAX - copy.height ||
      (copy.depth > 1 && rows < y + copy.height) ||
      __builtin_mul_overflow(side.pitch, rows, &side.slice) ||
      __builtin_mul_overflow(side.pitch, y, &rows_before) ||
      __builtin_mul_overflow(side.slice, z, &slices_before) ||
      __builtin_add_overflow(side.address, rows_before, &side.address) ||
      __builtin_add_overflow(side.address, slices_before, &side.address) ||
      __builtin_add_overflow(side.address, x, &side.address)) {
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  return side;
}

} // namespace

void Copy::run() const {
  const auto move = [](std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    std::memmove(pointer(to), pointer(from), bytes);
    DeviceMemory::instance()->note_copy(to, from, bytes);
  };
  for (std::uint64_t z = 0; z < depth; ++z) {
    std::uint64_t from = source.address + z * source.slice;
    std::uint64_t to = destination.address + z * destination.slice;
    if (height == 1 || (source.pitch == width && destination.pitch == width)) {
      move(to, from, width * height);
      continue;
    }
    for (std::uint64_t y = 0; y < height; ++y) {
      move(to, from, width);
      from += source.pitch;
      to += destination.pitch;
    }
  }
}

void Fill::run() const {
  UninitialisedBytes* const uninitialised = DeviceMemory::instance()->uninitialised();
  for (std::uint64_t y = 0; y < height; ++y) {
    std::byte* const row = pointer(address + y * pitch);
    if (uninitialised != nullptr) {
      uninitialised->mark_written(address + y * pitch, width * element);
    }
    switch (element) {
    case 1:
      std::memset(row, static_cast<int>(value), width);
      break;
    case 2:
      std::fill_n(reinterpret_cast<std::uint16_t*>(row), width, static_cast<std::uint16_t>(value));
      break;
    default:
      std::fill_n(reinterpret_cast<std::uint32_t*>(row), width, value);
      break;
    }
  }
}

tl::expected<Copy, CUresult> copy_of(const CUDA_MEMCPY2D& parameters) {
  const CUDA_MEMCPY2D& p = parameters;
  Copy copy;
  copy.width = p.WidthInBytes;
  copy.height = p.Height;
  copy.source = GANTRY_TRY(side_of(p.srcMemoryType, p.srcHost, p.srcDevice, p.srcPitch, 0,
                                   p.srcXInBytes, p.srcY, 0, copy));
  copy.destination = GANTRY_TRY(side_of(p.dstMemoryType, p.dstHost, p.dstDevice, p.dstPitch, 0,
                                        p.dstXInBytes, p.dstY, 0, copy));
  return copy;
}

tl::expected<Copy, CUresult> copy_of(const CUDA_MEMCPY3D& parameters) {
  const CUDA_MEMCPY3D& p = parameters;
  if (p.srcLOD != 0 || p.dstLOD != 0) {
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  Copy copy;
  copy.width = p.WidthInBytes;
  copy.height = p.Height;
  copy.depth = p.Depth;
  copy.source = GANTRY_TRY(side_of(p.srcMemoryType, p.srcHost, p.srcDevice, p.srcPitch, p.srcHeight,
                                   p.srcXInBytes, p.srcY, p.srcZ, copy));
  copy.destination = GANTRY_TRY(side_of(p.dstMemoryType, p.dstHost, p.dstDevice, p.dstPitch,
                                        p.dstHeight, p.dstXInBytes, p.dstY, p.dstZ, copy));
  return copy;
}

CUDA_MEMCPY3D parameters_of(const Copy& copy) {
  const auto type_of = [](RangeSide side) {
    switch (side) {
    case RangeSide::kHost:
      return CU_MEMORYTYPE_HOST;
    case RangeSide::kDevice:
      return CU_MEMORYTYPE_DEVICE;
    case RangeSide::kEither:
      break;
    }
    return CU_MEMORYTYPE_UNIFIED;
  };
  const auto rows_of = [](const CopySide& side) {
    return side.pitch == 0 ? 0 : side.slice / side.pitch;
  };
  CUDA_MEMCPY3D parameters = {};
  parameters.srcMemoryType = type_of(copy.source.side);
  parameters.srcHost = pointer(copy.source.address);
  parameters.srcDevice = copy.source.address;
  parameters.srcPitch = copy.source.pitch;
  parameters.srcHeight = rows_of(copy.source);
  parameters.dstMemoryType = type_of(copy.destination.side);
  parameters.dstHost = pointer(copy.destination.address);
  parameters.dstDevice = copy.destination.address;
  parameters.dstPitch = copy.destination.pitch;
  parameters.dstHeight = rows_of(copy.destination);
  parameters.WidthInBytes = copy.width;
  parameters.Height = copy.height;
  parameters.Depth = copy.depth;
  return parameters;
}

CUresult check(const Copy& copy) {
  if (copy.empty()) {
    return CUDA_SUCCESS;
  }
  const auto source = check_side(copy.source, copy);
  const auto destination = check_side(copy.destination, copy);
  return !source ? source.error() : !destination ? destination.error() : CUDA_SUCCESS;
}

CUresult check(const Fill& fill) {
  if (fill.empty()) {
    return CUDA_SUCCESS;
  }
  std::uint64_t width = 0;
  if (__builtin_mul_overflow(fill.width, fill.element, &width) ||
      fill.address % fill.element != 0 ||
      (fill.height > 1 && (fill.pitch < width || fill.pitch % fill.element != 0))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto kind =
      extent_of({fill.address, fill.pitch, 0}, width, fill.height, 1).and_then([&](auto extent) {
        return classify(fill.address, extent, RangeSide::kDevice);
      });
  return kind ? CUDA_SUCCESS : kind.error();
}

void enqueue(Stream& stream, const Copy& copy) {
  enqueue_work(stream, copy);
}
void enqueue(Stream& stream, const Fill& fill) {
  enqueue_work(stream, fill);
}

CUresult copy_in(Stream& stream, const Copy& copy, Returns returns) {
  const auto action = admit(stream, returns);
  if (!action) {
    return action.error();
  }
  if (*action == Capture::Action::kCapture) {
    const CUresult result = check(copy);
    return result != CUDA_SUCCESS
               ? result
               : Capture::add(stream, CopyWork{copy, parameters_of(copy), nullptr});
  }
  if (copy.empty()) {
    return returns == Returns::kWhenDone ? run_and_wait(stream, Nothing()) : CUDA_SUCCESS;
  }
  const auto source = check_side(copy.source, copy);
  const auto destination = check_side(copy.destination, copy);
  if (!source || !destination) {
    return source ? destination.error() : source.error();
  }
  if (returns == Returns::kWhenDone || *destination == RangeKind::kPageable) {
    return run_and_wait(stream, copy);
  }
  if (*source == RangeKind::kPageable) {
    if (copy.bytes() > kStaged || stream.settled()) {
      return run_and_wait(stream, copy);
    }
    StagedCopy staged = {std::make_unique_for_overwrite<std::byte[]>(copy.bytes()), copy};
    Copy aside = copy;
    aside.destination.address = reinterpret_cast<std::uint64_t>(staged.bytes.get());
    aside.destination.pitch = copy.width;
    aside.destination.slice = copy.width * copy.height;
    aside.run();
    staged.copy.source = aside.destination;
    stream.enqueue([staged = std::move(staged)](CUresult status) noexcept {
      if (status == CUDA_SUCCESS) {
        staged.copy.run();
      }
    });
    return CUDA_SUCCESS;
  }
  enqueue(stream, copy);
  return CUDA_SUCCESS;
}

CUresult fill_in(Stream& stream, const Fill& fill, Returns returns) {
  const auto action = admit(stream, returns);
  if (!action) {
    return action.error();
  }
  if (fill.empty()) {
    return CUDA_SUCCESS;
  }
  if (const CUresult result = check(fill); result != CUDA_SUCCESS) {
    return result;
  }
  if (*action == Capture::Action::kCapture) {
    return Capture::add(stream, FillWork{fill, nullptr});
  }
  if (returns == Returns::kWhenDone) {
    return run_and_wait(stream, fill);
  }
  enqueue(stream, fill);
  return CUDA_SUCCESS;
}

} // namespace gantry::simt::driver
