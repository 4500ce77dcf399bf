// The images that have something to do on their devices before the driver ends.
//
// The runtime unloads images when the program's libraries go, which at the end of a process is
// late: the driver has ended by then, by an exit handler or a destructor of its own. So they do
// what is left before that, and nothing when they are unloaded.
#pragma once

#include <mutex>
#include <vector>

struct gantry_image;

namespace gantry::gpu {

/// Any thread.
class LoadedImages {
public:
  /// `end_image` has an image do what is left.
  explicit LoadedImages(void (*end_image)(gantry_image*)) : end_image_(end_image) {}

  void add(gantry_image* image);
  void remove(gantry_image* image);
  /// Ends those that are there.
  void end();

private:
  void (*end_image_)(gantry_image*);
  std::mutex mutex_;
  std::vector<gantry_image*> images_;
};

} // namespace gantry::gpu
