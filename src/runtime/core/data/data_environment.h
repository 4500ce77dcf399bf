// One device's data environment: the mapping rules of the standard (OpenMP 5.2, sections 5.8 and
// 13.5 to 13.9), implemented once for every compiler and every device.
//
// enter() does what happens at the start of a target or target data region and for target enter
// data; exit() what happens at their end and for target exit data; update() what target update
// does. Each has the same steps:
//
//   settle   wait until no other construct copies what the items concern;
//   plan     count references, find corresponding storage, decide what is to be copied;
//   allocate corresponding storage, and
//   copy     without the lock, the mappings concerned being marked meanwhile;
//   finish   take the marks off and what is no longer referenced off the device.
//
// Who waits for a mark holds none, so constructs cannot wait for each other in a circle. When there
// is nothing to allocate or to copy, all of it is one step under one lock. The plugin is never
// called with the lock.
//
// Copies go through the construct's queue and are done when the call returns, but for those of
// private storage, which the construct's kernel alone uses: it comes behind them in the queue.
//
// Where storage is unified, on a device that shares memory or under unified_shared_memory, the
// corresponding storage of an object is the object, so nothing is allocated and a copy of it onto
// itself is left out. Only declare target variables, which an image brings along, have storage of
// their own there, and what is mapped with `close`.
#pragma once

#include "base/result.h"
#include "runtime/core/data/address_space.h"
#include "runtime/core/data/construct_work.h"
#include "runtime/core/data/kernel_arguments.h"
#include "runtime/core/data/link_variables.h"
#include "runtime/core/data/mapping_rules.h"
#include "runtime/core/data/marks.h"
#include "runtime/core/data/stale_copies.h"
#include "runtime/core/data/storage_names.h"
#include "runtime/core/devices/allocation_table.h"
#include "runtime/core/host/read_only_memory.h"

#include <atomic>
#include <functional>
#include <span>

namespace gantry::core {

/// Any thread. A construct's queue says which construct it is.
class DataEnvironment {
public:
  /// `device` and `allocations`, what the program allocated on it, outlive the environment.
  DataEnvironment(const PluginDevice& device, const AllocationTable& allocations)
      : device_(device), rules_(device, allocations, guarded_.table, links_), names_(guarded_),
        addresses_(device.name(), names_, allocations), stale_copies_(device, guarded_) {}
  DataEnvironment(const DataEnvironment&) = delete;
  DataEnvironment& operator=(const DataEnvironment&) = delete;

  /// Maps `items` for the duration of a data region. If it fails nothing stays mapped that was not.
  [[nodiscard]] Status enter(Items items, Queue& queue);

  /// Maps `items` for a target region and appends one value to `arguments` for each item with
  /// `argument`, or the address of a block of these, with private copies in `storage`. `last` is
  /// what they were found in the last time, which is looked at first; null: it is not known.
  [[nodiscard]] Status enter_target(Items items, Queue& queue, KernelArguments& arguments,
                                    ParameterForm form, PrivateStorage& storage,
                                    FoundLast* last = nullptr) {
    if (items.empty()) {
      if (form == ParameterForm::kBlock) {
        arguments.push_back(nullptr);
      }
      return {};
    }
    return enter_items(items, queue, arguments, form, storage, last);
  }

  /// Ends what enter began, with the items of the end of the region or of target exit data. An
  /// error of one item does not keep the others from being copied and taken off the device.
  [[nodiscard]] Status exit(Items items, Queue& queue) {
    return items.empty() ? Status() : exit_items(items, queue, ConstructWork::Of::kOther, nullptr);
  }
  /// The same at the end of a target region, with the `last` of enter_target.
  [[nodiscard]] Status exit_target(Items items, Queue& queue, FoundLast* last) {
    return items.empty() ? Status() : exit_items(items, queue, ConstructWork::Of::kRegion, last);
  }

  /// On a device that is far: lets the queue bring along what exit_target() is expected to copy
  /// back, as far as it is little.
  void expect_results(Items items, Queue& queue);

  [[nodiscard]] Status update(Items items, Queue& queue);

  /// omp_target_associate_ptr: gives host storage corresponding storage until disassociate(). The
  /// same association again is no error, any other overlap is.
  [[nodiscard]] Status associate(const void* host, std::uint64_t size, void* device_address);
  [[nodiscard]] Status disassociate(const void* host);

  enum class Declared : std::uint8_t {
    kVariable,
    kLinkPointer, ///< the pointer by which Clang's code uses a link variable
  };
  /// A declare target variable of an image: present from now until undeclare(). A variable that is
  /// declared already stays as it is: an inline variable has one identity in all programs of a
  /// process, and the first image that brings it serves. note_modules() has been called since its
  /// library was loaded.
  [[nodiscard]] Status declare(const void* host, std::uint64_t size, void* device_address,
                               const char* name, Declared kind = Declared::kVariable);
  /// Ends declare() if it was made with this device address.
  void undeclare(const void* host, const void* device_address);

  /// A link variable of an image: present while a construct maps it, until undeclare_link().
  void declare_link(const void* host, std::uint64_t size, const LinkTarget& target);
  /// Ends declare_link() if it was made with this target.
  void undeclare_link(const void* host, const LinkTarget& target);

  /// Libraries have been loaded, from whose constants nothing is to be copied back. Asks the
  /// dynamic loader.
  void note_modules() { read_only_.refresh(); }

  /// From now on everything that becomes present is its own corresponding storage, unless its item
  /// says `close`: unified_shared_memory on a device that can access the host's memory.
  void unify();

  /// True if anything that is present has storage other than the original storage, but for what
  /// is there for target regions at work alone: that is theirs to bring back or to make anew.
  [[nodiscard]] bool holds_data();

  /// How many of the bytes at `begin` are present otherwise than for target regions at work; of a
  /// size of 0, 1 if the address is (MappingTable::find).
  [[nodiscard]] std::uint64_t held_bytes(std::uintptr_t begin, std::uint64_t size);

  [[nodiscard]] bool is_present(const void* host, std::uint64_t size);

  /// The program was told an address of corresponding storage, by use_device_ptr, use_device_addr
  /// or tell_corresponding(), and may have it anywhere.
  [[nodiscard]] bool has_told_addresses() const {
    return told_addresses_.load(std::memory_order_relaxed);
  }
  /// corresponding(), for the program.
  [[nodiscard]] void* tell_corresponding(const void* host) {
    told_addresses_.store(true, std::memory_order_relaxed);
    return corresponding(host, 1);
  }

  /// The corresponding address of a host address, or null if it is not present.
  [[nodiscard]] void* corresponding(const void* host, std::uint64_t size);

  /// See MappingTable::intern_strings.
  void intern_strings(std::uintptr_t begin, std::uintptr_t end);

  [[nodiscard]] const PluginDevice& device() const { return device_; }
  /// What addresses are called in messages.
  [[nodiscard]] const StorageNames& names() const { return names_; }
  [[nodiscard]] const AddressSpace& addresses() const { return addresses_; }
  /// For GANTRY_CHECK=map.
  [[nodiscard]] StaleCopies& stale_copies() { return stale_copies_; }

  /// What is still mapped, by constructs and not for ever: a sentence for each.
  [[nodiscard]] std::vector<std::string> leaks();

  /// The table as text, one entry a line, for people.
  [[nodiscard]] std::string describe();

  /// Corresponding storage: for recordings.
  struct Storage {
    const char* name = nullptr;
    std::uintptr_t begin = 0; ///< on the device; without what was allocated for alignment
    std::uint64_t size = 0;
    /// Where storage is, on the device, that its attached pointers are attached to: the pointers
    /// themselves may point in front of it.
    std::vector<std::uintptr_t> pointees = {};
  };
  /// All that is not in an image.
  [[nodiscard]] std::vector<Storage> all_storage();

  /// Calls `visit` with the host address, size, reference count and count of holds of everything
  /// that is present, in order: for tests.
  void for_each_count(const std::function<void(std::uintptr_t, std::uint64_t, std::uint64_t,
                                               std::uint64_t)>& visit);
  /// What does not hold of what must hold while no construct is at work, or null: for tests.
  [[nodiscard]] const char* broken_invariant();

private:
  // enter_target() and exit_target() with items.
  Status enter_items(Items items, Queue& queue, KernelArguments& arguments, ParameterForm form,
                     PrivateStorage& storage, FoundLast* last);
  Status exit_items(Items items, Queue& queue, ConstructWork::Of kind, FoundLast* last);

  // The steps of a construct. The lock is held where it is not said otherwise.

  [[nodiscard]] Status plan_enter(Lock& lock, Items items, ConstructWork& work);
  /// Allocates the corresponding storage of new mappings and looks for constants, without the lock.
  [[nodiscard]] Status allocate_created(Lock& lock, Items items, ConstructWork& work);
  [[nodiscard]] Status allocate(ConstructWork::Created& created, const Construct& construct);
  /// Copies what is planned, without the lock, and waits for what concerns mappings.
  [[nodiscard]] Status run_transfers(Lock& lock, ConstructWork& work);
  /// Ends an enter whose planning came to `planned`; gives the lock back.
  [[nodiscard]] Status finish_enter(Lock& lock, ConstructWork& work, Status planned);

  /// Device memory that a mapping had, and whose it was.
  struct Allocation {
    void* address;
    const char* name;
    std::uintptr_t host_begin;
    std::uint64_t size;
    std::uintptr_t device_begin;
  };
  using Allocations = absl::InlinedVector<Allocation, kInlineTransfers>;
  /// Takes a mapping off the table, and notes what is to be freed.
  void erase(Mapping& mapping, Allocations& allocations);
  /// Frees what erase() noted. Without the lock.
  [[nodiscard]] Status release(const Allocations& allocations, const Construct& construct);

  /// Makes host storage present for ever, and lets `fill` fill in its entry, unless the same
  /// storage is present and `is_same` is true of it.
  template <typename Predicate, typename Fill>
  Status present_for_ever(const void* host, std::uint64_t size, const void* device_address,
                          Predicate is_same, Fill fill);

  const PluginDevice& device_;
  GuardedTable guarded_;
  LinkVariables links_;
  MappingRules rules_;
  StorageNames names_;
  AddressSpace addresses_;
  StaleCopies stale_copies_;
  ReadOnlyMemory read_only_;
  std::atomic<bool> told_addresses_ = false;
};

} // namespace gantry::core
