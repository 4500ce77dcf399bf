#include "runtime/core/faults/fault.h"

#include "runtime/core/data/data_environment.h"
#include "runtime/core/host/host_memory.h"
#include "runtime/core/host/symbols.h"
#include "runtime/core/reports/compiler_names.h"
#include "runtime/core/reports/text.h"

namespace gantry::core {

namespace {

/// By GANTRY_FAULT_ACCESS_*. Another value may come from memory that the kernel itself has
/// overwritten.
const char* verb_of(std::int32_t access) {
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
/// How far from where a pointer points its array may reach.
constexpr std::uint64_t kLargeArray = std::uint64_t{1} << 40;

/// "'table' at offset 8 (64 bytes, declared at app.cpp:3)".
std::string variable_at(std::uintptr_t address, const Symbol& symbol) {
  std::string known = symbol.size == 0 ? "" : counted(symbol.size, "byte");
  if (!symbol.position.empty()) {
    known += (known.empty() ? "declared at " : ", declared at ") + symbol.position;
  }
  return fmt::format("'{}'{}{}", name_in_source(symbol.name),
                     at_offset(symbol.begin == 0 ? 0 : address - symbol.begin),
                     known.empty() ? known : " (" + known + ")");
}

/// The variable or function of an executable or library that a host address is of.
std::string host_name(std::uintptr_t address, bool called) {
  const Symbol symbol = symbol_at(address);
  if (symbol.name.empty()) {
    return {};
  }
  if (called) {
    return fmt::format("the host's function '{}', of which the device has no version; declare it "
                       "target with the indirect clause",
                       name_in_source(symbol.name));
  }
  return fmt::format("host address of {}, which is not mapped on this device",
                     variable_at(address, symbol));
}

/// The pointer among a region's items that a host address was reached by.
const MapItem* item_pointing_to(std::uintptr_t address, Items items) {
  const MapItem* best = nullptr;
  for (const MapItem& item : items) {
    const std::uintptr_t begin = core::address(item.begin);
    if (begin != 0 && begin <= address && address - begin < kLargeArray &&
        !variable_name(item.name).empty() &&
        (best == nullptr || begin > core::address(best->begin))) {
      best = &item;
    }
  }
  return best;
}

/// What an address means that was reached by a pointer to the device's own memory, as is_device_ptr
/// names them, and is too far from it to be told by itself.
std::string behind_device_pointer(std::uintptr_t address, const AddressSpace& addresses,
                                  Items items) {
  const MapItem* const item = item_pointing_to(address, items);
  const std::string known = item == nullptr ? "" : addresses.inside(core::address(item->begin));
  return known.empty() ? known
                       : fmt::format("{} behind where '{}' points to, {}",
                                     counted(address - core::address(item->begin), "byte"),
                                     variable_name(item->name), known);
}

std::string on_host(std::uintptr_t address, bool called, const StorageNames& names, Items items) {
  if (const auto original = names.original_at(address)) {
    return fmt::format("host address of {}{}, which is mapped{}; the device's is another one, and "
                       "the pointer that was used is not attached to it",
                       original->name, at_offset(address - original->begin), original->mapped_at);
  }
  if (std::string symbol = host_name(address, called); !symbol.empty()) {
    return symbol;
  }
  const MapItem* const item = item_pointing_to(address, items);
  const auto stray = names.pointer_to(address);
  if (item != nullptr && (!stray || core::address(item->begin) >= stray->value)) {
    const std::string name(variable_name(item->name));
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
std::string in_memory_of_both(const gantry_fault& fault, std::uintptr_t address,
                              const StorageNames& names) {
  HostMemory& host = HostMemory::instance();
  if (!host.is_readable(address, 1)) {
    return "where neither the device nor the host has memory";
  }
  std::string known;
  if (const auto original = names.original_at(address)) {
    known = fmt::format("{}{}, {}", original->name, at_offset(address - original->begin),
                        original->facts());
  } else if (const Symbol symbol = symbol_at(address); !symbol.name.empty()) {
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

/// Of an address whose access is not itself the fault, because it may be accessed; empty if nothing
/// is known of it.
std::string valid_meaning(const gantry_fault& fault, const DataEnvironment& data) {
  const auto address = static_cast<std::uintptr_t>(fault.address);
  if (std::string known = data.addresses().around(address); !known.empty()) {
    return known;
  }
  return data.device().host_accessible() ? in_memory_of_both(fault, address, data.names()) : "";
}

std::string meaning(const gantry_fault& fault, const DataEnvironment& data, Items items) {
  const auto address = static_cast<std::uintptr_t>(fault.address);
  if (address < kNullPage) {
    return "a null pointer" + at_offset(address);
  }
  if (std::string known = data.addresses().around(address); !known.empty()) {
    return known;
  }
  if (std::string known = AddressSpace::device_around(address, data.addresses()); !known.empty()) {
    return known;
  }
  const bool called = fault.access == GANTRY_FAULT_ACCESS_CALL;
  if (data.device().host_accessible() && !called) {
    return in_memory_of_both(fault, address, data.names());
  }
  if (std::string known = behind_device_pointer(address, data.addresses(), items); !known.empty()) {
    return known;
  }
  if (std::string known = on_host(address, called, data.names(), items); !known.empty()) {
    return known;
  }
  return "where neither the device nor the host has memory";
}

std::string what_it_did(const gantry_fault& fault, const DataEnvironment& data, Items items) {
  switch (fault.kind) {
  case GANTRY_FAULT_ACCESS:
    return fault.address_known == 0
               ? "used a pointer that is no address, as what was never set or is freed may hold one"
               : fmt::format("{} address {:#x}: {}", verb_of(fault.access), fault.address,
                             meaning(fault, data, items));
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
  case GANTRY_FAULT_DESCRIBED: {
    const std::string known = fault.address_known == 0 ? "" : valid_meaning(fault, data);
    return fmt::format("ended: {}{}{}", fault.what, known.empty() ? "" : ": ", known);
  }
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
  const std::string position =
      symbolize_image({static_cast<const std::byte*>(fault.image), fault.image_size}, fault.code)
          .position;
  // Of code that the compiler made, the line is 0.
  return position.empty() || position.ends_with(":0") ? "" : position + ": ";
}

} // namespace

std::string describe_fault(const gantry_fault& fault, const DataEnvironment& data, Items items,
                           const void* host_address) {
  const std::string did = what_it_did(fault, data, items);
  if (did.empty()) {
    return {};
  }
  const std::string who = fault.kernel_name == nullptr
                              ? "code on the device"
                              : region_of_kernel(fault.kernel_name, host_address);
  return fmt::format("{}{} {}", position_of(fault), who, did);
}

} // namespace gantry::core
