#include "plugins/mpi/queue.h"

#include "plugins/last_error.h"
#include "plugins/mpi/entries.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace gantry::mpi {

namespace {

/// What the node has said of all that was put in; then the queue is as new.
gantry_status own_outcome_of(gantry_queue& queue) {
  RemoteNode& node = queue.device.node;
  if (node.is_lost()) {
    return enter(queue.device);
  }
  if (!queue.has_failed.load(std::memory_order_acquire)) [[likely]] {
    return GANTRY_SUCCESS;
  }
  const auto [status, message] = node.take_failure(queue);
  node.put_operation(queue, Kind::kReset, 0, [](Record&) {});
  return report_failure(queue.device, status, message);
}

/// The same, of what has arrived at other devices too: in queues that were borrowed of them. The
/// queue's own failure comes first, unless it is that another node is lost, of which that one's
/// knows more.
gantry_status outcome_of(gantry_queue& queue) {
  gantry_status outcome = own_outcome_of(queue);
  if (queue.arrivals.empty()) [[likely]] {
    return outcome;
  }
  std::string why = outcome == GANTRY_SUCCESS ? "" : plugins::last_error();
  for (gantry_queue* const arrival : std::exchange(queue.arrivals, {})) {
    const gantry_status other = own_outcome_of(*arrival);
    const bool explains = arrival->device.node.is_lost() && !queue.device.node.is_lost();
    if (other != GANTRY_SUCCESS && (outcome == GANTRY_SUCCESS || explains)) {
      outcome = other;
      why = plugins::last_error();
    }
    const std::lock_guard lock(arrival->device.mutex);
    arrival->device.arrivals.push_back(arrival);
  }
  return outcome == GANTRY_SUCCESS ? outcome : plugins::set_error(outcome, why);
}

/// Calls `visit` with the queue and those in which its copies arrive.
template <typename Visit>
void for_each_part(gantry_queue& queue, Visit visit) {
  visit(queue);
  for (gantry_queue* const arrival : queue.arrivals) {
    visit(*arrival);
  }
}

/// Has the nodes say when all that was put in is done.
void ask_for(gantry_queue& queue) {
  for_each_part(queue, [](gantry_queue& part) {
    part.device.node.ask_for(part);
    part.device.node.flush();
  });
}

gantry_status synchronise(gantry_queue& queue) {
  ask_for(queue);
  for_each_part(queue, [](gantry_queue& part) {
    (void)part.device.job.wait(part.device.node, [&] { return part.is_done(); });
  });
  return outcome_of(queue);
}

/// A queue of the device's own in which copies of `source` arrive until they are done.
gantry_status arrival_at(Device& device, gantry_queue& source, gantry_queue** found) {
  const auto borrowed = std::ranges::find_if(
      source.arrivals, [&](const gantry_queue* one) { return &one->device == &device; });
  if (borrowed != source.arrivals.end()) {
    *found = *borrowed;
    return GANTRY_SUCCESS;
  }
  *found = nullptr;
  {
    const std::lock_guard lock(device.mutex);
    if (!device.arrivals.empty()) {
      *found = device.arrivals.back();
      device.arrivals.pop_back();
    }
  }
  if (*found == nullptr) {
    GANTRY_STATUS_TRY(entries::create_queue(&device, found));
  }
  source.arrivals.push_back(*found);
  return GANTRY_SUCCESS;
}

CopyFacts large_copy(gantry_queue& queue, std::uint64_t address, std::uint64_t bytes) {
  CopyFacts facts = {.address = address,
                     .size = bytes,
                     .piece = queue.device.is_visible ? 0 : kPiece,
                     .transfer = 0,
                     .other = queue.device.job.self()};
  facts.transfer = queue.device.node.next_transfers(facts);
  return facts;
}

/// Of an operation that the queue's user puts in.
std::uint16_t flags_of(const gantry_queue& queue) {
  return queue.is_timed ? kTimed : std::uint16_t{0};
}

gantry_status submit(gantry_queue& queue, void* device_address, const void* host,
                     std::uint64_t bytes, std::uint16_t flags = 0) {
  RemoteNode& node = queue.device.node;
  const auto address = reinterpret_cast<std::uint64_t>(device_address);
  const std::span from(static_cast<const std::byte*>(host), bytes);
  if (bytes <= kInline) {
    node.put_operation(
        queue, Kind::kWrite, bytes, [&](Record& record) { record.put(address).put_bytes(from); },
        flags);
    return GANTRY_SUCCESS;
  }
  const CopyFacts facts = large_copy(queue, address, bytes);
  node.put_operation(queue, Kind::kReceive, 0, [&](Record& record) { record.put(facts); }, flags);
  node.flush();
  node.send_bytes(queue, facts, from);
  return GANTRY_SUCCESS;
}

gantry_status retrieve(gantry_queue& queue, void* host, const void* device_address,
                       std::uint64_t bytes) {
  RemoteNode& node = queue.device.node;
  const auto address = reinterpret_cast<std::uint64_t>(device_address);
  const CopyFacts facts = bytes <= kInline ? CopyFacts() : large_copy(queue, address, bytes);
  node.expect(queue, {.operation = queue.posted + 1,
                      .host = {static_cast<std::byte*>(host), bytes},
                      .facts = facts});
  if (bytes <= kInline) {
    node.put_operation(
        queue, Kind::kRead, 0,
        [&](Record& record) { record.put(address).put(static_cast<std::uint32_t>(bytes)); },
        flags_of(queue));
  } else {
    node.put_operation(
        queue, Kind::kSend, 0, [&](Record& record) { record.put(facts); }, flags_of(queue));
  }
  return GANTRY_SUCCESS;
}

/// Makes use of one of the device's queues for what is done at once, by one thread at a time.
template <typename Put>
gantry_status at_once(Device& device, Device::Direct& direct, Put put) {
  GANTRY_STATUS_TRY(enter(device));
  const std::lock_guard lock(direct.mutex);
  if (direct.queue == nullptr) {
    GANTRY_STATUS_TRY(entries::create_queue(&device, &direct.queue));
  }
  GANTRY_STATUS_TRY(put(*direct.queue));
  return synchronise(*direct.queue);
}

} // namespace

void end_own_queues(Device& device) {
  for (Device::Direct* const direct : {&device.out, &device.in}) {
    if (direct->queue != nullptr) {
      (void)entries::destroy_queue(std::exchange(direct->queue, nullptr));
    }
  }
  for (gantry_queue* const arrival : std::exchange(device.arrivals, {})) {
    (void)entries::destroy_queue(arrival);
  }
}

namespace entries {

gantry_status create_queue(gantry_device* device, gantry_queue** queue) noexcept {
  GANTRY_STATUS_TRY(enter(*device));
  *queue = new gantry_queue(*device);
  device->node.add(**queue);
  device->node.put(0, [&](std::vector<std::byte>& out) {
    Record(out, Kind::kCreateStrand, (*queue)->number).put(device->far);
  });
  return GANTRY_SUCCESS;
}

gantry_status destroy_queue(gantry_queue* queue) noexcept {
  const std::unique_ptr<gantry_queue> destroyed(queue);
  RemoteNode& node = queue->device.node;
  node.put(0, [&](std::vector<std::byte>& out) {
    const Record record(out, Kind::kDestroyStrand, queue->number);
  });
  node.remove(*queue);
  if (queue->launch_address != 0) {
    (void)release(&queue->device, reinterpret_cast<void*>(queue->launch_address));
  }
  return GANTRY_SUCCESS;
}

gantry_status queue_copy_to_device(gantry_queue* queue, void* device_address, const void* host,
                                   std::uint64_t bytes) noexcept {
  GANTRY_STATUS_TRY(enter(queue->device));
  return submit(*queue, device_address, host, bytes, flags_of(*queue));
}

gantry_status queue_copy_to_host(gantry_queue* queue, void* host, const void* device_address,
                                 std::uint64_t bytes) noexcept {
  GANTRY_STATUS_TRY(enter(queue->device));
  return retrieve(*queue, host, device_address, bytes);
}

gantry_status queue_copy_between(gantry_queue* queue, const void* from, gantry_device* to_device,
                                 void* to, std::uint64_t bytes) noexcept {
  GANTRY_STATUS_TRY(enter(queue->device));
  GANTRY_STATUS_TRY(enter(*to_device));
  if (bytes == 0) {
    return GANTRY_SUCCESS;
  }
  gantry_queue* arrival = nullptr;
  GANTRY_STATUS_TRY(arrival_at(*to_device, *queue, &arrival));
  CopyFacts facts = {.address = reinterpret_cast<std::uint64_t>(from),
                     .size = bytes,
                     .piece = queue->device.is_visible && to_device->is_visible ? 0 : kPiece,
                     .transfer = 0,
                     .other = to_device->node.process()};
  facts.transfer = queue->device.job.next_transfers(facts);
  const auto put = [&](gantry_queue& half, Kind kind, std::uint16_t flags) {
    half.device.node.put_operation(
        half, kind, 0, [&](Record& record) { record.put(facts); }, flags);
  };
  put(*queue, Kind::kSend, flags_of(*queue));
  facts.address = reinterpret_cast<std::uint64_t>(to);
  facts.other = queue->device.node.process();
  put(*arrival, Kind::kReceive, 0);
  // Within one device, what is put in behind it finds the bytes.
  return to_device == &queue->device ? synchronise(*queue) : gantry_status{GANTRY_SUCCESS};
}

gantry_status queue_launch_data(gantry_queue* queue, std::uint64_t bytes, void** host,
                                void** device_address) noexcept {
  GANTRY_STATUS_TRY(enter(queue->device));
  if (bytes > queue->launch_host.size()) {
    constexpr std::uint64_t kLeast = 4096;
    const std::uint64_t size = std::max(kLeast, bytes + bytes / 2);
    if (queue->launch_address != 0) {
      GANTRY_STATUS_TRY(synchronise(*queue)); // an earlier launch may use it
      (void)release(&queue->device,
                    reinterpret_cast<void*>(std::exchange(queue->launch_address, 0)));
      queue->launch_host.clear();
    }
    const gantry_allocation request = {
        .size = sizeof request, .bytes = size, .alignment = 64, .offset = 0, .address = 0};
    void* address = nullptr;
    GANTRY_STATUS_TRY(allocate(&queue->device, &request, &address));
    queue->launch_address = reinterpret_cast<std::uint64_t>(address);
    queue->launch_host.resize(size);
  }
  queue->launch_bytes = bytes;
  *host = queue->launch_host.data();
  *device_address = reinterpret_cast<void*>(queue->launch_address);
  return GANTRY_SUCCESS;
}

gantry_status queue_launch(gantry_queue* queue, gantry_kernel* kernel,
                           const gantry_launch* launch) noexcept {
  GANTRY_STATUS_TRY(enter(queue->device));
  const std::uint64_t arguments = std::uint64_t{launch->argument_count} * sizeof(void*);
  if (arguments > kInline) {
    return plugins::report(GANTRY_FAILURE, "the kernel has {} arguments, and {} can be handed over",
                           launch->argument_count, kInline / sizeof(void*));
  }
  // What the program has printed comes before what the kernel prints.
  std::fflush(stdout);
  const std::uint64_t data = std::exchange(queue->launch_bytes, 0);
  for (std::uint64_t done = 0; done < data; done += kInline) {
    const std::uint64_t count = std::min<std::uint64_t>(kInline, data - done);
    (void)submit(*queue, reinterpret_cast<void*>(queue->launch_address + done),
                 queue->launch_host.data() + done, count);
  }
  queue->device.node.put_operation(
      *queue, Kind::kLaunch, sizeof(LaunchFacts) + arguments,
      [&](Record& record) {
        record.put(facts_of(*launch, kernel->number))
            .put_bytes(std::as_bytes(std::span(launch->arguments, launch->argument_count)));
      },
      flags_of(*queue));
  return GANTRY_SUCCESS;
}

gantry_status synchronize_queue(gantry_queue* queue) noexcept {
  return synchronise(*queue);
}

gantry_status query_queue(gantry_queue* queue, std::int32_t* done) noexcept {
  ask_for(*queue);
  queue->device.job.poll();
  bool is_over = true;
  for_each_part(*queue, [&](const gantry_queue& part) {
    is_over = is_over && (part.is_done() || part.device.node.is_lost());
  });
  *done = is_over ? 1 : 0;
  if (!is_over) {
    queue->device.job.expect_something();
    return GANTRY_SUCCESS;
  }
  return outcome_of(*queue);
}

gantry_status copy_to_device(gantry_device* device, void* device_address, const void* host,
                             std::uint64_t bytes) noexcept {
  if (bytes <= GANTRY_POSTED_BYTES) {
    GANTRY_STATUS_TRY(enter(*device));
    device->node.put(bytes, [&](std::vector<std::byte>& out) {
      Record(out, Kind::kPosted, device->far)
          .put(reinterpret_cast<std::uint64_t>(device_address))
          .put_bytes({static_cast<const std::byte*>(host), bytes});
    });
    return GANTRY_SUCCESS;
  }
  return at_once(*device, device->in,
                 [&](gantry_queue& queue) { return submit(queue, device_address, host, bytes); });
}

gantry_status copy_to_host(gantry_device* device, void* host, const void* device_address,
                           std::uint64_t bytes) noexcept {
  return at_once(*device, device->out,
                 [&](gantry_queue& queue) { return retrieve(queue, host, device_address, bytes); });
}

gantry_status copy_between(gantry_device* from_device, const void* from, gantry_device* to_device,
                           void* to, std::uint64_t bytes) noexcept {
  return at_once(*from_device, from_device->out, [&](gantry_queue& queue) {
    return queue_copy_between(&queue, from, to_device, to, bytes);
  });
}

gantry_status launch(gantry_device* device, gantry_kernel* kernel,
                     const gantry_launch* launch) noexcept {
  return at_once(*device, device->in,
                 [&](gantry_queue& queue) { return queue_launch(&queue, kernel, launch); });
}

const char* launch_hint(gantry_device* device, gantry_kernel* kernel,
                        const gantry_launch* launch) noexcept {
  static constinit thread_local std::string* text = nullptr;
  Answer answer;
  if (enter(*device) != GANTRY_SUCCESS ||
      ask(
          *device, Kind::kGetHint, sizeof(LaunchFacts),
          [&](Record& record) { record.put(device->far).put(facts_of(*launch, kernel->number)); },
          answer) != GANTRY_SUCCESS) {
    return nullptr;
  }
  const std::string_view hint = Reader(answer.values).get_text();
  if (hint.empty()) {
    return nullptr;
  }
  if (text == nullptr) {
    text = new std::string;
  }
  *text = hint;
  return text->c_str();
}

} // namespace entries
} // namespace gantry::mpi
