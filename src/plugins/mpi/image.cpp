// Images: a node has each of them once, whichever of its devices use it.
#include "plugins/cpu/elf_image.h"
#include "plugins/last_error.h"
#include "plugins/mpi/device.h"
#include "plugins/mpi/entries.h"
#include "plugins/mpi/images.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace gantry::mpi {
namespace entries {

std::uint32_t rank_image(gantry_device* device, const void* bytes, std::size_t size) noexcept {
  if (enter(*device) != GANTRY_SUCCESS) {
    return 0;
  }
  const std::span image(static_cast<const std::byte*>(bytes), size);
  if (device->is_cpu) {
    return cpu::is_host_shared_object(image) ? 1 : 0;
  }
  const ImageName name = name_of(image);
  Answer answer;
  if (!device->job.images().bring(device->node, name, image) ||
      ask(
          *device, Kind::kRankImage, 0, [&](Record& record) { record.put(device->far).put(name); },
          answer) != GANTRY_SUCCESS) {
    return 0;
  }
  return Reader(answer.values).get<std::uint32_t>();
}

gantry_status create_image(gantry_device* device, const void* bytes, std::size_t size,
                           const char* file, gantry_image** image) noexcept {
  GANTRY_STATUS_TRY(enter(*device));
  const std::span content(static_cast<const std::byte*>(bytes), size);
  auto made = std::make_unique<gantry_image>(*device);
  made->name = name_of(content);
  made->bytes.assign(content.begin(), content.end());
  made->file = file == nullptr ? "" : file;
  const std::lock_guard lock(device->mutex);
  made->number = device->job.next_image();
  device->images.push_back(made.get());
  *image = made.release();
  return GANTRY_SUCCESS;
}

gantry_status load_image(gantry_image* image) noexcept {
  Device& device = image->device;
  GANTRY_STATUS_TRY(enter(device));
  const std::lock_guard lock(image->mutex);
  if (image->is_loaded) {
    return GANTRY_SUCCESS;
  }
  if (!device.job.images().bring(device.node, image->name, image->bytes)) {
    return enter(device);
  }
  Answer answer;
  GANTRY_STATUS_TRY(ask(
      device, Kind::kLoadImage, image->file.size(),
      [&](Record& record) {
        record.put(device.far).put(image->name).put(image->number).put_text(image->file);
      },
      answer));
  image->is_loaded = true;
  return GANTRY_SUCCESS;
}

gantry_status destroy_image(gantry_image* image) noexcept {
  const std::unique_ptr<gantry_image> destroyed(image);
  Device& device = image->device;
  {
    const std::lock_guard lock(device.mutex);
    std::erase(device.images, image);
  }
  GANTRY_STATUS_TRY(enter(device));
  if (!image->is_loaded) {
    return GANTRY_SUCCESS;
  }
  Answer answer;
  return ask(
      device, Kind::kUnloadImage, 0, [&](Record& record) { record.put(image->number); }, answer);
}

gantry_status find_symbols(gantry_image* image, gantry_symbol* symbols,
                           std::size_t count) noexcept {
  Device& device = image->device;
  GANTRY_STATUS_TRY(enter(device));
  gantry_status result = GANTRY_SUCCESS;
  std::string message;
  // As many at once as a message has room for, there and back.
  constexpr std::size_t kMost = Transport::kLongestMessage / 2;
  for (std::size_t done = 0; done < count;) {
    std::size_t bytes = 0;
    std::size_t here = 0;
    for (; done + here < count; ++here) {
      const std::size_t more =
          std::max(sizeof(FoundSymbol), 8 + std::strlen(symbols[done + here].name));
      if (bytes + more > kMost && here > 0) {
        break;
      }
      bytes += more;
    }
    const std::uint32_t request = device.node.ask(Kind::kFindSymbols, bytes, [&](Record& record) {
      record.put(image->number).put(static_cast<std::uint32_t>(here));
      for (const gantry_symbol& symbol : std::span(symbols + done, here)) {
        record.put(symbol.kind).put_text(symbol.name);
      }
    });
    const Answer answer = device.job.answer_of(device.node, request);
    if (answer.status != GANTRY_SUCCESS && answer.status != GANTRY_NOT_FOUND) {
      return report_failure(device, answer.status, answer.message);
    }
    if (answer.status != GANTRY_SUCCESS && result == GANTRY_SUCCESS) {
      result = answer.status;
      message = answer.message;
    }
    Reader values(answer.values);
    const std::lock_guard lock(device.mutex);
    for (gantry_symbol& symbol : std::span(symbols + done, here)) {
      const auto found = values.get<FoundSymbol>();
      symbol.status = values.is_good() ? found.status : GANTRY_NOT_FOUND;
      symbol.kernel = nullptr;
      symbol.address = reinterpret_cast<void*>(found.address);
      symbol.bytes = found.bytes;
      constexpr std::uint32_t kMostKernels = 1 << 20;
      if (found.kernel < kMostKernels) {
        while (device.kernels.size() <= found.kernel) {
          device.kernels.push_back(std::make_unique<gantry_kernel>());
        }
        gantry_kernel& kernel = *device.kernels[found.kernel];
        kernel.number = found.kernel;
        kernel.name = symbol.name;
        symbol.kernel = &kernel;
      }
    }
    done += here;
  }
  return result == GANTRY_SUCCESS ? result : report_failure(device, result, message);
}

} // namespace entries
} // namespace gantry::mpi
