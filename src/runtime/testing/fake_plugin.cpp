#include "runtime/testing/fake_plugin.h"

#include <cstdlib>
#include <cstring>
#include <span>
#include <sstream>

#include <gtest/gtest.h>

namespace gantry::core::testing {

struct FakeImage {
  std::string text;
  std::map<std::string, std::unique_ptr<char>, std::less<>> kernels;
  struct Variable {
    std::uintptr_t device_address;
    std::uint64_t size;
  };
  std::map<std::string, Variable, std::less<>> variables;
};

namespace {

constexpr std::string_view kMagic = "fake image\n";
constexpr std::uint64_t kAlignment = 64;

FakePlugin* current = nullptr;

FakeImage& image_of(gantry_image* image) {
  return *reinterpret_cast<FakeImage*>(image);
}

} // namespace

/// Begins a function that can fail: takes the lock, and returns `status` if this call is to fail.
#define GANTRY_FAKE_CALL(function, status)                                                         \
  const std::lock_guard lock(current->mutex_);                                                     \
  if (current->fails(#function)) {                                                                 \
    return status;                                                                                 \
  }

struct FakeFunctions {
  static const char* error_message() noexcept { return current->message_.c_str(); }

  static gantry_status count_devices(std::int32_t* count) noexcept {
    *count = 1;
    return GANTRY_SUCCESS;
  }

  static gantry_status open_device(std::int32_t, const gantry_device_settings*,
                                   gantry_device** device) noexcept {
    GANTRY_FAKE_CALL(open_device, GANTRY_FAILURE)
    ++current->open_devices_;
    *device = reinterpret_cast<gantry_device*>(current);
    return GANTRY_SUCCESS;
  }

  static gantry_status close_device(gantry_device*) noexcept {
    const std::lock_guard lock(current->mutex_);
    --current->open_devices_;
    return GANTRY_SUCCESS;
  }

  static gantry_status get_properties(gantry_device*,
                                      gantry_device_properties* properties) noexcept {
    properties->capabilities =
        current->memory_ == Memory::kShared
            ? GANTRY_CAPABILITY_HOST_ACCESSIBLE | GANTRY_CAPABILITY_SHARES_MEMORY
        : current->has_queues_
            ? GANTRY_CAPABILITY_QUEUES | (current->quick_ ? GANTRY_CAPABILITY_DIRECT : 0)
            : 0;
    properties->description = "a device of a test";
    return GANTRY_SUCCESS;
  }

  static std::int32_t accepts_image(const void* bytes, std::size_t size) noexcept {
    return std::string_view(static_cast<const char*>(bytes), size).starts_with(kMagic) ? 1 : 0;
  }

  static std::int32_t create_image(gantry_device*, const void* bytes, std::size_t size, const char*,
                                   gantry_image** image) noexcept {
    GANTRY_FAKE_CALL(create_image, GANTRY_FAILURE)
    auto fake = std::make_unique<FakeImage>();
    fake->text.assign(static_cast<const char*>(bytes), size);
    *image = reinterpret_cast<gantry_image*>(fake.get());
    current->images_.emplace(*image, std::move(fake));
    ++current->counts.images_created;
    return GANTRY_SUCCESS;
  }

  static std::int32_t load_image(gantry_image* image) noexcept {
    GANTRY_FAKE_CALL(load_image, GANTRY_FAILURE)
    FakeImage& fake = image_of(image);
    if (!fake.kernels.empty() || !fake.variables.empty()) {
      return GANTRY_SUCCESS;
    }
    std::istringstream lines(fake.text.substr(kMagic.size()));
    for (std::string word, name; lines >> word;) {
      if (word == "broken") {
        return current->fail_with(GANTRY_FAILURE, "the image is broken");
      }
      lines >> name;
      if (word == "kernel") {
        fake.kernels.emplace(name, std::make_unique<char>());
      } else {
        std::uint64_t number = 0;
        lines >> number;
        const std::uint64_t size = word == "function" ? sizeof number : number;
        const std::uintptr_t device_address = current->take(size);
        fake.variables.emplace(name, FakeImage::Variable{device_address, size});
        if (word == "function") {
          current->write(reinterpret_cast<void*>(device_address), number);
        }
      }
    }
    ++current->counts.images_loaded;
    return GANTRY_SUCCESS;
  }

  static gantry_status destroy_image(gantry_image* image) noexcept {
    const std::lock_guard lock(current->mutex_);
    for (const auto& [name, variable] : image_of(image).variables) {
      current->allocations_.erase(variable.device_address & ~kDeviceBit);
    }
    EXPECT_EQ(current->images_.erase(image), 1u);
    return GANTRY_SUCCESS;
  }

  static gantry_status find(gantry_image* image, gantry_symbol& symbol) {
    const std::string_view name(symbol.name);
    if (symbol.kind == GANTRY_SYMBOL_KERNEL) {
      const auto found = image_of(image).kernels.find(name);
      if (found == image_of(image).kernels.end()) {
        return GANTRY_NOT_FOUND;
      }
      symbol.kernel = reinterpret_cast<gantry_kernel*>(found->second.get());
      return GANTRY_SUCCESS;
    }
    const auto found = image_of(image).variables.find(name);
    if (found == image_of(image).variables.end()) {
      return GANTRY_NOT_FOUND;
    }
    symbol.address = reinterpret_cast<void*>(found->second.device_address);
    symbol.bytes = found->second.size;
    return GANTRY_SUCCESS;
  }

  static gantry_status find_symbols(gantry_image* image, gantry_symbol* symbols,
                                    std::size_t count) noexcept {
    GANTRY_FAKE_CALL(find_symbols, GANTRY_FAILURE)
    gantry_status result = GANTRY_SUCCESS;
    for (gantry_symbol& symbol : std::span(symbols, count)) {
      symbol.status = find(image, symbol);
      if (symbol.status != GANTRY_SUCCESS && result == GANTRY_SUCCESS) {
        result = current->fail_with(GANTRY_NOT_FOUND, symbol.kind == GANTRY_SYMBOL_KERNEL
                                                          ? "no such kernel"
                                                          : "no such variable");
      }
    }
    return result;
  }

  static std::int32_t allocate(gantry_device*, const gantry_allocation* request,
                               void** device_address) noexcept {
    const std::uint64_t size = request->bytes;
    if (current->before_allocation) {
      current->before_allocation();
    }
    const std::lock_guard lock(current->mutex_);
    EXPECT_GT(size, 0u);
    if (current->fails("allocate")) {
      return GANTRY_OUT_OF_MEMORY;
    }
    *device_address = reinterpret_cast<void*>(current->take(size));
    ++current->counts.allocations;
    return GANTRY_SUCCESS;
  }

  static std::int32_t release(gantry_device*, void* device_address) noexcept {
    const std::lock_guard lock(current->mutex_);
    // What a device refuses to free is the device's loss, not a leak of the runtime's.
    const bool fails = current->fails("release");
    const auto host = reinterpret_cast<std::uintptr_t>(device_address) & ~kDeviceBit;
    EXPECT_EQ(current->allocations_.erase(host), 1u);
    return fails ? GANTRY_FAILURE : GANTRY_SUCCESS;
  }

  /// Copies to or from device memory, and counts the call and its bytes.
  template <typename Move>
  static std::int32_t copy(const void* device_address, std::uint64_t size, int& calls,
                           std::uint64_t& bytes, Move move) {
    std::byte* memory = current->memory(reinterpret_cast<std::uintptr_t>(device_address), size);
    if (memory == nullptr) {
      return current->fail_with(GANTRY_FAILURE, "a copy leaves device memory");
    }
    move(memory);
    ++calls;
    bytes += size;
    return GANTRY_SUCCESS;
  }

  static std::int32_t copy_to_device(gantry_device*, void* device_address, const void* host,
                                     std::uint64_t size) noexcept {
    if (current->before_copy) {
      current->before_copy(host);
    }
    GANTRY_FAKE_CALL(copy_to_device, GANTRY_FAILURE)
    return copy(device_address, size, current->counts.submits, current->counts.bytes_submitted,
                [&](std::byte* memory) { std::memcpy(memory, host, size); });
  }

  static std::int32_t copy_to_host(gantry_device*, void* host, const void* device_address,
                                   std::uint64_t size) noexcept {
    if (current->before_copy) {
      current->before_copy(host);
    }
    GANTRY_FAKE_CALL(copy_to_host, current->failure_)
    return copy(device_address, size, current->counts.retrieves, current->counts.bytes_retrieved,
                [&](const std::byte* memory) { std::memcpy(host, memory, size); });
  }

  static std::int32_t launch(gantry_device*, gantry_kernel*, const gantry_launch* launch) noexcept {
    if (const auto before = current->before_launch) {
      before();
    }
    GANTRY_FAKE_CALL(launch, GANTRY_FAILURE)
    const std::span arguments(launch->arguments, launch->argument_count);
    current->arguments.assign(arguments.begin(), arguments.end());
    ++current->counts.launches;
    return GANTRY_SUCCESS;
  }

  using FakeQueue = std::deque<std::function<std::int32_t()>>;

  static FakeQueue& queue_of(gantry_queue* queue) { return *current->queues_.at(queue); }

  static std::int32_t create_queue(gantry_device*, gantry_queue** queue) noexcept {
    GANTRY_FAKE_CALL(create_queue, GANTRY_FAILURE)
    auto fake = std::make_unique<FakeQueue>();
    *queue = reinterpret_cast<gantry_queue*>(fake.get());
    current->queues_.emplace(*queue, std::move(fake));
    return GANTRY_SUCCESS;
  }

  static gantry_status destroy_queue(gantry_queue* queue) noexcept {
    const std::lock_guard lock(current->mutex_);
    EXPECT_TRUE(queue_of(queue).empty()) << "a queue is destroyed with work in it";
    current->queues_.erase(queue);
    return GANTRY_SUCCESS;
  }

  static std::int32_t put(gantry_queue* queue, std::function<std::int32_t()> work) {
    const std::lock_guard lock(current->mutex_);
    queue_of(queue).push_back(std::move(work));
    return GANTRY_SUCCESS;
  }

  static std::int32_t queue_copy_to_device(gantry_queue* queue, void* device_address,
                                           const void* host, std::uint64_t size) noexcept {
    return put(queue, [=] { return copy_to_device(nullptr, device_address, host, size); });
  }

  static std::int32_t queue_copy_to_host(gantry_queue* queue, void* host,
                                         const void* device_address, std::uint64_t size) noexcept {
    return put(queue, [=] { return copy_to_host(nullptr, host, device_address, size); });
  }

  /// Memory apart from the device's, which gets it with the launch.
  static std::int32_t queue_launch_data(gantry_queue*, std::uint64_t size, void** host,
                                        void** device_address) noexcept {
    GANTRY_FAKE_CALL(queue_launch_data, GANTRY_OUT_OF_MEMORY)
    current->free_launch_data();
    current->launch_data_.assign(size / sizeof(std::uint64_t) + 1, 0);
    current->launch_data_on_device_ = current->take(size);
    *host = current->launch_data_.data();
    *device_address = reinterpret_cast<void*>(current->launch_data_on_device_);
    return GANTRY_SUCCESS;
  }

  static std::int32_t queue_launch(gantry_queue* queue, gantry_kernel* kernel,
                                   const gantry_launch* launch) noexcept {
    if (current->launch_data_on_device_ != 0) {
      const auto& [begin, allocation] =
          *current->allocations_.find(current->launch_data_on_device_ & ~kDeviceBit);
      std::memcpy(reinterpret_cast<void*>(begin), current->launch_data_.data(), allocation.size);
    }
    std::vector<void*> values(launch->arguments, launch->arguments + launch->argument_count);
    return put(queue, [=, copy = *launch] {
      gantry_launch later = copy;
      later.arguments = values.data();
      return FakeFunctions::launch(nullptr, kernel, &later);
    });
  }

  /// Does what is first in the queue; a failure empties it.
  static std::int32_t step(gantry_queue* queue) {
    std::function<std::int32_t()> work;
    {
      const std::lock_guard lock(current->mutex_);
      work = std::move(queue_of(queue).front());
      queue_of(queue).pop_front();
    }
    const std::int32_t code = work();
    const std::lock_guard lock(current->mutex_);
    if (code != GANTRY_SUCCESS) {
      queue_of(queue).clear();
    }
    if (const auto times = current->times_.find(queue); times != current->times_.end()) {
      times->second.push_back(code == GANTRY_SUCCESS
                                  ? gantry_interval{current->clock_ + 1, current->clock_ + 2}
                                  : gantry_interval{});
      current->clock_ += 2;
    }
    return code;
  }

  static std::int32_t record_times(gantry_queue* queue, std::int32_t on) noexcept {
    const std::lock_guard lock(current->mutex_);
    if (on == 0) {
      current->times_.erase(queue);
    } else {
      current->times_[queue] = {};
    }
    return GANTRY_SUCCESS;
  }

  static std::int32_t read_times(gantry_queue* queue, gantry_interval* times, std::size_t capacity,
                                 std::size_t* count) noexcept {
    const std::lock_guard lock(current->mutex_);
    std::vector<gantry_interval>& noted = current->times_.at(queue);
    *count = noted.size();
    std::copy_n(noted.begin(), std::min(capacity, noted.size()), times);
    noted.clear();
    return GANTRY_SUCCESS;
  }

  static bool is_empty(gantry_queue* queue) {
    const std::lock_guard lock(current->mutex_);
    return queue_of(queue).empty();
  }

  static std::int32_t synchronize_queue(gantry_queue* queue) noexcept {
    while (!is_empty(queue)) {
      if (const std::int32_t code = step(queue); code != GANTRY_SUCCESS) {
        return code;
      }
    }
    const std::lock_guard lock(current->mutex_);
    ++current->counts.synchronizations;
    return current->fails("synchronize_queue") ? current->failure_ : GANTRY_SUCCESS;
  }

  /// Each question moves the queue on by one step.
  static std::int32_t query_queue(gantry_queue* queue, std::int32_t* done) noexcept {
    std::int32_t code = GANTRY_SUCCESS;
    if (!is_empty(queue)) {
      code = step(queue);
    }
    *done = is_empty(queue) ? 1 : 0;
    return code;
  }

  static gantry_status set_function_map(gantry_device*, const __omp_offloading_fptr_map_ty* table,
                                        std::uint64_t count) noexcept {
    const std::lock_guard lock(current->mutex_);
    current->functions.emplace();
    for (const auto& [host, target] : std::span(table, count)) {
      current->functions->emplace_back(host, target);
    }
    return GANTRY_SUCCESS;
  }

  static gantry_plugin table(bool queues, bool quick) {
    gantry_plugin functions{};
    functions.size = sizeof functions;
    functions.version = GANTRY_PLUGIN_VERSION;
#define GANTRY_SET(name) functions.name = &FakeFunctions::name;
    GANTRY_SET(error_message)
    GANTRY_SET(count_devices)
    GANTRY_SET(accepts_image)
    GANTRY_SET(open_device)
    GANTRY_SET(close_device)
    GANTRY_SET(get_properties)
    GANTRY_SET(set_function_map)
    GANTRY_SET(create_image)
    GANTRY_SET(load_image)
    GANTRY_SET(destroy_image)
    GANTRY_SET(find_symbols)
    GANTRY_SET(allocate)
    GANTRY_SET(release)
    GANTRY_SET(copy_to_device)
    GANTRY_SET(copy_to_host)
    GANTRY_SET(launch)
    if (queues) {
      GANTRY_SET(create_queue)
      GANTRY_SET(destroy_queue)
      GANTRY_SET(queue_copy_to_device)
      GANTRY_SET(queue_copy_to_host)
      GANTRY_SET(queue_launch)
      GANTRY_SET(synchronize_queue)
      GANTRY_SET(query_queue)
      GANTRY_SET(record_times)
      GANTRY_SET(read_times)
    }
    if (quick) {
      GANTRY_SET(queue_launch_data)
    }
#undef GANTRY_SET
    return functions;
  }
};

bool queues_by_default() {
  return std::getenv("GANTRY_TEST_QUEUES") != nullptr;
}

FakePlugin::FakePlugin(Memory memory, bool queues, bool quick)
    : memory_(memory), has_queues_(queues), quick_(quick),
      plugin_("fake", FakeFunctions::table(queues, quick)) {
  EXPECT_EQ(current, nullptr) << "one FakePlugin at a time";
  current = this;
  device_ = std::make_unique<PluginDevice>(open());
}

void FakePlugin::free_launch_data() {
  if (launch_data_on_device_ != 0) {
    allocations_.erase(launch_data_on_device_ & ~kDeviceBit);
  }
  launch_data_on_device_ = 0;
}

PluginDevice FakePlugin::open(int number) const {
  return PluginDevice::open(plugin_, 0, {.openmp_number = number}).value();
}

FakePlugin::~FakePlugin() {
  free_launch_data();
  device_.reset();
  EXPECT_EQ(open_devices_, 0) << "devices are not closed";
  EXPECT_EQ(live_allocations(), 0u) << "device memory is leaked";
  EXPECT_EQ(live_images(), 0u) << "images are leaked";
  EXPECT_EQ(live_queues(), 0u) << "queues are leaked";
  current = nullptr;
}

bool FakePlugin::fails(std::string_view function) {
  if (fails_in_ <= 0) {
    return false;
  }
  --fails_in_;
  if (fails_in_ > 0) {
    return false;
  }
  message_ = fmt::format("injected failure of {}", function);
  return true;
}

std::int32_t FakePlugin::fail_with(std::int32_t code, std::string message) {
  message_ = std::move(message);
  return code;
}

std::uintptr_t FakePlugin::take(std::uint64_t size) {
  // Aligned by hand, so that the sanitizer sees the allocation end where it does.
  auto bytes = std::make_unique<std::byte[]>(size + kAlignment);
  const auto begin =
      (reinterpret_cast<std::uintptr_t>(bytes.get()) + kAlignment - 1) / kAlignment * kAlignment;
  allocations_.emplace(begin, Allocation{std::move(bytes), size});
  return begin | kDeviceBit;
}

std::byte* FakePlugin::memory(std::uintptr_t device_address, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  const std::uintptr_t begin = device_address & ~kDeviceBit;
  const auto next = allocations_.upper_bound(begin);
  if ((device_address & kDeviceBit) == 0 || next == allocations_.begin()) {
    return nullptr;
  }
  const auto& [start, allocation] = *std::prev(next);
  const std::uint64_t offset = begin - start;
  const bool inside = offset <= allocation.size && size <= allocation.size - offset;
  return inside ? reinterpret_cast<std::byte*>(begin) : nullptr;
}

} // namespace gantry::core::testing
