// What is put into strands: in each of them one operation after the other.
#include "plugins/cpu/entries.h"
#include "plugins/cpu/thread_limit.h"
#include "plugins/mpi/node/node.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace gantry::mpi {

Result<Node::Strand*> Node::strand_of(const Head& head) {
  const auto strand = strands_.find(head.id);
  if (strand == strands_.end()) {
    return fail("there is no strand {} here", head.id);
  }
  return strand->second.get();
}

Status Node::take_operation(const Head& head, Reader body) {
  if (head.kind == Kind::kCreateStrand) {
    FarDevice& device = *GANTRY_TRY(device_of(body));
    if (!body.is_at_end() || device.handle == nullptr || strands_.contains(head.id)) {
      return fail("strand {} cannot be made", head.id);
    }
    auto made = std::make_unique<Strand>();
    made->number = head.id;
    made->device = &device;
    strands_.emplace(head.id, std::move(made));
    return {};
  }
  Strand& strand = *GANTRY_TRY(strand_of(head));
  Operation operation = {
      .kind = head.kind, .tell = (head.flags & kTell) != 0, .is_timed = (head.flags & kTimed) != 0};
  switch (head.kind) {
  case Kind::kDestroyStrand:
  case Kind::kReset:
  case Kind::kNothing:
    break;
  case Kind::kWrite: {
    operation.copy.address = body.get<std::uint64_t>();
    const Bytes bytes = body.rest();
    operation.bytes.assign(bytes.begin(), bytes.end());
    operation.copy.size = bytes.size();
    break;
  }
  case Kind::kReceive:
  case Kind::kSend:
    operation.copy = body.get<CopyFacts>();
    if (operation.copy.other < 0 || operation.copy.other >= transport_.processes() ||
        operation.copy.size == 0 ||
        (operation.copy.piece != 0 && operation.copy.piece < kLeastPiece)) {
      return fail("there is no copy of {} bytes, in pieces of {}, with process {}",
                  operation.copy.size, operation.copy.piece, operation.copy.other);
    }
    break;
  case Kind::kRead:
    operation.copy.address = body.get<std::uint64_t>();
    operation.copy.size = body.get<std::uint32_t>();
    if (operation.copy.size > kInline) {
      return fail("{} bytes are read at once, and {} are the most", operation.copy.size, kInline);
    }
    break;
  case Kind::kLaunch: {
    operation.launch = body.get<LaunchFacts>();
    const Bytes arguments =
        body.get_bytes(std::uint64_t{operation.launch.arguments} * sizeof(void*));
    operation.bytes.assign(arguments.begin(), arguments.end());
    if (!strand.device->has_kernel(operation.launch.kernel)) {
      return fail("there is no kernel {} here", operation.launch.kernel);
    }
    break;
  }
  default:
    return fail("there is no operation of kind {}", static_cast<unsigned>(head.kind));
  }
  if (!body.is_at_end()) {
    return fail("an operation of kind {} is damaged", static_cast<unsigned>(head.kind));
  }
  if (strand.operations.empty()) {
    active_.push_back(&strand);
  }
  strand.operations.push_back(std::move(operation));
  return {};
}

Result<Node::Step> Node::advance(Strand& strand, bool& changed) {
  using State = Strand::State;
  for (;;) {
    switch (strand.state) {
    case State::kRunning:
      return Step::kIdle;
    case State::kQueued: {
      std::int32_t done = 0;
      const gantry_status status = strand.device->plugin->query_queue(strand.queue, &done);
      if (status == GANTRY_SUCCESS && done == 0) {
        return Step::kIdle;
      }
      if (status != GANTRY_SUCCESS) {
        strand.state = State::kReady;
        GANTRY_TRY(fail_first(strand, status, strand.device->plugin->error_message()));
      } else if (const Step step = GANTRY_TRY(end_queued(strand)); step != Step::kBusy) {
        return step;
      }
      break;
    }
    case State::kTransferring:
      if (!GANTRY_TRY(go_on_with_copy(strand))) {
        return Step::kIdle;
      }
      break;
    case State::kReady:
      if (strand.operations.empty()) {
        return Step::kBusy;
      }
      if (const Step step = GANTRY_TRY(begin(strand)); step != Step::kBusy) {
        return step;
      }
      break;
    }
    changed = true;
  }
}

Result<Node::Step> Node::begin(Strand& strand) {
  Operation& operation = strand.operations.front();
  FarDevice& device = *strand.device;
  switch (operation.kind) {
  case Kind::kDestroyStrand:
    if (strand.queue != nullptr) {
      (void)device.plugin->destroy_queue(strand.queue);
    }
    strand.operations.clear();
    strand.is_over = true;
    return Step::kBusy;
  case Kind::kReset:
    strand.has_failed = false;
    [[fallthrough]];
  case Kind::kNothing:
    GANTRY_TRY(finish(strand));
    return Step::kBusy;
  default:
    break;
  }
  if (strand.has_failed) {
    GANTRY_TRY(skip(strand));
    return Step::kBusy;
  }
  const bool is_timed = is_timed_by_queue(strand, operation);
  if (device.has_queues() && (strand.queue == nullptr || strand.is_queue_timed != is_timed)) {
    strand.is_preparing = true;
    return by_worker(strand, [&strand, is_timed] { return prepare_queue(strand, is_timed); });
  }
  if (operation.is_timed) {
    strand.interval = {.begin = transport_.now(), .end = 0};
  }
  if (operation.kind == Kind::kLaunch) {
    return begin_launch(strand, operation);
  }
  const CopyFacts& copy = operation.copy;
  const bool is_small = operation.kind == Kind::kWrite || operation.kind == Kind::kRead;
  if (!is_small && is_lost(copy.other)) {
    GANTRY_TRY(fail_first(strand, GANTRY_FAILURE,
                          fmt::format("process {} of the job is lost", copy.other)));
    return Step::kBusy;
  }
  if (copy.size > 0 && !device.memory.contains(copy.address, copy.size)) {
    GANTRY_TRY(fail_first(strand, GANTRY_FAILURE, not_given(copy.address, copy.size)));
    return Step::kBusy;
  }
  std::byte* const view = device.view_of(copy.address, copy.size);
  GANTRY_TRY(is_small ? begin_small_copy(strand, operation, view) : begin_pieces(strand, view));
  return Step::kBusy;
}

Result<Node::Step> Node::end_queued(Strand& strand) {
  if (strand.is_queue_timed) {
    if (strand.interval.begin != 0 && strand.interval.end == 0) {
      strand.interval.end = transport_.now();
    }
    return by_worker(strand, [&strand] { return take_queue_times(strand); });
  }
  strand.state = Strand::State::kReady;
  GANTRY_TRY(end_small_copy(strand));
  return Step::kBusy;
}

Status Node::begin_small_copy(Strand& strand, Operation& operation, std::byte* view) {
  const bool is_read = operation.kind == Kind::kRead;
  const CopyFacts& copy = operation.copy;
  if (view != nullptr || copy.size == 0) {
    if (is_read) {
      strand.staged.assign(view, view + copy.size);
    } else {
      std::ranges::copy(operation.bytes, view);
    }
    return end_small_copy(strand);
  }
  if (is_read) {
    strand.staged.resize(copy.size);
  } else {
    strand.staged = std::move(operation.bytes);
  }
  const gantry_plugin& plugin = *strand.device->plugin;
  auto* const address = reinterpret_cast<void*>(copy.address);
  const gantry_status status =
      is_read ? plugin.queue_copy_to_host(strand.queue, strand.staged.data(), address, copy.size)
              : plugin.queue_copy_to_device(strand.queue, address, strand.staged.data(), copy.size);
  if (status != GANTRY_SUCCESS) {
    return fail_first(strand, status, plugin.error_message());
  }
  strand.state = Strand::State::kQueued;
  return {};
}

Status Node::end_small_copy(Strand& strand) {
  if (strand.operations.front().kind == Kind::kRead) {
    Record(*GANTRY_TRY(room(strand.staged.size())), Kind::kData, strand.number)
        .put(strand.done + 1)
        .put_bytes(strand.staged);
  }
  return finish(strand);
}

Result<Node::Step> Node::begin_launch(Strand& strand, Operation& operation) {
  FarDevice& device = *strand.device;
  const gantry_plugin& plugin = *device.plugin;
  gantry_kernel* const kernel = device.kernels[operation.launch.kernel];
  if (kernel == nullptr) {
    GANTRY_TRY(fail_first(strand, GANTRY_FAILURE, "the kernel's image was unloaded before it ran"));
    return Step::kBusy;
  }
  const auto launch_it = [&operation] {
    return launch_of(operation.launch, reinterpret_cast<void* const*>(operation.bytes.data()));
  };
  if (!device.has_queues()) {
    return by_worker(strand, [this, &strand, &plugin, &device, kernel, launch_it] {
      const gantry_launch launch = launch_it();
      if (&plugin == &cpu::plugin()) {
        cpu::set_thread_limit(*kernel, launch.thread_limit[0]); // as in a worker
      }
      const gantry_status status = plugin.launch(device.handle, kernel, &launch);
      std::fflush(stdout); // what it prints comes before the program goes on
      if (strand.interval.begin != 0) {
        strand.interval.end = transport_.now();
      }
      return status;
    });
  }
  const gantry_launch launch = launch_it();
  const gantry_status status = plugin.queue_launch(strand.queue, kernel, &launch);
  if (status != GANTRY_SUCCESS) {
    GANTRY_TRY(fail_first(strand, status, plugin.error_message()));
    return Step::kBusy;
  }
  strand.state = Strand::State::kQueued;
  return Step::kBusy;
}

Result<Node::Step> Node::by_worker(Strand& strand, std::function<gantry_status()> call) {
  if (running_ >= kMostRunning) {
    return Step::kIdle;
  }
  ++running_;
  strand.state = Strand::State::kRunning;
  const bool is_leader = workers_.run([this, &strand, call = std::move(call)] {
    strand.status = call();
    strand.message = strand.status == GANTRY_SUCCESS ? "" : strand.device->plugin->error_message();
    const std::lock_guard lock(mutex_);
    finished_.push_back(&strand);
  });
  if (!is_leader) {
    return Step::kLeft;
  }
  bool changed = false;
  GANTRY_TRY(take_what_workers_did(changed));
  return Step::kBusy;
}

Status Node::end_worker(Strand& strand) {
  --running_;
  strand.state = Strand::State::kReady;
  const bool was_preparing = std::exchange(strand.is_preparing, false);
  if (strand.status != GANTRY_SUCCESS) {
    return fail_first(strand, strand.status, strand.message);
  }
  return was_preparing ? Status() : end_small_copy(strand);
}

Status Node::finish(Strand& strand) {
  const bool tell = strand.operations.front().tell;
  if (strand.operations.front().is_timed) {
    note_times(strand);
  }
  strand.operations.pop_front();
  strand.staged.clear();
  ++strand.done;
  if (!strand.times.empty() && (tell || strand.times.size() == kMostTimes)) {
    GANTRY_TRY(tell_times(strand));
  }
  if (tell) {
    Record(*GANTRY_TRY(room(0)), Kind::kDone, strand.number).put(strand.done);
  }
  return {};
}

Status Node::fail_first(Strand& strand, gantry_status status, std::string_view message) {
  message = message.substr(0, kLongestText);
  Record(*GANTRY_TRY(room(message.size())), Kind::kFailed, strand.number)
      .put(strand.done + 1)
      .put(status)
      .put_text(message);
  strand.has_failed = true;
  return skip(strand);
}

Status Node::skip(Strand& strand) {
  const Operation& operation = strand.operations.front();
  strand.interval = {};
  // The other end of a transfer does not know.
  const bool is_transfer = operation.kind == Kind::kReceive || operation.kind == Kind::kSend;
  if (is_transfer && is_lost(operation.copy.other)) {
    abandon_transfers(strand);
  } else if (operation.kind == Kind::kReceive ||
             (operation.kind == Kind::kSend &&
              (operation.copy.other != program_ || strand.begun > 0))) {
    return go_on_unwanted(strand);
  }
  return finish(strand);
}

} // namespace gantry::mpi
