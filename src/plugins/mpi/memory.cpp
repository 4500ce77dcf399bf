// Device memory: divided here, unless something on the node watches over what it gives.
#include "plugins/last_error.h"
#include "plugins/mpi/device.h"
#include "plugins/mpi/entries.h"

namespace gantry::mpi {

namespace {

bool is_divided(const Device& device) {
  return (device.capabilities & GANTRY_CAPABILITY_CHECKED_MEMORY) == 0;
}

gantry_status ask_for_memory(Device& device, std::uint64_t bytes, std::uint64_t& address) {
  Answer answer;
  GANTRY_STATUS_TRY(ask(
      device, Kind::kAllocate, 0,
      [&](Record& record) {
        record.put(device.far)
            .put(Allocation{.bytes = bytes, .alignment = DividedMemory::kAlignment, .offset = 0});
      },
      answer));
  address = Reader(answer.values).get<std::uint64_t>();
  return GANTRY_SUCCESS;
}

gantry_status ask_to_release(Device& device, std::uint64_t address) {
  Answer answer;
  return ask(
      device, Kind::kRelease, 0, [&](Record& record) { record.put(device.far).put(address); },
      answer);
}

} // namespace

Result<std::uint64_t> take_piece(Device& device, std::uint64_t bytes) {
  std::uint64_t address = 0;
  if (ask_for_memory(device, bytes, address) != GANTRY_SUCCESS) {
    return fail("{}", plugins::last_error());
  }
  return address;
}

void give_back_piece(Device& device, std::uint64_t begin) {
  (void)ask_to_release(device, begin);
}

namespace entries {

gantry_status allocate(gantry_device* device, const gantry_allocation* request,
                       void** device_address) noexcept {
  GANTRY_STATUS_TRY(enter(*device));
  std::uint64_t address = 0;
  if (is_divided(*device)) {
    const auto given = device->memory.allocate(request->bytes);
    if (!given) {
      GANTRY_STATUS_TRY(enter(*device));
      return plugins::set_error(GANTRY_OUT_OF_MEMORY, given.error().message);
    }
    address = *given;
  } else {
    GANTRY_STATUS_TRY(ask_for_memory(*device, request->bytes, address));
  }
  *device_address = reinterpret_cast<void*>(address);
  return GANTRY_SUCCESS;
}

gantry_status release(gantry_device* device, void* device_address) noexcept {
  GANTRY_STATUS_TRY(enter(*device));
  const auto address = reinterpret_cast<std::uint64_t>(device_address);
  if (!is_divided(*device)) {
    return ask_to_release(*device, address);
  }
  if (!device->memory.release(address)) {
    return plugins::report(GANTRY_FAILURE, "{} is not the start of device memory that is allocated",
                           fmt::ptr(device_address));
  }
  return GANTRY_SUCCESS;
}

} // namespace entries
} // namespace gantry::mpi
