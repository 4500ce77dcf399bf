#include "simt/driver/launch.h"

#include "simt/driver/device.h"
#include "simt/driver/graphs/capture.h"
#include "simt/driver/messages.h"
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
  if (size < facts.parameter_bytes || (facts.parameter_bytes != 0 && buffer == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (size > facts.parameter_bytes) { // even if it is the size of a structure of the parameters
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  }
  if (facts.parameter_bytes != 0) {
    std::memcpy(bytes.data(), buffer, facts.parameter_bytes);
  }
  return CUDA_SUCCESS;
}

// A launch that nobody waits for is not begun at once if races are looked for: what the program
// asks for before it can know that this one has ended may race with it, and what it asks for later
// may not.
void let_others_come(const Stream& stream, const exec::AnnouncedLaunch& announced) {
  constexpr std::chrono::milliseconds kPatience{50};
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

std::uint32_t most_blocks_of_cluster(const Function& function) {
  constexpr std::uint32_t kPortable = 8;
  constexpr std::uint32_t kMost = 16;
  if (function.module().device().major() < 9) {
    return 1;
  }
  const std::uint32_t most = function.allows_large_clusters() ? kMost : kPortable;
  const std::uint32_t limit = function.facts().most_blocks_of_cluster;
  return limit != 0 ? std::min(most, limit) : most;
}

void ask_for_cluster(const LaunchWishes& wishes, exec::LaunchShape& shape) {
  shape.in_clusters = wishes.cluster.has_value();
  constexpr std::array<std::uint32_t, 3> kNone = {1, 1, 1};
  std::ranges::copy(wishes.cluster.value_or(kNone), shape.cluster);
}

CUresult set_cluster(const Function& function, exec::LaunchShape& shape) {
  const std::array<std::uint32_t, 3> required = function.required_cluster();
  if (required[0] != 0) {
    if (shape.in_clusters && !std::ranges::equal(required, shape.cluster)) {
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    }
    std::ranges::copy(required, shape.cluster);
    shape.in_clusters = true;
  }
  if (!shape.in_clusters) {
    return function.facts().needs_cluster ? CUDA_ERROR_INVALID_CLUSTER_SIZE : CUDA_SUCCESS;
  }
  std::uint64_t blocks = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (shape.cluster[axis] > Device::kGridDim[axis] ||
        shape.grid[axis] % shape.cluster[axis] != 0) {
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    }
    blocks *= shape.cluster[axis];
    if (blocks > most_blocks_of_cluster(function)) {
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    }
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

CUresult read_attribute(CUlaunchAttributeID attribute, const CUlaunchAttributeValue& value,
                        LaunchWishes& wishes) {
  switch (attribute) {
  case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    wishes.cooperative = value.cooperative != 0;
    return CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: {
    const auto& size = value.clusterDim;
    if (size.x == 0 && size.y == 0 && size.z == 0) {
      return CUDA_SUCCESS; // as a node's attribute that was never set
    }
    if (size.x == 0 || size.y == 0 || size.z == 0) {
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    }
    wishes.cluster = {size.x, size.y, size.z};
    return CUDA_SUCCESS;
  }
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    return value.clusterSchedulingPolicyPreference < CU_CLUSTER_SCHEDULING_POLICY_DEFAULT ||
                   value.clusterSchedulingPolicyPreference >
                       CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    wishes.event = value.programmaticEvent.event;
    return CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
    wishes.event = value.launchCompletionEvent.event;
    return CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
    return not_offered("cuLaunchKernelEx of nodes that the device updates");
  default:
    // The others only say how to be faster.
    return attribute < CU_LAUNCH_ATTRIBUTE_IGNORE ||
                   attribute > CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_SUCCESS;
  }
}

ParameterBytes::ParameterBytes(std::span<const std::byte> bytes) : ParameterBytes(bytes.size()) {
  std::ranges::copy(bytes, data());
}

tl::expected<CheckedLaunch, CUresult> check_launch(LaunchRequest request) {
  const Function& function = *request.function;
  if (const CUresult result = set_cluster(function, request.shape); result != CUDA_SUCCESS) {
    return tl::unexpected(result);
  }
  if (const CUresult result = check_shape(function, request.shape); result != CUDA_SUCCESS) {
    return tl::unexpected(result);
  }
  CheckedLaunch launch{nullptr, request.shape, ParameterBytes(function.facts().parameter_bytes)};
  if (const CUresult result =
          gather(function.facts(), request.parameters, request.extra, launch.bytes);
      result != CUDA_SUCCESS) {
    return tl::unexpected(result);
  }
  launch.function = std::move(request.function);
  return launch;
}

void enqueue_launch(Stream& stream, CheckedLaunch&& launch) {
  stream.note_order();
  exec::AnnouncedLaunch announced(stream.id(), stream.last() + 1,
                                  [&](std::uint64_t other, std::uint64_t sequence) {
                                    return is_after(stream.id(), other, sequence);
                                  });
  stream.enqueue([stream = &stream, group = &stream.group(), announced = std::move(announced),
                  launch = std::move(launch)](CUresult status) mutable noexcept {
    if (status != CUDA_SUCCESS) {
      return;
    }
    let_others_come(*stream, announced);
    auto ended = launch.function->run(launch.shape, launch.bytes.data(), announced);
    if (!ended &&
        group->fail(static_cast<CUresult>(ended.error().code), std::move(ended.error().facts))) {
      std::fprintf(stderr, "%s", ended.error().report.c_str());
    }
  });
}

CUresult launch_in(Stream& stream, LaunchRequest request) {
  Function& function = *request.function;
  if (stream.group().context_id() != function.module().context_id()) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  auto launch = check_launch(std::move(request));
  if (!launch) {
    return launch.error();
  }
  if (const CUresult result = function.prepare(launch->shape); result != CUDA_SUCCESS) {
    return result;
  }
  const auto action = Capture::admit(stream);
  if (!action) {
    return action.error();
  }
  if (*action == Capture::Action::kCapture) {
    return Capture::add(stream, make_work(*std::move(launch)));
  }
  enqueue_launch(stream, *std::move(launch));
  return CUDA_SUCCESS;
}

} // namespace gantry::simt::driver
