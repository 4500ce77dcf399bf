// libFuzzer's entry point for what a node says to the program: messages, of a length of two bytes
// each, while requests, a strand with bytes that are to come, and a device are there.
#include "plugins/mpi/device.h"
#include "plugins/mpi/job.h"
#include "plugins/mpi/remote_node.h"
#include "plugins/mpi/testing/lone_transport.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace gantry;
using namespace gantry::mpi;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto transport = std::make_unique<LoneTransport>(0, 2);
  std::vector<std::unique_ptr<RemoteNode>> nodes;
  nodes.push_back(std::make_unique<RemoteNode>(*transport, 1, "host"));
  RemoteNode& node = *nodes.front();
  Job job(std::move(transport), std::move(nodes), 0, false);
  gantry_device device(job, node, 0);
  node.watch(0, &device);
  std::vector<std::byte> host(1 << 17);
  Strand strand;
  node.add(strand);
  std::vector<std::uint32_t> requests;
  for (int i = 0; i < 3; ++i) {
    requests.push_back(node.ask(Kind::kGetHint, 0, [](Record&) {}));
    const std::uint64_t bytes = i == 1 ? host.size() : 8;
    node.expect(strand, {.operation = strand.posted + 1,
                         .host = std::span(host).first(bytes),
                         .facts = {.address = 0, .size = bytes, .piece = 1 << 16}});
    node.put_operation(strand, i == 1 ? Kind::kSend : Kind::kRead, 0, [](Record&) {}, kTimed);
  }
  Bytes left = std::as_bytes(std::span(data, size));
  while (left.size() >= 2 && !node.is_lost()) {
    std::uint16_t length = 0;
    std::memcpy(&length, left.data(), sizeof length);
    left = left.subspan(2);
    const std::size_t count = std::min<std::size_t>(length, left.size());
    // A copy of exactly this size.
    const std::vector<std::byte> message(left.begin(),
                                         left.begin() + static_cast<std::ptrdiff_t>(count));
    if (const Status taken = node.take(message); !taken) {
      node.lose(taken.error().message);
    }
    (void)node.go_on_with_transfers();
    left = left.subspan(count);
  }
  for (const std::uint32_t request : requests) {
    (void)node.take_answer(request);
  }
  if (node.take_times(strand).intervals.size() > requests.size()) {
    std::abort();
  }
  (void)enter(device);
  node.remove(strand);
  node.watch(0, nullptr);
  std::vector<std::byte> last;
  {
    const Record record(last, Kind::kEnded, 0);
  }
  (void)node.take(last);
  (void)job.leave();
  return 0;
}
