#include "plugins/gpu/loaded_images.h"

#include <algorithm>

namespace gantry::gpu {

void LoadedImages::add(gantry_image* image) {
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
  std::for_each(images_.rbegin(), images_.rend(), end_image_);
  images_.clear();
}

} // namespace gantry::gpu
