// libFuzzer's entry point for what nodes say to the program: messages, of a length of two bytes
// each, whose first bit says of which of two nodes it is, while requests, a queue with bytes that
// are to come and copies to the other node, and devices are there.
#include "plugins/mpi/device.h"
#include "plugins/mpi/entries.h"
#include "plugins/mpi/job.h"
#include "plugins/mpi/queue.h"
#include "plugins/mpi/remote_node.h"
#include "plugins/mpi/testing/lone_transport.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace gantry;
using namespace gantry::mpi;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto transport = std::make_unique<LoneTransport>(0, 3);
  std::vector<std::unique_ptr<RemoteNode>> made;
  for (const int process : {1, 2}) {
    made.push_back(std::make_unique<RemoteNode>(*transport, process, "host"));
  }
  const std::array<RemoteNode*, 2> nodes = {made[0].get(), made[1].get()};
  RemoteNode& node = *nodes[0];
  Job job(std::move(transport), std::move(made), 0, false);
  gantry_device device(job, node, 0);
  gantry_device other(job, *nodes[1], 0);
  node.watch(0, &device);
  nodes[1]->watch(0, &other);
  std::vector<std::byte> host(1 << 17);
  gantry_queue* queue = nullptr;
  if (entries::create_queue(&device, &queue) != GANTRY_SUCCESS) {
    std::abort();
  }
  queue->is_timed = true;
  std::vector<std::uint32_t> requests;
  for (const std::uint64_t bytes : {std::size_t{8}, host.size(), std::size_t{16}}) {
    requests.push_back(node.ask(Kind::kGetHint, 0, [](Record&) {}));
    auto* const address = reinterpret_cast<void*>(std::uintptr_t{4096});
    if (entries::queue_copy_to_host(queue, host.data(), address, bytes) != GANTRY_SUCCESS ||
        entries::queue_copy_between(queue, address, &other, address, bytes) != GANTRY_SUCCESS) {
      std::abort();
    }
  }
  std::int32_t done = 0;
  (void)entries::query_queue(queue, &done);
  Bytes left = std::as_bytes(std::span(data, size));
  while (left.size() >= 2 && !node.is_lost()) {
    std::uint16_t length = 0;
    std::memcpy(&length, left.data(), sizeof length);
    left = left.subspan(2);
    const std::size_t count = std::min<std::size_t>(length & 0x7fff, left.size());
    // A copy of exactly this size.
    const std::vector<std::byte> message(left.begin(),
                                         left.begin() + static_cast<std::ptrdiff_t>(count));
    RemoteNode& speaks = *nodes[length >> 15];
    if (const Status taken = speaks.take(message); !taken) {
      speaks.lose(taken.error().message);
    }
    (void)speaks.go_on_with_transfers();
    (void)entries::query_queue(queue, &done);
    left = left.subspan(count);
  }
  for (const std::uint32_t request : requests) {
    (void)node.take_answer(request);
  }
  constexpr std::size_t kOperations = 6;
  if (node.take_times(*queue).intervals.size() > kOperations) {
    std::abort();
  }
  (void)entries::query_queue(queue, &done);
  for (RemoteNode* const one : nodes) {
    one->lose("the fuzzer has come to its end"); // so that nobody waits for it
    one->watch(0, nullptr);
  }
  (void)entries::synchronize_queue(queue);
  (void)entries::destroy_queue(queue);
  end_own_queues(other);
  (void)job.leave();
  return 0;
}
