#include "simt/exec/reports/address_report.h"

#include "base/cxx_names.h"
#include "simt/exec/blocks/block.h"
#include "simt/exec/programs/program_state.h"
#include "simt/memory/device_memory.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

namespace gantry::simt::exec {

namespace {

constexpr MemoryWords kWords = {
    {// in the order of MemoryKind
     "device memory", "pinned host memory", "managed memory", "registered host memory",
     "a variable", "the heap of device code", "the shared memory of another block",
     "the local memory of another warp", "reserved addresses"},
    "pass the kernel memory from cuMemAlloc, cuMemAllocManaged or cuMemHostAlloc, or register this "
    "memory with cuMemHostRegister",
    "map memory there (cuMemMap) and let the device access it (cuMemSetAccess)"};

std::int32_t device_of(const Warp& warp) {
  return warp.block->launch->program->options.device;
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

AddressReport describe_shared(const Warp& warp, std::uint64_t offset, std::uint32_t size) {
  AddressReport report = {
      {describe_in_window(offset, size, warp.shared_size,
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
  return {{describe_in_window(offset, size, warp.local_size,
                              fmt::format("the thread's local memory of {}, {} in use",
                                          bytes_text(warp.local_size), warp.local_used))},
          {}};
}

AddressReport describe_address(const Warp& warp, unsigned lane, std::uint64_t address,
                               std::uint32_t size) {
  if (const std::string_view function = function_at(warp, address); !function.empty()) {
    return {{fmt::format("the address is that of function '{}', which is no data", function)}, {}};
  }
  const DeviceMemory* const memory = DeviceMemory::instance();
  if (memory == nullptr) {
    return {};
  }
  if (address - memory->arena() < memory->arena_size()) {
    if (auto window = in_own_window(warp, lane, address, size, memory->find(address))) {
      return *std::move(window);
    }
  }
  return describe_memory(*memory, device_of(warp), address, size, kWords);
}

} // namespace gantry::simt::exec
