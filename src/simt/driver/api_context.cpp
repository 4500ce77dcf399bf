// Entry points: contexts.
#include "simt/driver/api.h"
#include "simt/driver/graphs/capture.h"
#include "simt/driver/messages.h"
#include "simt/memory/device_heap.h"

#include <utility>

using namespace gantry::simt::driver;

namespace {

CUresult synchronize(Context& context) {
  const CUresult refused = Capture::refuse_in_context(context.id());
  return refused != CUDA_SUCCESS ? refused : context.synchronize();
}

CUresult create_context(CUcontext* result, unsigned flags, CUdevice ordinal, unsigned api_version) {
  return call_for_device(ordinal, [&](Device& device) {
    if (result == nullptr || (flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    std::shared_ptr<Context> context = Context::create(device, flags, api_version);
    *result = context->handle();
    ThreadState::of_caller().contexts.push_back(std::move(context));
    return CUDA_SUCCESS;
  });
}

/// body(Context&) for the context of a handle, null meaning the current one.
template <typename Body>
CUresult call_for_context(CUcontext handle, Body&& body) noexcept {
  if (handle == nullptr) {
    return call_with_current(body);
  }
  return call(
      [&] { return with_object(handles().contexts, handle, body, CUDA_ERROR_INVALID_CONTEXT); });
}

CUresult set_device_limits(Device& device, CUlimit limit, std::size_t value) {
  gantry::simt::Limits limits = gantry::simt::limits_of(device.ordinal());
  (limit == CU_LIMIT_STACK_SIZE ? limits.local_bytes : limits.heap_bytes) = value;
  return gantry::simt::set_limits(device.ordinal(), limits) ? CUDA_SUCCESS
                                                            : CUDA_ERROR_INVALID_VALUE;
}

/// Where a context keeps a limit that has no effect here; null for other limits.
/// For a limit that is not offered, or is none.
CUresult no_limit(CUlimit limit) {
  return limit >= CU_LIMIT_STACK_SIZE && limit <= CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED
             ? CUDA_ERROR_UNSUPPORTED_LIMIT
             : CUDA_ERROR_INVALID_VALUE;
}

std::atomic<std::size_t>* kept_limit(Context& context, CUlimit limit) {
  switch (limit) {
  case CU_LIMIT_PRINTF_FIFO_SIZE:
    return &context.printf_fifo;
  case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
    return &context.sync_depth;
  case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
    return &context.pending_launches;
  case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
    return &context.l2_granularity;
  case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
    return &context.persisting_l2;
  default:
    return nullptr;
  }
}

} // namespace

GANTRY_CUDA_API cuCtxCreate_v2(CUcontext* context, unsigned int flags, CUdevice device) {
  return create_context(context, flags, device, kNewestContextVersion);
}

GANTRY_CUDA_API cuCtxCreate_v3(CUcontext* context, void* affinity, int affinity_count,
                               unsigned int flags, CUdevice device) {
  if (affinity_count != 0) {
    return affinity == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  }
  return create_context(context, flags, device, kNewestContextVersion);
}

GANTRY_CUDA_API cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters,
                               unsigned int flags, CUdevice device) {
  if (parameters != nullptr && parameters->cigParams != nullptr) {
    return not_offered("cuCtxCreate_v4 with cigParams");
  }
  if (parameters != nullptr && parameters->numExecAffinityParams != 0) {
    return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  }
  return create_context(context, flags, device, kNewestContextVersion);
}

GANTRY_CUDA_API cuCtxDestroy_v2(CUcontext handle) {
  return call([&] {
    const std::shared_ptr<Context> context = handles().contexts.find(handle);
    if (context == nullptr) {
      return handle == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_CONTEXT;
    }
    auto& stack = ThreadState::of_caller().contexts;
    if (!stack.empty() && stack.back() == context) {
      stack.pop_back();
    }
    context->close();
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuCtxAttach(CUcontext* context, unsigned int flags) {
  return call_with_current([&](Context& current) {
    if (context == nullptr || flags != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *context = current.handle();
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuCtxDetach(CUcontext context) {
  return cuCtxDestroy_v2(context);
}

GANTRY_CUDA_API cuCtxPushCurrent_v2(CUcontext handle) {
  return call([&] {
    std::shared_ptr<Context> context = handles().contexts.find(handle);
    if (context == nullptr) {
      return CUDA_ERROR_INVALID_CONTEXT;
    }
    ThreadState::of_caller().contexts.push_back(std::move(context));
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuCtxPopCurrent_v2(CUcontext* handle) {
  return call([&] {
    auto& stack = ThreadState::of_caller().contexts;
    if (stack.empty()) {
      return CUDA_ERROR_INVALID_CONTEXT;
    }
    give(handle, stack.back()->handle());
    stack.pop_back();
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuCtxSetCurrent(CUcontext handle) {
  return call([&] {
    auto& stack = ThreadState::of_caller().contexts;
    if (handle == nullptr) {
      if (!stack.empty()) {
        stack.pop_back();
      }
      return CUDA_SUCCESS;
    }
    if (!stack.empty() && stack.back()->handle() == handle && !stack.back()->closed()) {
      return CUDA_SUCCESS;
    }
    std::shared_ptr<Context> context = handles().contexts.find(handle);
    if (context == nullptr) {
      return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (stack.empty()) {
      stack.push_back(std::move(context));
    } else {
      stack.back() = std::move(context);
    }
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuCtxGetCurrent(CUcontext* handle) {
  return call([&] {
    if (handle == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const Context* const context = current_context();
    *handle = context != nullptr ? context->handle() : nullptr;
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuCtxGetDevice(CUdevice* device) {
  return cuCtxGetDevice_v2(device, nullptr);
}

GANTRY_CUDA_PROPERTY(cuCtxGetDevice_v2, (CUdevice * place, CUcontext handle), call_for_context,
                     object.device().ordinal())

GANTRY_CUDA_API cuCtxGetFlags(unsigned int* flags) {
  return call_with_current([&](Context& context) { return deliver(flags, context.flags()); });
}

GANTRY_CUDA_API cuCtxSetFlags(unsigned int flags) {
  return call_with_current([&](Context& context) {
    if ((flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    context.set_flags(flags);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_PROPERTY(cuCtxGetId, (CUcontext handle, unsigned long long* place), call_for_context,
                     object.id())
GANTRY_CUDA_PROPERTY(cuCtxGetApiVersion, (CUcontext handle, unsigned int* place), call_for_context,
                     object.api_version())

GANTRY_CUDA_API cuCtxSynchronize() {
  // After an error of the context too: what is left of its work has to have ended.
  return call_with_current([](Context& context) { return synchronize(context); });
}

GANTRY_CUDA_API cuCtxSynchronize_v2(CUcontext handle) {
  return call_for_context(handle, [](Context& context) { return synchronize(context); });
}

GANTRY_CUDA_API cuCtxGetLimit(size_t* value, CUlimit limit) {
  return call_in_context([&](Context& context) {
    if (value == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto limits = gantry::simt::limits_of(context.device().ordinal());
    switch (limit) {
    case CU_LIMIT_STACK_SIZE:
      *value = limits.local_bytes;
      return CUDA_SUCCESS;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
      *value = limits.heap_bytes;
      return CUDA_SUCCESS;
    default:
      const auto* const kept = kept_limit(context, limit);
      return kept == nullptr ? no_limit(limit) : deliver(value, kept->load());
    }
  });
}

GANTRY_CUDA_API cuCtxSetLimit(CUlimit limit, size_t value) {
  return call_in_context([&](Context& context) {
    if (limit == CU_LIMIT_STACK_SIZE || limit == CU_LIMIT_MALLOC_HEAP_SIZE) {
      return set_device_limits(context.device(), limit, value);
    }
    auto* const kept = kept_limit(context, limit);
    if (kept == nullptr) {
      return no_limit(limit);
    }
    if (limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY && value > 128) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *kept = value;
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuCtxGetCacheConfig(CUfunc_cache* config) {
  return call_in_context([&](Context& context) { return deliver(config, context.cache_config); });
}

GANTRY_CUDA_API cuCtxSetCacheConfig(CUfunc_cache config) {
  return call_in_context([&](Context& context) {
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    context.cache_config = config;
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  return call_in_context(
      [&](Context&) { return deliver(config, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE); });
}

GANTRY_CUDA_API cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return call_in_context([&](Context&) {
    // Banks have four bytes, as on every device since compute capability 5.0; asking for another
    // size has no effect.
    return config < CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE ||
                   config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return call_in_context([&](Context&) {
    give(least, kLeastPriority);
    give(greatest, kGreatestPriority);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuCtxResetPersistingL2Cache() {
  return call_in_context([](Context&) { return CUDA_SUCCESS; });
}

GANTRY_CUDA_API cuCtxEnablePeerAccess(CUcontext handle, unsigned int flags) {
  return call_in_context([&](Context& context) {
    const std::shared_ptr<Context> peer = handles().contexts.find(handle);
    if (flags != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (peer == nullptr) {
      return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (&peer->device() == &context.device()) {
      return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    }
    return context.enable_peer(peer->id()) ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  });
}

GANTRY_CUDA_API cuCtxDisablePeerAccess(CUcontext handle) {
  return call_in_context([&](Context& context) {
    const std::shared_ptr<Context> peer = handles().contexts.find(handle);
    if (peer == nullptr) {
      return CUDA_ERROR_INVALID_CONTEXT;
    }
    return context.disable_peer(peer->id()) ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  });
}
