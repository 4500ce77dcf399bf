// Asynchronous copies, and the times of what signals tell the end of.
#include "simt/amdgcn/hsa/agents.h"
#include "simt/amdgcn/hsa/copies.h"
#include "simt/amdgcn/hsa/process.h"
#include "simt/amdgcn/hsa/queues.h"
#include "simt/amdgcn/hsa/signals.h"

#include <hsa/hsa_ext_amd.h>

using namespace gantry::simt::hsa; // NOLINT(google-build-using-namespace)

namespace {

/// Both kinds of times are in each signal, whether they were asked for or not.
template <typename Time>
hsa_status_t times_of(hsa_signal_t signal, Time* time) {
  const Signal* const found = Signals::instance().find(signal);
  if (found == nullptr) {
    return HSA_STATUS_ERROR_INVALID_SIGNAL;
  }
  if (time == nullptr) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  if (found->end_ts == 0) { // nothing has ended
    return HSA_STATUS_ERROR;
  }
  *time = {found->start_ts, found->end_ts};
  return HSA_STATUS_SUCCESS;
}

} // namespace

extern "C" {

hsa_status_t HSA_API hsa_amd_memory_async_copy(void* dst, hsa_agent_t dst_agent, const void* src,
                                               hsa_agent_t src_agent, size_t size,
                                               uint32_t num_dep_signals,
                                               const hsa_signal_t* dep_signals,
                                               hsa_signal_t completion_signal) {
  return call([&] {
    if (dst == nullptr || src == nullptr || (num_dep_signals != 0 && dep_signals == nullptr)) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    if (Agents::instance().find(dst_agent) == nullptr ||
        Agents::instance().find(src_agent) == nullptr) {
      return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    Copy copy = {.to = dst, .from = src, .bytes = size};
    copy.done = Signals::instance().find(completion_signal);
    if (copy.done == nullptr) {
      return HSA_STATUS_ERROR_INVALID_SIGNAL;
    }
    for (std::uint32_t i = 0; i < num_dep_signals; ++i) {
      copy.after.push_back(Signals::instance().find(dep_signals[i]));
      if (copy.after.back() == nullptr) {
        return HSA_STATUS_ERROR_INVALID_SIGNAL;
      }
    }
    if (size != 0) { // nothing is said of the end of no copy
      Copies::instance().add(std::move(copy));
    }
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_amd_profiling_async_copy_enable(bool /*enable*/) {
  return call([] { return HSA_STATUS_SUCCESS; });
}

hsa_status_t HSA_API hsa_amd_profiling_set_profiler_enabled(hsa_queue_t* queue, int /*enable*/) {
  return call([&] {
    return Queues::instance().find(queue) == nullptr ? HSA_STATUS_ERROR_INVALID_QUEUE
                                                     : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                                         hsa_amd_profiling_dispatch_time_t* time) {
  return call([&] {
    return Agents::instance().find(agent) == nullptr ? HSA_STATUS_ERROR_INVALID_AGENT
                                                     : times_of(signal, time);
  });
}

hsa_status_t HSA_API hsa_amd_profiling_get_async_copy_time(
    hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t* time) {
  return call([&] { return times_of(signal, time); });
}

} // extern "C"
