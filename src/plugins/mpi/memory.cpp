// Device memory: divided here, or, where something on the node watches over what it gives, leased.
#include "plugins/last_error.h"
#include "plugins/mpi/device.h"
#include "plugins/mpi/entries.h"

namespace gantry::mpi {

namespace {

Result<std::vector<std::uint64_t>> ask_for_memory(Device& device, std::uint64_t bytes,
                                                  std::uint32_t count) {
  Answer answer;
  if (ask(
          device, Kind::kAllocate, 0,
          [&](Record& record) { record.put(device.far).put(bytes).put(count); },
          answer) != GANTRY_SUCCESS) {
    return fail("{}", plugins::last_error());
  }
  std::vector<std::uint64_t> blocks;
  Reader values(answer.values);
  while (values.left() >= sizeof(std::uint64_t)) {
    blocks.push_back(values.get<std::uint64_t>());
  }
  if (blocks.empty()) {
    return fail("{} has given no memory", device.node.name());
  }
  return blocks;
}

void give_back(Device& device, std::uint64_t block, std::uint64_t bytes, bool again) {
  device.node.put(0, [&](std::vector<std::byte>& out) {
    Record(out, Kind::kGiveBack, device.far)
        .put(block)
        .put(bytes)
        .put(static_cast<std::uint32_t>(again ? 1 : 0));
  });
}

gantry_status ask_to_release(Device& device, std::uint64_t address) {
  Answer answer;
  return ask(
      device, Kind::kRelease, 0, [&](Record& record) { record.put(device.far).put(address); },
      answer);
}

bool is_leased(const Device& device) {
  return (device.capabilities & GANTRY_CAPABILITY_CHECKED_MEMORY) != 0;
}

Result<std::uint64_t> take_block(Device& device, std::uint64_t bytes) {
  if (!is_leased(device)) {
    return device.divided.allocate(bytes);
  }
  return device.is_checked ? Result<std::uint64_t>(GANTRY_TRY(ask_for_memory(device, bytes, 1))[0])
                           : device.leased.allocate(bytes);
}

} // namespace

DividedMemory::Pieces pieces_of(Device& device) {
  return {.take = [&device](std::uint64_t bytes) -> Result<std::uint64_t> {
            return GANTRY_TRY(ask_for_memory(device, bytes, 1)).front();
          },
          .give_back = [&device](std::uint64_t begin) { give_back(device, begin, 0, false); }};
}

LeasedMemory::Calls leases_of(Device& device) {
  return {.take = [&device](std::uint64_t bytes,
                            std::uint32_t count) { return ask_for_memory(device, bytes, count); },
          .give_back = [&device](std::uint64_t block, std::uint64_t bytes,
                                 bool again) { give_back(device, block, bytes, again); }};
}

namespace entries {

gantry_status allocate(gantry_device* device, const gantry_allocation* request,
                       void** device_address) noexcept {
  GANTRY_STATUS_TRY(enter(*device));
  const auto block = take_block(*device, request->bytes);
  if (!block) {
    GANTRY_STATUS_TRY(enter(*device));
    return plugins::set_error(GANTRY_OUT_OF_MEMORY, block.error().message);
  }
  *device_address = reinterpret_cast<void*>(*block);
  return GANTRY_SUCCESS;
}

gantry_status release(gantry_device* device, void* device_address) noexcept {
  GANTRY_STATUS_TRY(enter(*device));
  const auto block = reinterpret_cast<std::uint64_t>(device_address);
  if (is_leased(*device) && device->is_checked) {
    return ask_to_release(*device, block);
  }
  if (!(is_leased(*device) ? device->leased.release(block) : device->divided.release(block))) {
    return plugins::report(GANTRY_FAILURE, "{} is not the start of device memory that is allocated",
                           fmt::ptr(device_address));
  }
  return GANTRY_SUCCESS;
}

} // namespace entries
} // namespace gantry::mpi
