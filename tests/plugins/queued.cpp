// `queued`, a plugin for tests: devices that say of themselves what a GPU would, and run images of
// the host's machine. Each queue is a thread that works through what is put in. Memory is poisoned
// when it is allocated and freed, and the devices claim not to see the host's.
//
// Any call can be made to fail: with GANTRY_TEST_FAIL=N the Nth call from the start of the process
// of a function that can fail does, and its name is written to the file GANTRY_TEST_REPORT.
#include <gantry/plugin.h>

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

extern "C" {
decltype(__tgt_rtl_api_version) cpu_api_version;
decltype(__tgt_rtl_error_message) cpu_error_message;
decltype(__tgt_rtl_init_device) cpu_init_device;
decltype(__tgt_rtl_is_valid_binary) cpu_is_valid_binary;
decltype(__tgt_rtl_create_image) cpu_create_image;
decltype(__tgt_rtl_load_image) cpu_load_image;
decltype(__tgt_rtl_destroy_image) cpu_destroy_image;
decltype(__tgt_rtl_find_kernel) cpu_find_kernel;
decltype(__tgt_rtl_find_variable) cpu_find_variable;
decltype(__tgt_rtl_data_alloc) cpu_data_alloc;
decltype(__tgt_rtl_data_delete) cpu_data_delete;
decltype(__tgt_rtl_data_submit) cpu_data_submit;
decltype(__tgt_rtl_data_retrieve) cpu_data_retrieve;
decltype(__tgt_rtl_launch_kernel) cpu_launch_kernel;
decltype(__tgt_rtl_set_function_ptr_map) cpu_set_function_ptr_map;
decltype(__tgt_rtl_set_function_ptr_check) cpu_set_function_ptr_check;
}

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

  gantry_queue() : thread_([this] { work(); }) {}
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
          message_ = cpu_error_message();
        }
      }
      work_.pop_front();
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> work_;
  bool ends_ = false;
  std::int32_t code_ = GANTRY_SUCCESS;
  std::string message_;
  std::thread thread_; ///< the last one: it uses the others
};

extern "C" {

int32_t __tgt_rtl_api_version(void) noexcept {
  return cpu_api_version();
}

const char* __tgt_rtl_error_message(void) noexcept {
  return cpu_error_message();
}

int32_t __tgt_rtl_number_of_devices(void) noexcept {
  return 1;
}

int32_t __tgt_rtl_init_device(int32_t device, int32_t openmp_number, const char* options) noexcept {
  return fails("init_device") ? GANTRY_FAILURE : cpu_init_device(device, openmp_number, options);
}

uint32_t __tgt_rtl_capabilities(int32_t /*device*/) noexcept {
  return GANTRY_CAPABILITY_QUEUES;
}

const char* __tgt_rtl_device_description(int32_t /*device*/) noexcept {
  return "this process, behind queues, for tests";
}

int32_t __tgt_rtl_is_valid_binary(const void* bytes, size_t size) noexcept {
  return cpu_is_valid_binary(bytes, size);
}

int32_t __tgt_rtl_create_image(int32_t device, const void* bytes, size_t size, const char* file,
                               gantry_image** image) noexcept {
  return fails("create_image") ? GANTRY_FAILURE
                               : cpu_create_image(device, bytes, size, file, image);
}

int32_t __tgt_rtl_load_image(gantry_image* image) noexcept {
  return fails("load_image") ? GANTRY_FAILURE : cpu_load_image(image);
}

void __tgt_rtl_destroy_image(gantry_image* image) noexcept {
  cpu_destroy_image(image);
}

int32_t __tgt_rtl_find_kernel(gantry_image* image, const char* name,
                              gantry_kernel** kernel) noexcept {
  return cpu_find_kernel(image, name, kernel);
}

int32_t __tgt_rtl_find_variable(gantry_image* image, const char* name, void** device_address,
                                uint64_t* size) noexcept {
  return cpu_find_variable(image, name, device_address, size);
}

int32_t __tgt_rtl_data_alloc(int32_t device, uint64_t size, void** device_address) noexcept {
  if (fails("data_alloc")) {
    return GANTRY_OUT_OF_MEMORY;
  }
  const int32_t code = cpu_data_alloc(device, size, device_address);
  if (code == GANTRY_SUCCESS) {
    memset(*device_address, kPoison, size);
    sizes().insert(*device_address, size);
  }
  return code;
}

int32_t __tgt_rtl_data_delete(int32_t device, void* device_address) noexcept {
  memset(device_address, kPoison, sizes().remove(device_address));
  const int32_t code = cpu_data_delete(device, device_address);
  return fails("data_delete") ? GANTRY_FAILURE : code;
}

int32_t __tgt_rtl_data_submit(int32_t device, void* device_address, const void* host,
                              uint64_t size) noexcept {
  return fails("data_submit") ? GANTRY_FAILURE
                              : cpu_data_submit(device, device_address, host, size);
}

int32_t __tgt_rtl_data_retrieve(int32_t device, void* host, const void* device_address,
                                uint64_t size) noexcept {
  return fails("data_retrieve") ? GANTRY_FAILURE
                                : cpu_data_retrieve(device, host, device_address, size);
}

int32_t __tgt_rtl_launch_kernel(int32_t device, gantry_kernel* kernel,
                                const gantry_launch* launch) noexcept {
  return fails("launch_kernel") ? GANTRY_FAILURE : cpu_launch_kernel(device, kernel, launch);
}

int32_t __tgt_rtl_create_queue(int32_t /*device*/, gantry_queue** queue) noexcept {
  if (fails("create_queue")) {
    return GANTRY_FAILURE;
  }
  *queue = new gantry_queue;
  return GANTRY_SUCCESS;
}

void __tgt_rtl_destroy_queue(gantry_queue* queue) noexcept {
  delete queue;
}

int32_t __tgt_rtl_data_submit_async(gantry_queue* queue, void* device_address, const void* host,
                                    uint64_t size) noexcept {
  if (fails("data_submit_async")) {
    return GANTRY_FAILURE;
  }
  queue->put([=] { return __tgt_rtl_data_submit(0, device_address, host, size); });
  return GANTRY_SUCCESS;
}

int32_t __tgt_rtl_data_retrieve_async(gantry_queue* queue, void* host, const void* device_address,
                                      uint64_t size) noexcept {
  if (fails("data_retrieve_async")) {
    return GANTRY_FAILURE;
  }
  queue->put([=] { return __tgt_rtl_data_retrieve(0, host, device_address, size); });
  return GANTRY_SUCCESS;
}

int32_t __tgt_rtl_launch_kernel_async(gantry_queue* queue, gantry_kernel* kernel,
                                      const gantry_launch* launch) noexcept {
  if (fails("launch_kernel_async")) {
    return GANTRY_FAILURE;
  }
  std::vector<void*> values(launch->arguments, launch->arguments + launch->argument_count);
  queue->put([kernel, values = std::move(values), copy = *launch] {
    gantry_launch later = copy;
    later.arguments = values.data();
    return __tgt_rtl_launch_kernel(0, kernel, &later);
  });
  return GANTRY_SUCCESS;
}

int32_t __tgt_rtl_synchronize_queue(gantry_queue* queue) noexcept {
  const int32_t code = queue->outcome();
  return code == GANTRY_SUCCESS && fails("synchronize_queue") ? GANTRY_FAILURE : code;
}

int32_t __tgt_rtl_query_queue(gantry_queue* queue, int32_t* done) noexcept {
  *done = queue->is_done() ? 1 : 0;
  return *done != 0 ? queue->outcome() : GANTRY_SUCCESS;
}

void __tgt_rtl_set_function_ptr_map(int32_t device_id, uint64_t table_size,
                                    __omp_offloading_fptr_map_ty* table_host_ptr) noexcept {
  cpu_set_function_ptr_map(device_id, table_size, table_host_ptr);
}

void __tgt_rtl_set_function_ptr_check(int32_t device, gantry_function_check* check) noexcept {
  cpu_set_function_ptr_check(device, check);
}

} // extern "C"
