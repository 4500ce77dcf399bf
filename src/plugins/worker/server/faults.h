// What ends the worker is written where the program finds it: by handlers of signals, which run on
// stacks of their own, and by one of exit().
#pragma once

#include "plugins/worker/protocol.h"

#include <cstdint>

namespace gantry::worker {

/// For every thread that runs code of images: gives it a stack for its signal handlers and notes
/// where its own ends. `channel` is the one whose operations the thread works on.
void enter_thread(Channel* channel);

/// The channel of the calling thread; null if it has none.
[[nodiscard]] Channel* current_channel();

/// Installs the handlers. Once, before the first image.
void watch_for_faults(Control& control);

/// Where an image is in memory, and what of it can be executed.
struct ImageExtent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t code_begin = 0;
  std::uint64_t code_end = 0;
};

/// An image is there until forget_image().
void note_image(std::uint64_t image, const ImageExtent& extent);
void forget_image(std::uint64_t image);

/// Ends the process because the kernel of `channel` takes too long; from another thread.
[[noreturn]] void end_by_time(Channel& channel);

} // namespace gantry::worker
