#include "simt/exec/reports/address_report.h"

#include "base/cxx_names.h"
#include "simt/exec/blocks/block.h"
#include "simt/exec/memory/device_heap.h"
#include "simt/exec/memory/device_memory.h"
#include "simt/exec/memory/host_memory.h"
#include "simt/exec/programs/program_state.h"

#include <fmt/format.h>

#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

namespace gantry::simt::exec {

namespace {

/// Addresses below are offsets from a null pointer.
constexpr std::uint64_t kNullPages = 64 << 10;

constexpr std::string_view kHostHint =
    "pass the kernel memory from cuMemAlloc, cuMemAllocManaged or cuMemHostAlloc, or register this "
    "memory with cuMemHostRegister";

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

/// The same of an offset in a window, which may be negative.
std::string relation_in_window(std::uint64_t offset, std::uint32_t size, std::uint64_t window_size,
                               std::string name) {
  constexpr std::uint64_t kMiddle = std::uint64_t{1} << 63;
  return relation(kMiddle + offset, size, {kMiddle, window_size, std::move(name)});
}

std::string bounds(std::uint64_t address, std::uint64_t size) {
  return fmt::format("{} at [{:#x}, {:#x})", bytes_text(size), address, address + size);
}

std::string_view word_of(MemoryKind kind) {
  static constexpr std::string_view kWords[] = {// in the order of MemoryKind
                                                "device memory",
                                                "pinned host memory",
                                                "managed memory",
                                                "registered host memory",
                                                "a variable",
                                                "the heap of device code",
                                                "the shared memory of another block",
                                                "the local memory of another warp",
                                                "reserved addresses"};
  static_assert(std::size(kWords) == static_cast<std::size_t>(MemoryKind::kReserved) + 1);
  return kWords[static_cast<std::size_t>(kind)];
}

std::int32_t device_of(const Warp& warp) {
  return warp.block->launch->program->options.device;
}

Thing thing_of(const Warp& warp, const DeviceMemory::Nearest& nearest) {
  const Allocation& allocation = nearest.allocation;
  const std::string what = allocation.name.empty() ? std::string(word_of(allocation.kind))
                                                   : fmt::format("variable '{}'", allocation.name);
  const bool elsewhere = allocation.kind != MemoryKind::kRegistered &&
                         allocation.kind != MemoryKind::kReserved &&
                         allocation.device != device_of(warp);
  return {allocation.address, allocation.size,
          fmt::format("{} of {}{}{}", what, bounds(allocation.address, allocation.size),
                      elsewhere ? fmt::format(" of device {}", allocation.device) : "",
                      nearest.freed ? ", which was freed" : "")};
}

AddressReport in_heap(const Warp& warp, std::uint64_t address, std::uint32_t size,
                      const DeviceMemory::Nearest& heap) {
  const std::optional<HeapBlock> block = nearest_heap_block(address);
  if (!block) {
    return {{relation(address, size, thing_of(warp, heap)), "no block of the heap is in use"}, {}};
  }
  const Thing thing = {block->address, block->size,
                       fmt::format("a block from malloc in device code of {}{}",
                                   bounds(block->address, block->size),
                                   block->freed ? ", which was freed" : "")};
  return {{relation(address, size, thing)}, {}};
}

bool is_inside(std::uint64_t address, const std::byte* begin, std::uint64_t size) {
  return address - reinterpret_cast<std::uint64_t>(begin) < size;
}

/// In the windows of the warp's lanes.
AddressReport in_local(const Warp& warp, unsigned lane, std::uint64_t address, std::uint32_t size) {
  const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(warp.local);
  const auto owner = static_cast<unsigned>(offset / warp.local_stride);
  AddressReport report = describe_local(warp, offset % warp.local_stride, size);
  if (owner != lane && owner < kLanes) {
    report.lines.push_back(
        fmt::format("the address is in the local memory of another thread, ({},{},{})",
                    warp.lane_tid[0][owner], warp.lane_tid[1][owner], warp.lane_tid[2][owner]));
  }
  return report;
}

std::optional<AddressReport> in_own_window(const Warp& warp, unsigned lane, std::uint64_t address,
                                           std::uint32_t size,
                                           const std::optional<Allocation>& found) {
  if (warp.local != nullptr &&
      is_inside(address, warp.local, std::uint64_t{warp.local_stride} * kLanes)) {
    return in_local(warp, lane, address, size);
  }
  const auto shared = reinterpret_cast<std::uint64_t>(warp.shared);
  const bool ours = found && found->kind == MemoryKind::kShared && found->address == shared;
  if (ours || is_inside(address, warp.shared, warp.shared_size)) {
    return describe_shared(warp, address - shared, size);
  }
  return std::nullopt;
}

/// The name of the function that `handle` stands for; empty if it is none.
std::string_view function_at(const Warp& warp, std::uint64_t handle) {
  const ProgramState& program = *warp.block->launch->program;
  const auto index = program.function_of(handle);
  if (!index || program.program->functions[*index].system_call) {
    return {};
  }
  return program.program->definition(*index).name;
}

AddressReport in_arena(const Warp& warp, unsigned lane, std::uint64_t address, std::uint32_t size,
                       const DeviceMemory& memory) {
  const std::optional<Allocation> found = memory.find(address);
  if (auto window = in_own_window(warp, lane, address, size, found)) {
    return *std::move(window);
  }
  // What is inside and may not be accessed is kept for later use (gantry/simt_driver.h).
  const auto nearest = found ? DeviceMemory::Nearest{*found, (found->kind == MemoryKind::kDevice ||
                                                              found->kind == MemoryKind::kPinned) &&
                                                                 !memory.accessible(address, 1)}
                             : memory.nearest(address);
  if (!nearest) {
    return {{"the address is in device memory, of which nothing is allocated"}, {}};
  }
  if (nearest->allocation.kind == MemoryKind::kHeap && !nearest->freed) {
    return in_heap(warp, address, size, *nearest);
  }
  AddressReport report = {{relation(address, size, thing_of(warp, *nearest))}, {}};
  if (nearest->allocation.kind == MemoryKind::kReserved && found) {
    report.hint = "map memory there (cuMemMap) and let the device access it (cuMemSetAccess)";
  } else if (nearest->freed) {
    report.hint = "free memory after the last kernel that uses it has ended";
  }
  return report;
}

AddressReport outside_arena(const Warp& warp, std::uint64_t address, std::uint32_t size,
                            const DeviceMemory& memory) {
  AddressReport report;
  const bool host = is_host_memory(address);
  if (const auto found = memory.find(address)) {
    report.lines.push_back(relation(address, size, thing_of(warp, {*found, false})));
    return report;
  }
  if (host && may_use_host_memory(device_of(warp))) {
    const bool passes_end = !is_mapped_on_host(address, size, false);
    report.lines.emplace_back(passes_end ? "the access passes the end of host memory"
                              : is_mapped_on_host(address, size, true)
                                  ? "the address is host memory"
                                  : "the address is host memory that may not be written");
    return report;
  }
  report.lines.emplace_back(host ? "the address is host memory (not mapped for the device)"
                                 : "nothing is at the address, neither on the device nor the host");
  // The arena is far away; registered memory may be near.
  const auto nearest = memory.nearest(address);
  if (nearest && nearest->allocation.kind == MemoryKind::kRegistered) {
    report.lines.push_back("nearest: " + relation(address, size, thing_of(warp, *nearest)));
  }
  report.hint = host ? kHostHint : "";
  return report;
}

/// The last shared variable that begins at or before an offset: a loop that runs past the end of
/// one began there.
struct SharedVariable {
  const ptx::ProgramVariable* variable = nullptr; ///< null: there is none
  std::uint64_t offset = 0;

  [[nodiscard]] bool is_dynamic() const { return variable != nullptr && variable->dynamic_shared; }
};

SharedVariable shared_variable_before(const Warp& warp, std::uint64_t offset) {
  const Launch& launch = *warp.block->launch;
  ProgramState& state = *launch.program;
  const std::lock_guard lock(state.kernels_mutex);
  if (launch.kernel >= state.kernels.size() || state.kernels[launch.kernel] == nullptr) {
    return {};
  }
  SharedVariable last;
  for (const ptx::Reachable::Shared& shared : state.kernels[launch.kernel]->reachable.shared) {
    if (shared.offset <= offset && (last.variable == nullptr || shared.offset >= last.offset)) {
      last = {&state.program->variables[shared.variable], shared.offset};
    }
  }
  return last;
}

std::string text_of(const SharedVariable& last) {
  if (last.is_dynamic()) {
    return fmt::format(
        "the last variable before it is '{}', the dynamic shared memory at offset {}",
        last.variable->name, last.offset);
  }
  return fmt::format("the last variable before it is '{}', {} at offset {}", last.variable->name,
                     bytes_text(last.variable->variable->size()), last.offset);
}

/// As the source has it.
std::string in_source(std::string_view name) {
  std::string known = demangled(name);
  return known.empty() ? std::string(name) : known;
}

} // namespace

std::string shared_variable_at(const Warp& warp, std::uint64_t offset) {
  const SharedVariable last = shared_variable_before(warp, offset);
  const bool is_inside = last.variable != nullptr && !last.is_dynamic() &&
                         offset - last.offset < last.variable->variable->size();
  return is_inside ? in_source(last.variable->name) : std::string();
}

std::string global_variable_at(std::uint64_t address) {
  const auto found = DeviceMemory::instance()->find(address);
  return found ? in_source(found->name) : std::string();
}

std::string bytes_text(std::uint64_t count) {
  return fmt::format("{} byte{}", count, count == 1 ? "" : "s");
}

AddressReport describe_shared(const Warp& warp, std::uint64_t offset, std::uint32_t size) {
  AddressReport report = {
      {relation_in_window(offset, size, warp.shared_size,
                          fmt::format("the block's shared memory of {} ({} static, {} dynamic)",
                                      bytes_text(warp.shared_size), warp.static_shared,
                                      warp.dynamic_shared))},
      {}};
  if (static_cast<std::int64_t>(offset) < 0) {
    return report;
  }
  const SharedVariable variable = shared_variable_before(warp, offset);
  if (variable.variable != nullptr) {
    report.lines.push_back(text_of(variable));
  }
  if (variable.is_dynamic() && warp.dynamic_shared == 0) {
    report.hint = "the launch gives no dynamic shared memory; a kernel that uses some must be "
                  "launched with its size";
  }
  return report;
}

AddressReport describe_local(const Warp& warp, std::uint64_t offset, std::uint32_t size) {
  return {{relation_in_window(offset, size, warp.local_size,
                              fmt::format("the thread's local memory of {}, {} in use",
                                          bytes_text(warp.local_size), warp.local_used))},
          {}};
}

AddressReport describe_address(const Warp& warp, unsigned lane, std::uint64_t address,
                               std::uint32_t size) {
  if (address < kNullPages) {
    return {{address == 0 ? "the address is null"
                          : fmt::format("the address is null plus {}", bytes_text(address))},
            "check that the pointer was set, and that what gave it succeeded"};
  }
  if (const std::string_view function = function_at(warp, address); !function.empty()) {
    return {{fmt::format("the address is that of function '{}', which is no data", function)}, {}};
  }
  const DeviceMemory* const memory = DeviceMemory::instance();
  if (memory == nullptr) {
    return {};
  }
  return address - memory->arena() < memory->arena_size()
             ? in_arena(warp, lane, address, size, *memory)
             : outside_arena(warp, address, size, *memory);
}

} // namespace gantry::simt::exec
