// Cases of plugin-check: launches that are done on return.
#include "plugins/check/test.h"

#include <array>

namespace gantry::plugin_check {

namespace {

/// A device with an image and a word.
struct Setting {
  [[nodiscard]] std::int64_t run(const char* kernel,
                                 std::span<const std::uint64_t> arguments) const {
    device.launch(image.kernel(kernel), arguments);
    return device.get(result);
  }

  Device device;
  Image image{device};
  Memory memory{device, 2 * sizeof(std::int64_t)};
  std::int64_t* result = memory.words();
};

void passes_parameters() {
  const Setting at;
  for (std::uint64_t count = 0; count <= 32; ++count) {
    auto arguments = words(at.result);
    std::int64_t expected = 0;
    for (std::uint64_t i = 1; i <= count; ++i) {
      const std::uint64_t value = (std::uint64_t{1} << 40) + i * 1000;
      arguments.push_back(value);
      expected += static_cast<std::int64_t>(i * value);
    }
    const std::int64_t sum = at.run(fmt::format("check_sum_{:02o}", count).c_str(), arguments);
    require(sum == expected, "a kernel with {} parameters computed {}, expected {}", count + 1, sum,
            expected);
  }
}

void passes_many_parameters() {
  const Setting at;
  // The numbers of those parameters that are summed up, times 1, 2, 3 and so on.
  const std::vector<std::vector<std::int64_t>> kernels = {
      {0, 20, 39}, {0, 50, 99}, {0, 100, 199}, {0, 99, 100, 155, 299, 300, 319}};
  for (const std::vector<std::int64_t>& summed : kernels) {
    const std::int64_t count = summed.back() + 1;
    auto arguments = words(at.result);
    for (std::int64_t i = 0; i < count; ++i) {
      arguments.push_back(static_cast<std::uint64_t>(i * i));
    }
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < summed.size(); ++i) {
      expected += static_cast<std::int64_t>(i + 1) * summed[i] * summed[i];
    }
    const std::int64_t sum = at.run(fmt::format("check_sum_of_{}", count).c_str(), arguments);
    require(sum == expected, "a kernel with {} parameters computed {}, expected {}", count + 1, sum,
            expected);
  }
}

/// Every thread writes the same.
void chooses_teams() {
  const Setting at;
  const auto arguments = words(at.result, at.result + 1, 5);
  gantry_kernel* const step = at.image.kernel("check_step");
  const auto launches = [&](const char* function, const auto& launch) {
    for (const std::uint32_t kind : {GANTRY_LAUNCH_TARGET, GANTRY_LAUNCH_TEAMS}) {
      for (const std::uint32_t limit : {0U, 1U}) {
        at.device.set(at.result, -1);
        at.device.set(at.result + 1, 100);
        gantry_launch how = one_thread(arguments);
        how.kind = kind;
        how.num_teams[0] = kind == GANTRY_LAUNCH_TARGET ? 1 : 0;
        how.thread_limit[0] = limit;
        launch(how);
        require(at.device.get(at.result) == 305,
                "{} with the device's choice of teams or threads did not run the kernel", function);
      }
    }
  };
  launches("launch",
           [&](const gantry_launch& how) { GANTRY_DO(launch, at.device.handle(), step, &how); });
  if (at.device.can(GANTRY_CAPABILITY_QUEUES)) {
    const Queue queue(at.device);
    launches("queue_launch", [&](const gantry_launch& how) {
      GANTRY_DO(queue_launch, queue.handle(), step, &how);
      queue.synchronize();
    });
  }
}

/// Where the device says that it can, or that it can from now on.
void uses_host_memory() {
  const Setting at;
  if (!at.device.can(GANTRY_CAPABILITY_HOST_ACCESSIBLE)) {
    GANTRY_NEED(use_host_memory)
    const gantry_status status = subject.plugin->use_host_memory(at.device.handle());
    if (status != GANTRY_SUCCESS) {
      refused(status, {GANTRY_FAILURE}, "use_host_memory");
      skip("the device cannot use the host's memory");
    }
    require(at.device.can(GANTRY_CAPABILITY_HOST_ACCESSIBLE),
            "use_host_memory succeeded, and the device does not have "
            "GANTRY_CAPABILITY_HOST_ACCESSIBLE");
  }
  std::array<std::int64_t, 2> host = {0, 7};
  at.device.launch(at.image.kernel("check_step"), words(host.data(), host.data() + 1, 1));
  require(host[0] == 22, "a kernel did not write the host's memory");
}

void is_done_on_return() {
  const Setting at;
  for (std::int64_t steps = 100'000; steps < 100'020; ++steps) {
    require(at.run("check_wait", words(at.result, steps)) == steps,
            "launch returned before the kernel was done");
  }
}

void launches_from_threads() {
  const Device device;
  const Image image(device);
  gantry_kernel* const step = image.kernel("check_step");
  on_threads([&](int thread) {
    const Memory memory(device, 2 * sizeof(std::int64_t));
    std::int64_t* const input = memory.words();
    std::int64_t value = thread;
    for (int round = 0; round < 200; ++round) {
      device.set(input, value);
      device.launch(step, words(input + 1, input, round));
      const std::int64_t expected = value * 3 + round;
      value = device.get(input + 1);
      require(value == expected, "launches that {} threads make at once mix their arguments",
              kThreads);
      value %= 1000;
    }
  });
}

/// A grid of three dimensions runs whole, or not at all and says so.
void runs_grids() {
  const Setting at;
  const auto arguments = words(at.result);
  gantry_kernel* const count = at.image.kernel("check_count");
  const auto run = [&](std::array<std::uint32_t, 3> teams, std::array<std::uint32_t, 3> threads) {
    at.device.set(at.result, 0);
    gantry_launch how = one_thread(arguments);
    how.kind = GANTRY_LAUNCH_TEAMS;
    std::copy(teams.begin(), teams.end(), how.num_teams);
    std::copy(threads.begin(), threads.end(), how.thread_limit);
    const gantry_status status = subject.plugin->launch(at.device.handle(), count, &how);
    const std::int64_t ran = at.device.get(at.result);
    const std::int64_t expected =
        std::int64_t{teams[0]} * teams[1] * teams[2] * threads[0] * threads[1] * threads[2];
    if (status == GANTRY_SUCCESS) {
      require(ran == expected,
              "{} threads ran of a grid of ({}, {}, {}) teams of ({}, {}, {}) threads", ran,
              teams[0], teams[1], teams[2], threads[0], threads[1], threads[2]);
    } else {
      refused(status, {GANTRY_FAILURE}, "launch of a grid");
      require(ran == 0, "a launch that was refused ran {} threads", ran);
    }
  };
  run({2, 3, 1}, {4, 5, 1});
  run({1, 1, 2}, {1, 1, 3});
}

void hints() {
  GANTRY_NEED(launch_hint)
  const Device device;
  const Image image(device);
  const gantry_launch how = one_thread({});
  const char* const hint =
      subject.plugin->launch_hint(device.handle(), image.kernel("check_nothing"), &how);
  require(hint == nullptr || std::string_view(hint).find('\n') == std::string_view::npos,
          "the hint has a line break: '{}'", hint == nullptr ? "" : hint);
}

void takes_function_maps() {
  GANTRY_NEED(set_function_map)
  const Device device;
  const Image image(device);
  gantry_kernel* const nothing = image.kernel("check_nothing");
  for (const std::int64_t count : {3, 0, 1000, 1}) {
    {
      std::vector<__omp_offloading_fptr_map_ty> table;
      for (std::int64_t i = 0; i < count; ++i) {
        table.push_back({.host_ptr = 0x1000 + i * 16, .tgt_ptr = 0x2000 + i});
      }
      GANTRY_DO(set_function_map, device.handle(), table.data(), table.size());
    }
    device.launch(nothing, {});
  }
}

constexpr std::array kCases = {
    Case{"launches", "kernels of 1 to 33 parameters", passes_parameters},
    Case{"launches", "kernels of 41 to 321 parameters", passes_many_parameters},
    Case{"launches", "the device chooses teams and threads", chooses_teams},
    Case{"launches", "kernels use the host's memory", uses_host_memory},
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
