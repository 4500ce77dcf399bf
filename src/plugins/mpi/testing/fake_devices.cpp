#include "plugins/mpi/testing/fake_devices.h"

#include "plugins/last_error.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

struct gantry_device {
  std::map<void*, std::uint64_t> blocks;
  std::uint64_t used = 0;
  bool is_lost = false;
};
struct gantry_kernel {
  std::string name;
};
struct gantry_image {
  gantry_device* device;
  std::string text;
  std::deque<gantry_kernel> kernels;
  alignas(64) std::array<std::byte, 256> table = {};
};
struct gantry_queue {
  gantry_device* device;
  int queries = 0;
  gantry_status status = GANTRY_SUCCESS;
  std::string message;
  bool is_timed = false;
  std::vector<gantry_interval> times;
};

namespace gantry::mpi {

namespace {

using plugins::report;
using plugins::set_error;

gantry_status check(const gantry_device* device) {
  return device->is_lost ? set_error(GANTRY_DEVICE_LOST, "the kernel has ended the device")
                         : gantry_status{GANTRY_SUCCESS};
}

gantry_status launch(gantry_device* device, const gantry_kernel* kernel,
                     const gantry_launch& launch) {
  ++fake_devices().launches;
  if (fake_devices().at_launch) {
    fake_devices().at_launch();
  }
  if (kernel->name == "add") {
    *static_cast<int*>(launch.arguments[0]) +=
        static_cast<int>(reinterpret_cast<std::intptr_t>(launch.arguments[1]));
  } else if (kernel->name == "fail") {
    return set_error(GANTRY_FAILURE, "the kernel has failed");
  } else if (kernel->name == "end") {
    device->is_lost = true;
    return check(device);
  }
  return GANTRY_SUCCESS;
}

std::uint64_t time_there() {
  return fake_devices().clock ? fake_devices().clock() : 0;
}

/// What is put in has been done already, since `begin`.
gantry_status put(gantry_queue* queue, std::uint64_t begin, gantry_status status) {
  if (queue->is_timed) {
    queue->times.push_back(status == GANTRY_SUCCESS ? gantry_interval{begin, time_there()}
                                                    : gantry_interval{});
  }
  queue->queries = fake_devices().queries;
  if (queue->status == GANTRY_SUCCESS && status != GANTRY_SUCCESS) {
    queue->status = status;
    queue->message = plugins::last_error();
  }
  return GANTRY_SUCCESS;
}

gantry_plugin make_table() {
  gantry_plugin table = {};
  table.size = sizeof table;
  table.version = GANTRY_PLUGIN_VERSION;
  table.error_message = []() noexcept { return plugins::last_error(); };
  table.count_devices = [](std::int32_t* count) noexcept -> gantry_status {
    *count = fake_devices().devices;
    return GANTRY_SUCCESS;
  };
  table.accepts_image = [](const void* bytes, std::size_t size) noexcept -> std::int32_t {
    return std::string_view(static_cast<const char*>(bytes), size).starts_with("fake:") ? 1 : 0;
  };
  table.open_device = [](std::int32_t, const gantry_device_settings* settings,
                         gantry_device** device) noexcept -> gantry_status {
    if (std::string_view(settings->options) == "bad") {
      return set_error(GANTRY_INVALID_OPTION, "'bad' is not an option");
    }
    ++fake_devices().open;
    *device = new gantry_device;
    return GANTRY_SUCCESS;
  };
  table.close_device = [](gantry_device* device) noexcept -> gantry_status {
    --fake_devices().open;
    delete device;
    return GANTRY_SUCCESS;
  };
  table.get_properties = [](gantry_device*,
                            gantry_device_properties* properties) noexcept -> gantry_status {
    properties->capabilities = fake_devices().capabilities;
    properties->description = "a fake";
    properties->clock = fake_devices().clock ? "a fake's clock" : nullptr;
    return GANTRY_SUCCESS;
  };
  table.get_fault = [](gantry_device* device, gantry_fault* fault) noexcept -> gantry_status {
    if (!device->is_lost) {
      return set_error(GANTRY_NOT_FOUND, "there is none");
    }
    fault->kind = GANTRY_FAULT_ACCESS;
    fault->address = 0x1234;
    fault->kernel_name = "end";
    return GANTRY_SUCCESS;
  };
  table.set_function_map = [](gantry_device*, const __omp_offloading_fptr_map_ty*,
                              std::uint64_t count) noexcept -> gantry_status {
    fake_devices().functions = count;
    return GANTRY_SUCCESS;
  };
  table.create_image = [](gantry_device* device, const void* bytes, std::size_t size, const char*,
                          gantry_image** image) noexcept -> gantry_status {
    ++fake_devices().open;
    *image = new gantry_image{.device = device,
                              .text = std::string(static_cast<const char*>(bytes), size),
                              .kernels = {}};
    return GANTRY_SUCCESS;
  };
  table.load_image = [](gantry_image* image) noexcept -> gantry_status {
    return image->text.starts_with("fake:") ? gantry_status{GANTRY_SUCCESS}
                                            : set_error(GANTRY_FAILURE, "it is no image");
  };
  table.destroy_image = [](gantry_image* image) noexcept -> gantry_status {
    --fake_devices().open;
    delete image;
    return GANTRY_SUCCESS;
  };
  table.find_symbols = [](gantry_image* image, gantry_symbol* symbols,
                          std::size_t count) noexcept -> gantry_status {
    gantry_status result = GANTRY_SUCCESS;
    for (gantry_symbol& symbol : std::span(symbols, count)) {
      symbol.status = GANTRY_SUCCESS;
      const bool is_table = std::string_view(symbol.name) == "table";
      if (symbol.kind == GANTRY_SYMBOL_VARIABLE && is_table) {
        symbol.address = image->table.data();
        symbol.bytes = image->table.size();
      } else if (symbol.kind == GANTRY_SYMBOL_KERNEL &&
                 image->text.find(" " + std::string(symbol.name)) != std::string::npos) {
        symbol.kernel = &image->kernels.emplace_back(symbol.name);
      } else {
        symbol.status = result = report(GANTRY_NOT_FOUND, "there is no '{}'", symbol.name);
      }
    }
    return result;
  };
  table.allocate = [](gantry_device* device, const gantry_allocation* request,
                      void** address) noexcept -> gantry_status {
    if (request->bytes > fake_devices().memory - device->used ||
        posix_memalign(address, 64, request->bytes) != 0) {
      return set_error(GANTRY_OUT_OF_MEMORY, "there is no more");
    }
    ++fake_devices().open;
    device->used += request->bytes;
    fake_devices().last_block = *address;
    device->blocks[*address] = request->bytes;
    return GANTRY_SUCCESS;
  };
  table.release = [](gantry_device* device, void* address) noexcept -> gantry_status {
    const auto block = device->blocks.extract(address);
    if (block.empty()) {
      return set_error(GANTRY_FAILURE, "no block begins there");
    }
    --fake_devices().open;
    device->used -= block.mapped();
    std::free(address);
    return GANTRY_SUCCESS;
  };
  table.copy_to_device = [](gantry_device* device, void* to, const void* from,
                            std::uint64_t bytes) noexcept -> gantry_status {
    GANTRY_STATUS_TRY(check(device));
    std::memmove(to, from, bytes);
    return GANTRY_SUCCESS;
  };
  table.copy_to_host = [](gantry_device* device, void* to, const void* from,
                          std::uint64_t bytes) noexcept -> gantry_status {
    GANTRY_STATUS_TRY(check(device));
    std::memmove(to, from, bytes);
    return GANTRY_SUCCESS;
  };
  table.launch = [](gantry_device* device, gantry_kernel* kernel,
                    const gantry_launch* shape) noexcept -> gantry_status {
    GANTRY_STATUS_TRY(check(device));
    return launch(device, kernel, *shape);
  };
  table.create_queue = [](gantry_device* device, gantry_queue** queue) noexcept -> gantry_status {
    ++fake_devices().open;
    *queue = new gantry_queue{.device = device};
    return GANTRY_SUCCESS;
  };
  table.destroy_queue = [](gantry_queue* queue) noexcept -> gantry_status {
    --fake_devices().open;
    delete queue;
    return GANTRY_SUCCESS;
  };
  table.queue_copy_to_device = [](gantry_queue* queue, void* to, const void* from,
                                  std::uint64_t bytes) noexcept -> gantry_status {
    std::memmove(to, from, bytes);
    return put(queue, time_there(), check(queue->device));
  };
  table.queue_copy_to_host = [](gantry_queue* queue, void* to, const void* from,
                                std::uint64_t bytes) noexcept -> gantry_status {
    std::memmove(to, from, bytes);
    return put(queue, time_there(), check(queue->device));
  };
  table.queue_launch = [](gantry_queue* queue, gantry_kernel* kernel,
                          const gantry_launch* shape) noexcept -> gantry_status {
    const std::uint64_t begin = time_there();
    return put(queue, begin,
               queue->device->is_lost ? check(queue->device)
                                      : launch(queue->device, kernel, *shape));
  };
  table.record_times = [](gantry_queue* queue, std::int32_t on) noexcept -> gantry_status {
    fake_devices().recorded += on != 0 ? 1 : 0;
    queue->is_timed = on != 0;
    queue->times.clear();
    return GANTRY_SUCCESS;
  };
  table.read_times = [](gantry_queue* queue, gantry_interval* times, std::size_t capacity,
                        std::size_t* count) noexcept -> gantry_status {
    *count = queue->times.size();
    std::copy_n(queue->times.begin(), std::min(capacity, *count), times);
    queue->times.clear();
    return GANTRY_SUCCESS;
  };
  table.query_queue = [](gantry_queue* queue, std::int32_t* done) noexcept -> gantry_status {
    *done = queue->queries == 0 ? 1 : 0;
    queue->queries -= queue->queries == 0 ? 0 : 1;
    return *done == 0 || queue->status == GANTRY_SUCCESS
               ? gantry_status{GANTRY_SUCCESS}
               : set_error(std::exchange(queue->status, GANTRY_SUCCESS), queue->message);
  };
  table.synchronize_queue = [](gantry_queue*) noexcept -> gantry_status { std::abort(); };
  return table;
}

} // namespace

FakeDevices& fake_devices() {
  static FakeDevices devices;
  return devices;
}

Result<const gantry_plugin*> FakePlugins::find(std::string_view name) {
  static const gantry_plugin table = make_table();
  return name == "none" ? fail("'none' is not installed there")
                        : Result<const gantry_plugin*>(&table);
}

} // namespace gantry::mpi
