#include "simt/driver/context.h"

#include "simt/driver/allocations.h"
#include "simt/driver/event.h"
#include "simt/driver/graphs/capture.h"
#include "simt/driver/handles.h"
#include "simt/driver/module.h"
#include "simt/driver/thread_state.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace gantry::simt::driver {

namespace {

std::uint64_t next_context_id() {
  static std::atomic<std::uint64_t> next = 1;
  return next.fetch_add(1, std::memory_order_relaxed);
}

/// The handles of open contexts by their ids.
class OpenContexts {
public:
  static OpenContexts& instance() {
    static OpenContexts* const open = new OpenContexts;
    return *open;
  }
  void add(std::uint64_t id, CUcontext handle) {
    const std::lock_guard lock(mutex_);
    handles_.emplace(id, handle);
  }
  void remove(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    handles_.erase(id);
  }
  CUcontext find(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    const auto found = handles_.find(id);
    return found == handles_.end() ? nullptr : found->second;
  }

private:
  std::mutex mutex_;
  std::map<std::uint64_t, CUcontext> handles_;
};

void end_handle(void* handle) {
  switch (kind_of(handle)) {
  case HandleKind::kModule:
    if (const std::shared_ptr<Module> module =
            handles().modules.erase(static_cast<CUmodule>(handle))) {
      module->unload();
    }
    break;
  case HandleKind::kStream:
    handles().streams.erase(static_cast<CUstream>(handle));
    break;
  case HandleKind::kEvent:
    handles().events.erase(static_cast<CUevent>(handle));
    break;
  default:
    break;
  }
}

} // namespace

Context::Context(Device& device, unsigned flags, unsigned api_version)
    : device_(device), id_(next_context_id()), api_version_(api_version), flags_(flags),
      group_(std::make_shared<StreamGroup>(id_)),
      legacy_(Stream::create(group_, Stream::Kind::kLegacy, 0)) {}

std::shared_ptr<Context> Context::create(Device& device, unsigned flags, unsigned api_version) {
  std::shared_ptr<Context> context(new Context(device, flags, api_version));
  context->handle_ = handles().contexts.insert(context);
  OpenContexts::instance().add(context->id_, context->handle_);
  return context;
}

CUcontext Context::handle_of(std::uint64_t id) {
  return OpenContexts::instance().find(id);
}

void Context::close() {
  if (closed_.exchange(true, std::memory_order_acq_rel)) {
    return;
  }
  handles().contexts.erase(handle_);
  OpenContexts::instance().remove(id_);
  {
    std::vector<std::shared_ptr<Stream>> streams;
    group_->list(streams);
    const std::lock_guard lock(graph_mutex());
    for (const std::shared_ptr<Stream>& stream : streams) {
      Capture::forget(*stream);
    }
  }
  synchronize();
  std::unordered_set<std::uint64_t> owned;
  {
    const std::lock_guard lock(mutex_);
    owned.swap(owned_);
  }
  for (const std::uint64_t handle : owned) {
    end_handle(reinterpret_cast<void*>(handle));
  }
  Allocations::instance().free_of_context(id_);
}

Stream* Context::thread_stream() {
  ThreadState& thread = ThreadState::of_caller();
  const auto found = std::ranges::find(thread.default_streams, id_,
                                       &std::pair<std::uint64_t, std::shared_ptr<Stream>>::first);
  if (found != thread.default_streams.end()) {
    return found->second.get();
  }
  return thread.default_streams
      .emplace_back(id_, Stream::create(group_, Stream::Kind::kBlocking, 0))
      .second.get();
}

Stream* Context::stream(CUstream handle) {
  if (handle == nullptr) {
    return PerThreadDefault::active() ? thread_stream() : legacy_.get();
  }
  if (handle == CU_STREAM_LEGACY) {
    return legacy_.get();
  }
  return handle == CU_STREAM_PER_THREAD
             ? thread_stream()
             : handles().streams.find(handle, ThreadState::of_caller().last_stream);
}

CUresult Context::synchronize() {
  // Positions first: what streams are given from now on is not waited for.
  std::vector<std::shared_ptr<Stream>> streams;
  group_->list(streams);
  std::vector<std::uint64_t> ends;
  ends.reserve(streams.size());
  for (const std::shared_ptr<Stream>& stream : streams) {
    ends.push_back(stream->last());
  }
  for (std::size_t i = 0; i < streams.size(); ++i) {
    streams[i]->wait(ends[i]);
  }
  return error();
}

void Context::adopt(const void* handle) {
  const std::lock_guard lock(mutex_);
  owned_.insert(handle_bits(handle));
}

void Context::forget(const void* handle) {
  const std::lock_guard lock(mutex_);
  owned_.erase(handle_bits(handle));
}

bool Context::enable_peer(std::uint64_t context_id) {
  const std::lock_guard lock(mutex_);
  return peers_.insert(context_id).second;
}

bool Context::disable_peer(std::uint64_t context_id) {
  const std::lock_guard lock(mutex_);
  return peers_.erase(context_id) != 0;
}

} // namespace gantry::simt::driver
