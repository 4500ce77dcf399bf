// GANTRY_CHECK=map: values that one side has and the other does not get to see. What both sides
// were when they were last the same is kept with each mapping (CopiedValues): when a region begins,
// the host's values of what it may use are compared with that, and when it has ended, the device's.
//
// Objects of which no copy was ever asked for are the device's own scratch memory.
#pragma once

#include "runtime/core/data/construct_work.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gantry::core {

/// Any thread; the functions without a Lock take that of the environment.
class StaleCopies {
public:
  /// Both outlive the object.
  StaleCopies(const PluginDevice& device, GuardedTable& guarded)
      : device_(device), guarded_(guarded) {}
  StaleCopies(const StaleCopies&) = delete;
  StaleCopies& operator=(const StaleCopies&) = delete;

  /// When a region with these items is about to begin: warns of what it may use and the host has
  /// changed since it was copied: the items, declare target variables, and what their attached
  /// pointers lead to.
  void look_before_region(Items items, const Construct& construct);
  /// When its kernel is done: notes what it has changed. Where that is on the host.
  [[nodiscard]] std::vector<std::uintptr_t> look_after_region(Items items,
                                                              const Construct& construct);
  /// When its data has been copied, with what look_after_region() answered: tells what is different
  /// now, if that is wanted.
  void tell_differences(std::span<const std::uintptr_t> objects, const Construct& construct);

  /// Notes what a construct's copies have made the same. With the lock.
  static void note_copies(const ConstructWork& work);
  /// Warns of what a construct takes off the device with values that the host does not get.
  void look_at_gone(Lock& lock, const ConstructWork& work);

private:
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
  void look_at_gone(Mapping& mapping, const Construct& construct) const;
  void see_device(const Use& use, const std::string& construct) const;
  /// Calls `action` without the lock while no other construct copies to or from the mappings.
  template <typename Action>
  void while_marked(Lock& lock, std::span<Mapping* const> mappings, Action action);

  const PluginDevice& device_;
  GuardedTable& guarded_;
};

} // namespace gantry::core
