// Cases of plugin-check: launches that are done on return.
#include "plugins/check/test.h"

#include <array>

namespace gantry::plugin_check {

namespace {

void passes_parameters(const Subject& subject) {
  const Device device(subject);
  gantry_image* const image = device.load();
  std::int64_t* const result = device.allocate(sizeof(std::int64_t));
  for (std::uint64_t count = 0; count <= 32; ++count) {
    auto arguments = words(result);
    std::int64_t expected = 0;
    for (std::uint64_t i = 1; i <= count; ++i) {
      const std::uint64_t value = (std::uint64_t{1} << 40) + i * 1000;
      arguments.push_back(value);
      expected += static_cast<std::int64_t>(i * value);
    }
    device.launch(device.kernel(image, fmt::format("check_sum_{}", count).c_str()), arguments);
    const std::int64_t sum = device.get(result);
    require(sum == expected, "a kernel with {} parameters computed {}, expected {}", count + 1, sum,
            expected);
  }
  device.release(result);
  device.destroy(image);
  device.close();
}

void passes_many_parameters(const Subject& subject) {
  const Device device(subject);
  gantry_image* const image = device.load();
  std::int64_t* const result = device.allocate(sizeof(std::int64_t));
  constexpr std::uint64_t kCount = 320;
  auto arguments = words(result);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    arguments.push_back(i * i);
  }
  const auto square = [](std::int64_t i) { return i * i; };
  const std::int64_t expected = square(0) + 2 * square(99) + 3 * square(100) + 4 * square(155) +
                                5 * square(299) + 6 * square(300) + 7 * square(319);
  device.launch(device.kernel(image, "check_sum_320"), arguments);
  require(device.get(result) == expected, "a kernel with 321 parameters computed {}, expected {}",
          device.get(result), expected);
  device.release(result);
  device.destroy(image);
  device.close();
}

void is_done_on_return(const Subject& subject) {
  const Device device(subject);
  gantry_image* const image = device.load();
  std::int64_t* const result = device.allocate(sizeof(std::int64_t));
  gantry_kernel* const kernel = device.kernel(image, "check_wait");
  for (std::int64_t steps = 100'000; steps < 100'020; ++steps) {
    device.launch(kernel, words(result, steps));
    require(device.get(result) == steps, "launch returned before the kernel was done");
  }
  device.release(result);
  device.destroy(image);
  device.close();
}

void launches_from_threads(const Subject& subject) {
  const Device device(subject);
  gantry_image* const image = device.load();
  gantry_kernel* const step = device.kernel(image, "check_step");
  on_threads([&](int thread) {
    std::int64_t* const memory = device.allocate(2 * sizeof(std::int64_t));
    std::int64_t value = thread;
    for (int round = 0; round < 200; ++round) {
      device.set(memory, value);
      device.launch(step, words(memory + 1, memory, round));
      const std::int64_t expected = value * 3 + round;
      value = device.get(memory + 1);
      require(value == expected, "launches that {} threads make at once mix their arguments",
              kThreads);
      value %= 1000;
    }
    device.release(memory);
  });
  device.destroy(image);
  device.close();
}

/// A grid of three dimensions runs whole, or not at all and says so.
void runs_grids(const Subject& subject) {
  const Device device(subject);
  gantry_image* const image = device.load();
  std::int64_t* const counter = device.allocate(sizeof(std::int64_t));
  const auto arguments = words(counter);
  gantry_kernel* const count = device.kernel(image, "check_count");
  const auto run = [&](std::array<std::uint32_t, 3> teams, std::array<std::uint32_t, 3> threads) {
    device.set(counter, 0);
    gantry_launch how = one_thread(arguments);
    how.kind = GANTRY_LAUNCH_TEAMS;
    std::copy(teams.begin(), teams.end(), how.num_teams);
    std::copy(threads.begin(), threads.end(), how.thread_limit);
    const gantry_status status = device.plugin().launch(device.handle(), count, &how);
    const std::int64_t ran = device.get(counter);
    const std::int64_t expected =
        std::int64_t{teams[0]} * teams[1] * teams[2] * threads[0] * threads[1] * threads[2];
    if (status == GANTRY_SUCCESS) {
      require(ran == expected,
              "{} threads ran of a grid of ({}, {}, {}) teams of ({}, {}, {}) threads", ran,
              teams[0], teams[1], teams[2], threads[0], threads[1], threads[2]);
    } else {
      refused(subject, status, {GANTRY_FAILURE}, "launch of a grid");
      require(ran == 0, "a launch that was refused ran {} threads", ran);
    }
  };
  run({2, 3, 1}, {4, 5, 1});
  run({1, 1, 2}, {1, 1, 3});
  device.release(counter);
  device.destroy(image);
  device.close();
}

void hints(const Subject& subject) {
  const Device device(subject);
  if (device.plugin().launch_hint == nullptr) {
    skip("the plugin does not have launch_hint");
  }
  gantry_image* const image = device.load();
  const gantry_launch how = one_thread({});
  const char* const hint =
      device.plugin().launch_hint(device.handle(), device.kernel(image, "check_nothing"), &how);
  require(hint == nullptr || std::string_view(hint).find('\n') == std::string_view::npos,
          "the hint has a line break: '{}'", hint == nullptr ? "" : hint);
  device.destroy(image);
  device.close();
}

void takes_function_maps(const Subject& subject) {
  const Device device(subject);
  if (device.plugin().set_function_map == nullptr) {
    skip("the plugin does not have set_function_map");
  }
  gantry_image* const image = device.load();
  gantry_kernel* const nothing = device.kernel(image, "check_nothing");
  for (const std::int64_t count : {3, 0, 1000, 1}) {
    auto table = std::make_unique<std::vector<__omp_offloading_fptr_map_ty>>();
    for (std::int64_t i = 0; i < count; ++i) {
      table->push_back({.host_ptr = 0x1000 + i * 16, .tgt_ptr = 0x2000 + i});
    }
    done(subject, device.plugin().set_function_map(device.handle(), table->data(), table->size()),
         "set_function_map");
    table.reset();
    device.launch(nothing, {});
  }
  device.destroy(image);
  device.close();
}

constexpr std::array kCases = {
    Case{"launches", "kernels of 1 to 33 parameters", passes_parameters},
    Case{"launches", "a kernel of 321 parameters", passes_many_parameters},
    Case{"launches", "a launch is done on return", is_done_on_return},
    Case{"launches", "eight threads launch at once", launches_from_threads},
    Case{"launches", "a grid runs whole or is refused", runs_grids},
    Case{"launches", "a hint is one line", hints},
    Case{"launches", "function tables are copied", takes_function_maps},
};

} // namespace

std::span<const Case> launch_cases() {
  return kCases;
}

} // namespace gantry::plugin_check
