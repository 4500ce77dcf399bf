#include "plugins/worker/memory.h"

#include "plugins/last_error.h"
#include "plugins/worker/device.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

namespace gantry::worker {

std::int32_t copy_to_device(Worker& worker, void* device_address, const void* host,
                            std::uint64_t size) {
  if (worker.memory().contains(device_address, size)) [[likely]] {
    std::memcpy(worker.memory().in_program(device_address), host, size);
    return GANTRY_SUCCESS;
  }
  const BorrowedLine line(worker);
  std::int32_t code = line.code();
  for (std::uint64_t done = 0; code == GANTRY_SUCCESS && done < size; done += kPayload) {
    const std::uint64_t count = std::min<std::uint64_t>(kPayload, size - done);
    line->word(0) = reinterpret_cast<std::uint64_t>(device_address) + done;
    line->set_payload_size(count);
    std::memcpy(line->payload(), static_cast<const std::byte*>(host) + done, count);
    code = line->call(Operation::kWrite);
  }
  return code;
}

std::int32_t copy_to_host(Worker& worker, void* host, const void* device_address,
                          std::uint64_t size) {
  if (worker.memory().contains(device_address, size)) [[likely]] {
    std::memcpy(host, worker.memory().in_program(device_address), size);
    return GANTRY_SUCCESS;
  }
  const BorrowedLine line(worker);
  std::int32_t code = line.code();
  for (std::uint64_t done = 0; code == GANTRY_SUCCESS && done < size; done += kPayload) {
    const std::uint64_t count = std::min<std::uint64_t>(kPayload, size - done);
    line->word(0) = reinterpret_cast<std::uint64_t>(device_address) + done;
    line->word(1) = count;
    code = line->call(Operation::kRead);
    if (code == GANTRY_SUCCESS) {
      std::memcpy(static_cast<std::byte*>(host) + done, line->payload(), count);
    }
  }
  return code;
}

} // namespace gantry::worker

using namespace gantry::worker;
using gantry::plugins::report;

extern "C" {

int32_t __tgt_rtl_data_place(int32_t device, uint64_t size, uint64_t alignment, uint64_t offset,
                             void** device_address) noexcept {
  Worker* worker = nullptr;
  if (const int32_t code = enter(device_of(device), worker); code != GANTRY_SUCCESS) {
    return code;
  }
  gantry::plugins::set_error(GANTRY_SUCCESS, "");
  const auto place = worker->blocks().allocate(size, {.alignment = alignment, .offset = offset});
  if (!place) {
    if (const int32_t code = enter(device_of(device), worker); code != GANTRY_SUCCESS) {
      return code;
    }
    const std::string why = gantry::plugins::last_error(); // of Blocks::Pages::set_accessible
    return report(GANTRY_OUT_OF_MEMORY, "{} bytes of device memory cannot be had{}{}", size,
                  why.empty() ? "" : ": ", why);
  }
  *device_address = reinterpret_cast<void*>(worker->memory().begin() + *place);
  return GANTRY_SUCCESS;
}

int32_t __tgt_rtl_data_alloc(int32_t device, uint64_t size, void** device_address) noexcept {
  constexpr uint64_t kAlignment = 64;
  return __tgt_rtl_data_place(device, size, kAlignment, 0, device_address);
}

int32_t __tgt_rtl_data_delete(int32_t device, void* device_address) noexcept {
  Worker* worker = nullptr;
  if (const int32_t code = enter(device_of(device), worker); code != GANTRY_SUCCESS) {
    return code;
  }
  const Blocks::Released released =
      worker->blocks().release(worker->memory().offset_of(device_address));
  switch (released.outcome) {
  case Blocks::Release::kDone:
    break;
  case Blocks::Release::kUnknown:
    return report(GANTRY_FAILURE, "{} is not the start of device memory that is allocated",
                  fmt::ptr(device_address));
  case Blocks::Release::kDamaged:
    return report(GANTRY_FAILURE,
                  "something on the device has written {} the {} bytes at {}, at offset {}",
                  released.damage < 0 ? "before" : "past the end of", released.size,
                  fmt::ptr(device_address), released.damage);
  }
  return GANTRY_SUCCESS;
}

int32_t __tgt_rtl_data_submit(int32_t device, void* device_address, const void* host,
                              uint64_t size) noexcept {
  Worker* worker = nullptr;
  const int32_t code = enter(device_of(device), worker);
  return code == GANTRY_SUCCESS ? copy_to_device(*worker, device_address, host, size) : code;
}

int32_t __tgt_rtl_data_retrieve(int32_t device, void* host, const void* device_address,
                                uint64_t size) noexcept {
  Worker* worker = nullptr;
  const int32_t code = enter(device_of(device), worker);
  return code == GANTRY_SUCCESS ? copy_to_host(*worker, host, device_address, size) : code;
}

int32_t __tgt_rtl_data_exchange(int32_t from_device, const void* from, int32_t to_device, void* to,
                                uint64_t size) noexcept {
  Worker* source = nullptr;
  Worker* target = nullptr;
  int32_t code = enter(device_of(from_device), source);
  if (code == GANTRY_SUCCESS) {
    code = enter(device_of(to_device), target);
  }
  if (code != GANTRY_SUCCESS) {
    return code;
  }
  if (source->memory().contains(from, size)) {
    return copy_to_device(*target, to, source->memory().in_program(from), size);
  }
  if (target->memory().contains(to, size)) {
    return copy_to_host(*source, target->memory().in_program(to), from, size);
  }
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(size);
  code = copy_to_host(*source, buffer.get(), from, size);
  return code == GANTRY_SUCCESS ? copy_to_device(*target, to, buffer.get(), size) : code;
}

} // extern "C"
