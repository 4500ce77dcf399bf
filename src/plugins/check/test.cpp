#include "plugins/check/test.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace gantry::plugin_check {

namespace {

constexpr int kFewRounds = 20;

/// What a process holds on to.
struct Holdings {
  std::size_t descriptors = 0;
  std::size_t threads = 0;
  std::size_t resident_bytes = 0; ///< without what files have: libraries may be loaded late
};

/// Of a process that does nothing more: threads that were told to end have done so, if they do.
Holdings holdings() {
  const auto count = [](const char* folder) {
    const std::filesystem::directory_iterator entries(folder);
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
  };
  // Until the number of threads stays as it is.
  std::size_t threads = 0;
  for (std::size_t now = 0, same = 0; same < 5; now = threads) {
    threads = count("/proc/self/task");
    same = threads == now ? same + 1 : 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::size_t resident = 0; // in KiB
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    for (const std::string_view field : {"RssAnon:", "RssShmem:"}) {
      if (line.starts_with(field)) {
        resident += std::strtoull(line.c_str() + field.size(), nullptr, 10);
      }
    }
  }
  return {
      .descriptors = count("/proc/self/fd"), .threads = threads, .resident_bytes = resident << 10};
}

} // namespace

std::string name_of(gantry_status status) {
  constexpr const char* kNames[] = {"GANTRY_SUCCESS",        "GANTRY_FAILURE",
                                    "GANTRY_OUT_OF_MEMORY",  "GANTRY_NOT_FOUND",
                                    "GANTRY_INVALID_OPTION", "GANTRY_DEVICE_LOST"};
  return status >= 0 && status < std::ssize(kNames) ? kNames[status]
                                                    : fmt::format("status {}", status);
}

void done(gantry_status status, std::string_view call) {
  require(status == GANTRY_SUCCESS, "{} returned {}: {}", call, name_of(status),
          subject.plugin->error_message());
}

void refused(gantry_status status, std::initializer_list<gantry_status> expected,
             std::string_view call) {
  std::vector<std::string> names(expected.size());
  std::ranges::transform(expected, names.begin(), name_of);
  require(std::ranges::find(expected, status) != expected.end(), "{} returned {}, expected {}",
          call, name_of(status), fmt::join(names, " or "));
  const char* const message = subject.plugin->error_message();
  require(message != nullptr, "error_message returned null after {} had failed", call);
  const std::string_view text = message;
  require(!text.empty(), "there is no message after {} had failed", call);
  require(text.find('\n') == std::string_view::npos, "the message of {} has a line break: '{}'",
          call, text);
}

void need_image() {
  if (subject.image.empty()) {
    skip("there is no image for the plugin; name one of kernels.c with --image");
  }
}

Device::Device() {
  const gantry_device_settings settings = {
      .size = sizeof settings, .openmp_number = 3, .options = subject.options.c_str()};
  GANTRY_DO(open_device, subject.index, &settings, &handle_);
  require(handle_ != nullptr, "open_device succeeded and gave no device");
}

Device::~Device() {
  GANTRY_DO(close_device, handle_);
}

gantry_device_properties Device::properties() const {
  gantry_device_properties properties = {.size = sizeof properties};
  GANTRY_DO(get_properties, handle_, &properties);
  return properties;
}

void Device::need(std::uint32_t capability, std::string_view reason) const {
  if (!can(capability)) {
    skip(reason);
  }
}

void Device::write(void* address, const void* host, std::uint64_t bytes) const {
  GANTRY_DO(copy_to_device, handle_, address, host, bytes);
}

void Device::read(void* host, const void* address, std::uint64_t bytes) const {
  GANTRY_DO(copy_to_host, handle_, host, address, bytes);
}

std::int64_t Device::get(const std::int64_t* address) const {
  std::int64_t value = -1;
  read(&value, address, sizeof value);
  return value;
}

void Device::launch(gantry_kernel* kernel, std::span<const std::uint64_t> arguments) const {
  const gantry_launch how = one_thread(arguments);
  GANTRY_DO(launch, handle_, kernel, &how);
}

Memory::Memory(const Device& device, std::uint64_t bytes) : device_(device) {
  const gantry_allocation request = request_of(bytes);
  GANTRY_DO(allocate, device.handle(), &request, &address_);
  require(address_ != nullptr, "allocate succeeded and gave a null address");
}

Memory::~Memory() {
  GANTRY_DO(release, device_.handle(), address_);
}

Image::Image(const Device& device, Load load, const char* file) {
  need_image();
  GANTRY_DO(create_image, device.handle(), subject.image.data(), subject.image.size(), file,
            &handle_);
  if (load == Load::kYes) {
    GANTRY_DO(load_image, handle_);
  }
}

Image::~Image() {
  GANTRY_DO(destroy_image, handle_);
}

gantry_kernel* Image::kernel(const char* name) const {
  gantry_symbol symbol = symbol_of(name, GANTRY_SYMBOL_KERNEL);
  GANTRY_DO(find_symbols, handle_, &symbol, 1);
  require(symbol.kernel != nullptr, "find_symbols found the kernel {} and gave none", name);
  return symbol.kernel;
}

std::int64_t* Image::variable(const char* name) const {
  gantry_symbol symbol = symbol_of(name, GANTRY_SYMBOL_VARIABLE);
  GANTRY_DO(find_symbols, handle_, &symbol, 1);
  require(symbol.bytes == 0 || symbol.bytes == sizeof(std::int64_t),
          "find_symbols says that the variable {} has {} bytes, and it has {}", name, symbol.bytes,
          sizeof(std::int64_t));
  return static_cast<std::int64_t*>(symbol.address);
}

Queue::Queue(const Device& device) {
  device.need(GANTRY_CAPABILITY_QUEUES, "the device has no queues");
  GANTRY_DO(create_queue, device.handle(), &handle_);
}

Queue::~Queue() {
  GANTRY_DO(destroy_queue, handle_);
}

void Queue::put_launch(gantry_kernel* kernel, std::span<const std::uint64_t> arguments) const {
  const gantry_launch how = one_thread(arguments);
  GANTRY_DO(queue_launch, handle_, kernel, &how);
}

void Queue::put_write(std::int64_t* address, const std::int64_t& value) const {
  GANTRY_DO(queue_copy_to_device, handle_, address, &value, sizeof value);
}

void Queue::put_read(std::int64_t& value, const std::int64_t* address) const {
  GANTRY_DO(queue_copy_to_host, handle_, &value, address, sizeof value);
}

void Queue::synchronize() const {
  GANTRY_DO(synchronize_queue, handle_);
}

gantry_allocation request_of(std::uint64_t bytes) {
  return {.size = sizeof(gantry_allocation), .bytes = bytes, .alignment = 64};
}

gantry_symbol symbol_of(const char* name, std::int32_t kind) {
  return {.name = name, .kind = kind, .status = -1};
}

gantry_launch one_thread(std::span<const std::uint64_t> arguments) {
  return {.size = sizeof(gantry_launch),
          .kind = GANTRY_LAUNCH_TARGET,
          .argument_count = static_cast<std::uint32_t>(arguments.size()),
          .arguments = reinterpret_cast<void* const*>(arguments.data()),
          .num_teams = {1},
          .thread_limit = {1}};
}

void without_leaks(int rounds, const std::function<void()>& round) {
  const auto repeat = [&](int times) {
    for (int i = 0; i < times; ++i) {
      round();
    }
    return holdings();
  };
  // Half of the rounds for what is made once, or kept up to some number.
  const Holdings before = repeat(rounds / 2);
  // What is lost makes each of three parts grow, a pool that has not its size yet one or two.
  // Memory that is freed may be kept from use for a while, so few rounds say less.
  const std::size_t slack = std::size_t{rounds < kFewRounds ? 16U : 2U} << 20;
  std::array<Holdings, 4> parts = {before};
  const int of_part = (rounds - rounds / 2) / 3;
  bool grows = true;
  for (int part = 1; part < 4; ++part) {
    parts[part] = repeat(of_part);
    grows = grows && parts[part].resident_bytes > parts[part - 1].resident_bytes + slack;
  }
  Holdings after = parts.back();
  const int all = rounds / 2 + 3 * of_part;
  // A pool may still grow; what is lost grows by one a round.
  const auto pool = static_cast<std::size_t>(std::max(kThreads, rounds / 4));
  // On a busy machine a pool makes more threads, and they end when they have been idle for a while.
  constexpr std::chrono::seconds kLongestIdle{10};
  for (const auto end = std::chrono::steady_clock::now() + kLongestIdle;
       after.threads > before.threads + pool && std::chrono::steady_clock::now() < end;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    after = holdings();
  }
  require(after.descriptors <= before.descriptors,
          "file descriptors are not given back: {} after {} rounds, {} after {}",
          before.descriptors, rounds / 2, after.descriptors, all);
  require(after.threads <= before.threads + pool,
          "threads are not ended: {} after {} rounds, {} after {}", before.threads, rounds / 2,
          after.threads, all);
  require(!grows, "memory is not given back: {} MiB after {} rounds, {} MiB after {}",
          before.resident_bytes >> 20, rounds / 2, after.resident_bytes >> 20, all);
}

} // namespace gantry::plugin_check
