// Entry points: devices and their primary contexts.
#include "simt/driver/api.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <vector>

using namespace gantry::simt::driver;

namespace {

CUresult give_text(char* place, int length, const char* text) {
  if (place == nullptr || length <= 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::snprintf(place, static_cast<std::size_t>(length), "%s", text);
  return CUDA_SUCCESS;
}

CUresult give_uuid(CUuuid* uuid, CUdevice ordinal) {
  return call_for_device(ordinal, [&](Device& device) { return deliver(uuid, device.uuid()); });
}

} // namespace

GANTRY_CUDA_API cuDeviceGet(CUdevice* device, int ordinal) {
  return call_for_device(ordinal, [&](Device&) { return deliver(device, ordinal); });
}

GANTRY_CUDA_API cuDeviceGetCount(int* count) {
  return call([&] { return deliver(count, Process::instance().device_count()); });
}

GANTRY_CUDA_API cuDeviceGetName(char* name, int length, CUdevice ordinal) {
  return call_for_device(
      ordinal, [&](Device& device) { return give_text(name, length, device.name().c_str()); });
}

GANTRY_CUDA_API cuDeviceGetUuid(CUuuid* uuid, CUdevice ordinal) {
  return give_uuid(uuid, ordinal);
}
GANTRY_CUDA_API cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice ordinal) {
  return give_uuid(uuid, ordinal);
}

GANTRY_CUDA_PROPERTY(cuDeviceTotalMem_v2, (size_t* place, CUdevice handle), call_for_device,
                     object.total_memory())

GANTRY_CUDA_API cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice ordinal) {
  return call_for_device(ordinal, [&](Device& device) {
    const std::optional<int> found = device.attribute(attribute);
    if (value == nullptr || !found) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *value = *found;
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuDeviceGetProperties(CUdevprop* properties, CUdevice ordinal) {
  return call_for_device(ordinal, [&](Device& device) {
    if (properties == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto attribute = [&](CUdevice_attribute which) {
      return device.attribute(which).value_or(0);
    };
    CUdevprop result = {};
    result.maxThreadsPerBlock = Device::kThreadsOfBlock;
    std::copy_n(Device::kBlockDim, 3, result.maxThreadsDim);
    std::copy_n(Device::kGridDim, 3, result.maxGridSize);
    result.sharedMemPerBlock = Device::kSharedOfBlock;
    result.totalConstantMemory = attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    result.SIMDWidth = Device::kWarpSize;
    result.memPitch = attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
    result.regsPerBlock = Device::kRegisters;
    result.clockRate = Device::kClockKilohertz;
    result.textureAlign = attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
    *properties = result;
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuDeviceComputeCapability(int* major, int* minor, CUdevice ordinal) {
  return call_for_device(ordinal, [&](Device& device) {
    if (major == nullptr || minor == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *major = static_cast<int>(device.major());
    *minor = static_cast<int>(device.minor());
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuDeviceGetPCIBusId(char* bus_id, int length, CUdevice ordinal) {
  return call_for_device(ordinal, [&](Device& device) {
    char text[16];
    std::snprintf(text, sizeof(text), "0000:%02X:00.0", static_cast<unsigned>(device.pci_bus()));
    return give_text(bus_id, length, text);
  });
}

GANTRY_CUDA_API cuDeviceGetByPCIBusId(CUdevice* device, const char* bus_id) {
  return call([&] {
    if (device == nullptr || bus_id == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    // "domain:bus:device.function", the first of them and the last may be missing.
    std::vector<unsigned> numbers;
    std::string_view rest = bus_id;
    rest = rest.substr(0, rest.find('.'));
    do {
      unsigned number = 0;
      const auto [end, error] = std::from_chars(rest.begin(), rest.end(), number, 16);
      if (error != std::errc()) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      numbers.push_back(number);
      rest.remove_prefix(static_cast<std::size_t>(end - rest.begin()));
    } while (rest.starts_with(':') && (rest.remove_prefix(1), true));
    if (!rest.empty() || numbers.size() < 2 || numbers.size() > 3) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const unsigned domain = numbers.size() == 3 ? numbers[0] : 0;
    const unsigned bus = numbers[numbers.size() - 2];
    const unsigned slot = numbers.back();
    const auto ordinal = static_cast<CUdevice>(bus) - 1;
    if (domain != 0 || slot != 0 || Process::instance().device(ordinal) == nullptr) {
      return CUDA_ERROR_INVALID_DEVICE;
    }
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType type,
                                               CUdevice ordinal) {
  return call_for_device(ordinal, [&](Device&) {
    if (supported == nullptr || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *supported = 0;
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuDeviceCanAccessPeer(int* can_access, CUdevice ordinal, CUdevice peer) {
  return call_for_device(ordinal, [&](Device&) {
    if (Process::instance().device(peer) == nullptr) {
      return CUDA_ERROR_INVALID_DEVICE;
    }
    return deliver(can_access, ordinal != peer ? 1 : 0);
  });
}

GANTRY_CUDA_API cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute,
                                        CUdevice source, CUdevice destination) {
  return call_for_device(source, [&](Device&) {
    if (Process::instance().device(destination) == nullptr || source == destination) {
      return CUDA_ERROR_INVALID_DEVICE;
    }
    if (value == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    switch (attribute) {
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
      *value = 1;
      return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
      *value = 0;
      return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
  });
}

GANTRY_CUDA_API cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice ordinal) {
  return call_for_device(ordinal, [&](Device& device) {
    if (context == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *context = device.retain_primary()->handle();
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuDevicePrimaryCtxRelease_v2(CUdevice ordinal) {
  return call_for_device(ordinal, [](Device& device) {
    return device.release_primary() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  });
}

GANTRY_CUDA_API cuDevicePrimaryCtxReset_v2(CUdevice ordinal) {
  return call_for_device(ordinal, [](Device& device) {
    device.reset_primary();
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuDevicePrimaryCtxGetState(CUdevice ordinal, unsigned int* flags, int* active) {
  return call_for_device(ordinal, [&](Device& device) {
    if (flags == nullptr || active == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const Device::PrimaryState state = device.primary_state();
    *flags = state.flags;
    *active = state.active ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuDevicePrimaryCtxSetFlags_v2(CUdevice ordinal, unsigned int flags) {
  return call_for_device(ordinal, [&](Device& device) {
    if ((flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    device.set_primary_flags(flags);
    return CUDA_SUCCESS;
  });
}
