#include "simt/driver/launch.h"

#include "simt/driver/device.h"
#include "simt/driver/module.h"
#include "simt/driver/queue_order.h"
#include "simt/driver/stream.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

namespace gantry::simt::driver {

namespace {

/// The values of a kernel's parameters, inside a StreamOperation if they are few.
class ParameterBytes {
public:
  static constexpr std::uint32_t kInline = 256;

  explicit ParameterBytes(std::uint32_t size) {
    if (size > kInline) {
      large_ = std::make_unique_for_overwrite<std::byte[]>(size);
    }
  }
  [[nodiscard]] std::byte* data() { return large_ != nullptr ? large_.get() : few_.data(); }

private:
  std::unique_ptr<std::byte[]> large_;
  alignas(16) std::array<std::byte, kInline> few_;
};

CUresult gather(const exec::KernelFacts& facts, void** parameters, void** extra,
                ParameterBytes& bytes) {
  if (parameters != nullptr && extra != nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (parameters != nullptr) {
    for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
      if (parameters[i] == nullptr) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      std::memcpy(bytes.data() + facts.parameters[i].offset, parameters[i],
                  facts.parameters[i].size);
    }
    return CUDA_SUCCESS;
  }
  const void* buffer = nullptr;
  std::size_t size = 0;
  for (void** word = extra; word != nullptr && *word != CU_LAUNCH_PARAM_END; word += 2) {
    if (*word == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      buffer = word[1];
    } else if (*word == CU_LAUNCH_PARAM_BUFFER_SIZE && word[1] != nullptr) {
      size = *static_cast<const std::size_t*>(word[1]);
    } else {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  // A buffer may be longer: its producer pads it to the alignment of a structure.
  if (size < facts.parameter_bytes || (facts.parameter_bytes != 0 && buffer == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (facts.parameter_bytes != 0) {
    std::memcpy(bytes.data(), buffer, facts.parameter_bytes);
  }
  return CUDA_SUCCESS;
}

CUresult check_shape(const Function& function, const exec::LaunchShape& shape) {
  const exec::KernelFacts& facts = function.facts();
  std::uint64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (shape.grid[axis] == 0 || shape.grid[axis] > Device::kGridDim[axis] ||
        shape.block[axis] == 0 || shape.block[axis] > Device::kBlockDim[axis]) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    threads *= shape.block[axis];
  }
  if (threads > Device::kThreadsOfBlock || shape.dynamic_shared > function.most_dynamic_shared()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const std::uint32_t* const required = facts.required_threads;
  if (required[0] != 0 && !std::equal(required, required + 3, shape.block)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (threads > facts.max_threads) {
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  }
  if (shape.cooperative) {
    const Device& device = function.module().device();
    const std::uint64_t capacity =
        std::uint64_t{device.multiprocessors()} *
        blocks_of_multiprocessor(function, static_cast<unsigned>(threads), shape.dynamic_shared);
    std::uint64_t blocks = 0;
    if (__builtin_mul_overflow(std::uint64_t{shape.grid[0]} * shape.grid[1], shape.grid[2],
                               &blocks) ||
        blocks > capacity) {
      return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    }
  }
  return CUDA_SUCCESS;
}

// A launch that nobody waits for is not begun at once if races are looked for: what the program
// asks for before it can know that this one has ended may race with it, and what it asks for later
// may not.
void let_others_come(const Stream& stream, const exec::AnnouncedLaunch& announced) {
  constexpr std::chrono::milliseconds kPatience{20};
  constexpr std::chrono::microseconds kStep{50};
  if (announced.number() == 0) {
    return;
  }
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!stream.is_awaited() && !announced.is_followed() &&
         std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kStep);
  }
}

} // namespace

unsigned blocks_of_multiprocessor(const Function& function, unsigned threads,
                                  std::size_t dynamic_shared) {
  const exec::KernelFacts& facts = function.facts();
  const Device& device = function.module().device();
  const MultiprocessorLimits& limits = device.limits();
  const std::uint64_t shared = facts.static_shared + dynamic_shared;
  if (threads == 0 || threads > facts.max_threads || shared > limits.shared_bytes_of_block) {
    return 0;
  }
  const unsigned warps = (threads + Device::kWarpSize - 1) / Device::kWarpSize;
  std::uint64_t blocks = std::min(limits.blocks, limits.threads / Device::kWarpSize / warps);
  if (shared != 0) {
    blocks = std::min(blocks, limits.shared_bytes / shared);
  }
  const unsigned registers = std::max(1U, facts.registers) * warps * Device::kWarpSize;
  blocks = std::min<std::uint64_t>(blocks, Device::kRegisters / registers);
  // Grids with barriers rely on it, so it is no more than can really be resident.
  exec::LaunchShape shape;
  shape.block[0] = threads;
  shape.dynamic_shared = static_cast<std::uint32_t>(dynamic_shared);
  if (blocks != 0) {
    blocks = std::clamp<std::uint64_t>(
        exec::resident_blocks(facts, shape) / device.multiprocessors(), 1, blocks);
  }
  return static_cast<unsigned>(blocks);
}

CUresult launch_in(Stream& stream, LaunchRequest request) {
  Function& function = *request.function;
  if (stream.group().context_id() != function.module().context_id()) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (const CUresult result = check_shape(function, request.shape); result != CUDA_SUCCESS) {
    return result;
  }
  ParameterBytes bytes(function.facts().parameter_bytes);
  if (const CUresult result = gather(function.facts(), request.parameters, request.extra, bytes);
      result != CUDA_SUCCESS) {
    return result;
  }
  if (const CUresult result = function.prepare(request.shape); result != CUDA_SUCCESS) {
    return result;
  }
  stream.note_order();
  exec::AnnouncedLaunch announced(stream.id(), stream.last() + 1,
                                  [&](std::uint64_t other, std::uint64_t sequence) {
                                    return is_after(stream.id(), other, sequence);
                                  });
  stream.enqueue([stream = &stream, group = &stream.group(), function = std::move(request.function),
                  shape = request.shape, announced = std::move(announced),
                  bytes = std::move(bytes)](CUresult status) mutable noexcept {
    if (status != CUDA_SUCCESS) {
      return;
    }
    let_others_come(*stream, announced);
    auto ended = function->run(shape, bytes.data(), announced);
    if (!ended &&
        group->fail(static_cast<CUresult>(ended.error().code), std::move(ended.error().facts))) {
      std::fprintf(stderr, "%s", ended.error().report.c_str());
    }
  });
  return CUDA_SUCCESS;
}

} // namespace gantry::simt::driver
