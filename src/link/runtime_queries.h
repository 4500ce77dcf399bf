// Queries of the device runtime whose answer is known when the whole program is.
#pragma once

#include <map>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace gantry::link {

/// What the program says of each function, and the folding of runtime queries by it, so that dead
/// paths disappear:
///
/// __gantry_kernel_mode: whether one thread or all of them run what is outside of parallel regions;
/// folded in functions that only kernels of one mode reach.
/// __gantry_region_depth: the number of parallel regions around; folded in functions that are
/// reached at one depth alone.
/// __gantry_may_have_thread_states: whether any kernel reaches code that makes a thread's state.
/// __gantry_bodies_take_lists: that unify_parallel_regions() has run, which is so by then.
class RuntimeAnswers {
public:
  struct Ways;

  /// Of the whole program with the runtime, before any of the runtime's functions is inlined: calls
  /// say what is a parallel region.
  explicit RuntimeAnswers(const llvm::Module& module);
  ~RuntimeAnswers();
  RuntimeAnswers(const RuntimeAnswers&) = delete;
  RuntimeAnswers& operator=(const RuntimeAnswers&) = delete;

  /// Folds the queries in the module, in which the runtime's functions that query have been inlined
  /// meanwhile.
  void fold(llvm::Module& module) const;

private:
  std::map<const llvm::Function*, Ways> reach_; ///< of functions that kernels reach
  bool may_have_states_ = false;
};

} // namespace gantry::link
