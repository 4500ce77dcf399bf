#include "plugins/check/test.h"

#include "plugins/check/suite.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

namespace gantry::plugin_check {

std::string name_of(gantry_status status) {
  switch (status) {
  case GANTRY_SUCCESS:
    return "GANTRY_SUCCESS";
  case GANTRY_FAILURE:
    return "GANTRY_FAILURE";
  case GANTRY_OUT_OF_MEMORY:
    return "GANTRY_OUT_OF_MEMORY";
  case GANTRY_NOT_FOUND:
    return "GANTRY_NOT_FOUND";
  case GANTRY_INVALID_OPTION:
    return "GANTRY_INVALID_OPTION";
  case GANTRY_DEVICE_LOST:
    return "GANTRY_DEVICE_LOST";
  default:
    return fmt::format("status {}", status);
  }
}

void done(const Subject& subject, gantry_status status, std::string_view call) {
  require(status == GANTRY_SUCCESS, "{} returned {}: {}", call, name_of(status),
          subject.plugin->error_message());
}

void refused(const Subject& subject, gantry_status status,
             std::initializer_list<gantry_status> expected, std::string_view call) {
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

Device::Device(const Subject& subject) : subject_(&subject) {
  const gantry_device_settings settings = {.size = sizeof settings,
                                           .openmp_number = 3,
                                           .options = subject.options.c_str(),
                                           .time_limit = 0,
                                           .check_memory = 0,
                                           .processors = nullptr,
                                           .processor_words = 0,
                                           .function_check = nullptr};
  done(subject, plugin().open_device(subject.index, &settings, &handle_), "open_device");
  require(handle_ != nullptr, "open_device succeeded and gave no device");
}

std::uint32_t Device::capabilities() const {
  gantry_device_properties properties = {.size = sizeof properties};
  done(*subject_, plugin().get_properties(handle_, &properties), "get_properties");
  return properties.capabilities;
}

void Device::close() const {
  done(*subject_, plugin().close_device(handle_), "close_device");
}

std::int64_t* Device::allocate(std::uint64_t bytes) const {
  const gantry_allocation request = {
      .size = sizeof request, .bytes = bytes, .alignment = 64, .offset = 0, .address = 0};
  void* address = nullptr;
  done(*subject_, plugin().allocate(handle_, &request, &address), "allocate");
  require(address != nullptr, "allocate succeeded and gave a null address");
  return static_cast<std::int64_t*>(address);
}

void Device::release(void* address) const {
  done(*subject_, plugin().release(handle_, address), "release");
}

void Device::write(void* address, const void* host, std::uint64_t bytes) const {
  done(*subject_, plugin().copy_to_device(handle_, address, host, bytes), "copy_to_device");
}

void Device::read(void* host, const void* address, std::uint64_t bytes) const {
  done(*subject_, plugin().copy_to_host(handle_, host, address, bytes), "copy_to_host");
}

std::int64_t Device::get(const std::int64_t* address) const {
  std::int64_t value = -1;
  read(&value, address, sizeof value);
  return value;
}

gantry_image* Device::load() const {
  if (subject_->image.empty()) {
    skip("there is no image for the plugin; name one of kernels.c with --image");
  }
  gantry_image* image = nullptr;
  done(*subject_,
       plugin().create_image(handle_, subject_->image.data(), subject_->image.size(), nullptr,
                             &image),
       "create_image");
  done(*subject_, plugin().load_image(image), "load_image");
  return image;
}

void Device::destroy(gantry_image* image) const {
  done(*subject_, plugin().destroy_image(image), "destroy_image");
}

gantry_kernel* Device::kernel(gantry_image* image, const char* name) const {
  gantry_symbol symbol = {.size = sizeof symbol, .name = name, .kind = GANTRY_SYMBOL_KERNEL};
  done(*subject_, plugin().find_symbols(image, &symbol, 1), "find_symbols");
  require(symbol.kernel != nullptr, "find_symbols found the kernel {} and gave none", name);
  return symbol.kernel;
}

std::int64_t* Device::variable(gantry_image* image, const char* name) const {
  gantry_symbol symbol = {.size = sizeof symbol, .name = name, .kind = GANTRY_SYMBOL_VARIABLE};
  done(*subject_, plugin().find_symbols(image, &symbol, 1), "find_symbols");
  require(symbol.bytes == 0 || symbol.bytes == sizeof(std::int64_t),
          "find_symbols says that the variable {} has {} bytes, and it has {}", name, symbol.bytes,
          sizeof(std::int64_t));
  return static_cast<std::int64_t*>(symbol.address);
}

gantry_launch one_thread(std::span<const std::uint64_t> arguments) {
  gantry_launch launch = {};
  launch.size = sizeof launch;
  launch.kind = GANTRY_LAUNCH_TARGET;
  launch.argument_count = static_cast<std::uint32_t>(arguments.size());
  launch.arguments = reinterpret_cast<void* const*>(arguments.data());
  launch.num_teams[0] = 1;
  launch.thread_limit[0] = 1;
  return launch;
}

void Device::launch(gantry_kernel* kernel, std::span<const std::uint64_t> arguments) const {
  const gantry_launch how = one_thread(arguments);
  done(*subject_, plugin().launch(handle_, kernel, &how), "launch");
}

gantry_queue* Device::create_queue() const {
  if (!can(GANTRY_CAPABILITY_QUEUES)) {
    skip("the device has no queues");
  }
  gantry_queue* queue = nullptr;
  done(*subject_, plugin().create_queue(handle_, &queue), "create_queue");
  return queue;
}

void Device::destroy_queue(gantry_queue* queue) const {
  done(*subject_, plugin().destroy_queue(queue), "destroy_queue");
}

void Device::put_launch(gantry_queue* queue, gantry_kernel* kernel,
                        std::span<const std::uint64_t> arguments) const {
  const gantry_launch how = one_thread(arguments);
  done(*subject_, plugin().queue_launch(queue, kernel, &how), "queue_launch");
}

void Device::synchronize(gantry_queue* queue) const {
  done(*subject_, plugin().synchronize_queue(queue), "synchronize_queue");
}

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
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0;
  std::size_t resident = 0;
  statm >> size >> resident;
  return {.descriptors = count("/proc/self/fd"),
          .threads = threads,
          .resident_bytes = resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE))};
}

} // namespace gantry::plugin_check
