#include "plugins/cuda/gcc.h"

#include "plugins/cuda/launch.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace gantry::cuda {

namespace {

/// What GCC's nvptx back end begins every object with.
constexpr std::string_view kPreamble = "// BEGIN PREAMBLE\n";

constexpr const char* kMain = "gomp_nvptx_main";
constexpr const char* kDeviceNumber = "__gomp_device_num";
/// Since GCC 13, in place of the device's number: what omp_get_device_num(),
/// omp_get_default_device(), omp_get_max_teams() and omp_get_teams_thread_limit() answer.
constexpr const char* kControlVariables = "__gomp_additional_icvs";
constexpr const char* kClockTick = "__nvptx_clocktick";

constexpr std::uint32_t kWarpSize = 32;
constexpr std::uint32_t kDefaultWarps = 8;
constexpr std::uint32_t kMostWarps = 32;
/// Of a warp, whose 32 threads share it outside of simd regions.
constexpr std::size_t kStackBytes = 128 << 10;
/// What the stacks may take of the device's memory: 1 of so many bytes. The device runtime gives a
/// block several teams if there are more teams than blocks.
constexpr std::size_t kStacksPart = 8;
/// So much of it a queue keeps for itself.
constexpr std::size_t kOwnStacks = 4 << 20;

/// Writes `value` to a variable of the module, if it has that.
template <typename Value>
std::int32_t write_variable(CUmodule module, const char* name, const Value& value) {
  CUdeviceptr address = 0;
  std::size_t size = 0;
  if (driver().cuModuleGetGlobal_v2(&address, &size, module, name) != CUDA_SUCCESS ||
      size < sizeof value) {
    return GANTRY_SUCCESS;
  }
  return write(address, &value, sizeof value);
}

std::uint32_t warps_of(const gantry_kernel& kernel, const gantry_launch& launch) {
  const std::uint32_t most = std::clamp<std::uint32_t>(
      static_cast<std::uint32_t>(kernel.max_block_size) / kWarpSize, 1, kMostWarps);
  const std::uint32_t wanted = launch.thread_limit[0] != 0 ? launch.thread_limit[0] : kDefaultWarps;
  return std::min(wanted, most);
}

std::uint32_t blocks_of(gantry_kernel& kernel, const gantry_launch& launch, std::uint32_t warps) {
  if (launch.kind == GANTRY_LAUNCH_TARGET) {
    return 1;
  }
  const auto at_once = static_cast<std::uint32_t>(resident_blocks(kernel, warps * kWarpSize, 0) *
                                                  kernel.device->multiprocessors);
  const std::size_t room = kernel.device->total_memory / kStacksPart / (warps * kStackBytes);
  const auto most =
      static_cast<std::uint32_t>(std::clamp<std::size_t>(room, 1, std::max(at_once, 1U)));
  return launch.num_teams[0] == 0 ? most : std::min(launch.num_teams[0], most);
}

/// The stacks of all warps of a launch: few are the queue's own; others are borrowed until the
/// launch is done, or every queue would hold as much memory as one launch may. Where there is no
/// memory for so many, fewer blocks are started.
std::int32_t reserve_stacks(LaunchMemory& memory, Device& device, CUstream stream,
                            std::uint32_t warps, std::uint32_t& blocks, CUdeviceptr& stacks) {
  const std::size_t of_block = std::size_t{warps} * kStackBytes;
  if (blocks * of_block <= memory.stack_bytes) {
    stacks = memory.stacks;
    return GANTRY_SUCCESS;
  }
  GANTRY_STATUS_TRY(enter(device));
  if (memory.borrowed_stacks != 0 || memory.stacks != 0) {
    GANTRY_CUDA_TRY(cuStreamSynchronize, stream);
    GANTRY_STATUS_TRY(memory.give_back_stacks(device));
  }
  const bool own = blocks * of_block <= kOwnStacks;
  if (own && memory.stacks != 0) {
    const CUdeviceptr before = std::exchange(memory.stacks, 0);
    memory.stack_bytes = 0;
    GANTRY_STATUS_TRY(device.memory.release(before));
  }
  std::int32_t code = device.memory.allocate(blocks * of_block, stacks);
  while (code == GANTRY_OUT_OF_MEMORY && blocks > 1) {
    blocks /= 2;
    code = device.memory.allocate(blocks * of_block, stacks);
  }
  GANTRY_STATUS_TRY(code);
  if (own) {
    memory.stacks = stacks;
    memory.stack_bytes = blocks * of_block;
  } else {
    memory.borrowed_stacks = stacks;
  }
  return GANTRY_SUCCESS;
}

} // namespace

bool is_of_gcc(std::string_view image) {
  return image.starts_with(kPreamble) && image.ends_with('\0');
}

std::vector<std::string_view> objects_of(std::string_view image) {
  std::vector<std::string_view> objects;
  while (!image.empty()) {
    const std::size_t end = std::min(image.find('\0'), image.size() - 1) + 1;
    objects.push_back(image.substr(0, end));
    image.remove_prefix(end);
  }
  return objects;
}

CUresult load_objects(std::string_view image, const DeviceOptions& options, std::vector<char>& log,
                      CUmodule& module) {
  DeviceOptions::Jit jit = options.jit(log);
  CUlinkState state = nullptr;
  CUresult result = driver().cuLinkCreate_v2(static_cast<unsigned>(jit.options.size()),
                                             jit.options.data(), jit.values.data(), &state);
  if (result != CUDA_SUCCESS) {
    return result;
  }
  for (const std::string_view object : objects_of(image)) {
    if (result == CUDA_SUCCESS) {
      result = driver().cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, const_cast<char*>(object.data()),
                                         object.size(), "", 0, nullptr, nullptr);
    }
  }
  void* linked = nullptr;
  std::size_t size = 0;
  if (result == CUDA_SUCCESS) {
    result = driver().cuLinkComplete(state, &linked, &size);
  }
  if (result == CUDA_SUCCESS) {
    result = driver().cuModuleLoadDataEx(&module, linked, 0, nullptr, nullptr);
  }
  (void)driver().cuLinkDestroy(state); // what was linked is its own
  return result;
}

std::int32_t introduce_device(CUmodule module, const Device& device) {
  struct ControlVariables {
    std::int32_t device_number;
    std::int32_t default_device;
    std::int32_t teams;
    std::int32_t thread_limit;
  };
  const std::int32_t number = device.openmp_number;
  GANTRY_STATUS_TRY(write_variable(module, kDeviceNumber, number));
  GANTRY_STATUS_TRY(write_variable(module, kControlVariables, ControlVariables{number, 0, 0, 0}));
  const double second_per_kilohertz = 1e-3;
  return write_variable(module, kClockTick, second_per_kilohertz / device.clock_kilohertz);
}

CUresult find_region(CUmodule module, const char* name, CUfunction& function,
                     Convention& convention, CUdeviceptr& region) {
  const std::string pointer = std::string("__ptr_") + name;
  CUdeviceptr address = 0;
  std::size_t size = 0;
  if (driver().cuModuleGetGlobal_v2(&address, &size, module, pointer.c_str()) == CUDA_SUCCESS &&
      size == sizeof region) {
    convention = Convention::kGccMain;
    const CUresult read = driver().cuMemcpyDtoH_v2(&region, address, sizeof region);
    return read != CUDA_SUCCESS ? read : driver().cuModuleGetFunction(&function, module, kMain);
  }
  convention = Convention::kGccRegion;
  return driver().cuModuleGetFunction(&function, module, name);
}

std::int32_t start_of_gcc(gantry_kernel& kernel, const gantry_launch& launch, CUstream stream,
                          LaunchMemory& memory) {
  const std::uint32_t warps = warps_of(kernel, launch);
  std::uint32_t blocks = 1;
  void* data = launch.argument_count == 0 ? nullptr : launch.arguments[0];
  CUdeviceptr stacks = 0;
  std::uint64_t stack = kStackBytes;
  std::array<void*, 3> parameters = {&kernel.region, &data, nullptr};
  if (kernel.convention == Convention::kGccRegion) {
    blocks = blocks_of(kernel, launch, warps);
    GANTRY_STATUS_TRY(reserve_stacks(memory, *kernel.device, stream, warps, blocks, stacks));
    parameters = {&data, &stacks, &stack};
  }
  return check_in_context(*kernel.device, "cuLaunchKernel", [&] {
    return driver().cuLaunchKernel(kernel.function, blocks, 1, 1, kWarpSize, warps, 1, 0, stream,
                                   parameters.data(), nullptr);
  });
}

} // namespace gantry::cuda
