// Queues.
#include "simt/amdgcn/exec/executor.h"
#include "simt/amdgcn/hsa/agents.h"
#include "simt/amdgcn/hsa/process.h"
#include "simt/amdgcn/hsa/queues.h"

#include <algorithm>
#include <bit>

using namespace gantry::simt::hsa; // NOLINT(google-build-using-namespace)

namespace {

std::uint64_t add_to_write_index(const hsa_queue_t* queue, std::uint64_t value) {
  const auto found = Process::instance().is_ready() ? Queues::instance().find(queue) : nullptr;
  return found == nullptr ? 0 : found->add_to_write_index(value);
}

std::uint64_t read_index(const hsa_queue_t* queue) {
  const auto found = Process::instance().is_ready() ? Queues::instance().find(queue) : nullptr;
  return found == nullptr ? 0 : found->read_index();
}

} // namespace

extern "C" {

hsa_status_t HSA_API hsa_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                      void (*callback)(hsa_status_t status, hsa_queue_t* source,
                                                       void* data),
                                      void* data, uint32_t /*private_segment_size*/,
                                      uint32_t /*group_segment_size*/, hsa_queue_t** queue) {
  return call([&] {
    Agent* const found = Agents::instance().find(agent);
    if (found == nullptr) {
      return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    if (queue == nullptr || !std::has_single_bit(size) || type > HSA_QUEUE_TYPE_COOPERATIVE) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    if (!found->is_gpu() || type == HSA_QUEUE_TYPE_COOPERATIVE) {
      return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
    }
    if (size > kMostQueueSize) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    gantry::simt::amdgcn::prepare_thread();
    const auto made = Queue::create(*found, std::max(size, kLeastQueueSize), type, callback, data);
    if (made == nullptr) {
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    Queues::instance().add(made);
    *queue = made->handle();
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_queue_destroy(hsa_queue_t* queue) {
  return call([&] {
    if (queue == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    const auto ended = Queues::instance().remove(queue);
    if (ended == nullptr) {
      return HSA_STATUS_ERROR_INVALID_QUEUE;
    }
    ended->end();
    return HSA_STATUS_SUCCESS;
  });
}

uint64_t HSA_API hsa_queue_load_read_index_scacquire(const hsa_queue_t* queue) {
  return read_index(queue);
}
uint64_t HSA_API hsa_queue_load_read_index_acquire(const hsa_queue_t* queue) {
  return read_index(queue);
}
uint64_t HSA_API hsa_queue_add_write_index_relaxed(const hsa_queue_t* queue, uint64_t value) {
  return add_to_write_index(queue, value);
}
uint64_t HSA_API hsa_queue_add_write_index_release(const hsa_queue_t* queue, uint64_t value) {
  return add_to_write_index(queue, value);
}

} // extern "C"
