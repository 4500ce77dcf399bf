// Cases of plugin-check: the table, devices from open to close, messages.
#include "plugins/check/test.h"

#include <array>
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

namespace gantry::plugin_check {

namespace {

/// Opens the device with options that no device has.
void provoke(const char* options) {
  const gantry_device_settings settings = {
      .size = sizeof settings, .openmp_number = 3, .options = options};
  gantry_device* device = nullptr;
  refused(subject.plugin->open_device(subject.index, &settings, &device), {GANTRY_INVALID_OPTION},
          fmt::format("open_device with the options '{}'", options));
  require(device == nullptr, "open_device failed and gave a device");
}

/// The functions that are always required were looked for when the plugin was loaded.
void has_queue_functions() {
  const Device device;
  device.need(GANTRY_CAPABILITY_QUEUES, "the device has no queues");
#define GANTRY_HAS(function)                                                                       \
  require(subject.plugin->function != nullptr, "the device has queues, and the table lacks {}",    \
          #function);
  GANTRY_HAS(create_queue)
  GANTRY_HAS(destroy_queue)
  GANTRY_HAS(queue_copy_to_device)
  GANTRY_HAS(queue_copy_to_host)
  GANTRY_HAS(queue_launch)
  GANTRY_HAS(synchronize_queue)
  GANTRY_HAS(query_queue)
#undef GANTRY_HAS
}

void counts_devices() {
  std::int32_t first = -1;
  std::int32_t second = -1;
  GANTRY_DO(count_devices, &first);
  GANTRY_DO(count_devices, &second);
  require(first > 0, "count_devices succeeded and counted {}", first);
  require(first == second, "count_devices counted {}, and then {}", first, second);
}

void describes_devices() {
  const Device device;
  const gantry_device_properties properties = device.properties();
  require(properties.size == sizeof properties, "get_properties changed the size of the structure");
  require(properties.description != nullptr, "the description is null");
  const std::string_view description = properties.description;
  require(!description.empty() && description.find('\n') == std::string_view::npos,
          "the description is not one line of text: '{}'", description);
  constexpr std::uint32_t kKnown = (GANTRY_CAPABILITY_POSTED_COPIES << 1) - 1;
  require((properties.capabilities & ~kKnown) == 0, "unknown capabilities: {:#x}",
          properties.capabilities & ~kKnown);
  require(!device.can(GANTRY_CAPABILITY_SHARES_MEMORY) ||
              device.can(GANTRY_CAPABILITY_HOST_ACCESSIBLE),
          "the device shares the host's memory and cannot access it");
}

/// A structure of a runtime that is older than the plugin ends earlier.
void respects_sizes() {
  const Device device;
  constexpr unsigned char kUntouched = 0x5a;
  union {
    gantry_device_properties properties;
    std::array<unsigned char, sizeof(gantry_device_properties)> bytes;
  } shorter;
  shorter.bytes.fill(kUntouched);
  constexpr std::size_t kEnd = offsetof(gantry_device_properties, description);
  shorter.properties.size = kEnd;
  GANTRY_DO(get_properties, device.handle(), &shorter.properties);
  for (std::size_t i = kEnd; i < shorter.bytes.size(); ++i) {
    require(shorter.bytes[i] == kUntouched,
            "get_properties wrote behind the structure's size of {} bytes", kEnd);
  }
}

void opens_and_closes() {
  without_leaks(30, [&] {
    const Device device;
    const Memory memory(device, 1 << 20);
    device.set(memory.words(), 5);
  });
}

void opens_at_once() {
  on_threads([&](int thread) {
    const Device device;
    const Memory memory(device, 64);
    device.set(memory.words(), thread);
    require(device.get(memory.words()) == thread,
            "a device that is opened by {} threads is mixed up", kThreads);
  });
}

void closes_one_of_two() {
  auto first = std::make_unique<Device>();
  const Device second;
  const Memory memory(second, 64);
  second.set(memory.words(), 7);
  first.reset();
  require(second.get(memory.words()) == 7,
          "memory changed when the device's other handle was closed");
}

void refuses_options() {
  for (const char* const options : {"no-such-option", "+", "no=1+such=2"}) {
    provoke(options);
  }
}

void keeps_messages_apart() {
  require(subject.plugin->error_message() != nullptr,
          "error_message is null in a thread without an error");
  provoke("no-option-of-the-first");
  const std::string before = subject.plugin->error_message();
  require(!before.empty(), "the message is gone when it is asked for again");
  std::int32_t count = 0;
  GANTRY_DO(count_devices, &count);
  require(before == subject.plugin->error_message(),
          "the message is not valid until the next failing call: a call that succeeded changed it");
  std::thread([&] { provoke("no-option-of-the-second"); }).join();
  const std::string after = subject.plugin->error_message();
  require(before == after, "the message of a thread was changed by another thread's, to '{}'",
          after);
}

/// In a child of fork(): true if each call succeeds, or says why it does not.
bool is_served_or_refused(const Device& device, const std::int64_t* word) {
  const gantry_plugin& plugin = *subject.plugin;
  const auto said = [&](gantry_status status) {
    return status == GANTRY_SUCCESS || *plugin.error_message() != '\0';
  };
  std::int64_t value = 0;
  bool all = said(plugin.copy_to_host(device.handle(), &value, word, sizeof value));
  gantry_queue* queue = nullptr;
  if (device.can(GANTRY_CAPABILITY_QUEUES)) {
    const gantry_status made = plugin.create_queue(device.handle(), &queue);
    all = all && said(made);
    if (made == GANTRY_SUCCESS) {
      all = all && said(plugin.queue_copy_to_host(queue, &value, word, sizeof value)) &&
            said(plugin.synchronize_queue(queue));
    }
  }
  return all;
}

/// What happens after fork() is the plugin's choice, but it is neither a crash nor a hang.
void survives_fork() {
  const Device device;
  const Memory memory(device, 64);
  device.set(memory.words(), 1);
  const pid_t child = fork();
  if (child == 0) {
    constexpr unsigned kSeconds = 20;
    alarm(kSeconds);
    _exit(is_served_or_refused(device, memory.words()) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  require(!WIFSIGNALED(status), "a call in a child of fork() ended the child by signal {} ({})",
          WTERMSIG(status), strsignal(WTERMSIG(status)));
  require(WEXITSTATUS(status) == 0, "a call in a child of fork() failed without a message");
  require(device.get(memory.words()) == 1,
          "the child of a fork() changed the device of its parent");
}

/// The case returns with a device open and work in a queue, and the process exits.
void leaves_at_exit() {
  const Device& device = *new Device;
  const Image& image = *new Image(device);
  const auto arguments = words((new Memory(device, 64))->words(), 1000);
  gantry_kernel* const kernel = image.kernel("check_wait");
  device.launch(kernel, arguments);
  if (device.can(GANTRY_CAPABILITY_QUEUES)) {
    (new Queue(device))->put_launch(kernel, arguments);
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
