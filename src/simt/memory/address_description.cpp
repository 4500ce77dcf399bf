#include "simt/memory/address_description.h"

#include "simt/memory/device_heap.h"
#include "simt/memory/host_memory.h"

#include <fmt/format.h>

#include <cerrno>
#include <optional>
#include <utility>

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

namespace gantry::simt {

namespace {

/// Addresses below are offsets from a null pointer.
constexpr std::uint64_t kNullPages = 64 << 10;

/// Whether the process has memory there. Asks the system, because the address may be anything.
bool is_host_memory(std::uint64_t address) {
  char byte = 0;
  const iovec local = {&byte, 1};
  const iovec remote = {reinterpret_cast<void*>(address), 1};
  if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1) {
    return true;
  }
  if (errno == EFAULT) {
    return false;
  }
  // Some containers forbid the call.
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(address & ~(page - 1)), 1, &resident) == 0;
}

/// Something with bounds, and its name in a sentence.
struct Thing {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::string name;
};

/// "the address is 4 bytes past the end of NAME".
std::string relation(std::uint64_t address, std::uint32_t size, const Thing& thing) {
  if (address < thing.address) {
    return fmt::format("the address is {} before {}", bytes_text(thing.address - address),
                       thing.name);
  }
  const std::uint64_t into = address - thing.address;
  if (into == thing.size) {
    return fmt::format("the address is the end of {}", thing.name);
  }
  if (into > thing.size) {
    return fmt::format("the address is {} past the end of {}", bytes_text(into - thing.size),
                       thing.name);
  }
  if (thing.size - into < size) {
    return fmt::format("the access reaches {} past the end of {}",
                       bytes_text(size - (thing.size - into)), thing.name);
  }
  return fmt::format("the address is {} into {}", bytes_text(into), thing.name);
}

std::string bounds(std::uint64_t address, std::uint64_t size) {
  return fmt::format("{} at [{:#x}, {:#x})", bytes_text(size), address, address + size);
}

/// Describes the memory around one address.
class Description {
public:
  Description(const DeviceMemory& memory, std::int32_t device, std::uint64_t address,
              std::uint32_t size, const MemoryWords& words)
      : memory_(memory), device_(device), address_(address), size_(size), words_(words) {}

  [[nodiscard]] AddressReport in_arena() const {
    const std::optional<Allocation> found = memory_.find(address_);
    // What is inside and may not be accessed is kept for later use (gantry/simt_driver.h).
    const auto nearest = found
                             ? DeviceMemory::Nearest{*found, (found->kind == MemoryKind::kDevice ||
                                                              found->kind == MemoryKind::kPinned) &&
                                                                 !memory_.accessible(address_, 1)}
                             : memory_.nearest(address_);
    if (!nearest) {
      return {{"the address is in device memory, of which nothing is allocated"}, {}};
    }
    if (nearest->allocation.kind == MemoryKind::kHeap && !nearest->freed) {
      return in_heap(*nearest);
    }
    AddressReport report = {{relation(address_, size_, thing_of(*nearest))}, {}};
    if (nearest->allocation.kind == MemoryKind::kReserved && found) {
      report.hint = words_.reserved_hint;
    } else if (nearest->freed) {
      report.hint = "free memory after the last kernel that uses it has ended";
    }
    return report;
  }

  [[nodiscard]] AddressReport outside_arena() const {
    AddressReport report;
    const bool host = is_host_memory(address_);
    if (const auto found = memory_.find(address_)) {
      report.lines.push_back(relation(address_, size_, thing_of({*found, false})));
      return report;
    }
    if (host && may_use_host_memory(device_)) {
      const bool passes_end = !is_mapped_on_host(address_, size_, false);
      report.lines.emplace_back(passes_end ? "the access passes the end of host memory"
                                : is_mapped_on_host(address_, size_, true)
                                    ? "the address is host memory"
                                    : "the address is host memory that may not be written");
      return report;
    }
    report.lines.emplace_back(
        host ? "the address is host memory (not mapped for the device)"
             : "nothing is at the address, neither on the device nor the host");
    // The arena is far away; registered memory may be near.
    const auto nearest = memory_.nearest(address_);
    if (nearest && nearest->allocation.kind == MemoryKind::kRegistered) {
      report.lines.push_back("nearest: " + relation(address_, size_, thing_of(*nearest)));
    }
    report.hint = host ? words_.host_hint : "";
    return report;
  }

private:
  [[nodiscard]] AddressReport in_heap(const DeviceMemory::Nearest& heap) const {
    const std::optional<HeapBlock> block = nearest_heap_block(address_);
    if (!block) {
      return {{relation(address_, size_, thing_of(heap)), "no block of the heap is in use"}, {}};
    }
    const Thing thing = {block->address, block->size,
                         fmt::format("a block from malloc in device code of {}{}",
                                     bounds(block->address, block->size),
                                     block->freed ? ", which was freed" : "")};
    return {{relation(address_, size_, thing)}, {}};
  }

  [[nodiscard]] Thing thing_of(const DeviceMemory::Nearest& nearest) const {
    const Allocation& allocation = nearest.allocation;
    const std::string what =
        allocation.name.empty()
            ? std::string(words_.kinds[static_cast<std::size_t>(allocation.kind)])
            : fmt::format("variable '{}'", allocation.name);
    const bool elsewhere = allocation.kind != MemoryKind::kRegistered &&
                           allocation.kind != MemoryKind::kReserved && allocation.device != device_;
    return {allocation.address, allocation.size,
            fmt::format("{} of {}{}{}", what, bounds(allocation.address, allocation.size),
                        elsewhere ? fmt::format(" of device {}", allocation.device) : "",
                        nearest.freed ? ", which was freed" : "")};
  }

  const DeviceMemory& memory_;
  std::int32_t device_;
  std::uint64_t address_;
  std::uint32_t size_;
  const MemoryWords& words_;
};

} // namespace

AddressReport describe_memory(const DeviceMemory& memory, std::int32_t device,
                              std::uint64_t address, std::uint32_t size, const MemoryWords& words) {
  if (address < kNullPages) {
    return {{address == 0 ? "the address is null"
                          : fmt::format("the address is null plus {}", bytes_text(address))},
            "check that the pointer was set, and that what gave it succeeded"};
  }
  const Description description(memory, device, address, size, words);
  return address - memory.arena() < memory.arena_size() ? description.in_arena()
                                                        : description.outside_arena();
}

std::string describe_in_window(std::uint64_t offset, std::uint32_t size, std::uint64_t window_size,
                               std::string name) {
  constexpr std::uint64_t kMiddle = std::uint64_t{1} << 63;
  return relation(kMiddle + offset, size, {kMiddle, window_size, std::move(name)});
}

std::string bytes_text(std::uint64_t count) {
  return fmt::format("{} byte{}", count, count == 1 ? "" : "s");
}

} // namespace gantry::simt
