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
#include "runtime/core/devices/allocation_table.h"
#include "runtime/core/data/construct_work.h"
#include "runtime/core/reports/diagnostics.h"
#include "runtime/core/host/lock.h"
#include "runtime/core/data/map_item.h"
#include "runtime/core/data/mapping_table.h"
#include "runtime/core/devices/plugin.h"
#include "runtime/core/queues/private_storage.h"
#include "runtime/core/host/read_only_memory.h"

#include <array>
#include <functional>
#include <optional>
#include <span>

namespace gantry::core {

class DataEnvironment {
public:
  /// `device` and `allocations`, what the program allocated on it, outlive the environment.
  DataEnvironment(const PluginDevice& device, const AllocationTable& allocations)
      : device_(device), allocations_(allocations), unified_(device.shares_memory()) {}
  DataEnvironment(const DataEnvironment&) = delete;
  DataEnvironment& operator=(const DataEnvironment&) = delete;

  /// Maps `items` for the duration of a data region. If it fails nothing stays mapped that was not.
  [[nodiscard]] Status enter(std::span<const MapItem> items, const Construct& construct,
                             Queue& queue);

  /// Maps `items` for a target region and appends one value to `arguments` for each item with
  /// `argument`, or the address of a block of these, with private copies in `storage`. `last` is
  /// what they were found in the last time, which is looked at first; null: it is not known.
  [[nodiscard]] Status enter_target(std::span<const MapItem> items, const Construct& construct,
                                    Queue& queue, KernelArguments& arguments, ParameterForm form,
                                    PrivateStorage& storage, FoundLast* last = nullptr) {
    if (items.empty()) {
      if (form == ParameterForm::kBlock) {
        arguments.push_back(nullptr);
      }
      return {};
    }
    return enter_items(items, construct, queue, arguments, form, storage, last);
  }

  /// Ends what enter began, with the items of the end of the region or of target exit data. An
  /// error of one item does not keep the others from being copied and taken off the device.
  [[nodiscard]] Status exit(std::span<const MapItem> items, const Construct& construct,
                            Queue& queue) {
    return exit_target(items, construct, queue, nullptr);
  }
  /// The same at the end of a target region, with the `last` of enter_target.
  [[nodiscard]] Status exit_target(std::span<const MapItem> items, const Construct& construct,
                                   Queue& queue, FoundLast* last) {
    return items.empty() ? Status() : exit_items(items, construct, queue, last);
  }

  [[nodiscard]] Status update(std::span<const MapItem> items, const Construct& construct,
                              Queue& queue);

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

  /// How the code of an image uses a declare target link variable, for compilers that leave this to
  /// the runtime.
  struct LinkTarget {
    /// Of the device: a pointer, which is to point to the corresponding storage while there is any.
    void* pointer = nullptr;
    /// Else the storage itself, which is the corresponding storage whenever the variable is mapped.
    void* storage = nullptr;
    bool operator==(const LinkTarget&) const = default;
  };
  /// A link variable of an image: present while a construct maps it, until undeclare_link().
  void declare_link(const void* host, std::uint64_t size, const LinkTarget& target);
  /// Ends declare_link() if it was made with this target.
  void undeclare_link(const void* host, const LinkTarget& target);

  /// GANTRY_CHECK=map, when a region with these items is about to begin: warns of what it may use
  /// and the host has changed since it was copied: the items, declare target variables, and what
  /// their attached pointers lead to.
  void look_before_region(std::span<const MapItem> items, const Construct& construct);
  /// The same when its kernel is done: notes what it has changed. Where that is on the host.
  std::vector<std::uintptr_t> look_after_region(std::span<const MapItem> items,
                                                const Construct& construct);
  /// The same when its data has been copied, with what look_after_region() answered: tells what is
  /// different now, under GANTRY_INFO=stale.
  void tell_differences(std::span<const std::uintptr_t> objects, const Construct& construct);

  /// Libraries have been loaded, from whose constants nothing is to be copied back. Asks the
  /// dynamic loader.
  void note_modules();

  /// From now on everything that becomes present is its own corresponding storage, unless its item
  /// says `close`: unified_shared_memory on a device that can access the host's memory.
  void unify();

  /// True if anything that is present has storage other than the original storage.
  [[nodiscard]] bool has_separate_storage();

  [[nodiscard]] bool is_present(const void* host, std::uint64_t size);

  /// The corresponding address of a host address, or null if it is not present.
  [[nodiscard]] void* corresponding(const void* host, std::uint64_t size);

  /// See MappingTable::intern_strings.
  void intern_strings(std::uintptr_t begin, std::uintptr_t end);

  /// What is still mapped, by constructs and not for ever: a sentence for each.
  [[nodiscard]] std::vector<std::string> leaks();

  /// Storage of this environment, as messages about faults name it.
  struct Storage {
    std::string name;         ///< "'Y'", or "storage"
    std::uintptr_t begin = 0; ///< on the side that was asked for
    std::uint64_t size = 0;
    std::string mapped_at;   ///< " at app.cpp:12", or nothing
    std::string unmapped_at; ///< the same, of what is not mapped any more
  };
  /// Corresponding storage that holds a device address, or the last one that held it and was
  /// unmapped lately (`gone`).
  [[nodiscard]] std::optional<Storage> storage_at(std::uintptr_t device_address);
  [[nodiscard]] std::optional<Storage> gone_storage_at(std::uintptr_t device_address);
  /// The one that lies before a device address, and the one behind it.
  [[nodiscard]] std::optional<Storage> storage_before(std::uintptr_t device_address);
  [[nodiscard]] std::optional<Storage> storage_behind(std::uintptr_t device_address);
  /// The original storage that holds a host address, of what is present.
  [[nodiscard]] std::optional<Storage> original_at(std::uintptr_t host_address);
  /// A pointer in original storage that points to a host address or not far before it, and is not
  /// attached: its offset and the storage that it is in.
  struct StrayPointer {
    Storage holder;
    std::uint64_t offset = 0;
    std::uintptr_t value = 0;
  };
  [[nodiscard]] std::optional<StrayPointer> pointer_to(std::uintptr_t host_address);

  /// Calls `visit` with the host address, size, reference count and count of holds of everything
  /// that is present, in order: for tests.
  void for_each_count(const std::function<void(std::uintptr_t, std::uint64_t, std::uint64_t,
                                               std::uint64_t)>& visit);
  /// What does not hold of what must hold while no construct is at work, or null: for tests.
  [[nodiscard]] const char* broken_invariant();

  /// The table as text, one entry a line, for people.
  [[nodiscard]] std::string describe();

private:
  using Items = std::span<const MapItem>;

  // enter_target() and exit_target() with items.
  Status enter_items(Items items, const Construct& construct, Queue& queue,
                     KernelArguments& arguments, ParameterForm form, PrivateStorage& storage,
                     FoundLast* last);
  Status exit_items(Items items, const Construct& construct, Queue& queue, FoundLast* last);

  // The steps of a construct. The lock is held where it is not said otherwise.

  /// Waits, without the lock, while a construct copies what the items concern.
  void settle(Lock& lock, Items items);
  /// Waits until some construct takes marks off.
  void wait_for_marks(Lock& lock);
  /// Whether `predicate` is true of some mapping that the items concern: the copies of a construct
  /// with these items, or its pointers, may be in it.
  template <typename Predicate>
  [[nodiscard]] bool any_concerned(Items items, Predicate predicate);
  [[nodiscard]] Status plan_enter(Lock& lock, Items items, ConstructWork& work);
  /// Allocates the corresponding storage of new mappings and looks for constants, without the lock.
  [[nodiscard]] Status allocate_created(Lock& lock, Items items, ConstructWork& work);
  [[nodiscard]] Status allocate(std::span<ConstructWork::Created> created);
  [[nodiscard]] Status plan_exit(Items items, ConstructWork& work);
  [[nodiscard]] Status plan_update(Items items, ConstructWork& work);
  [[nodiscard]] Status plan_update(const MapItem& item, ConstructWork& work);
  /// Copies what is planned, without the lock, and waits for what concerns mappings.
  [[nodiscard]] Status run_transfers(Lock& lock, ConstructWork& work);
  /// Takes off the marks of a construct, but for the first `kept`.
  void take_marks_off(ConstructWork& work, std::size_t kept = 0);
  /// Calls `action` without the lock while no other construct copies to or from the mappings.
  template <typename Action>
  void while_marked(Lock& lock, std::span<Mapping* const> mappings, Action action);
  /// Ends an enter whose planning came to `planned`; gives the lock back.
  [[nodiscard]] Status finish_enter(Lock& lock, ConstructWork& work, Status planned);

  // Rules (mapping_rules.cpp).

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
  Mapping& insert_infinite(std::uintptr_t begin, std::uint64_t size, void* device_address,
                           bool read_only);
  /// Counts a new mapping that has storage of its own.
  void note_separate(const Mapping& mapping);
  /// Plans a copy, unless the storage is the original storage itself, or it would go to constants.
  void transfer(Mapping& mapping, std::uintptr_t begin, std::uint64_t size,
                Transfers::Direction direction, ConstructWork& work);
  void mark(Mapping& mapping, ConstructWork& work);

  // Pointers (attachment.cpp).

  /// Makes the corresponding pointer of an item point to the corresponding pointee, if both are
  /// present and one of them is new.
  void attach(const MapItem& item, ConstructWork& work);
  /// Where storage is unified: true if a pointer inside [begin, begin + size) is to be
  /// attached to storage that the device has of its own. Then the pointer needs storage of its own
  /// too, or the host's pointer would change.
  bool points_to_own_storage(Items items, std::uintptr_t begin, std::uint64_t size,
                             ConstructWork& work);
  /// The corresponding address of what a pointer points to; 0 if that is not present.
  [[nodiscard]] std::uintptr_t corresponding_pointee(const MapItem& item);

  // Mistakes (checks.cpp).

  /// Warns of storage that this construct takes off the device while pointers that stay there are
  /// attached to it.
  void warn_of_attached(const ConstructWork& work);

  // Values that one side has and the other does not get to see (stale_copies.cpp).

  /// Notes what a construct's copies have made the same.
  static void note_copies(const ConstructWork& work);
  /// Warns of what a construct takes off the device with values that the host does not get.
  void look_at_gone(Lock& lock, const ConstructWork& work);
  void look_at_gone(Mapping& mapping, const Construct& construct) const;
  /// Host storage of a mapping that a region may use.
  struct Use {
    Mapping* mapping;
    std::uintptr_t begin;
    std::uintptr_t end;
  };
  /// Of what was ever copied.
  [[nodiscard]] std::vector<Use> uses_of(Items items);
  /// Looks at what the items may use, when no other construct copies to or from that. Without the
  /// lock: it reads the device's memory.
  void look_at_uses(Items items, const std::function<void(const Use&)>& look);
  void see_device(const Use& use, const std::string& construct) const;

  // What addresses mean (addresses.cpp).

  /// Remembers what goes, for the message about its use.
  void note_gone(const Mapping& mapping, const Construct& construct);
  template <typename Better>
  [[nodiscard]] std::optional<Storage> choose_storage(Better better);

  // Parameters (kernel_arguments.cpp).

  [[nodiscard]] Status append_arguments(Items items, ConstructWork& work,
                                        KernelArguments& arguments, const PrivateLayout& layout,
                                        PrivateStorage& storage);

  /// Points the device's pointers to link variables in `mapping` to it.
  void point_links(Mapping& mapping, ConstructWork& work);
  /// Where an image has the storage of a link variable that [begin, begin + size) lies in; else 0.
  [[nodiscard]] std::uintptr_t link_storage(std::uintptr_t begin, std::uint64_t size) const;

  /// Device memory that a mapping had, and whose it was.
  struct Allocation {
    void* address;
    const char* name;
    std::uintptr_t host_begin;
    std::uint64_t size;
  };
  /// Takes a mapping off the table and returns what is to be freed; its address may be null.
  Allocation erase(Mapping& mapping);
  /// Frees what erase() returned. Without the lock.
  [[nodiscard]] Status release(std::span<const Allocation> allocations);

  struct Link {
    std::uintptr_t host;
    std::uint64_t size;
    LinkTarget target;
  };
  using Links = std::vector<Link>;
  /// The first link variable that does not end before `begin`.
  [[nodiscard]] Links::const_iterator first_link(std::uintptr_t begin) const;

  /// What was unmapped lately: its device address, and strings that live as long as their module.
  struct Gone {
    std::uintptr_t device_begin = 0;
    std::uint64_t size = 0;
    const char* name = nullptr;
    const char* mapped_at = nullptr;
    const char* unmapped_at = nullptr;
  };

  const PluginDevice& device_;
  const AllocationTable& allocations_;
  Mutex mutex_{LockRank::kDataEnvironment};
  Condition settled_; ///< a mark was taken off
  MappingTable table_;
  Links links_; ///< sorted by host address
  int marks_ = 0;
  int waiting_ = 0;
  std::array<Gone, 64> gone_{};
  std::size_t next_gone_ = 0;
  /// Mappings whose storage is not the original storage itself.
  std::uint64_t separate_storage_ = 0;
  ReadOnlyMemory read_only_;
  bool unified_;
};

} // namespace gantry::core
