// The end of a process while regions may still run. OpenMP 5.2 leaves open what becomes of target
// tasks that are not complete when exit() is called; here they are complete if the calling thread
// can wait for them. Device images do not go away under a region in any case.
#pragma once

#include "runtime/core/host/module_path.h"

#include <atomic>
#include <cstdint>

namespace gantry::abi::openmp {

/// For constructors: from now on exit() waits for the target tasks that its thread's implicit task
/// has generated, before images are unloaded; and in children of a process that has used devices it
/// leaves these alone. Any thread; more than once is as once.
void prepare_for_exit();

/// For destructors, with the module whose program is to be unregistered: true if its images stay,
/// because the process ends and regions may still run, or are under way, in other threads or in
/// tasks that are not waited for. Then GANTRY_CHECK=leaks has had its say, but in a child of a
/// process that has used devices: what is mapped there is the parent's.
[[nodiscard]] bool images_stay(const core::Module& module);

/// A region that is about to begin, and for as long as it runs. Any thread.
class RegionUse {
public:
  enum class Task : std::uint8_t {
    kOther,  ///< the thread that runs it may run others
    kTarget, ///< of a construct with nowait, on whatever thread
  };

  explicit RegionUse(Task task = Task::kOther) : in_target_task_(task == Task::kTarget) {
    if (in_target_task_ || !thread_counts || ending.load(std::memory_order_relaxed) != Ending::kNot)
        [[unlikely]] {
      begin();
    }
  }
  RegionUse(const RegionUse&) = delete;
  RegionUse& operator=(const RegionUse&) = delete;
  ~RegionUse() {
    if (in_target_task_) [[unlikely]] {
      users.fetch_sub(1);
    }
  }

  /// False in a target task that nobody waits for any more: the process ends, and the images are
  /// gone, or devices of nodes. Another region does not get so far when the images are gone.
  [[nodiscard]] bool permitted() const { return permitted_; }

private:
  void begin();
  static void note_thread();

  /// The calling thread is one of `users`.
  static constinit thread_local bool thread_counts;
  /// Threads that have run regions and are there, and regions under way in target tasks.
  static std::atomic<int> users;
  enum class Ending : std::uint8_t {
    kNot,        ///< the process goes on
    kDeciding,   ///< it ends, and the thread that ends it counts the users
    kImagesStay, ///< it ends while others may run regions
    kImagesGo,
  };
  static std::atomic<Ending> ending;

  bool in_target_task_;
  bool permitted_ = true;

  friend void end_process();
  friend bool images_stay(const core::Module& module);
  friend struct ThreadEnd;
};

} // namespace gantry::abi::openmp
