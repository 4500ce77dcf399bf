// Entry points: streams, and the program's functions that run in them.
#include "simt/driver/api.h"
#include "simt/driver/event.h"
#include "simt/driver/graphs/capture.h"

#include <algorithm>

using namespace gantry::simt::driver;

namespace {

CUresult create_stream(CUstream* result, unsigned flags, int priority) {
  return call_in_context([&](Context& context) {
    if (result == nullptr || flags > CU_STREAM_NON_BLOCKING) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto kind =
        flags == CU_STREAM_NON_BLOCKING ? Stream::Kind::kNonBlocking : Stream::Kind::kBlocking;
    // Numbers outside the range mean its ends.
    const int kept = std::clamp(priority, kGreatestPriority, kLeastPriority);
    *result = handles().streams.insert(Stream::create(context.streams(), kind, kept));
    context.adopt(*result);
    return CUDA_SUCCESS;
  });
}

} // namespace

GANTRY_CUDA_API cuStreamCreate(CUstream* stream, unsigned int flags) {
  return create_stream(stream, flags, kLeastPriority);
}

GANTRY_CUDA_API cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int priority) {
  return create_stream(stream, flags, priority);
}

GANTRY_CUDA_API cuStreamDestroy_v2(CUstream handle) {
  return call_with_current([&](Context& context) {
    // What is in it still runs.
    const std::shared_ptr<Stream> stream = handles().streams.erase(handle);
    if (stream == nullptr) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    if (Capture::any()) {
      const std::lock_guard lock(graph_mutex());
      Capture::forget(*stream);
    }
    context.forget(handle);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuStreamSynchronize(CUstream handle) {
  // After an error too: what was left out has to have ended, and callbacks to have been told.
  return call_with_current([&](Context& context) {
    Stream* const stream = context.stream(handle);
    if (stream == nullptr) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    if (const CUresult result = Capture::refuse_captured(*stream); result != CUDA_SUCCESS) {
      return result;
    }
    stream->synchronize();
    return stream->group().error();
  });
}

GANTRY_CUDA_API cuStreamQuery(CUstream handle) {
  return call_for_stream(handle, [](Stream& stream) {
    if (const CUresult result = Capture::refuse_captured(stream); result != CUDA_SUCCESS) {
      return result;
    }
    if (!stream.settled()) {
      return CUDA_ERROR_NOT_READY;
    }
    return stream.group().error();
  });
}

GANTRY_CUDA_API cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned int flags) {
  return call_for_stream(handle, [&](Stream& stream) {
    const std::shared_ptr<Event> event = handles().events.find(event_handle);
    if (event == nullptr) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    if (flags > CU_EVENT_WAIT_EXTERNAL) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const bool external = flags == CU_EVENT_WAIT_EXTERNAL;
    const auto action = Capture::wait(stream, *event, external);
    if (!action) {
      return action.error();
    }
    if (*action == Capture::Action::kCapture) {
      return external ? Capture::add(stream, WaitWork{event, event_handle}) : CUDA_SUCCESS;
    }
    if (external) {
      return CUDA_ERROR_ILLEGAL_STATE;
    }
    stream.enqueue_wait(event->position());
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void* argument,
                                    unsigned int flags) {
  return call_for_stream(handle, [&](Stream& stream) {
    if (callback == nullptr || flags != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (const CUresult result = Capture::refuse_captured(stream); result != CUDA_SUCCESS) {
      return result;
    }
    stream.enqueue(
        [handle, callback, argument](CUresult status) noexcept {
          const HostFunctionScope scope;
          callback(handle, status, argument);
        },
        Stream::Runs::kOnDriverThread);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuLaunchHostFunc(CUstream handle, CUhostFn function, void* argument) {
  return call_for_stream(handle, [&](Stream& stream) {
    if (function == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto action = Capture::admit(stream);
    if (!action) {
      return action.error();
    }
    if (*action == Capture::Action::kCapture) {
      return Capture::add(stream, HostWork{function, argument});
    }
    enqueue_host_function(stream, function, argument);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuStreamAttachMemAsync(CUstream handle, CUdeviceptr address, size_t,
                                       unsigned int flags) {
  return call_for_stream(handle, [&](Stream& stream) {
    if (const CUresult result = Capture::refuse_captured(stream); result != CUDA_SUCCESS) {
      return result;
    }
    const bool one_flag = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
                          flags == CU_MEM_ATTACH_SINGLE;
    return address == 0 || !one_flag ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
}

GANTRY_CUDA_PROPERTY(cuStreamGetFlags, (CUstream handle, unsigned int* place), call_for_stream,
                     object.kind() == Stream::Kind::kNonBlocking ? CU_STREAM_NON_BLOCKING
                                                                 : CU_STREAM_DEFAULT)
GANTRY_CUDA_PROPERTY(cuStreamGetPriority, (CUstream handle, int* place), call_for_stream,
                     object.priority())
GANTRY_CUDA_PROPERTY(cuStreamGetId, (CUstream handle, unsigned long long* place), call_for_stream,
                     object.id())

GANTRY_CUDA_API cuStreamGetCtx(CUstream handle, CUcontext* context) {
  return call_for_stream(handle, [&](Stream& stream) {
    if (context == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *context = Context::handle_of(stream.group().context_id());
    return *context == nullptr ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuStreamGetDevice(CUstream handle, CUdevice* device) {
  return call_for_stream(handle, [&](Stream& stream) {
    const std::shared_ptr<Context> context =
        handles().contexts.find(Context::handle_of(stream.group().context_id()));
    if (device == nullptr || context == nullptr) {
      return device == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_CONTEXT_IS_DESTROYED;
    }
    *device = context->device().ordinal();
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuStreamGetAttribute(CUstream handle, CUlaunchAttributeID attribute,
                                     CUlaunchAttributeValue* value) {
  return call_for_stream(handle, [&](Stream& stream) {
    return value != nullptr && stream.get(attribute, *value) ? CUDA_SUCCESS
                                                             : CUDA_ERROR_INVALID_VALUE;
  });
}

GANTRY_CUDA_API cuStreamSetAttribute(CUstream handle, CUlaunchAttributeID attribute,
                                     const CUlaunchAttributeValue* value) {
  return call_for_stream(handle, [&](Stream& stream) {
    return value != nullptr && stream.set(attribute, *value) ? CUDA_SUCCESS
                                                             : CUDA_ERROR_INVALID_VALUE;
  });
}

GANTRY_CUDA_API cuStreamCopyAttributes(CUstream to, CUstream from) {
  return call_in_context([&](Context& context) {
    // The second look-up may end what the first gave.
    Stream* const found = context.stream(to);
    const std::shared_ptr<Stream> target = found != nullptr ? found->shared_from_this() : nullptr;
    const Stream* const source = context.stream(from);
    if (target == nullptr || source == nullptr) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    target->copy_attributes(*source);
    return CUDA_SUCCESS;
  });
}
