#include "plugins/worker/image.h"

#include "plugins/cpu/elf_image.h"
#include "plugins/find_each.h"
#include "plugins/last_error.h"
#include "plugins/worker/entries.h"
#include "plugins/worker/kind.h"
#include "plugins/worker/reservations.h"

#include <algorithm>
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
  if (const std::int32_t code = enter(device_, worker); code != GANTRY_SUCCESS) {
    return code;
  }
  const BorrowedLine line(*worker);
  if (line.code() != GANTRY_SUCCESS) {
    return line.code();
  }
  std::fflush(stdout); // destructors of the image may print
  line->word(0) = handle_;
  return line->call(Operation::kDestroyImage);
}

std::int32_t gantry_image::create(Worker& worker) {
  const BorrowedLine line(worker);
  std::int32_t code = line.code();
  if (code == GANTRY_SUCCESS) {
    code = line->append(bytes_);
  }
  if (code == GANTRY_SUCCESS) {
    line->set_payload(file_);
    code = line->call(Operation::kCreateImage);
  }
  if (code == GANTRY_SUCCESS) {
    handle_ = line->word(0);
  }
  return code;
}

std::int32_t gantry_image::load() {
  // Before the image's lock, which comes behind the device's: entering may start the worker.
  Worker* worker = nullptr;
  std::int32_t code = enter(device_, worker);
  const std::lock_guard lock(mutex_);
  if (loaded_) {
    return GANTRY_SUCCESS;
  }
  if (code == GANTRY_SUCCESS && handle_ == 0) {
    code = create(*worker);
  }
  if (code != GANTRY_SUCCESS) {
    return code;
  }
  const BorrowedLine line(*worker);
  if (line.code() != GANTRY_SUCCESS) {
    return line.code();
  }
  // Constructors of the image may print.
  std::fflush(stdout);
  line->word(0) = handle_;
  code = line->call(Operation::kLoadImage);
  if (code != GANTRY_SUCCESS) {
    return code;
  }
  const std::uint64_t begin = line->word(0);
  const std::uint64_t end = line->word(1);
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

std::int32_t gantry_image::find(Operation operation, const char* name, Found& found) {
  Worker* worker = nullptr;
  if (const std::int32_t code = enter(device_, worker); code != GANTRY_SUCCESS) {
    return code;
  }
  const BorrowedLine line(*worker);
  if (line.code() != GANTRY_SUCCESS) {
    return line.code();
  }
  line->word(0) = handle_;
  line->set_payload(name);
  const std::int32_t code = line->call(operation);
  found = {line->word(0), line->word(1)};
  return code;
}

std::int32_t gantry_image::find_kernel(const char* name, gantry_kernel*& kernel) {
  Found found;
  const std::int32_t code = find(Operation::kFindKernel, name, found);
  if (code == GANTRY_SUCCESS) {
    const std::lock_guard lock(mutex_);
    kernel =
        &kernels_.try_emplace(found.place, gantry_kernel{this, found.place, name}).first->second;
  }
  return code;
}

std::int32_t gantry_image::find_variable(const char* name, void*& device_address,
                                         std::uint64_t& size) {
  Found found;
  const std::int32_t code = find(Operation::kFindVariable, name, found);
  if (code == GANTRY_SUCCESS) {
    device_address = reinterpret_cast<void*>(found.place);
    size = found.size;
  }
  return code;
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

gantry_status load_image(gantry_image* image) noexcept {
  return image->load();
}

gantry_status destroy_image(gantry_image* image) noexcept {
  const gantry_status status = image->unload();
  delete image;
  return status;
}

gantry_status find_symbols(gantry_image* image, gantry_symbol* symbols,
                           std::size_t count) noexcept {
  return plugins::find_each(*image, symbols, count);
}

} // namespace gantry::worker::entries
