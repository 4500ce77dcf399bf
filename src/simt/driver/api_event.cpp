// Entry points: events.
#include "simt/driver/api.h"
#include "simt/driver/event.h"
#include "simt/driver/graphs/capture.h"

using namespace gantry::simt::driver;

namespace {

/// body(Event&)
template <typename Body>
CUresult call_for_event(CUevent handle, Body&& body) noexcept {
  return call_in_context([&](Context&) { return with_object(handles().events, handle, body); });
}

} // namespace

GANTRY_CUDA_API cuEventCreate(CUevent* event, unsigned int flags) {
  return call_in_context([&](Context& context) {
    constexpr unsigned kKnown =
        CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    const bool shared = (flags & CU_EVENT_INTERPROCESS) != 0;
    if (event == nullptr || (flags & ~kKnown) != 0 ||
        (shared && (flags & CU_EVENT_DISABLE_TIMING) == 0)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *event = handles().events.insert(std::make_shared<Event>(context.id(), flags));
    context.adopt(*event);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuEventDestroy_v2(CUevent handle) {
  return call_with_current([&](Context& context) {
    if (handles().events.erase(handle) == nullptr) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    context.forget(handle);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuEventRecord(CUevent event, CUstream stream) {
  return cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_DEFAULT);
}

GANTRY_CUDA_API cuEventRecordWithFlags(CUevent handle, CUstream stream_handle, unsigned int flags) {
  return call_for_stream(stream_handle, [&](Stream& stream) {
    const std::shared_ptr<Event> event = handles().events.find(handle);
    if (event == nullptr || event->context_id() != stream.group().context_id()) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    if (flags > CU_EVENT_RECORD_EXTERNAL) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const bool external = flags == CU_EVENT_RECORD_EXTERNAL;
    const auto action = Capture::admit(stream);
    if (!action) {
      return action.error();
    }
    if (*action == Capture::Action::kCapture) {
      if (external) {
        return Capture::add(stream, RecordWork{event, handle});
      }
      Capture::record(stream, *event);
      return CUDA_SUCCESS;
    }
    if (external) {
      return CUDA_ERROR_ILLEGAL_STATE;
    }
    event->record(stream);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuEventQuery(CUevent handle) {
  return call_for_event(handle, [](Event& event) {
    if (const CUresult result = Capture::refuse(event); result != CUDA_SUCCESS) {
      return result;
    }
    return event.passed() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  });
}

GANTRY_CUDA_API cuEventSynchronize(CUevent handle) {
  return call_with_current([&](Context& context) {
    return with_object(handles().events, handle, [&](Event& event) {
      if (const CUresult result = Capture::refuse(event); result != CUDA_SUCCESS) {
        return result;
      }
      event.wait();
      const CUresult error = event.error();
      return error != CUDA_SUCCESS ? error : context.error();
    });
  });
}

GANTRY_CUDA_API cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  return call_for_event(start, [&](Event& first) {
    const std::shared_ptr<Event> last = handles().events.find(end);
    if (milliseconds == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (last == nullptr) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    for (const Event* const event :
         {static_cast<const Event*>(&first), static_cast<const Event*>(last.get())}) {
      if (const CUresult result = Capture::refuse(*event); result != CUDA_SUCCESS) {
        return result;
      }
    }
    return Event::elapsed(first, *last, *milliseconds);
  });
}

GANTRY_CUDA_API cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}
