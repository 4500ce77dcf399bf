#include "plugins/worker/image.h"

#include "plugins/cpu/elf_image.h"
#include "plugins/image_entries.h"
#include "plugins/last_error.h"
#include "plugins/worker/entries.h"
#include "plugins/worker/kind.h"
#include "plugins/worker/reservations.h"

#include <cstdio>
#include <filesystem>

using namespace gantry::worker;
using gantry::plugins::report;

gantry_image::gantry_image(Device& device, std::span<const std::byte> bytes, std::string file)
    : device_(device), bytes_(bytes.begin(), bytes.end()), file_(std::move(file)) {
  const std::lock_guard lock(device_.mutex);
  device_.images.push_back(this);
}

gantry_image::~gantry_image() {
  const std::lock_guard lock(device_.mutex);
  std::erase(device_.images, this);
}

std::int32_t gantry_image::unload() {
  if (handle_ == 0) {
    return GANTRY_SUCCESS;
  }
  Worker* worker = nullptr;
  GANTRY_STATUS_TRY(enter(device_, worker));
  BorrowedChannel channel(*worker);
  GANTRY_STATUS_TRY(channel.status());
  std::fflush(stdout); // destructors of the image may print
  channel->image.image = handle_;
  return channel.call(Operation::kDestroyImage);
}

std::int32_t gantry_image::create(Worker& worker) {
  BorrowedChannel channel(worker);
  GANTRY_STATUS_TRY(channel.status());
  GANTRY_STATUS_TRY(channel.append(bytes_));
  channel.set_payload(file_);
  GANTRY_STATUS_TRY(channel.call(Operation::kCreateImage));
  handle_ = channel->image.image;
  return GANTRY_SUCCESS;
}

std::int32_t gantry_image::load() {
  // Before the image's lock, which comes behind the device's: entering may start the worker.
  Worker* worker = nullptr;
  const std::int32_t entered = enter(device_, worker);
  const std::lock_guard lock(mutex_);
  if (loaded_) {
    return GANTRY_SUCCESS;
  }
  GANTRY_STATUS_TRY(entered);
  if (handle_ == 0) {
    GANTRY_STATUS_TRY(create(*worker));
  }
  BorrowedChannel channel(*worker);
  GANTRY_STATUS_TRY(channel.status());
  // Constructors of the image may print.
  std::fflush(stdout);
  channel->image.image = handle_;
  GANTRY_STATUS_TRY(channel.call(Operation::kLoadImage));
  const std::uint64_t begin = channel->image.begin;
  const std::uint64_t end = channel->image.end;
  if (!is_place_of_image(begin, end)) {
    return report(GANTRY_FAILURE,
                  "the device says that its image is at [{:#x}, {:#x}), where none can be; code of "
                  "the image has written to memory that is not its own",
                  begin, end);
  }
  if (!reserve(begin, end)) {
    return report(
        GANTRY_FAILURE,
        "the device has its image at [{:#x}, {:#x}), where this process has memory of its "
        "own, so that addresses of the two could be mistaken for each other; run the "
        "program again",
        begin, end);
  }
  loaded_ = true;
  return GANTRY_SUCCESS;
}

std::int32_t gantry_image::find(Operation operation, const char* name, SymbolArguments& found) {
  Worker* worker = nullptr;
  GANTRY_STATUS_TRY(enter(device_, worker));
  BorrowedChannel channel(*worker);
  GANTRY_STATUS_TRY(channel.status());
  channel->symbol.image = handle_;
  channel.set_payload(name);
  GANTRY_STATUS_TRY(channel.call(operation));
  found = channel->symbol;
  return GANTRY_SUCCESS;
}

std::int32_t gantry_image::find_kernel(const char* name, gantry_kernel*& kernel) {
  SymbolArguments found = {};
  GANTRY_STATUS_TRY(find(Operation::kFindKernel, name, found));
  const std::lock_guard lock(mutex_);
  kernel = &kernels_.try_emplace(found.place, gantry_kernel{this, found.place, name}).first->second;
  return GANTRY_SUCCESS;
}

std::int32_t gantry_image::find_variable(const char* name, void*& device_address,
                                         std::uint64_t& size) {
  SymbolArguments found = {};
  GANTRY_STATUS_TRY(find(Operation::kFindVariable, name, found));
  device_address = reinterpret_cast<void*>(found.place);
  size = found.size;
  return GANTRY_SUCCESS;
}

const gantry_kernel* gantry_image::kernel(std::uint64_t handle) {
  const std::lock_guard lock(mutex_);
  const auto found = kernels_.find(handle);
  return found == kernels_.end() ? nullptr : &found->second;
}

namespace gantry::worker::entries {

std::int32_t accepts_image(const void* bytes, std::size_t size) noexcept {
  const std::span contents(static_cast<const std::byte*>(bytes), size);
  const ForeignCpu* const foreign = foreign_cpu();
  const bool fits = foreign == nullptr ? cpu::is_host_shared_object(contents)
                                       : cpu::is_shared_object(contents, foreign->machine);
  return fits ? 1 : 0;
}

gantry_status create_image(gantry_device* device, const void* bytes, std::size_t size,
                           const char* file, gantry_image** image) noexcept {
  const std::span contents(static_cast<const std::byte*>(bytes), size);
  // As the worker's folder may not be the program's any more.
  std::error_code error;
  const std::string path = file == nullptr ? "" : std::filesystem::absolute(file, error).string();
  *image = new gantry_image(*device, contents, path);
  return GANTRY_SUCCESS;
}

GANTRY_IMAGE_ENTRIES

} // namespace gantry::worker::entries
