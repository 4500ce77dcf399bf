// The images that have something to do on their devices before the driver ends.
//
// The runtime unloads images when the program's libraries go, which at the end of a process is
// late: NVIDIA's driver has an exit handler of its own by then, and does nothing more behind it. So
// at the end of the driver they do what is left, and nothing when they are unloaded.
#pragma once

#include <mutex>
#include <vector>

struct gantry_image;

namespace gantry::cuda {

/// Any thread.
class LoadedImages {
public:
  /// The driver has been initialised.
  void add(gantry_image* image);
  void remove(gantry_image* image);
  /// Ends those that are there.
  void end();

private:
  std::mutex mutex_;
  std::vector<gantry_image*> images_;
};

/// Of the process.
[[nodiscard]] LoadedImages& loaded_images();

} // namespace gantry::cuda
