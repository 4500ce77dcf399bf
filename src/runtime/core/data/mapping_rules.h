// What map clauses do at the start and the end of a region, and what target update does
// (OpenMP 5.2, sections 5.8.3, 13.6 and 13.9), as far as it can be decided without copying: counts
// change, entries come into the table, and what is to be allocated, attached, copied and removed is
// noted in the construct's work.
#pragma once

#include "base/result.h"
#include "runtime/core/data/construct_work.h"
#include "runtime/core/data/link_variables.h"
#include "runtime/core/devices/allocation_table.h"
#include "runtime/core/devices/plugin_device.h"

namespace gantry::core {

/// All functions with the lock of the device data environment, and with none of the mappings that
/// the items concern marked by others.
class MappingRules {
public:
  /// All outlive the object; `allocations` are what the program allocated on the device.
  MappingRules(const PluginDevice& device, const AllocationTable& allocations, MappingTable& table,
               const LinkVariables& links)
      : device_(device), allocations_(allocations), table_(table), links_(links),
        unified_(device.shares_memory()) {}

  /// From now on what becomes present is its own corresponding storage, unless its item says
  /// `close`.
  void unify() { unified_ = true; }

  /// The start of a region: finds each item's storage, or makes an entry for it.
  [[nodiscard]] Status enter(Items items, ConstructWork& work);
  /// Behind enter(), when all entries have their storage: attaches pointers.
  void attach_pointers(Items items, ConstructWork& work);
  /// The end of a region. An error of one item does not keep the others on the device.
  [[nodiscard]] Status exit(Items items, ConstructWork& work);
  [[nodiscard]] Status update(Items items, ConstructWork& work);

private:
  /// Counts the reference of an item to storage that is there, and plans its copy.
  void enter_present(Mapping& mapping, const MapItem& item, std::uintptr_t begin,
                     std::uint64_t size, ConstructWork& work);
  Result<Mapping*> enter_storage(Items items, const MapItem& item, std::uintptr_t begin,
                                 std::uint64_t size, ConstructWork& work);
  Result<Mapping*> create(Items items, const MapItem& item, std::uintptr_t begin,
                          std::uint64_t size, ConstructWork& work);
  /// Takes the reference of an item to storage that is there.
  void leave_present(Mapping& mapping, const MapItem& item, std::uintptr_t begin,
                     ConstructWork& work);
  Result<Mapping*> leave(const MapItem& item, std::uintptr_t begin, std::uint64_t size,
                         ConstructWork& work);
  [[nodiscard]] Status update(const MapItem& item, ConstructWork& work);

  const PluginDevice& device_;
  const AllocationTable& allocations_;
  MappingTable& table_;
  const LinkVariables& links_;
  bool unified_;
};

} // namespace gantry::core
