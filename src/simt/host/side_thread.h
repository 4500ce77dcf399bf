// The thread on which compilers make better code while kernels run.
#pragma once

#include <functional>
#include <string>

namespace gantry::simt {

class SideThread {
public:
  struct Job {
    std::string name; ///< of what code is made of
    /// What is to be done. Calls the function between LLVM's passes, which may not return.
    std::function<void(void (*between_passes)())> work;
  };

  /// The process's; its thread starts with the first job. After fork() the child has none, and gets
  /// one when it asks for code.
  [[nodiscard]] static SideThread& instance();

  /// Does the jobs one after the other. Any thread. False if there are to be no more.
  bool put(Job job);
  /// Takes no more jobs. Waits for the one under way, but gives it up if that takes long, with a
  /// line on stderr that ends in `hint`; without a hint at once, and without a word. Before LLVM is
  /// closed.
  void stop(const char* hint);
  /// Likewise when the process's first thread ends the process, if it is this one; before any exit
  /// handler.
  static void stop_with_this_thread(const char* hint);

private:
  SideThread();
  struct State;
  State* state_;
};

} // namespace gantry::simt
