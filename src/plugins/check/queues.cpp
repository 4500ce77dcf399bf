// Cases of plugin-check: queues.
#include "plugins/check/test.h"

#include "base/monotonic.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

namespace gantry::plugin_check {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kLongSteps = 20'000'000;

/// A device with an image, a queue and three words.
struct Setting {
  Device device;
  Image image{device};
  Queue queue{device};
  Memory words{device, 3 * sizeof(std::int64_t)};
  gantry_kernel* step = image.kernel("check_step");
  gantry_kernel* wait = image.kernel("check_wait");
  std::int64_t* memory = words.words();
};

void keeps_order() {
  const Setting at;
  for (std::int64_t round = 0; round < 50; ++round) {
    // A slow kernel before a copy that overwrites its result, and each step reads the one before.
    const std::int64_t start = round;
    std::int64_t waited = 0;
    std::int64_t first = 0;
    std::int64_t second = 0;
    at.queue.put_launch(at.wait, words(at.memory, 100'000));
    at.queue.put_read(waited, at.memory);
    at.queue.put_write(at.memory, start);
    at.queue.put_launch(at.step, words(at.memory + 1, at.memory, 7));
    at.queue.put_read(first, at.memory + 1);
    at.queue.put_launch(at.step, words(at.memory + 2, at.memory + 1, 1));
    at.queue.put_read(second, at.memory + 2);
    at.queue.synchronize();
    require(waited == 100'000, "a copy to the host came before the kernel in front of it");
    // Either of the two may have overtaken: which, depends on how fast the device was.
    require(first == start * 3 + 7,
            "a kernel ran before the copy in front of it, or the copy to the "
            "host behind it came before the kernel in front of it");
    require(second == first * 3 + 1,
            "a kernel ran before the kernel in front of it, or the copy to "
            "the host behind it came before the kernel in front of it");
  }
}

void copies_arguments() {
  const Setting at;
  const std::int64_t input = 5;
  std::int64_t result = 0;
  at.queue.put_write(at.memory, input);
  at.queue.put_launch(at.wait, words(at.memory + 2, kLongSteps));
  {
    auto arguments = words(at.memory + 1, at.memory, 100);
    gantry_launch how = one_thread(arguments);
    GANTRY_DO(queue_launch, at.queue.handle(), at.step, &how);
    std::ranges::fill(arguments, 0);
    how = {};
  }
  at.queue.put_read(result, at.memory + 1);
  at.queue.synchronize();
  require(result == 115, "queue_launch used its arguments after it had returned: {}, expected 115",
          result);
}

void is_quiet_when_done() {
  const Setting at;
  constexpr std::size_t kBytes = 4 << 20;
  const Memory block(at.device, kBytes);
  std::vector<unsigned char> host(kBytes, 1);
  at.device.write(block.bytes(), host.data(), kBytes);
  for (int round = 0; round < 10; ++round) {
    GANTRY_DO(queue_copy_to_host, at.queue.handle(), host.data(), block.bytes(), kBytes);
    at.queue.synchronize();
    require(std::ranges::count(host, 1) == kBytes,
            "synchronize_queue returned before the bytes were there");
    std::ranges::fill(host, 2);
    std::this_thread::sleep_for(10ms);
    require(std::ranges::count(host, 2) == kBytes,
            "host memory is written after synchronize_queue has returned");
    std::ranges::fill(host, 3);
  }
}

void answers_at_once() {
  const Setting at;
  std::int64_t result = 0;
  at.queue.put_launch(at.wait, words(at.memory, kLongSteps));
  at.queue.put_read(result, at.memory);
  std::int32_t done_now = -1;
  for (int i = 0; i < 10'000 && done_now != 1; ++i) {
    GANTRY_DO(query_queue, at.queue.handle(), &done_now);
    require(done_now == 0 || done_now == 1, "query_queue sets done to {}", done_now);
    if (done_now == 0) {
      std::this_thread::sleep_for(1ms);
    }
  }
  require(done_now == 1, "query_queue never says that the queue is done");
  require(result == kLongSteps, "query_queue says that the queue is done, and it is not");
  at.queue.synchronize();
  // In one of several rounds at least: on a busy machine a query may come late.
  for (int round = 0; round < 5; ++round) {
    at.queue.put_launch(at.wait, words(at.memory, kLongSteps));
    GANTRY_DO(query_queue, at.queue.handle(), &done_now);
    at.queue.synchronize();
    if (done_now == 0) {
      return;
    }
  }
  fail("query_queue does not return before the queue is done");
}

void is_of_its_own() {
  const Setting at;
  on_threads([&](int thread) {
    const Queue queue(at.device);
    const Memory memory(at.device, 2 * sizeof(std::int64_t));
    for (int round = 0; round < 100; ++round) {
      const std::int64_t value = thread * 1000 + round;
      std::int64_t result = 0;
      queue.put_write(memory.words(), value);
      queue.put_launch(at.step, words(memory.words() + 1, memory.words(), thread));
      queue.put_read(result, memory.words() + 1);
      queue.synchronize();
      require(result == value * 3 + thread, "queues of {} threads mix what is put in", kThreads);
    }
  });
}

void comes_and_goes() {
  const Setting at;
  without_leaks(200, [&] {
    const Queue queue(at.device);
    queue.synchronize(); // of an empty queue
    queue.put_launch(at.step, words(at.memory + 1, at.memory, 1));
    queue.synchronize();
  });
}

void mixes_with_direct_calls() {
  const Setting at;
  for (std::int64_t round = 0; round < 100; ++round) {
    at.device.set(at.memory, round); // what is done on return is seen by what is put in then
    at.queue.put_launch(at.step, words(at.memory + 1, at.memory, 2));
    at.queue.synchronize();
    require(at.device.get(at.memory + 1) == round * 3 + 2,
            "a queue and copies that are done on return see different memory");
  }
}

void lends_launch_data() {
  const Setting at;
  GANTRY_NEED(queue_launch_data)
  for (const std::uint64_t bytes : {8ULL, 100ULL, 100'000ULL, 16ULL}) {
    void* host = nullptr;
    void* on_device = nullptr;
    GANTRY_DO(queue_launch_data, at.queue.handle(), bytes, &host, &on_device);
    require(reinterpret_cast<std::uintptr_t>(on_device) % 64 == 0,
            "queue_launch_data gave {}, which is not aligned to 64 bytes", fmt::ptr(on_device));
    std::memset(host, 0, bytes);
    const auto value = static_cast<std::int64_t>(bytes);
    std::memcpy(host, &value, sizeof value);
    at.queue.put_launch(at.step, words(at.memory, static_cast<std::int64_t*>(on_device), 1));
    std::int64_t result = 0;
    at.queue.put_read(result, at.memory);
    at.queue.synchronize();
    require(result == value * 3 + 1, "the kernel did not find what was written for its launch");
  }
}

void copies_between_in_order() {
  const Setting at;
  GANTRY_NEED(queue_copy_between)
  const Device other;
  const Memory elsewhere(other, sizeof(std::int64_t));
  for (std::int64_t round = 0; round < 20; ++round) {
    // A slow kernel before each copy, and behind the second what would spoil the first's bytes.
    const std::int64_t start = round;
    std::int64_t result = 0;
    at.queue.put_launch(at.wait, words(at.memory, 100'000));
    at.queue.put_write(at.memory + 1, start);
    at.queue.put_launch(at.step, words(at.memory, at.memory + 1, 5));
    GANTRY_DO(queue_copy_between, at.queue.handle(), at.memory, other.handle(), elsewhere.words(),
              sizeof(std::int64_t));
    GANTRY_DO(queue_copy_between, at.queue.handle(), at.memory, at.device.handle(), at.memory + 2,
              sizeof(std::int64_t));
    at.queue.put_launch(at.step, words(at.memory, at.memory + 2, 1));
    at.queue.put_read(result, at.memory);
    at.queue.synchronize();
    require(other.get(elsewhere.words()) == start * 3 + 5,
            "queue_copy_between came before the kernel in front of it, or behind the one that "
            "follows, or is not done when the queue is");
    require(result == (start * 3 + 5) * 3 + 1,
            "a kernel ran before the queue_copy_between in front of it");
  }
}

void tells_times() {
  const Setting at;
  const gantry_device_properties properties = at.device.properties();
  const bool has_times =
      subject.plugin->record_times != nullptr && subject.plugin->read_times != nullptr;
  require(has_times || properties.clock == nullptr,
          "the device names a clock, and the plugin lacks record_times or read_times");
  if (properties.clock == nullptr) {
    skip("the device has no clock");
  }
  gantry_queue* const queue = at.queue.handle();
  std::array<gantry_interval, 3> times = {};
  const auto read = [&] {
    std::size_t count = 0;
    GANTRY_DO(read_times, queue, times.data(), times.size(), &count);
    return count;
  };
  GANTRY_DO(record_times, queue, 1);
  const std::int64_t value = 1;
  std::int64_t result = 0;
  const std::uint64_t before = monotonic_now();
  at.queue.put_write(at.memory, value);
  at.queue.put_launch(at.wait, words(at.memory + 1, kLongSteps));
  at.queue.put_read(result, at.memory + 1);
  at.queue.synchronize();
  const std::uint64_t after = monotonic_now();
  const std::size_t count = read();
  require(count == 3, "read_times counts {} operations, and 3 were put in", count);
  const auto [copy, kernel, copy_back] = times;
  require(0 < copy.begin && copy.begin <= copy.end && copy.end <= kernel.begin &&
              kernel.begin < kernel.end && kernel.end <= copy_back.begin &&
              copy_back.begin <= copy_back.end,
          "a copy is said to last from {} to {}, the kernel behind it from {} to {}, and the copy "
          "behind that from {} to {}",
          copy.begin, copy.end, kernel.begin, kernel.end, copy_back.begin, copy_back.end);
  require(std::string_view(properties.clock) != "CLOCK_MONOTONIC" ||
              (before <= copy.begin && copy_back.end <= after),
          "the times are not those of CLOCK_MONOTONIC");
  // The kernel takes most of the time that passed; far less or more is no time in nanoseconds.
  const std::uint64_t passed = after - before;
  const std::uint64_t said = kernel.end - kernel.begin;
  require(said > passed / 100 && said / 2 <= passed,
          "a kernel is said to have lasted {} ns, and {} ns passed on the host", said, passed);
  require(read() == 0, "read_times does not forget what it has said");
  GANTRY_DO(record_times, queue, 0);
  at.queue.put_read(result, at.memory + 1);
  at.queue.synchronize();
  require(read() == 0, "a queue notes times that nobody wants");
}

void tears_down_after_load() {
  without_leaks(12, [&] {
    const Setting at;
    on_threads([&](int) {
      const Queue queue(at.device);
      const Memory block(at.device, 1 << 20);
      for (int round = 0; round < 50; ++round) {
        queue.put_launch(at.step, words(block.words() + 1, block.words(), round));
        std::int64_t result = 0;
        queue.put_read(result, block.words() + 1);
        queue.synchronize();
      }
    });
  });
}

constexpr std::array kCases = {
    Case{"queues", "what is put in happens in order", keeps_order},
    Case{"queues", "a launch's arguments are copied", copies_arguments},
    Case{"queues", "nothing happens after the queue is done", is_quiet_when_done},
    Case{"queues", "a query answers at once, and rightly", answers_at_once},
    Case{"queues", "eight threads have a queue each", is_of_its_own},
    Case{"queues", "queues leave nothing behind", comes_and_goes},
    Case{"queues", "queues and direct calls see one memory", mixes_with_direct_calls},
    Case{"queues", "memory for a launch comes with it", lends_launch_data},
    Case{"queues", "copies to another device are in the queue's order", copies_between_in_order},
    Case{"queues", "times of what a queue did", tells_times},
    Case{"queues", "teardown after load from eight threads", tears_down_after_load},
};

} // namespace

std::span<const Case> queue_cases() {
  return kCases;
}

} // namespace gantry::plugin_check
