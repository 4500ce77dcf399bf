#include "plugins/worker/memory.h"

#include "plugins/last_error.h"
#include "plugins/worker/device.h"
#include "plugins/worker/entries.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>

namespace gantry::worker {

std::int32_t copy_to_device(Worker& worker, void* device_address, const void* host,
                            std::uint64_t size) {
  if (worker.memory().contains(device_address, size)) [[likely]] {
    std::memcpy(worker.memory().in_program(device_address), host, size);
    return GANTRY_SUCCESS;
  }
  const std::span bytes(static_cast<const std::byte*>(host), size);
  BorrowedChannel channel(worker);
  GANTRY_STATUS_TRY(channel.status());
  for (std::uint64_t done = 0; done < size; done += kPayload) {
    channel->copy.address = reinterpret_cast<std::uint64_t>(device_address) + done;
    channel.set_payload(bytes.subspan(done));
    GANTRY_STATUS_TRY(channel.call(Operation::kWrite));
  }
  return GANTRY_SUCCESS;
}

std::int32_t copy_to_host(Worker& worker, void* host, const void* device_address,
                          std::uint64_t size) {
  if (worker.memory().contains(device_address, size)) [[likely]] {
    std::memcpy(host, worker.memory().in_program(device_address), size);
    return GANTRY_SUCCESS;
  }
  BorrowedChannel channel(worker);
  GANTRY_STATUS_TRY(channel.status());
  for (std::uint64_t done = 0; done < size; done += kPayload) {
    const std::uint64_t count = std::min<std::uint64_t>(kPayload, size - done);
    channel->copy = {.address = reinterpret_cast<std::uint64_t>(device_address) + done,
                     .size = count};
    GANTRY_STATUS_TRY(channel.call(Operation::kRead));
    std::memcpy(static_cast<std::byte*>(host) + done, channel->payload, count);
  }
  return GANTRY_SUCCESS;
}

namespace entries {

gantry_status allocate(gantry_device* device, const gantry_allocation* request,
                       void** device_address) noexcept {
  Worker* worker = nullptr;
  GANTRY_STATUS_TRY(enter(*device, worker));
  plugins::set_error(GANTRY_SUCCESS, "");
  const Arena& memory = worker->memory();
  Blocks& blocks = worker->blocks();
  const bool is_chosen = request->address != 0;
  const auto place =
      is_chosen ? blocks.allocate_at(request->bytes, request->address - memory.begin())
                : blocks.allocate(request->bytes,
                                  {.alignment = request->alignment, .offset = request->offset});
  if (!place) {
    GANTRY_STATUS_TRY(enter(*device, worker));
    const std::string why = plugins::last_error(); // of Blocks::Pages::set_accessible
    const std::string where =
        is_chosen ? fmt::format(" at {:#x}, of the addresses {:#x} to {:#x}", request->address,
                                memory.begin(), memory.begin() + memory.size())
                  : "";
    return plugins::report(GANTRY_OUT_OF_MEMORY, "{} bytes of device memory cannot be had{}{}{}",
                           request->bytes, where, why.empty() ? "" : ": ", why);
  }
  *device_address = reinterpret_cast<void*>(memory.begin() + *place);
  return GANTRY_SUCCESS;
}

gantry_status release(gantry_device* device, void* device_address) noexcept {
  Worker* worker = nullptr;
  GANTRY_STATUS_TRY(enter(*device, worker));
  const Blocks::Released released =
      worker->blocks().release(worker->memory().offset_of(device_address));
  switch (released.outcome) {
  case Blocks::Release::kDone:
    break;
  case Blocks::Release::kUnknown:
    return plugins::report(GANTRY_FAILURE, "{} is not the start of device memory that is allocated",
                           fmt::ptr(device_address));
  case Blocks::Release::kDamaged:
    return plugins::report(
        GANTRY_FAILURE, "something on the device has written {} the {} bytes at {}, at offset {}",
        released.damage < 0 ? "before" : "past the end of", released.size, fmt::ptr(device_address),
        released.damage);
  }
  return GANTRY_SUCCESS;
}

gantry_status copy_to_device(gantry_device* device, void* device_address, const void* host,
                             std::uint64_t bytes) noexcept {
  Worker* worker = nullptr;
  GANTRY_STATUS_TRY(enter(*device, worker));
  return worker::copy_to_device(*worker, device_address, host, bytes);
}

gantry_status copy_to_host(gantry_device* device, void* host, const void* device_address,
                           std::uint64_t bytes) noexcept {
  Worker* worker = nullptr;
  GANTRY_STATUS_TRY(enter(*device, worker));
  return worker::copy_to_host(*worker, host, device_address, bytes);
}

gantry_status find_host_view(gantry_device* device, void* device_address, std::uint64_t bytes,
                             void** host) noexcept {
  Worker* worker = nullptr;
  GANTRY_STATUS_TRY(enter(*device, worker));
  if (!worker->memory().contains(device_address, bytes)) {
    return plugins::report(GANTRY_NOT_FOUND, "{} bytes at {} are not in the worker's memory", bytes,
                           fmt::ptr(device_address));
  }
  *host = worker->memory().in_program(device_address);
  return GANTRY_SUCCESS;
}

gantry_status copy_between(gantry_device* from_device, const void* from, gantry_device* to_device,
                           void* to, std::uint64_t bytes) noexcept {
  Worker* source = nullptr;
  Worker* target = nullptr;
  GANTRY_STATUS_TRY(enter(*from_device, source));
  GANTRY_STATUS_TRY(enter(*to_device, target));
  if (source->memory().contains(from, bytes)) {
    return worker::copy_to_device(*target, to, source->memory().in_program(from), bytes);
  }
  if (target->memory().contains(to, bytes)) {
    return worker::copy_to_host(*source, target->memory().in_program(to), from, bytes);
  }
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(bytes);
  GANTRY_STATUS_TRY(worker::copy_to_host(*source, buffer.get(), from, bytes));
  return worker::copy_to_device(*target, to, buffer.get(), bytes);
}

} // namespace entries
} // namespace gantry::worker
