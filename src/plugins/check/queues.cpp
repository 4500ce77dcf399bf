// Cases of plugin-check: queues.
#include "plugins/check/test.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <ctime>

namespace gantry::plugin_check {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kLongSteps = 20'000'000;

/// A device with an image and three words, for what cases of queues do.
struct Setting {
  explicit Setting(const Subject& subject_)
      : subject(subject_), device(subject_), queue(device.create_queue()), image(device.load()),
        step(device.kernel(image, "check_step")), wait(device.kernel(image, "check_wait")),
        memory(device.allocate(3 * sizeof(std::int64_t))) {}

  void put_write(std::int64_t* address, const std::int64_t& value) const {
    done(subject, device.plugin().queue_copy_to_device(queue, address, &value, sizeof value),
         "queue_copy_to_device");
  }
  void put_read(std::int64_t& value, const std::int64_t* address) const {
    done(subject, device.plugin().queue_copy_to_host(queue, &value, address, sizeof value),
         "queue_copy_to_host");
  }
  void close() const {
    device.release(memory);
    device.destroy_queue(queue);
    device.destroy(image);
    device.close();
  }

  const Subject& subject;
  Device device;
  gantry_queue* queue;
  gantry_image* image;
  gantry_kernel* step;
  gantry_kernel* wait;
  std::int64_t* memory;
};

void keeps_order(const Subject& subject) {
  const Setting at(subject);
  for (std::int64_t round = 0; round < 50; ++round) {
    // A slow kernel before a copy that overwrites its result, and each step reads the one before.
    const std::int64_t start = round;
    std::int64_t waited = 0;
    std::int64_t first = 0;
    std::int64_t second = 0;
    at.device.put_launch(at.queue, at.wait, words(at.memory, 100'000));
    at.put_read(waited, at.memory);
    at.put_write(at.memory, start);
    at.device.put_launch(at.queue, at.step, words(at.memory + 1, at.memory, 7));
    at.put_read(first, at.memory + 1);
    at.device.put_launch(at.queue, at.step, words(at.memory + 2, at.memory + 1, 1));
    at.put_read(second, at.memory + 2);
    at.device.synchronize(at.queue);
    require(waited == 100'000, "a copy to the host came before the kernel in front of it");
    require(first == start * 3 + 7, "a kernel ran before the copy in front of it");
    require(second == first * 3 + 1, "a kernel ran before the kernel in front of it");
  }
  at.close();
}

void copies_arguments(const Subject& subject) {
  const Setting at(subject);
  const std::int64_t input = 5;
  std::int64_t result = 0;
  at.put_write(at.memory, input);
  at.device.put_launch(at.queue, at.wait, words(at.memory + 2, kLongSteps));
  {
    auto arguments = words(at.memory + 1, at.memory, 100);
    gantry_launch how = one_thread(arguments);
    done(subject, at.device.plugin().queue_launch(at.queue, at.step, &how), "queue_launch");
    std::ranges::fill(arguments, 0);
    how = {};
  }
  at.put_read(result, at.memory + 1);
  at.device.synchronize(at.queue);
  require(result == 115, "queue_launch used its arguments after it had returned: {}, expected 115",
          result);
  at.close();
}

void is_quiet_when_done(const Subject& subject) {
  const Setting at(subject);
  constexpr std::size_t kBytes = 4 << 20;
  auto* const block = at.device.allocate(kBytes);
  std::vector<unsigned char> host(kBytes, 1);
  at.device.write(block, host.data(), kBytes);
  for (int round = 0; round < 10; ++round) {
    done(subject, at.device.plugin().queue_copy_to_host(at.queue, host.data(), block, kBytes),
         "queue_copy_to_host");
    at.device.synchronize(at.queue);
    require(std::ranges::count(host, 1) == kBytes,
            "synchronize_queue returned before the bytes were there");
    std::ranges::fill(host, 2);
    std::this_thread::sleep_for(10ms);
    require(std::ranges::count(host, 2) == kBytes,
            "host memory is written after synchronize_queue has returned");
    std::ranges::fill(host, 3);
  }
  at.device.release(block);
  at.close();
}

void answers_at_once(const Subject& subject) {
  const Setting at(subject);
  std::int64_t result = 0;
  at.device.put_launch(at.queue, at.wait, words(at.memory, kLongSteps));
  at.put_read(result, at.memory);
  std::int32_t done_now = -1;
  for (int i = 0; i < 10'000 && done_now != 1; ++i) {
    done(subject, at.device.plugin().query_queue(at.queue, &done_now), "query_queue");
    require(done_now == 0 || done_now == 1, "query_queue sets done to {}", done_now);
    if (done_now == 0) {
      std::this_thread::sleep_for(1ms);
    }
  }
  require(done_now == 1, "query_queue never says that the queue is done");
  require(result == kLongSteps, "query_queue says that the queue is done, and it is not");
  at.device.synchronize(at.queue);
  at.close();
}

void is_of_its_own(const Subject& subject) {
  const Setting at(subject);
  on_threads([&](int thread) {
    gantry_queue* const queue = at.device.create_queue();
    std::int64_t* const words_of_thread = at.device.allocate(2 * sizeof(std::int64_t));
    for (int round = 0; round < 100; ++round) {
      const std::int64_t value = thread * 1000 + round;
      std::int64_t result = 0;
      const gantry_plugin& plugin = at.device.plugin();
      done(subject, plugin.queue_copy_to_device(queue, words_of_thread, &value, sizeof value),
           "queue_copy_to_device");
      at.device.put_launch(queue, at.step, words(words_of_thread + 1, words_of_thread, thread));
      done(subject, plugin.queue_copy_to_host(queue, &result, words_of_thread + 1, sizeof result),
           "queue_copy_to_host");
      at.device.synchronize(queue);
      require(result == value * 3 + thread, "queues of {} threads mix what is put in", kThreads);
    }
    at.device.release(words_of_thread);
    at.device.destroy_queue(queue);
  });
  at.close();
}

void comes_and_goes(const Subject& subject) {
  const Setting at(subject);
  without_leaks(200, [&] {
    gantry_queue* const queue = at.device.create_queue();
    at.device.synchronize(queue); // of an empty queue
    at.device.put_launch(queue, at.step, words(at.memory + 1, at.memory, 1));
    at.device.synchronize(queue);
    at.device.destroy_queue(queue);
  });
  at.close();
}

void mixes_with_direct_calls(const Subject& subject) {
  const Setting at(subject);
  for (std::int64_t round = 0; round < 100; ++round) {
    at.device.set(at.memory, round); // what is done on return is seen by what is put in then
    at.device.put_launch(at.queue, at.step, words(at.memory + 1, at.memory, 2));
    at.device.synchronize(at.queue);
    require(at.device.get(at.memory + 1) == round * 3 + 2,
            "a queue and copies that are done on return see different memory");
  }
  at.close();
}

void lends_launch_data(const Subject& subject) {
  const Setting at(subject);
  if (at.device.plugin().queue_launch_data == nullptr) {
    skip("the plugin does not have queue_launch_data");
  }
  for (const std::uint64_t bytes : {8ULL, 100ULL, 100'000ULL, 16ULL}) {
    void* host = nullptr;
    void* on_device = nullptr;
    done(subject, at.device.plugin().queue_launch_data(at.queue, bytes, &host, &on_device),
         "queue_launch_data");
    require(reinterpret_cast<std::uintptr_t>(on_device) % 64 == 0,
            "queue_launch_data gave {}, which is not aligned to 64 bytes", fmt::ptr(on_device));
    std::memset(host, 0, bytes);
    const auto value = static_cast<std::int64_t>(bytes);
    std::memcpy(host, &value, sizeof value);
    at.device.put_launch(at.queue, at.step,
                         words(at.memory, static_cast<std::int64_t*>(on_device), 1));
    std::int64_t result = 0;
    at.put_read(result, at.memory);
    at.device.synchronize(at.queue);
    require(result == value * 3 + 1, "the kernel did not find what was written for its launch");
  }
  at.close();
}

/// Nanoseconds of the clock that "CLOCK_MONOTONIC" names.
std::uint64_t monotonic_now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void tells_times(const Subject& subject) {
  const Setting at(subject);
  gantry_device_properties properties = {.size = sizeof properties};
  done(subject, at.device.plugin().get_properties(at.device.handle(), &properties),
       "get_properties");
  const gantry_plugin& plugin = at.device.plugin();
  const bool has_times = plugin.record_times != nullptr && plugin.read_times != nullptr;
  require(has_times || properties.clock == nullptr,
          "the device names a clock, and the plugin lacks record_times or read_times");
  if (properties.clock == nullptr) {
    skip("the device has no clock");
  }
  done(subject, plugin.record_times(at.queue, 1), "record_times");
  const std::int64_t value = 1;
  std::int64_t result = 0;
  const std::uint64_t before = monotonic_now();
  at.put_write(at.memory, value);
  at.device.put_launch(at.queue, at.wait, words(at.memory + 1, kLongSteps));
  at.put_read(result, at.memory + 1);
  at.device.synchronize(at.queue);
  const std::uint64_t after = monotonic_now();
  std::array<gantry_interval, 2> times = {};
  std::size_t count = 0;
  done(subject, plugin.read_times(at.queue, times.data(), times.size(), &count), "read_times");
  require(count == 3, "read_times counts {} operations, and 3 were put in", count);
  const auto& [copy, kernel] = times;
  require(0 < copy.begin && copy.begin <= copy.end && copy.end <= kernel.begin &&
              kernel.begin < kernel.end,
          "a copy is said to last from {} to {}, and the kernel behind it from {} to {}",
          copy.begin, copy.end, kernel.begin, kernel.end);
  require(std::string_view(properties.clock) != "CLOCK_MONOTONIC" ||
              (before <= copy.begin && kernel.end <= after),
          "the times are not those of CLOCK_MONOTONIC");
  done(subject, plugin.read_times(at.queue, times.data(), times.size(), &count), "read_times");
  require(count == 0, "read_times does not forget what it has said");
  done(subject, plugin.record_times(at.queue, 0), "record_times");
  at.put_read(result, at.memory + 1);
  at.device.synchronize(at.queue);
  done(subject, plugin.read_times(at.queue, times.data(), times.size(), &count), "read_times");
  require(count == 0, "a queue notes times that nobody wants");
  at.close();
}

void tears_down_after_load(const Subject& subject) {
  without_leaks(4, [&] {
    const Setting at(subject);
    on_threads([&](int) {
      gantry_queue* const queue = at.device.create_queue();
      std::int64_t* const block = at.device.allocate(1 << 20);
      for (int round = 0; round < 50; ++round) {
        at.device.put_launch(queue, at.step, words(block + 1, block, round));
        std::int64_t result = 0;
        done(subject,
             at.device.plugin().queue_copy_to_host(queue, &result, block + 1, sizeof result),
             "queue_copy_to_host");
        at.device.synchronize(queue);
      }
      at.device.release(block);
      at.device.destroy_queue(queue);
    });
    at.close();
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
    Case{"queues", "times of what a queue did", tells_times},
    Case{"queues", "teardown after load from eight threads", tears_down_after_load},
};

} // namespace

std::span<const Case> queue_cases() {
  return kCases;
}

} // namespace gantry::plugin_check
