#include "plugins/mpi/images.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gantry::mpi {

ImageName name_of(std::span<const std::byte> image) {
  const XXH128_hash_t hash = XXH3_128bits(image.data(), image.size());
  return {.hash = {hash.low64, hash.high64}, .size = image.size()};
}

void Images::bring(RemoteNode& node, const ImageName& name, std::span<const std::byte> image) {
  const std::lock_guard lock(mutex_);
  auto known = std::ranges::find(images_, name, &Image::name);
  if (known == images_.end()) {
    images_.push_back({name, {image.begin(), image.end()}, {}});
    known = std::prev(images_.end());
  }
  if (std::ranges::find(known->there, &node) != known->there.end()) {
    return;
  }
  known->there.push_back(&node);
  const std::uint32_t transfer = node.next_transfer();
  node.put(0, [&](std::vector<std::byte>& out) {
    Record(out, Kind::kImage, 0).put(name).put(transfer);
  });
  node.flush();
  node.send_bytes(sent_.emplace_back(), transfer, known->bytes);
}

} // namespace gantry::mpi
