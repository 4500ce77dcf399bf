// Cases of plugin-check: the table, devices from open to close, messages.
#include "plugins/check/test.h"

#include <array>
#include <atomic>
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

namespace gantry::plugin_check {

namespace {

gantry_device_settings settings_with(const char* options) {
  return {.size = sizeof(gantry_device_settings),
          .openmp_number = 3,
          .options = options,
          .time_limit = 0,
          .check_memory = 0,
          .processors = nullptr,
          .processor_words = 0,
          .function_check = nullptr};
}

/// The functions that are always required were looked for when the plugin was loaded.
void has_queue_functions(const Subject& subject) {
  const Device device(subject);
  if (!device.can(GANTRY_CAPABILITY_QUEUES)) {
    skip("the device has no queues");
  }
  const gantry_plugin& plugin = *subject.plugin;
#define GANTRY_HAS(function)                                                                       \
  require(plugin.function != nullptr, "the device has queues, and the table lacks {}", #function);
  GANTRY_HAS(create_queue)
  GANTRY_HAS(destroy_queue)
  GANTRY_HAS(queue_copy_to_device)
  GANTRY_HAS(queue_copy_to_host)
  GANTRY_HAS(queue_launch)
  GANTRY_HAS(synchronize_queue)
  GANTRY_HAS(query_queue)
#undef GANTRY_HAS
  device.close();
}

void counts_devices(const Subject& subject) {
  std::int32_t first = -1;
  std::int32_t second = -1;
  done(subject, subject.plugin->count_devices(&first), "count_devices");
  done(subject, subject.plugin->count_devices(&second), "count_devices");
  require(first > 0, "count_devices succeeded and counted {}", first);
  require(first == second, "count_devices counted {}, and then {}", first, second);
}

void describes_devices(const Subject& subject) {
  const Device device(subject);
  gantry_device_properties properties = {.size = sizeof properties};
  done(subject, device.plugin().get_properties(device.handle(), &properties), "get_properties");
  require(properties.size == sizeof properties, "get_properties changed the size of the structure");
  require(properties.description != nullptr, "the description is null");
  const std::string_view description = properties.description;
  require(!description.empty() && description.find('\n') == std::string_view::npos,
          "the description is not one line of text: '{}'", description);
  constexpr std::uint32_t kKnown = (GANTRY_CAPABILITY_CHOSEN_ADDRESS << 1) - 1;
  require((properties.capabilities & ~kKnown) == 0, "unknown capabilities: {:#x}",
          properties.capabilities & ~kKnown);
  constexpr std::uint32_t kShares = GANTRY_CAPABILITY_SHARES_MEMORY;
  require((properties.capabilities & kShares) == 0 ||
              (properties.capabilities & GANTRY_CAPABILITY_HOST_ACCESSIBLE) != 0,
          "the device shares the host's memory and cannot access it");
  device.close();
}

/// A structure of a runtime that is older than the plugin ends earlier.
void respects_sizes(const Subject& subject) {
  const Device device(subject);
  constexpr unsigned char kUntouched = 0x5a;
  union {
    gantry_device_properties properties;
    std::array<unsigned char, sizeof(gantry_device_properties)> bytes;
  } shorter;
  shorter.bytes.fill(kUntouched);
  constexpr std::size_t kEnd = offsetof(gantry_device_properties, description);
  shorter.properties.size = kEnd;
  done(subject, device.plugin().get_properties(device.handle(), &shorter.properties),
       "get_properties");
  for (std::size_t i = kEnd; i < shorter.bytes.size(); ++i) {
    require(shorter.bytes[i] == kUntouched,
            "get_properties wrote behind the structure's size of {} bytes", kEnd);
  }
  device.close();
}

void opens_and_closes(const Subject& subject) {
  without_leaks(20, [&] {
    const Device device(subject);
    std::int64_t* const memory = device.allocate(1 << 20);
    device.set(memory, 5);
    device.release(memory);
    device.close();
  });
}

void opens_at_once(const Subject& subject) {
  on_threads([&](int thread) {
    const Device device(subject);
    std::int64_t* const memory = device.allocate(64);
    device.set(memory, thread);
    require(device.get(memory) == thread, "a device that is opened by {} threads is mixed up",
            kThreads);
    device.release(memory);
    device.close();
  });
}

void closes_one_of_two(const Subject& subject) {
  const Device first(subject);
  const Device second(subject);
  std::int64_t* const memory = second.allocate(64);
  second.set(memory, 7);
  first.close();
  require(second.get(memory) == 7, "memory changed when the device's other handle was closed");
  second.release(memory);
  second.close();
}

void refuses_options(const Subject& subject) {
  for (const char* const options : {"no-such-option", "+", "no=1+such=2"}) {
    const gantry_device_settings settings = settings_with(options);
    gantry_device* device = nullptr;
    refused(subject, subject.plugin->open_device(subject.index, &settings, &device),
            {GANTRY_INVALID_OPTION}, fmt::format("open_device with the options '{}'", options));
    require(device == nullptr, "open_device failed and gave a device");
  }
}

void keeps_messages_apart(const Subject& subject) {
  const auto provoke = [&](const char* options) {
    const gantry_device_settings settings = settings_with(options);
    gantry_device* device = nullptr;
    refused(subject, subject.plugin->open_device(subject.index, &settings, &device),
            {GANTRY_INVALID_OPTION}, "open_device");
  };
  require(subject.plugin->error_message() != nullptr,
          "error_message is null in a thread without an error");
  provoke("no-option-of-the-first");
  const std::string before = subject.plugin->error_message();
  std::thread([&] { provoke("no-option-of-the-second"); }).join();
  const std::string after = subject.plugin->error_message();
  require(before == after, "the message of a thread was changed by another thread's, to '{}'",
          after);
}

/// What happens after fork() is the plugin's choice, but it is neither a crash nor a hang.
void survives_fork(const Subject& subject) {
  const Device device(subject);
  std::int64_t* const memory = device.allocate(64);
  device.set(memory, 1);
  const pid_t child = fork();
  if (child == 0) {
    constexpr unsigned kSeconds = 20;
    alarm(kSeconds);
    std::int64_t value = 0;
    const gantry_status status =
        device.plugin().copy_to_host(device.handle(), &value, memory, sizeof value);
    const bool said = status == GANTRY_SUCCESS || *device.plugin().error_message() != '\0';
    _exit(said ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  require(!WIFSIGNALED(status), "a call in a child of fork() ended the child by signal {} ({})",
          WTERMSIG(status), strsignal(WTERMSIG(status)));
  require(WEXITSTATUS(status) == 0, "a call in a child of fork() failed without a message");
  require(device.get(memory) == 1, "the child of a fork() changed the device of its parent");
  device.release(memory);
  device.close();
}

/// The case returns with a device open and work in a queue, and the process exits.
void leaves_at_exit(const Subject& subject) {
  const Device device(subject);
  gantry_image* const image = device.load();
  std::int64_t* const memory = device.allocate(64);
  gantry_kernel* const kernel = device.kernel(image, "check_wait");
  const auto arguments = words(memory, 1000);
  device.launch(kernel, arguments);
  if (device.can(GANTRY_CAPABILITY_QUEUES)) {
    device.put_launch(device.create_queue(), kernel, arguments);
  }
}

constexpr std::array kCases = {
    Case{"lifecycle", "a device with queues has their functions", has_queue_functions},
    Case{"lifecycle", "devices are counted, the same each time", counts_devices},
    Case{"lifecycle", "a device describes itself", describes_devices},
    Case{"lifecycle", "structures are filled in up to their size", respects_sizes},
    Case{"lifecycle", "a closed device leaves nothing behind", opens_and_closes},
    Case{"lifecycle", "eight threads open a device at once", opens_at_once},
    Case{"lifecycle", "closing a device leaves other handles alone", closes_one_of_two},
    Case{"lifecycle", "a process may exit with devices open", leaves_at_exit},
    Case{"lifecycle", "a child of fork() is served or refused", survives_fork},
    Case{"messages", "unknown options are refused with a message", refuses_options},
    Case{"messages", "each thread has its own message", keeps_messages_apart},
};

} // namespace

std::span<const Case> lifecycle_cases() {
  return kCases;
}

} // namespace gantry::plugin_check
