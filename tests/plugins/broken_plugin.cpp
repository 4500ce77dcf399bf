// `broken`, a plugin for the tests of plugin-check: `queued` with a lost state, and with the one
// defect that GANTRY_TEST_DEFECT names. Without one it keeps to the contract. `founding_design` is
// no defect: the plugin then takes the table of functions as Clang's design of declare target
// indirect has it.
#include "queued.h"

#include "plugins/entry.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace {

using gantry::plugins::set_error;

const gantry_plugin& base() {
  return queued_plugin();
}

bool has(std::string_view defect) {
  static const char* const named = std::getenv("GANTRY_TEST_DEFECT");
  return named != nullptr && named == defect;
}

// The fault: the kernel check_fault ends the device. One device is enough for that.

std::atomic<bool> lost{false};
std::atomic<const gantry_kernel*> fault_kernel{nullptr};

/// GANTRY_SUCCESS unless the device is lost.
gantry_status alive() {
  if (!lost || (has("revives") && lost.exchange(false))) {
    return GANTRY_SUCCESS;
  }
  return set_error(GANTRY_DEVICE_LOST, "the device is lost: a kernel wrote to address 0x18");
}

gantry_status get_fault(gantry_device* /*device*/, gantry_fault* fault) noexcept {
  if (!lost) {
    return set_error(GANTRY_NOT_FOUND, "the device is not lost");
  }
  gantry_fault known = {};
  known.kind = has("no_cause") ? GANTRY_FAULT_ABORT : GANTRY_FAULT_ACCESS;
  known.access = GANTRY_FAULT_ACCESS_WRITE;
  known.address = 0x18;
  known.address_known = 1;
  known.kernel = fault_kernel;
  known.kernel_name = "check_fault";
  gantry::plugins::fill_in(fault, known);
  return GANTRY_SUCCESS;
}

std::array<char, 256> message_of_all_threads = {};
gantry_device* opened_last = nullptr;

const char* error_message() noexcept {
  if (has("shared_message")) {
    return message_of_all_threads.data();
  }
  if (has("forgets_messages")) {
    thread_local std::string told;
    told = base().error_message();
    set_error(GANTRY_SUCCESS, "");
    return told.c_str();
  }
  return has("no_message") ? "" : base().error_message();
}

gantry_status count_devices(std::int32_t* count) noexcept {
  if (has("clears_messages")) {
    set_error(GANTRY_SUCCESS, "");
  }
  return base().count_devices(count);
}

gantry_status use_host_memory(gantry_device* /*device*/) noexcept {
  return GANTRY_SUCCESS;
}

gantry_status open_device(std::int32_t index, const gantry_device_settings* settings,
                          gantry_device** device) noexcept {
  if (has("exits") && *settings->options != '\0') {
    std::exit(3);
  }
  if (has("prints")) {
    std::puts("broken: a device is opened");
  }
  if (has("leaks_descriptors")) {
    (void)memfd_create("leaked", 0);
  }
  if (has("leaks_devices")) {
    static std::vector<std::vector<char>> leaked;
    leaked.emplace_back(2 << 20, 'x');
  }
  if (has("leaves_processes") && fork() == 0) {
    for (;;) {
      pause();
    }
  }
  const gantry_status status = base().open_device(index, settings, device);
  opened_last = status == GANTRY_SUCCESS ? *device : nullptr;
  std::snprintf(message_of_all_threads.data(), message_of_all_threads.size(), "%s",
                base().error_message());
  return status;
}

gantry_status get_properties(gantry_device* device, gantry_device_properties* properties) noexcept {
  if (!has("ignores_sizes")) {
    const gantry_status status = base().get_properties(device, properties);
    properties->capabilities |= has("ignores_addresses") ? GANTRY_CAPABILITY_CHOSEN_ADDRESS : 0;
    properties->clock = has("counts_instead") ? "steps" : properties->clock;
    return status;
  }
  gantry_device_properties whole = {.size = sizeof whole};
  const gantry_status status = base().get_properties(device, &whole);
  whole.size = properties->size;
  *properties = whole;
  return status;
}

// Images: `borrowed` ones are copied late.

struct Late {
  gantry_device* device;
  const void* bytes;
  std::size_t size;
  gantry_image* image;
};

gantry_image* real(gantry_image* image) {
  return has("borrows_images") ? reinterpret_cast<Late*>(image)->image : image;
}

gantry_status create_image(gantry_device* device, const void* bytes, std::size_t size,
                           const char* file, gantry_image** image) noexcept {
  if (has("borrows_images")) {
    *image = reinterpret_cast<gantry_image*>(new Late{device, bytes, size, nullptr});
    return GANTRY_SUCCESS;
  }
  return base().create_image(device, bytes, size, file, image);
}

gantry_status load_image(gantry_image* image) noexcept {
  if (has("borrows_images")) {
    Late& late = *reinterpret_cast<Late*>(image);
    const gantry_status status =
        base().create_image(late.device, late.bytes, late.size, nullptr, &late.image);
    if (status != GANTRY_SUCCESS) {
      return status;
    }
  }
  return base().load_image(real(image));
}

gantry_status destroy_image(gantry_image* image) noexcept {
  return base().destroy_image(real(image));
}

gantry_status find_symbols(gantry_image* image, gantry_symbol* symbols,
                           std::size_t count) noexcept {
  const gantry_status status = base().find_symbols(real(image), symbols, count);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::string_view(symbols[i].name) == "check_fault") {
      fault_kernel = symbols[i].kernel;
    }
    if (has("finds_everything")) {
      symbols[i].status = GANTRY_SUCCESS;
    }
  }
  return has("finds_everything") ? GANTRY_SUCCESS : status;
}

gantry_status allocate(gantry_device* device, const gantry_allocation* request,
                       void** address) noexcept {
  if (const gantry_status lost_already = alive(); lost_already != GANTRY_SUCCESS) {
    return lost_already;
  }
  gantry_allocation smaller = *request;
  constexpr std::uint64_t kMost = std::uint64_t{64} << 20;
  if (has("gives_less") && request->bytes < kMost * 16) {
    smaller.bytes = std::min(request->bytes, kMost);
  }
  const gantry_status status = base().allocate(device, &smaller, address);
  if (has("unaligned") && status == GANTRY_SUCCESS) {
    *address = static_cast<std::byte*>(*address) + 8;
  }
  return status;
}

gantry_status release(gantry_device* device, void* address) noexcept {
  if (has("leaks_memory")) {
    return GANTRY_SUCCESS;
  }
  return base().release(device, static_cast<std::byte*>(address) - (has("unaligned") ? 8 : 0));
}

/// By way of one buffer for all threads.
void copy(void* to, const void* from, std::uint64_t bytes) {
  static std::array<unsigned char, 4096> buffer;
  for (std::uint64_t at = 0; at < bytes; at += buffer.size()) {
    const std::uint64_t part = std::min<std::uint64_t>(buffer.size(), bytes - at);
    std::memcpy(buffer.data(), static_cast<const std::byte*>(from) + at, part);
    std::this_thread::yield();
    std::memcpy(static_cast<std::byte*>(to) + at, buffer.data(), part);
  }
}

gantry_status copy_to_device(gantry_device* device, void* to, const void* from,
                             std::uint64_t bytes) noexcept {
  if (const gantry_status status = alive(); status != GANTRY_SUCCESS) {
    return status;
  }
  if (has("mixes_threads")) {
    copy(to, from, bytes);
    return GANTRY_SUCCESS;
  }
  return base().copy_to_device(device, to, from, bytes);
}

gantry_status copy_to_host(gantry_device* device, void* to, const void* from,
                           std::uint64_t bytes) noexcept {
  const gantry_status status = alive();
  return status == GANTRY_SUCCESS ? base().copy_to_host(device, to, from, bytes) : status;
}

gantry_status launch(gantry_device* device, gantry_kernel* kernel,
                     const gantry_launch* how) noexcept {
  if (kernel == fault_kernel) {
    lost = true;
    return set_error(GANTRY_DEVICE_LOST, "the device is lost: a kernel wrote to address 0x18");
  }
  if (const gantry_status status = alive(); status != GANTRY_SUCCESS) {
    return status;
  }
  if (has("ignores_choices") && (how->num_teams[0] == 0 || how->thread_limit[0] == 0)) {
    return GANTRY_SUCCESS;
  }
  if (has("drops_long_lists") && how->argument_count > 40 && how->argument_count != 321) {
    return GANTRY_SUCCESS;
  }
  gantry_launch flat = *how;
  if (has("drops_dimensions")) {
    flat.num_teams[1] = flat.num_teams[2] = flat.thread_limit[1] = flat.thread_limit[2] = 1;
  }
  return base().launch(device, kernel, &flat);
}

// Queues.

/// A launch that is put into its queue with the next operation, of arguments that are the caller's.
struct Borrowed {
  gantry_queue* queue = nullptr;
  gantry_kernel* kernel = nullptr;
  gantry_launch how = {};
};
thread_local Borrowed borrowed;

void put_borrowed() {
  if (borrowed.queue != nullptr) {
    (void)base().queue_launch(borrowed.queue, borrowed.kernel, &borrowed.how);
    borrowed.queue = nullptr;
  }
}

gantry_status queue_launch(gantry_queue* queue, gantry_kernel* kernel,
                           const gantry_launch* how) noexcept {
  put_borrowed();
  if (kernel == fault_kernel) {
    lost = true;
    return GANTRY_SUCCESS; // it is said when the queue is waited for
  }
  if (has("borrows_arguments") && how->argument_count == 3) {
    borrowed = {queue, kernel, *how};
    return GANTRY_SUCCESS;
  }
  return base().queue_launch(queue, kernel, how);
}

gantry_status queue_copy_to_host(gantry_queue* queue, void* to, const void* from,
                                 std::uint64_t bytes) noexcept {
  put_borrowed();
  if (lost) {
    return has("loses_errors") ? gantry_status{GANTRY_SUCCESS} : alive();
  }
  if (has("overtakes")) {
    std::memcpy(to, from, bytes);
    return GANTRY_SUCCESS;
  }
  if (has("copies_late")) {
    std::thread([=] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      std::memcpy(to, from, bytes);
    }).detach();
  }
  return base().queue_copy_to_host(queue, to, from, bytes);
}

gantry_status synchronize_queue(gantry_queue* queue) noexcept {
  if (has("hangs")) {
    for (;;) {
      std::this_thread::sleep_for(std::chrono::hours(1));
    }
  }
  put_borrowed();
  const gantry_status status = base().synchronize_queue(queue);
  if (has("loses_errors")) {
    return GANTRY_SUCCESS;
  }
  return lost ? alive() : status;
}

gantry_status query_queue(gantry_queue* queue, std::int32_t* done) noexcept {
  if (has("blocks_queries")) {
    (void)base().synchronize_queue(queue);
  }
  const gantry_status status = base().query_queue(queue, done);
  if (has("is_done_too_soon")) {
    *done = 1;
  }
  return status;
}

gantry_status record_times(gantry_queue* /*queue*/, std::int32_t /*on*/) noexcept {
  return GANTRY_SUCCESS;
}

gantry_status read_times(gantry_queue* /*queue*/, gantry_interval* times, std::size_t capacity,
                         std::size_t* count) noexcept {
  *count = 3;
  for (std::size_t i = 0; i < std::min(capacity, *count); ++i) {
    times[i] = {.begin = 2 * i + 1, .end = 2 * i + 2};
  }
  return GANTRY_SUCCESS;
}

} // namespace

extern "C" [[gnu::visibility("default")]] void
__tgt_rtl_set_function_ptr_map(std::int32_t device_id, std::uint64_t table_size,
                               __omp_offloading_fptr_map_ty* table_host_ptr) noexcept {
  if (has("founding_design") && device_id == 0) {
    (void)base().set_function_map(opened_last, table_host_ptr, table_size);
  }
}

extern "C" [[gnu::visibility("default")]] const gantry_plugin*
gantry_get_plugin(std::uint32_t /*version*/) noexcept {
  static const gantry_plugin plugin = [] {
    gantry_plugin table = base();
    table.version = has("other_version") ? 1 : GANTRY_PLUGIN_VERSION;
    table.error_message = error_message;
    table.count_devices = count_devices;
    table.open_device = open_device;
    table.use_host_memory = has("pretends") ? use_host_memory : nullptr;
    table.record_times = has("counts_instead") ? record_times : nullptr;
    table.read_times = has("counts_instead") ? read_times : nullptr;
    table.get_properties = get_properties;
    table.get_fault = get_fault;
    if (has("founding_design")) {
      table.set_function_map = nullptr;
    }
    table.create_image = create_image;
    table.load_image = load_image;
    table.destroy_image = destroy_image;
    table.find_symbols = find_symbols;
    table.allocate = allocate;
    table.release = release;
    table.copy_to_device = copy_to_device;
    table.copy_to_host = copy_to_host;
    table.launch = has("lacks_launch") ? nullptr : launch;
    table.queue_launch = queue_launch;
    table.queue_copy_to_host = queue_copy_to_host;
    table.synchronize_queue = synchronize_queue;
    table.query_queue = query_queue;
    return table;
  }();
  return &plugin;
}
