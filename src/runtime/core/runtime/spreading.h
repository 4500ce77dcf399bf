// GANTRY_SPREAD: target regions without a device clause run on any device where that changes no
// result, and not on the default device alone as the standard has it (OpenMP 5.2, section 2.2).
//
// A region stays on its device if it could find something there that other devices do not have:
//
//   - its list items are present there, by a data construct, an association or an image;
//   - its program has variables on the device, or functions of another program that has some can
//     be called by pointer;
//   - the program has device memory there, or was told an address of corresponding storage: such
//     addresses may be anywhere, in structures that are mapped too.
//
// It goes only to devices that it finds as it would find its own: loaded and not lost, sharing the
// host's memory or not, and able to access that if its own is; and where nothing of its list items
// is present. Of these it is the one with the fewest regions at work.
//
// What is at work at the same time has its say as well. The invariant: of two constructs at work
// that use the same storage, both are on one device exactly if the standard has them on one. Those
// that only copy it to devices may be on two, as each finds the same values. A construct that fits
// on no device waits until those that are in its way end.
#pragma once

#include "runtime/core/host/lock.h"
#include "runtime/core/host/settings.h"
#include "runtime/core/runtime/device.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <absl/container/inlined_vector.h>

#include <sys/types.h>

namespace gantry::core {

class Spreading;

/// A construct that is left to itself when it is under way.
class LeftToItself {
public:
  /// Ends it if it is done, and says whether it has ended. Any thread; without a lock of the core.
  virtual bool try_end() = 0;

protected:
  ~LeftToItself() = default;
};

/// A construct at work while regions are spread, from the choice of its device until it has ended.
/// The thread may change in between.
class Placement {
public:
  Placement() = default;
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;
  ~Placement();

  /// The device is another one than the standard's.
  [[nodiscard]] bool is_moved() const { return device_ != by_standard_; }

  /// From now on who waits for the construct may end it.
  void leave_to_itself(std::weak_ptr<LeftToItself> construct);

private:
  friend class Spreading;

  /// Original storage that the construct uses.
  struct Extent {
    std::uintptr_t begin = 0;
    std::uint64_t size = 0; ///< 0: an address
    bool from = false;      ///< it is copied to
  };

  void note_extents(Items items);
  /// How much of the storage is present on a device, beyond regions at work; an address of memory
  /// that the program has there counts too.
  [[nodiscard]] std::uint64_t bytes_held_on(Device& device) const;
  [[nodiscard]] bool is_held_on(Device& device) const { return bytes_held_on(device) != 0; }
  /// The standard's device, or if it has nothing of the storage the one that has most.
  [[nodiscard]] Device& home(std::span<Device* const> devices) const;
  /// Whether it matters where the other one is. `together`: by the standard they are on one device.
  [[nodiscard]] bool is_in_the_way(const Placement& other, bool together) const;

  absl::InlinedVector<Extent, 4> extents_;
  Spreading* spreading_ = nullptr; ///< null: it is not at work
  Device* by_standard_ = nullptr;
  Device* device_ = nullptr;
  bool is_region_ = false;
  std::weak_ptr<LeftToItself> left_to_itself_; ///< under the lock of `spreading_`
};

/// Any thread.
class Spreading {
public:
  Spreading() = default;
  Spreading(const Spreading&) = delete;
  Spreading& operator=(const Spreading&) = delete;

  /// The process's. Never destroyed, as regions may end behind destructors.
  [[nodiscard]] static Spreading& instance();

  /// Chooses the device of a region that names none, among the default device and `devices`, on
  /// which all programs are loaded. `region`: its host address. With Spread::kData it takes the
  /// device that has most of the list items' bytes for the default device, if that one has none.
  [[nodiscard]] Device& choose(Placement& placement, Device& default_device, const void* region,
                               Items items, std::span<Device* const> devices, Spread mode);

  enum class Of : std::uint8_t { kRegion, kData };
  /// A construct that is on its device in any case.
  void keep(Placement& placement, Device& device, Items items, Of kind);

  /// From now on no region is moved: functions that can be called by pointer have variables.
  void stop() { has_stopped_.store(true, std::memory_order_relaxed); }

private:
  friend class Placement;

  /// What those that are at work leave to another construct.
  struct Constraints {
    Device* required = nullptr; ///< null: it may be on any but the `excluded`
    absl::InlinedVector<const Device*, 4> excluded;
    bool contradictory = false; ///< it can be on none
    [[nodiscard]] bool permit(const Device& device) const;
  };
  [[nodiscard]] Constraints constraints(const Placement& placement) const;
  [[nodiscard]] Device* find_device(const Placement& placement, const void* region,
                                    std::span<Device* const> devices) const;
  /// Whether functions that the region may call have variables on the device.
  [[nodiscard]] bool keeps_state(const Device& device, const void* region) const;
  [[nodiscard]] bool must_stay(const Placement& placement, const void* region) const;
  [[nodiscard]] int load_of(const Device& device) const;
  /// Until something that is at work may have ended; ends what it can of it itself.
  void wait_for_others(Lock& lock, const Placement& placement);
  /// In a child of fork() nothing is at work at first: its parent's threads are not there.
  void forget_parent();
  void begin(Placement& placement, Device& device);
  void end(Placement& placement);

  std::atomic<bool> has_stopped_{false};
  Mutex mutex_{LockRank::kSpreading};
  Condition ended_;
  pid_t process_ = 0; ///< whose constructs they are
  std::vector<Placement*> at_work_;
  std::vector<int> regions_; ///< of those at work, how many are on the device of each number
  int last_chosen_ = -1;     ///< the number of a device; of equal ones the next is chosen
};

} // namespace gantry::core
