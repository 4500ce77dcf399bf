// One device's data environment: the mapping rules of the standard (OpenMP 5.2, sections 5.8 and
// 13.5 to 13.9), implemented once for every compiler and every device.
//
// enter() does what happens at the start of a target or target data region and for target enter
// data; exit() what happens at their end and for target exit data; update() what target update
// does. Each is one step for other threads: it holds the environment's lock from the first look-up
// to the last copy.
//
// Storage of a device that shares memory: the corresponding storage of an object is the object, so
// nothing is allocated and a copy of it onto itself is left out. Only declare target variables,
// which an image brings along, have storage of their own there.
#pragma once

#include "base/result.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/map_item.h"
#include "runtime/core/mapping_table.h"
#include "runtime/core/plugin.h"

#include <mutex>
#include <span>

#include <absl/container/inlined_vector.h>

namespace gantry::core {

/// What an enter() found out about its items, in their order: enough for most constructs without
/// an allocation.
inline constexpr std::size_t kInlineItems = 16;

/// The values of a kernel's parameters.
using KernelArguments = absl::InlinedVector<void*, kInlineItems + 1>;

/// The private storage of one launch on its device; freed with it.
class PrivateStorage {
public:
  explicit PrivateStorage(const PluginDevice& device) : device_(device) {}
  PrivateStorage(const PrivateStorage&) = delete;
  PrivateStorage& operator=(const PrivateStorage&) = delete;
  ~PrivateStorage();

  /// Makes room for `size` bytes and returns where they are on the device.
  [[nodiscard]] Result<std::uintptr_t> allocate(std::uint64_t size);

private:
  const PluginDevice& device_;
  alignas(64) std::byte inline_[512];
  void* allocation_ = nullptr;
};

class DataEnvironment {
public:
  /// `device` outlives the environment.
  explicit DataEnvironment(const PluginDevice& device) : device_(device) {}
  DataEnvironment(const DataEnvironment&) = delete;
  DataEnvironment& operator=(const DataEnvironment&) = delete;

  /// Maps `items` for the duration of a data region. Items end what they began even if another one
  /// fails at exit; an enter that fails undoes nothing.
  [[nodiscard]] Status enter(std::span<const MapItem> items, const Construct& construct);

  /// Maps `items` for a target region and appends one value to `arguments` for each item with
  /// `argument`, with private copies in `storage`.
  [[nodiscard]] Status enter_target(std::span<const MapItem> items, const Construct& construct,
                                    KernelArguments& arguments, PrivateStorage& storage);

  /// Ends what enter began, with the items of the end of the region or of target exit data. An
  /// error of one item does not keep the others on the device.
  [[nodiscard]] Status exit(std::span<const MapItem> items, const Construct& construct);

  [[nodiscard]] Status update(std::span<const MapItem> items, const Construct& construct);

  /// omp_target_associate_ptr: gives host storage corresponding storage until disassociate(). The
  /// same association again is no error, any other overlap is.
  [[nodiscard]] Status associate(const void* host, std::uint64_t size, void* device_address);
  [[nodiscard]] Status disassociate(const void* host);

  /// A declare target variable of an image: present from now until undeclare(). A variable that is
  /// declared already stays as it is: an inline variable has one identity in all programs of a
  /// process, and the first image that brings it serves.
  [[nodiscard]] Status declare(const void* host, std::uint64_t size, void* device_address,
                               const char* name);
  /// Ends declare() if it was made with this device address.
  void undeclare(const void* host, const void* device_address);

  /// The corresponding address of a host address, or null if it is not present.
  [[nodiscard]] void* corresponding(const void* host, std::uint64_t size);

  /// See MappingTable::intern_strings.
  void intern_strings(std::uintptr_t begin, std::uintptr_t end);

  /// The table as text, one entry a line, for people.
  [[nodiscard]] std::string describe();

private:
  using Found = absl::InlinedVector<Mapping*, kInlineItems>;
  enum class Direction : std::uint8_t { kToDevice, kFromDevice };

  // What follows is called with the lock held. `call` numbers the enter or exit call at work.

  Status enter_locked(std::span<const MapItem> items, const Construct& construct, Found& found);
  Result<Mapping*> enter_storage(std::span<const MapItem> items, const MapItem& item,
                                 std::uintptr_t begin, std::uint64_t size, std::uint64_t call,
                                 const Construct& construct);
  Result<Mapping*> create(std::span<const MapItem> items, const MapItem& item, std::uintptr_t begin,
                          std::uint64_t size, std::uint64_t call, const Construct& construct);
  Result<Mapping*> leave(const MapItem& item, std::uintptr_t begin, std::uint64_t size,
                         std::uint64_t call, Found& gone);
  Status remove(Mapping& mapping);
  Mapping& insert_infinite(std::uintptr_t begin, std::uint64_t size, void* device_address);
  Status copy(const Mapping& mapping, std::uintptr_t begin, std::uint64_t size, Direction direction,
              const Construct& construct);

  /// Makes the corresponding pointer of an item point to the corresponding pointee, if both are
  /// present and one of them is new.
  Status attach(const MapItem& item, std::uint64_t call);

  /// On a device that shares memory: true if a pointer inside [begin, begin + size) is to be
  /// attached to storage that the device has of its own. Then the pointer needs storage of its own
  /// too, or the host's pointer would change.
  bool points_to_own_storage(std::span<const MapItem> items, std::uintptr_t begin,
                             std::uint64_t size);

  /// Makes the device's pointer at `device_slot` point to the corresponding storage of item.begin,
  /// if there is any.
  Status point_to_corresponding(std::uintptr_t device_slot, const MapItem& item);

  Status append_arguments(std::span<const MapItem> items, const Found& found,
                          KernelArguments& arguments, PrivateStorage& storage);

  const PluginDevice& device_;
  std::mutex mutex_;
  MappingTable table_;
  /// Associated storage that is not the original storage itself.
  std::uint64_t separate_storage_ = 0;
};

} // namespace gantry::core
