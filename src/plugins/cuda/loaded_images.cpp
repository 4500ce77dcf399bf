#include "plugins/cuda/loaded_images.h"

#include "plugins/cuda/driver.h"
#include "plugins/cuda/image.h"

#include <algorithm>

namespace gantry::cuda {

void LoadedImages::add(gantry_image* image) {
  // Registered after the driver's own handler, this one runs before it.
  [[maybe_unused]] static const bool registered =
      (at_driver_end([] { loaded_images().end(); }), true);
  const std::lock_guard lock(mutex_);
  images_.push_back(image);
}

void LoadedImages::remove(gantry_image* image) {
  const std::lock_guard lock(mutex_);
  std::erase(images_, image);
}

void LoadedImages::end() {
  const std::lock_guard lock(mutex_);
  // In the reverse order, as objects are destroyed.
  std::for_each(images_.rbegin(), images_.rend(), [](gantry_image* image) { image->end(); });
  images_.clear();
}

LoadedImages& loaded_images() {
  static auto* const images = new LoadedImages; // exit handlers use it
  return *images;
}

} // namespace gantry::cuda
