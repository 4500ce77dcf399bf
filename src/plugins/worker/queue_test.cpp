// The worker plugin's queues by its C interface, with a worker and a real image.
#include "plugins/cpu/testing/test_image.h"

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <gantry/plugin.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace gantry::worker {
namespace {

using namespace std::chrono_literals;

/// A function of the plugin, which is loaded as the runtime loads it.
template <typename Function>
Function* of_plugin(const char* name) {
  static void* const plugin = dlopen(GANTRY_WORKER_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  auto* const found = plugin == nullptr ? nullptr : dlsym(plugin, name);
  if (found == nullptr) {
    throw std::runtime_error(dlerror());
  }
  return reinterpret_cast<Function*>(found);
}
#define PLUGIN(function) (of_plugin<decltype(__tgt_rtl_##function)>("__tgt_rtl_" #function))

/// A device for each test, since some lose theirs.
struct OwnDevice {
  static constexpr std::size_t kQueues = 1023;

  OwnDevice() {
    static std::int32_t devices = 0;
    device = devices++;
    expect_done(PLUGIN(init_device)(device, 5, "memory=64M"));
    expect_done(PLUGIN(create_image)(device, bytes.data(), bytes.size(), nullptr, &image));
    expect_done(PLUGIN(load_image)(image));
    for (int** const object : {&gate, &first, &second}) {
      expect_done(PLUGIN(data_alloc)(device, sizeof(int), reinterpret_cast<void**>(object)));
      set(*object, 0);
    }
  }
  ~OwnDevice() {
    if (opener.joinable()) {
      opener.join();
    }
    for (gantry_queue* const queue : queues) {
      PLUGIN(destroy_queue)(queue);
    }
    PLUGIN(destroy_image)(image);
  }
  OwnDevice(const OwnDevice&) = delete;
  OwnDevice& operator=(const OwnDevice&) = delete;

  static void expect_done(std::int32_t code) {
    EXPECT_EQ(code, GANTRY_SUCCESS) << PLUGIN(error_message)();
  }
  gantry_queue* new_queue() {
    gantry_queue* queue = nullptr;
    expect_done(PLUGIN(create_queue)(device, &queue));
    queues.push_back(queue);
    return queue;
  }
  void set(int* object, int value) const {
    expect_done(PLUGIN(data_submit)(device, object, &value, sizeof value));
  }
  [[nodiscard]] int value(const int* object) const {
    int result = -1;
    expect_done(PLUGIN(data_retrieve)(device, &result, object, sizeof result));
    return result;
  }
  template <typename... Values>
  void launch(gantry_queue* queue, const char* name, Values... values) const {
    gantry_kernel* kernel = nullptr;
    expect_done(PLUGIN(find_kernel)(image, name, &kernel));
    void* arguments[] = {reinterpret_cast<void*>(values)...};
    gantry_launch how{};
    how.arguments = arguments;
    how.argument_count = sizeof...(values);
    expect_done(PLUGIN(launch_kernel_async)(queue, kernel, &how));
  }
  void open_after(std::chrono::milliseconds time) {
    opener = std::thread([this, time] {
      std::this_thread::sleep_for(time);
      set(gate, 1);
    });
  }

  std::int32_t device = 0;
  std::vector<std::byte> bytes = cpu::testing::test_image("gnu");
  gantry_image* image = nullptr;
  std::vector<gantry_queue*> queues;
  std::thread opener;
  int* gate = nullptr; ///< the three: on the device
  int* first = nullptr;
  int* second = nullptr;
};

struct WorkerQueue : ::testing::Test, OwnDevice {};

TEST_F(WorkerQueue, ACopyToTheDeviceComesBehindTheKernelBeforeIt) {
  gantry_queue* const queue = new_queue();
  const int before = 1;
  const int after = 2;
  expect_done(PLUGIN(data_submit_async)(queue, first, &before, sizeof before));
  launch(queue, "copy_when_open", gate, second, first);
  open_after(50ms);
  expect_done(PLUGIN(data_submit_async)(queue, first, &after, sizeof after));
  expect_done(PLUGIN(synchronize_queue)(queue));
  EXPECT_EQ(value(second), 1) << "what the kernel reads is what came before it";
  EXPECT_EQ(value(first), 2);
}

TEST_F(WorkerQueue, ACopyToTheHostComesBehindTheKernelBeforeIt) {
  gantry_queue* const queue = new_queue();
  set(first, 7);
  launch(queue, "copy_when_open", gate, second, first);
  int result = -1;
  expect_done(PLUGIN(data_retrieve_async)(queue, &result, second, sizeof result));
  set(gate, 1);
  expect_done(PLUGIN(synchronize_queue)(queue));
  EXPECT_EQ(result, 7);
}

TEST_F(WorkerQueue, KernelsOfOneQueueRunInOrder) {
  gantry_queue* const queue = new_queue();
  set(first, 7);
  launch(queue, "copy_when_open", gate, second, first);
  open_after(50ms);
  launch(queue, "add", second, std::uintptr_t{1});
  expect_done(PLUGIN(synchronize_queue)(queue));
  EXPECT_EQ(value(second), 8);
}

TEST_F(WorkerQueue, AQueueIsNotDoneBeforeItsKernel) {
  gantry_queue* const queue = new_queue();
  launch(queue, "copy_when_open", gate, second, first);
  open_after(1000ms); // a query that waits ends too, with the wrong answer
  std::int32_t done = -1;
  expect_done(PLUGIN(query_queue)(queue, &done));
  EXPECT_EQ(done, 0);
  opener.join();
  expect_done(PLUGIN(synchronize_queue)(queue));
  expect_done(PLUGIN(query_queue)(queue, &done));
  EXPECT_EQ(done, 1);
}

TEST_F(WorkerQueue, TwoQueuesRunSideBySide) {
  gantry_queue* const waits = new_queue();
  gantry_queue* const other = new_queue();
  launch(waits, "copy_when_open", gate, second, first);
  launch(other, "add", gate, std::uintptr_t{1}); // opens it
  expect_done(PLUGIN(synchronize_queue)(other));
  expect_done(PLUGIN(synchronize_queue)(waits));
}

TEST_F(WorkerQueue, AsManyAsThereAreAreTakenAndReturned) {
  for (int again = 0; again < 2; ++again) {
    for (std::size_t i = 0; i < kQueues; ++i) {
      gantry_queue* queue = nullptr;
      ASSERT_EQ(PLUGIN(create_queue)(device, &queue), GANTRY_SUCCESS) << i;
      queues.push_back(queue);
    }
    gantry_queue* none = nullptr;
    EXPECT_EQ(PLUGIN(create_queue)(device, &none), GANTRY_FAILURE);
    EXPECT_STREQ(PLUGIN(error_message)(), "the device has no more than 1023 queues at once");
    // Another call of the plugin needs one too.
    PLUGIN(destroy_queue)(queues.back());
    queues.pop_back();
    launch(queues.back(), "add", first, std::uintptr_t{1});
    expect_done(PLUGIN(synchronize_queue)(queues.back()));
    for (gantry_queue* const queue : queues) {
      PLUGIN(destroy_queue)(queue);
    }
    queues.clear();
  }
  EXPECT_EQ(value(first), 2);
}

TEST_F(WorkerQueue, CodeThatCallsExitEndsTheDeviceWhileOtherCodeReadsInput) {
  int input[2] = {-1, -1};
  ASSERT_EQ(pipe(input), 0);
  const int before = dup(STDIN_FILENO);
  dup2(input[0], STDIN_FILENO);
  OwnDevice reader; // its worker inherits the pipe
  dup2(before, STDIN_FILENO);
  gantry_queue* const reads = reader.new_queue();
  gantry_queue* const ends = reader.new_queue();
  reader.launch(reads, "read_input", reader.gate);
  while (reader.value(reader.gate) == 0) {
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(50ms); // from there into the system
  reader.launch(ends, "end_process", std::uintptr_t{3});
  std::int32_t done = 0;
  for (int i = 0; i < 100 && done == 0; ++i) {
    std::this_thread::sleep_for(20ms);
    PLUGIN(query_queue)(ends, &done);
  }
  EXPECT_EQ(done, 1) << "exit() waits for the one that reads";
  gantry_fault fault = {};
  EXPECT_EQ(PLUGIN(device_fault)(reader.device, &fault), GANTRY_SUCCESS);
  EXPECT_EQ(fault.kind, GANTRY_FAULT_EXIT);
  EXPECT_EQ(fault.value, 3);
  for (const int file : {input[0], input[1], before}) {
    close(file);
  }
}

TEST_F(WorkerQueue, TheFunctionTableArrivesWhileAllQueuesAreInUse) {
  void* size_on_device = nullptr;
  std::uint64_t size = 0;
  expect_done(
      PLUGIN(find_variable)(image, "__omp_offloading_fptr_map_size", &size_on_device, &size));
  ASSERT_EQ(size, sizeof(std::uint64_t));
  for (std::size_t i = 0; i < kQueues; ++i) {
    new_queue();
  }
  __omp_offloading_fptr_map_ty table[3] = {};
  PLUGIN(set_function_ptr_map)(device, 3, table);
  PLUGIN(destroy_queue)(queues.back()); // to look needs one too
  queues.pop_back();
  std::uint64_t entries = 0;
  expect_done(PLUGIN(data_retrieve)(device, &entries, size_on_device, sizeof entries));
  EXPECT_EQ(entries, 3u);
}

TEST_F(WorkerQueue, VariablesOfAnImageAreCopiedInPieces) {
  void* large = nullptr;
  std::uint64_t size = 0;
  expect_done(PLUGIN(find_variable)(image, "large", &large, &size));
  std::vector<unsigned char> content(size);
  for (std::size_t i = 0; i < size; ++i) {
    content[i] = static_cast<unsigned char>(i * 31 + (i >> 16));
  }
  gantry_queue* const queue = new_queue();
  expect_done(PLUGIN(data_submit_async)(queue, large, content.data(), size));
  std::vector<unsigned char> back(size);
  expect_done(PLUGIN(data_retrieve_async)(queue, back.data(), large, size));
  expect_done(PLUGIN(synchronize_queue)(queue));
  EXPECT_TRUE(back == content);
}

} // namespace
} // namespace gantry::worker
