#include "runtime/core/faults/fault.h"

#include "runtime/core/runtime/device.h"
#include "runtime/core/reports/text.h"
#include "runtime/core/host/host_memory.h"
#include "runtime/core/host/module_path.h"
#include "runtime/core/runtime/runtime.h"
#include "runtime/core/host/symbols.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

namespace gantry::core {

namespace {

using Storage = DataEnvironment::Storage;

/// By GANTRY_FAULT_ACCESS_*. Another value comes from memory that the kernel itself may have
/// overwritten.
const char* deed_of(std::int32_t access) {
  switch (access) {
  case GANTRY_FAULT_ACCESS_READ:
    return "read from";
  case GANTRY_FAULT_ACCESS_WRITE:
    return "wrote to";
  case GANTRY_FAULT_ACCESS_CALL:
    return "called";
  default:
    return "used";
  }
}

/// Below this nothing is mapped in any process.
constexpr std::uintptr_t kNullPage = 4096;
/// How far from a variable an access is taken for one that was meant for it.
constexpr std::uint64_t kNear = 4096;
/// How far from where a pointer points its array may reach.
constexpr std::uint64_t kLargeArray = std::uint64_t{1} << 40;

/// Flang's name of a procedure is _Q, and then its module's, its host's and its own, each behind a
/// capital letter: `_QMcasesPfill`. Fortran's names have no capital letters.
bool is_of_flang(std::string_view name) {
  return name.size() > 2 && name.starts_with("_Q") && name[2] >= 'A' && name[2] <= 'Z';
}

std::string demangled(const std::string& name) {
  if (name == "_QQmain") {
    return "main program";
  }
  if (is_of_flang(name)) {
    return name.substr(name.find_last_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") + 1);
  }
  if (!name.starts_with("_Z")) { // names of types have no such prefix
    return name;
  }
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? std::string(text.get()) : name;
}

/// "14 bytes past the end of", also where it begins there.
std::string past_the_end(std::uint64_t distance) {
  return distance == 0 ? "right behind the end of" : counted(distance, "byte") + " past the end of";
}

/// " at offset 16", or nothing.
std::string at_offset(std::uint64_t offset) {
  return offset == 0 ? "" : fmt::format(" at offset {}", offset);
}

std::string facts(const Storage& storage) {
  return fmt::format("which has {}{}{}", counted(storage.size, "byte"),
                     storage.mapped_at.empty() ? "" : " and was mapped", storage.mapped_at);
}

std::string past(const Storage& storage, std::uint64_t distance) {
  return fmt::format("{} {}, {}", past_the_end(distance), storage.name, facts(storage));
}

/// What holds or held a device address of `device`; empty if nothing is known of it.
std::string inside_of_device(std::uintptr_t address, Device& device) {
  DataEnvironment& data = device.data_environment();
  if (const auto storage = data.storage_at(address)) {
    return fmt::format("{}{}, {}", storage->name, at_offset(address - storage->begin),
                       facts(*storage));
  }
  const auto allocation = device.allocations().locate(address);
  if (allocation && !allocation->freed) {
    return fmt::format("the allocation {}{}", extent(allocation->begin, allocation->size),
                       at_offset(address - allocation->begin));
  }
  if (const auto gone = data.gone_storage_at(address)) {
    return fmt::format("freed device memory: {}{}, which had {}, was unmapped{}", gone->name,
                       at_offset(address - gone->begin), counted(gone->size, "byte"),
                       gone->unmapped_at);
  }
  if (allocation) {
    return fmt::format("freed device memory: the allocation {}{}",
                       extent(allocation->begin, allocation->size),
                       at_offset(address - allocation->begin));
  }
  return {};
}

/// What a device address means on `device`; empty if nothing is known of it.
std::string on_device(std::uintptr_t address, Device& device) {
  if (std::string known = inside_of_device(address, device); !known.empty()) {
    return known;
  }
  DataEnvironment& data = device.data_environment();
  const auto before = data.storage_before(address);
  const auto allocated = device.allocations().preceding(address);
  const std::uintptr_t end = before ? before->begin + before->size : 0;
  const std::uintptr_t allocated_end = allocated ? allocated->begin + allocated->size : 0;
  if (allocated_end > end && address - allocated_end <= kNear) {
    return fmt::format("{} the allocation {}", past_the_end(address - allocated_end),
                       extent(allocated->begin, allocated->size));
  }
  if (end != 0 && address - end <= kNear) {
    return past(*before, address - end);
  }
  const auto behind = data.storage_behind(address);
  const auto allocated_behind = device.allocations().following(address);
  if (allocated_behind && allocated_behind->begin - address <= kNear &&
      (!behind || allocated_behind->begin < behind->begin)) {
    return fmt::format("{} before the allocation {}",
                       counted(allocated_behind->begin - address, "byte"),
                       extent(allocated_behind->begin, allocated_behind->size));
  }
  if (behind && behind->begin - address <= kNear) {
    return fmt::format("{} before {}, {}", counted(behind->begin - address, "byte"), behind->name,
                       facts(*behind));
  }
  return {};
}

/// What an executable or library has at a host address; its begin is one too.
Symbol host_symbol(std::uintptr_t address) {
  const Module module = module_of(reinterpret_cast<const void*>(address));
  if (module.end == 0) {
    return {};
  }
  const ModuleAddress in_module[] = {{module.path, address - module.begin}};
  Symbol symbol = symbolize(in_module).front();
  symbol.begin += symbol.begin == 0 ? 0 : module.begin;
  return symbol;
}

/// "'table' at offset 8 (64 bytes, declared at app.cpp:3)".
std::string variable_at(std::uintptr_t address, const Symbol& symbol) {
  std::string known = symbol.size == 0 ? "" : counted(symbol.size, "byte");
  if (!symbol.position.empty()) {
    known += (known.empty() ? "declared at " : ", declared at ") + symbol.position;
  }
  return fmt::format("'{}'{}{}", demangled(symbol.name),
                     at_offset(symbol.begin == 0 ? 0 : address - symbol.begin),
                     known.empty() ? known : " (" + known + ")");
}

/// The variable or function of an executable or library that a host address is of.
std::string host_name(std::uintptr_t address, bool called) {
  const Symbol symbol = host_symbol(address);
  if (symbol.name.empty()) {
    return {};
  }
  if (called) {
    return fmt::format("the host's function '{}', of which the device has no version; declare it "
                       "target with the indirect clause",
                       demangled(symbol.name));
  }
  return fmt::format("host address of {}, which is not mapped on this device",
                     variable_at(address, symbol));
}

/// The pointer among a region's items that a host address was reached by.
const MapItem* item_pointing_to(std::uintptr_t address, std::span<const MapItem> items) {
  const MapItem* best = nullptr;
  for (const MapItem& item : items) {
    const std::uintptr_t begin = core::address(item.begin);
    if (begin != 0 && begin <= address && address - begin < kLargeArray &&
        !map_name(item.name).empty() && (best == nullptr || begin > core::address(best->begin))) {
      best = &item;
    }
  }
  return best;
}

/// What an address means that was reached by a pointer to the device's own memory, as is_device_ptr
/// names them, and is too far from it to be told by itself.
std::string behind_device_pointer(std::uintptr_t address, Device& device,
                                  std::span<const MapItem> items) {
  const MapItem* const item = item_pointing_to(address, items);
  const std::string known =
      item == nullptr ? "" : inside_of_device(core::address(item->begin), device);
  return known.empty() ? known
                       : fmt::format("{} behind where '{}' points to, {}",
                                     counted(address - core::address(item->begin), "byte"),
                                     map_name(item->name), known);
}

std::string on_host(std::uintptr_t address, bool called, Device& device,
                    std::span<const MapItem> items) {
  DataEnvironment& data = device.data_environment();
  if (const auto original = data.original_at(address)) {
    return fmt::format("host address of {}{}, which is mapped{}; the device's is another one, and "
                       "the pointer that was used is not attached to it",
                       original->name, at_offset(address - original->begin), original->mapped_at);
  }
  if (std::string symbol = host_name(address, called); !symbol.empty()) {
    return symbol;
  }
  const MapItem* const item = item_pointing_to(address, items);
  const auto stray = data.pointer_to(address);
  if (item != nullptr && (!stray || core::address(item->begin) >= stray->value)) {
    const std::string name(map_name(item->name));
    return fmt::format("host address of {}{}, which is not mapped on this device; map {}, with its "
                       "length",
                       item->size == 0 ? "what '" + name + "' points to" : "'" + name + "'",
                       at_offset(address - core::address(item->begin)), name);
  }
  if (stray) {
    return fmt::format("host address of what the pointer at offset {} of {} points to{}, which is "
                       "not mapped on this device, or the pointer is not attached to it",
                       stray->offset, stray->holder.name, at_offset(address - stray->value));
  }
  return HostMemory::instance().is_readable(address, 1)
             ? "host address of storage that is not mapped on this device"
             : "";
}

/// What an address of the host means to a device that uses the host's memory as its own.
std::string in_memory_of_both(const gantry_fault& fault, std::uintptr_t address, Device& device) {
  HostMemory& host = HostMemory::instance();
  if (!host.is_readable(address, 1)) {
    return "where neither the device nor the host has memory";
  }
  std::string known;
  if (const auto original = device.data_environment().original_at(address)) {
    known = fmt::format("{}{}, {}", original->name, at_offset(address - original->begin),
                        facts(*original));
  } else if (const Symbol symbol = host_symbol(address); !symbol.name.empty()) {
    known = variable_at(address, symbol);
  }
  const bool is_refused = fault.kind == GANTRY_FAULT_ACCESS &&
                          fault.access == GANTRY_FAULT_ACCESS_WRITE &&
                          host.first_missing(address, 1, HostMemory::Access::kWrite);
  if (is_refused) {
    return "host memory that may not be written" + (known.empty() ? known : ": " + known);
  }
  return known.empty() ? "host memory" : known;
}

std::string meaning(const gantry_fault& fault, Device& device, std::span<const MapItem> items) {
  const auto address = static_cast<std::uintptr_t>(fault.address);
  if (address < kNullPage) {
    return "a null pointer" + at_offset(address);
  }
  if (std::string known = on_device(address, device); !known.empty()) {
    return known;
  }
  if (std::string known = memory_of_device(address, &device); !known.empty()) {
    return known;
  }
  const bool called = fault.access == GANTRY_FAULT_ACCESS_CALL;
  if (device.plugin_device().host_accessible() && !called) {
    return in_memory_of_both(fault, address, device);
  }
  if (std::string known = behind_device_pointer(address, device, items); !known.empty()) {
    return known;
  }
  if (std::string known = on_host(address, called, device, items); !known.empty()) {
    return known;
  }
  return "where neither the device nor the host has memory";
}

std::string deed(const gantry_fault& fault, Device& device, std::span<const MapItem> items) {
  switch (fault.kind) {
  case GANTRY_FAULT_ACCESS:
    return fault.address_known == 0
               ? "used a pointer that is no address, as what was never set or is freed may hold one"
               : fmt::format("{} address {:#x}: {}", deed_of(fault.access), fault.address,
                             meaning(fault, device, items));
  case GANTRY_FAULT_ARITHMETIC:
    return "divided by zero";
  case GANTRY_FAULT_INSTRUCTION:
    return "came to an instruction that the processor does not have, such as a trap";
  case GANTRY_FAULT_ABORT:
    return "called abort()";
  case GANTRY_FAULT_STACK:
    return "exhausted the stack of a thread; OMP_STACKSIZE makes those of parallel regions larger, "
           "the shell's limit (ulimit -s) the first one";
  case GANTRY_FAULT_EXIT:
    return fmt::format("called exit({}), which ends the device", fault.value);
  case GANTRY_FAULT_DESCRIBED:
    return fault.address_known == 0
               ? fmt::format("ended: {}", fault.what)
               : fmt::format("ended: {}: {}", fault.what, meaning(fault, device, items));
  case GANTRY_FAULT_TIME:
    return "took longer than GANTRY_TIMEOUT allows";
  default:
    return {};
  }
}

/// Where in the source the fault happened: "app.cpp:14: ", or nothing.
std::string position_of(const gantry_fault& fault) {
  if (fault.position != nullptr && *fault.position != '\0') {
    return fmt::format("{}: ", fault.position);
  }
  const int file = fault.image == nullptr ? -1 : memfd_create("gantry-image", 0);
  if (file < 0) {
    return {};
  }
  std::string position;
  if (write(file, fault.image, fault.image_size) == static_cast<ssize_t>(fault.image_size)) {
    const ModuleAddress code[] = {{fmt::format("/proc/self/fd/{}", file), fault.code}};
    position = symbolize(code).front().position;
  }
  close(file);
  // Of code that the compiler made, the line is 0.
  return position.empty() || position.ends_with(":0") ? "" : position + ": ";
}

/// GCC makes a function of every region: "main._omp_fn.0", and "f(int) (._omp_fn.0)" when it is
/// demangled. Its line is the region's first that there is code for.
std::string region_of_function(const Symbol& function) {
  std::string_view name = function.name;
  name = name.substr(0, name.find("._omp_fn."));
  if (name.size() == function.name.size()) {
    return "a region";
  }
  constexpr std::string_view kParenthesis = " (";
  if (name.ends_with(kParenthesis)) {
    name.remove_suffix(kParenthesis.size());
  }
  const std::string::size_type colon = function.position.rfind(':');
  const std::string line = colon == std::string::npos ? "0" : function.position.substr(colon + 1);
  return fmt::format("the region of '{}'{}", name, line == "0" ? "" : " near line " + line);
}

/// "memory of device 1 (worker): " and what `known` says of the first device of which it says
/// something.
template <typename Known>
std::string of_first_device(Known known) {
  Runtime& runtime = Runtime::instance();
  for (int i = 0; Device* const device = runtime.device(i); ++i) {
    if (const std::string what = known(*device); !what.empty()) {
      return fmt::format("memory of {}: {}", device->label(), what);
    }
  }
  return {};
}

} // namespace

std::string memory_of_device(std::uintptr_t address, const Device* but) {
  return of_first_device(
      [&](Device& device) { return &device == but ? "" : on_device(address, device); });
}

std::string held_by_device(std::uintptr_t address) {
  return of_first_device([&](Device& device) { return inside_of_device(address, device); });
}

std::string region_of_kernel(std::string_view name, const void* host_address) {
  if (name.starts_with('#') && host_address != nullptr) {
    return region_of_function(host_symbol(address(host_address)));
  }
  // __omp_offloading_DEVICE_INODE_FUNCTION_lLINE, and _COUNT behind it for others of the line
  constexpr std::string_view kPrefix = "__omp_offloading_";
  const std::size_t line = name.rfind("_l");
  if (!name.starts_with(kPrefix) || line == std::string_view::npos) {
    return "a region";
  }
  std::string_view function = name.substr(0, line).substr(kPrefix.size());
  for (int i = 0; i < 2; ++i) {
    const std::size_t underscore = function.find('_');
    if (underscore == std::string_view::npos) {
      return "a region";
    }
    function.remove_prefix(underscore + 1);
  }
  const std::string_view number = name.substr(line + 2);
  return fmt::format("the region of '{}' at line {}", demangled(std::string(function)),
                     number.substr(0, number.find('_')));
}

std::string describe_fault(const gantry_fault& fault, Device& device,
                           std::span<const MapItem> items, const void* host_address) {
  const std::string did = deed(fault, device, items);
  if (did.empty()) {
    return {};
  }
  const std::string who = fault.kernel_name == nullptr
                              ? "code on the device"
                              : region_of_kernel(fault.kernel_name, host_address);
  return fmt::format("{}{} {}", position_of(fault), who, did);
}

} // namespace gantry::core
