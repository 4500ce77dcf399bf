// What is put into strands: in each of them one operation after the other.
#include "plugins/cpu/entries.h"
#include "plugins/cpu/thread_limit.h"
#include "plugins/mpi/node/node.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace gantry::mpi {

namespace {

std::byte* in_memory(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);
}

} // namespace

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
  Operation operation = {.kind = head.kind, .tell = (head.flags & kTell) != 0};
  switch (head.kind) {
  case Kind::kDestroyStrand:
  case Kind::kReset:
  case Kind::kNothing:
    break;
  case Kind::kWrite: {
    operation.address = body.get<std::uint64_t>();
    const Bytes bytes = body.rest();
    operation.bytes.assign(bytes.begin(), bytes.end());
    operation.size = bytes.size();
    break;
  }
  case Kind::kReceive:
  case Kind::kSend:
    operation.address = body.get<std::uint64_t>();
    operation.size = body.get<std::uint64_t>();
    operation.transfer = body.get<std::uint32_t>();
    operation.other = body.get<std::int32_t>();
    if (operation.other < 0 || operation.other >= transport_.processes()) {
      return fail("there is no process {}", operation.other);
    }
    break;
  case Kind::kRead:
    operation.address = body.get<std::uint64_t>();
    operation.size = body.get<std::uint32_t>();
    if (operation.size > kInline) {
      return fail("{} bytes are read at once, and {} are the most", operation.size, kInline);
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
      strand.state = State::kReady;
      GANTRY_TRY(status == GANTRY_SUCCESS
                     ? end_queued(strand)
                     : fail_first(strand, status, strand.device->plugin->error_message()));
      break;
    }
    case State::kTransferring:
      if (!GANTRY_TRY(transport_.is_done(*strand.transfer))) {
        return Step::kIdle;
      }
      strand.transfer.reset();
      strand.state = State::kReady;
      GANTRY_TRY(end_transfer(strand));
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
  if (device.has_queues() && strand.queue == nullptr) {
    strand.is_preparing = true; // a worker makes the queue
    return by_worker(strand, [&device, &strand] {
      return device.plugin->create_queue(device.handle, &strand.queue);
    });
  }
  if (operation.kind == Kind::kLaunch) {
    return begin_launch(strand, operation);
  }
  if (operation.size > 0 && !device.memory.contains(operation.address, operation.size)) {
    GANTRY_TRY(fail_first(strand, GANTRY_FAILURE,
                          fmt::format("{} bytes at {:#x} are not memory that the device has given",
                                      operation.size, operation.address)));
    return Step::kBusy;
  }
  GANTRY_TRY(begin_copy(strand, operation));
  return Step::kBusy;
}

Status Node::begin_copy(Strand& strand, Operation& operation) {
  const bool is_direct = strand.device->is_in_process();
  const std::span<std::byte> memory(in_memory(operation.address), operation.size);
  switch (operation.kind) {
  case Kind::kWrite:
    if (is_direct) {
      std::ranges::copy(operation.bytes, memory.data());
      return finish(strand);
    }
    strand.staged = std::move(operation.bytes);
    return put_into_queue(strand);
  case Kind::kReceive:
    if (!is_direct) {
      strand.staged.resize(operation.size);
    }
    strand.transfer = GANTRY_TRY(transport_.receive_bytes(
        operation.other, operation.transfer, is_direct ? memory : std::span(strand.staged)));
    strand.state = Strand::State::kTransferring;
    return {};
  default: // kRead, kSend
    if (is_direct) {
      return hand_out(strand, memory);
    }
    strand.staged.resize(operation.size);
    return put_into_queue(strand);
  }
}

Status Node::put_into_queue(Strand& strand) {
  const Operation& operation = strand.operations.front();
  const gantry_plugin& plugin = *strand.device->plugin;
  void* const address = in_memory(operation.address);
  const bool is_read = operation.kind == Kind::kRead || operation.kind == Kind::kSend;
  const gantry_status status =
      strand.staged.empty() ? GANTRY_SUCCESS
      : is_read ? plugin.queue_copy_to_host(strand.queue, strand.staged.data(), address,
                                            strand.staged.size())
                : plugin.queue_copy_to_device(strand.queue, address, strand.staged.data(),
                                              strand.staged.size());
  if (status != GANTRY_SUCCESS) {
    return fail_first(strand, status, plugin.error_message());
  }
  strand.state = Strand::State::kQueued;
  return {};
}

Status Node::hand_out(Strand& strand, std::span<const std::byte> bytes) {
  const Operation& operation = strand.operations.front();
  if (operation.kind == Kind::kRead) {
    Record(*GANTRY_TRY(room(bytes.size())), Kind::kData, strand.number)
        .put(strand.done + 1)
        .put_bytes(bytes);
    return finish(strand);
  }
  if (operation.other == program_) {
    Record(*GANTRY_TRY(room(0)), Kind::kReady, strand.number).put(strand.done + 1);
    GANTRY_TRY(flush());
  }
  strand.transfer = GANTRY_TRY(transport_.send_bytes(operation.other, operation.transfer, bytes));
  strand.state = Strand::State::kTransferring;
  return {};
}

Status Node::end_queued(Strand& strand) {
  const Kind kind = strand.operations.front().kind;
  return kind == Kind::kRead || kind == Kind::kSend ? hand_out(strand, strand.staged)
                                                    : finish(strand);
}

Status Node::end_transfer(Strand& strand) {
  return strand.operations.front().kind == Kind::kReceive && !strand.device->is_in_process()
             ? put_into_queue(strand)
             : finish(strand);
}

Result<Node::Step> Node::begin_launch(Strand& strand, Operation& operation) {
  FarDevice& device = *strand.device;
  const gantry_plugin& plugin = *device.plugin;
  gantry_kernel* const kernel = device.kernels[operation.launch.kernel];
  const auto launch_it = [&operation] {
    return launch_of(operation.launch, reinterpret_cast<void* const*>(operation.bytes.data()));
  };
  if (!device.has_queues()) {
    return by_worker(strand, [&plugin, &device, kernel, launch_it] {
      const gantry_launch launch = launch_it();
      if (&plugin == &cpu::plugin()) {
        cpu::set_thread_limit(*kernel, launch.thread_limit[0]); // as in a worker
      }
      const gantry_status status = plugin.launch(device.handle, kernel, &launch);
      std::fflush(stdout); // what it prints comes before the program goes on
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
  return was_preparing ? Status() : finish(strand);
}

Status Node::finish(Strand& strand) {
  const bool tell = strand.operations.front().tell;
  strand.operations.pop_front();
  strand.staged.clear();
  ++strand.done;
  if (tell) {
    Record(*GANTRY_TRY(room(0)), Kind::kDone, strand.number).put(strand.done);
  }
  return {};
}

Status Node::fail_first(Strand& strand, gantry_status status, std::string_view message) {
  constexpr std::size_t kLongestText = 2048;
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
  // The other end of a transfer does not know.
  const bool receives = operation.kind == Kind::kReceive && strand.transfer == nullptr;
  const bool sends = operation.kind == Kind::kSend && operation.other != program_;
  if (receives || sends) {
    Discarded& discarded = discarded_.emplace_back();
    discarded.bytes.resize(operation.size);
    discarded.transfer = GANTRY_TRY(
        receives ? transport_.receive_bytes(operation.other, operation.transfer, discarded.bytes)
                 : transport_.send_bytes(operation.other, operation.transfer, discarded.bytes));
  }
  return finish(strand);
}

} // namespace gantry::mpi
