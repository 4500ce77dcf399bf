// What a job of many nodes sends, counted over a simulated network of 10 us and 10 GB/s: the start,
// an image of 1 MiB, a region with one mapped scalar on each node, and a stencil's exchange of 4
// KiB with both neighbours. Prints a table.
#include "plugins/last_error.h"
#include "plugins/mpi/testing/simulated_nodes.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace gantry;
using namespace gantry::mpi;

namespace {

void expect(gantry_status status) {
  if (status != GANTRY_SUCCESS) {
    std::fprintf(stderr, "%s\n", plugins::last_error());
    std::exit(1);
  }
}

struct Phase {
  const char* name;
  SimulatedJob::Counts all, program;
  double milliseconds;
};

/// Runs one phase, and lets everything arrive.
template <typename Work>
Phase counted(SimulatedNodes& nodes, const char* name, Work work) {
  SimulatedJob& network = nodes.network();
  network.forget();
  const std::uint64_t begin = network.now();
  work();
  nodes.settle();
  return {name, network.sent(), network.sent_by(0),
          static_cast<double>(network.now() - begin) / 1e6};
}

void show(int nodes, const Phase& phase) {
  const auto bytes = [](const SimulatedJob::Counts& counts) {
    return static_cast<double>(counts.message_bytes + counts.transfer_bytes) / 1024;
  };
  const auto count = [](const SimulatedJob::Counts& counts) {
    return std::to_string(counts.messages + counts.transfers);
  };
  std::printf("| %d | %s | %s | %s | %.1f | %.1f | %.2f |\n", nodes, phase.name,
              count(phase.all).c_str(), count(phase.program).c_str(), bytes(phase.all),
              bytes(phase.program), phase.milliseconds);
}

void run(int count) {
  SimulatedNodes nodes(count, {.latency = 10'000, .bytes_per_nanosecond = 10});
  std::vector<gantry_device*> devices;
  show(count, counted(nodes, "start", [&] {
         expect(nodes.add_devices());
         for (int i = 0; i < count; ++i) {
           devices.push_back(nodes.open(i));
         }
       }));
  const std::string image = std::string(kFakeImage) + std::string(1 << 20, ' ');
  std::vector<gantry_image*> images;
  show(count, counted(nodes, "image", [&] {
         for (gantry_device* const device : devices) {
           images.push_back(nodes.load(device, image));
         }
       }));
  std::vector<gantry_queue*> queues;
  std::vector<gantry_kernel*> kernels;
  std::vector<void*> memory;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    kernels.push_back(nodes.kernel(images[i], "add"));
    expect(entries::create_queue(devices[i], &queues.emplace_back()));
    memory.push_back(nodes.allocate(devices[i], 1 << 16));
  }
  std::vector<int> numbers(devices.size(), 1);
  show(count, counted(nodes, "region on each", [&] {
         for (std::size_t i = 0; i < devices.size(); ++i) {
           expect(entries::copy_to_device(devices[i], memory[i], &numbers[i], sizeof(int)));
           expect(nodes.put_add(queues[i], kernels[i], memory[i], 1));
           expect(entries::queue_copy_to_host(queues[i], &numbers[i], memory[i], sizeof(int)));
           std::int32_t done = 0;
           expect(entries::query_queue(queues[i], &done));
         }
         for (gantry_queue* const queue : queues) {
           expect(entries::synchronize_queue(queue));
         }
       }));
  if (count > 1) {
    constexpr std::uint64_t kBytes = 4096;
    show(count, counted(nodes, "stencil's exchange", [&] {
           for (std::size_t i = 0; i + 1 < devices.size(); ++i) {
             expect(entries::copy_between(devices[i], memory[i], devices[i + 1], memory[i + 1],
                                          kBytes));
             expect(entries::copy_between(devices[i + 1], memory[i + 1], devices[i], memory[i],
                                          kBytes));
           }
         }));
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    expect(entries::release(devices[i], memory[i]));
    expect(entries::destroy_queue(queues[i]));
    expect(entries::destroy_image(images[i]));
  }
}

} // namespace

int main() {
  std::puts("| nodes | what | sent by all | by the program | KiB by all | by the program | ms |");
  std::puts("| --- | --- | --- | --- | --- | --- | --- |");
  for (const int nodes : {1, 2, 4, 16, 64, 256, 1024}) {
    run(nodes);
  }
}
