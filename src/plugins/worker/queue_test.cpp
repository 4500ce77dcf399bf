// The worker plugin's queues by its table, with a worker and a real image: what plugin-check does
// not try.
#include "plugins/cpu/testing/test_image.h"

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <gantry/plugin.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace gantry::worker {
namespace {

using namespace std::chrono_literals;

/// The plugin's table. The plugin is loaded as the runtime loads it.
const gantry_plugin& plugin() {
  static const gantry_plugin* const table = [] {
    void* const library = dlopen(GANTRY_WORKER_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    void* const found = library == nullptr ? nullptr : dlsym(library, "gantry_get_plugin");
    if (found == nullptr) {
      throw std::runtime_error(dlerror());
    }
    return reinterpret_cast<decltype(&gantry_get_plugin)>(found)(GANTRY_PLUGIN_VERSION);
  }();
  return *table;
}

/// A device for each test, since some lose theirs.
struct OwnDevice {
  static constexpr std::size_t kQueues = 1023;

  OwnDevice() {
    const gantry_device_settings settings = {
        .size = sizeof settings, .openmp_number = 5, .options = "memory=64M"};
    expect_done(plugin().open_device(0, &settings, &device));
    expect_done(plugin().create_image(device, bytes.data(), bytes.size(), nullptr, &image));
    expect_done(plugin().load_image(image));
    for (int** const object : {&gate, &first, &second}) {
      const gantry_allocation request = {
          .size = sizeof request, .bytes = sizeof(int), .alignment = 64};
      expect_done(plugin().allocate(device, &request, reinterpret_cast<void**>(object)));
      set(*object, 0);
    }
  }
  ~OwnDevice() {
    if (opener.joinable()) {
      opener.join();
    }
    for (gantry_queue* const queue : queues) {
      plugin().destroy_queue(queue);
    }
    const bool lost = plugin().destroy_image(image) == GANTRY_DEVICE_LOST;
    EXPECT_EQ(plugin().close_device(device), lost ? GANTRY_DEVICE_LOST : GANTRY_SUCCESS)
        << plugin().error_message();
  }
  OwnDevice(const OwnDevice&) = delete;
  OwnDevice& operator=(const OwnDevice&) = delete;

  static void expect_done(std::int32_t code) {
    EXPECT_EQ(code, GANTRY_SUCCESS) << plugin().error_message();
  }
  gantry_queue* new_queue() {
    gantry_queue* queue = nullptr;
    expect_done(plugin().create_queue(device, &queue));
    queues.push_back(queue);
    return queue;
  }
  void set(int* object, int value) const {
    expect_done(plugin().copy_to_device(device, object, &value, sizeof value));
  }
  [[nodiscard]] int value(const int* object) const {
    int result = -1;
    expect_done(plugin().copy_to_host(device, &result, object, sizeof result));
    return result;
  }
  template <typename... Values>
  void launch(gantry_queue* queue, const char* name, Values... values) const {
    const gantry_symbol kernel = find(name, GANTRY_SYMBOL_KERNEL);
    void* arguments[] = {reinterpret_cast<void*>(values)...};
    gantry_launch how{};
    how.size = sizeof how;
    how.arguments = arguments;
    how.argument_count = sizeof...(values);
    expect_done(plugin().queue_launch(queue, kernel.kernel, &how));
  }
  [[nodiscard]] gantry_symbol find(const char* name, std::int32_t kind) const {
    gantry_symbol symbol = {.name = name, .kind = kind};
    expect_done(plugin().find_symbols(image, &symbol, 1));
    return symbol;
  }
  void open_after(std::chrono::milliseconds time) {
    opener = std::thread([this, time] {
      std::this_thread::sleep_for(time);
      set(gate, 1);
    });
  }

  gantry_device* device = nullptr;
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
  expect_done(plugin().queue_copy_to_device(queue, first, &before, sizeof before));
  launch(queue, "copy_when_open", gate, second, first);
  open_after(50ms);
  expect_done(plugin().queue_copy_to_device(queue, first, &after, sizeof after));
  expect_done(plugin().synchronize_queue(queue));
  EXPECT_EQ(value(second), 1) << "what the kernel reads is what came before it";
  EXPECT_EQ(value(first), 2);
}

TEST_F(WorkerQueue, AQueueIsNotDoneBeforeItsKernel) {
  gantry_queue* const queue = new_queue();
  launch(queue, "copy_when_open", gate, second, first);
  open_after(1000ms); // a query that waits ends too, with the wrong answer
  std::int32_t done = -1;
  expect_done(plugin().query_queue(queue, &done));
  EXPECT_EQ(done, 0);
  opener.join();
  expect_done(plugin().synchronize_queue(queue));
  expect_done(plugin().query_queue(queue, &done));
  EXPECT_EQ(done, 1);
}

TEST_F(WorkerQueue, TwoQueuesRunSideBySide) {
  gantry_queue* const waits = new_queue();
  gantry_queue* const other = new_queue();
  launch(waits, "copy_when_open", gate, second, first);
  launch(other, "add", gate, std::uintptr_t{1}); // opens it
  expect_done(plugin().synchronize_queue(other));
  expect_done(plugin().synchronize_queue(waits));
}

TEST_F(WorkerQueue, AsManyAsThereAreAreTakenAndReturned) {
  for (int again = 0; again < 2; ++again) {
    for (std::size_t i = 0; i < kQueues; ++i) {
      gantry_queue* queue = nullptr;
      ASSERT_EQ(plugin().create_queue(device, &queue), GANTRY_SUCCESS) << i;
      queues.push_back(queue);
    }
    gantry_queue* none = nullptr;
    EXPECT_EQ(plugin().create_queue(device, &none), GANTRY_FAILURE);
    EXPECT_STREQ(plugin().error_message(), "the device has no more than 1023 queues at once");
    // Another call of the plugin needs one too.
    plugin().destroy_queue(queues.back());
    queues.pop_back();
    launch(queues.back(), "add", first, std::uintptr_t{1});
    expect_done(plugin().synchronize_queue(queues.back()));
    for (gantry_queue* const queue : queues) {
      plugin().destroy_queue(queue);
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
    plugin().query_queue(ends, &done);
  }
  EXPECT_EQ(done, 1) << "exit() waits for the one that reads";
  gantry_fault fault = {.size = sizeof fault};
  EXPECT_EQ(plugin().get_fault(reader.device, &fault), GANTRY_SUCCESS);
  EXPECT_EQ(fault.kind, GANTRY_FAULT_EXIT);
  EXPECT_EQ(fault.value, 3);
  for (const int file : {input[0], input[1], before}) {
    close(file);
  }
}

TEST_F(WorkerQueue, TheFunctionTableArrivesWhileAllQueuesAreInUse) {
  const gantry_symbol size = find("__omp_offloading_fptr_map_size", GANTRY_SYMBOL_VARIABLE);
  ASSERT_EQ(size.bytes, sizeof(std::uint64_t));
  for (std::size_t i = 0; i < kQueues; ++i) {
    new_queue();
  }
  __omp_offloading_fptr_map_ty table[3] = {};
  expect_done(plugin().set_function_map(device, table, 3));
  plugin().destroy_queue(queues.back()); // to look needs one too
  queues.pop_back();
  std::uint64_t entries = 0;
  expect_done(plugin().copy_to_host(device, &entries, size.address, sizeof entries));
  EXPECT_EQ(entries, 3u);
}

TEST_F(WorkerQueue, VariablesOfAnImageAreCopiedInPieces) {
  const auto [large, size] = [&] {
    const gantry_symbol symbol = find("large", GANTRY_SYMBOL_VARIABLE);
    return std::pair(symbol.address, symbol.bytes);
  }();
  std::vector<unsigned char> content(size);
  for (std::size_t i = 0; i < size; ++i) {
    content[i] = static_cast<unsigned char>(i * 31 + (i >> 16));
  }
  gantry_queue* const queue = new_queue();
  expect_done(plugin().queue_copy_to_device(queue, large, content.data(), size));
  std::vector<unsigned char> back(size);
  expect_done(plugin().queue_copy_to_host(queue, back.data(), large, size));
  expect_done(plugin().synchronize_queue(queue));
  EXPECT_TRUE(back == content);
}

} // namespace
} // namespace gantry::worker
