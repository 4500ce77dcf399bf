// `queued`, a plugin for tests: devices that say of themselves what a GPU would, and run images of
// the host's machine. Each queue is a thread that works through what is put in. Memory is poisoned
// when it is allocated and freed, and the devices claim not to see the host's.
//
// Any call can be made to fail: with GANTRY_TEST_FAIL=N the Nth call from the start of the process
// of a function that can fail does, and its name is written to the file GANTRY_TEST_REPORT.
#include "queued.h"

#include "plugins/cpu/entries.h"
#include "plugins/last_error.h"

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

using namespace gantry::cpu;

namespace {

constexpr int kPoison = 0xa5;

/// Whether this call of `function` is the one that is to fail.
bool fails(const char* function) {
  static const char* const wanted = std::getenv("GANTRY_TEST_FAIL");
  static std::atomic<long> calls{0};
  if (wanted == nullptr || ++calls != std::strtol(wanted, nullptr, 10)) {
    return false;
  }
  if (const char* path = std::getenv("GANTRY_TEST_REPORT"); path != nullptr) {
    if (std::FILE* report = std::fopen(path, "a"); report != nullptr) {
      std::fprintf(report, "%s\n", function);
      std::fclose(report);
    }
  }
  gantry::plugins::set_error(GANTRY_FAILURE, std::string("injected failure of ") + function);
  return true;
}

/// The sizes of what is allocated, so that it can be poisoned when it is freed.
class Sizes {
public:
  void insert(void* memory, std::uint64_t size) {
    const std::lock_guard lock(mutex_);
    sizes_[memory] = size;
  }
  std::uint64_t remove(void* memory) {
    const std::lock_guard lock(mutex_);
    const auto node = sizes_.extract(memory);
    return node.empty() ? 0 : node.mapped();
  }

private:
  std::mutex mutex_;
  std::map<void*, std::uint64_t> sizes_;
};

Sizes& sizes() {
  static auto* const all = new Sizes; // kernels may run while the process ends
  return *all;
}

} // namespace

struct gantry_queue {
  using Work = std::function<std::int32_t()>;

  explicit gantry_queue(gantry_device* device) : device_(device), thread_([this] { work(); }) {}
  gantry_queue(const gantry_queue&) = delete;
  gantry_queue& operator=(const gantry_queue&) = delete;
  ~gantry_queue() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  [[nodiscard]] gantry_device* device() const { return device_; }

  void put(Work work) {
    {
      const std::lock_guard lock(mutex_);
      work_.push_back(std::move(work));
    }
    changed_.notify_all();
  }

  [[nodiscard]] bool is_done() {
    const std::lock_guard lock(mutex_);
    return work_.empty();
  }

  /// Waits, and answers the first failure since the last time.
  [[nodiscard]] std::int32_t outcome() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return work_.empty(); });
    return gantry::plugins::set_error(std::exchange(code_, GANTRY_SUCCESS), message_);
  }

private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ends_ || !work_.empty(); });
      if (work_.empty()) {
        return;
      }
      // What is at work stays in front, so that an empty list means that all is done.
      const Work now = std::move(work_.front());
      if (code_ == GANTRY_SUCCESS) {
        lock.unlock();
        const std::int32_t code = now();
        lock.lock();
        if (code != GANTRY_SUCCESS) {
          code_ = code;
          message_ = gantry::plugins::last_error();
        }
      }
      work_.pop_front();
      changed_.notify_all();
    }
  }

  gantry_device* device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> work_;
  bool ends_ = false;
  std::int32_t code_ = GANTRY_SUCCESS;
  std::string message_;
  std::thread thread_; ///< the last one: it uses the others
};

namespace {

gantry_status open_device(std::int32_t index, const gantry_device_settings* settings,
                          gantry_device** device) noexcept {
  return fails("open_device") ? GANTRY_FAILURE : entries::open_device(index, settings, device);
}

gantry_status get_properties(gantry_device* /*device*/,
                             gantry_device_properties* properties) noexcept {
  gantry::plugins::fill_in(properties, {.size = 0,
                                        .capabilities = GANTRY_CAPABILITY_QUEUES,
                                        .description = "this process, behind queues, for tests",
                                        .clock = nullptr});
  return GANTRY_SUCCESS;
}

gantry_status create_image(gantry_device* device, const void* bytes, std::size_t size,
                           const char* file, gantry_image** image) noexcept {
  return fails("create_image") ? GANTRY_FAILURE
                               : entries::create_image(device, bytes, size, file, image);
}

gantry_status load_image(gantry_image* image) noexcept {
  return fails("load_image") ? GANTRY_FAILURE : entries::load_image(image);
}

gantry_status allocate(gantry_device* device, const gantry_allocation* request,
                       void** device_address) noexcept {
  if (fails("allocate")) {
    return GANTRY_OUT_OF_MEMORY;
  }
  const gantry_status status = entries::allocate(device, request, device_address);
  if (status == GANTRY_SUCCESS) {
    std::memset(*device_address, kPoison, request->bytes);
    sizes().insert(*device_address, request->bytes);
  }
  return status;
}

gantry_status release(gantry_device* device, void* device_address) noexcept {
  std::memset(device_address, kPoison, sizes().remove(device_address));
  const gantry_status status = entries::release(device, device_address);
  return fails("release") ? GANTRY_FAILURE : status;
}

gantry_status copy_to_device(gantry_device* device, void* device_address, const void* host,
                             std::uint64_t bytes) noexcept {
  return fails("copy_to_device") ? GANTRY_FAILURE
                                 : entries::copy_to_device(device, device_address, host, bytes);
}

gantry_status copy_to_host(gantry_device* device, void* host, const void* device_address,
                           std::uint64_t bytes) noexcept {
  return fails("copy_to_host") ? GANTRY_FAILURE
                               : entries::copy_to_host(device, host, device_address, bytes);
}

gantry_status launch(gantry_device* device, gantry_kernel* kernel,
                     const gantry_launch* launch) noexcept {
  return fails("launch") ? GANTRY_FAILURE : entries::launch(device, kernel, launch);
}

gantry_status create_queue(gantry_device* device, gantry_queue** queue) noexcept {
  if (fails("create_queue")) {
    return GANTRY_FAILURE;
  }
  *queue = new gantry_queue(device);
  return GANTRY_SUCCESS;
}

gantry_status destroy_queue(gantry_queue* queue) noexcept {
  delete queue;
  return GANTRY_SUCCESS;
}

gantry_status queue_copy_to_device(gantry_queue* queue, void* device_address, const void* host,
                                   std::uint64_t bytes) noexcept {
  if (fails("queue_copy_to_device")) {
    return GANTRY_FAILURE;
  }
  queue->put([=] { return copy_to_device(queue->device(), device_address, host, bytes); });
  return GANTRY_SUCCESS;
}

gantry_status queue_copy_to_host(gantry_queue* queue, void* host, const void* device_address,
                                 std::uint64_t bytes) noexcept {
  if (fails("queue_copy_to_host")) {
    return GANTRY_FAILURE;
  }
  queue->put([=] { return copy_to_host(queue->device(), host, device_address, bytes); });
  return GANTRY_SUCCESS;
}

gantry_status queue_launch(gantry_queue* queue, gantry_kernel* kernel,
                           const gantry_launch* how) noexcept {
  if (fails("queue_launch")) {
    return GANTRY_FAILURE;
  }
  std::vector<void*> values(how->arguments, how->arguments + how->argument_count);
  queue->put([queue, kernel, values = std::move(values), copy = *how] {
    gantry_launch later = copy;
    later.arguments = values.data();
    return launch(queue->device(), kernel, &later);
  });
  return GANTRY_SUCCESS;
}

gantry_status synchronize_queue(gantry_queue* queue) noexcept {
  const gantry_status status = queue->outcome();
  return status == GANTRY_SUCCESS && fails("synchronize_queue") ? GANTRY_FAILURE : status;
}

gantry_status query_queue(gantry_queue* queue, std::int32_t* done) noexcept {
  *done = queue->is_done() ? 1 : 0;
  return *done != 0 ? queue->outcome() : GANTRY_SUCCESS;
}

} // namespace

const gantry_plugin& queued_plugin() {
  static const gantry_plugin plugin_behind_queues = [] {
    gantry_plugin table = plugin();
    table.launch_hint = nullptr;
    table.open_device = open_device;
    table.get_properties = get_properties;
    table.create_image = create_image;
    table.load_image = load_image;
    table.allocate = allocate;
    table.release = release;
    table.copy_to_device = copy_to_device;
    table.copy_to_host = copy_to_host;
    table.launch = launch;
    table.create_queue = create_queue;
    table.destroy_queue = destroy_queue;
    table.queue_copy_to_device = queue_copy_to_device;
    table.queue_copy_to_host = queue_copy_to_host;
    table.queue_launch = queue_launch;
    table.synchronize_queue = synchronize_queue;
    table.query_queue = query_queue;
    return table;
  }();
  return plugin_behind_queues;
}
