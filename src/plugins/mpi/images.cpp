#include "plugins/mpi/images.h"

#include "plugins/mpi/job.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gantry::mpi {

ImageName name_of(std::span<const std::byte> image) {
  const XXH128_hash_t hash = XXH3_128bits(image.data(), image.size());
  return {.hash = {hash.low64, hash.high64}, .size = image.size()};
}

bool Images::bring(RemoteNode& node, const ImageName& name, std::span<const std::byte> image) {
  Image* sent = nullptr;
  {
    const std::lock_guard lock(mutex_);
    sent = &known(name, image);
    if (std::ranges::find(sent->sent_to, &node) == sent->sent_to.end()) {
      RemoteNode* const only[] = {&node};
      send(*sent, only);
    }
  }
  const std::uint64_t lost = job_.lost_nodes();
  bool is_there = false;
  (void)job_.wait(node, [&] {
    is_there = node.has_image(name);
    return is_there || job_.lost_nodes() != lost;
  });
  if (is_there || node.is_lost()) {
    return is_there;
  }
  {
    // It may have been the lost one's to hand on.
    const std::lock_guard lock(mutex_);
    RemoteNode* const only[] = {&node};
    send(*sent, only);
  }
  return job_.wait(node, [&] { return node.has_image(name); });
}

Images::Image& Images::known(const ImageName& name, std::span<const std::byte> image) {
  const auto known = std::ranges::find(images_, name, &Image::name);
  if (known != images_.end()) {
    return *known;
  }
  Image& made = images_.emplace_back(name, std::vector(image.begin(), image.end()));
  std::vector<RemoteNode*> nodes;
  for (const auto& node : job_.nodes()) {
    if (!node->is_lost()) {
      nodes.push_back(node.get());
    }
  }
  // Half of those that are left each time.
  for (std::span<RemoteNode* const> left = nodes; !left.empty();) {
    const std::size_t half = (left.size() + 1) / 2;
    send(made, left.first(half));
    left = left.subspan(half);
  }
  return made;
}

void Images::send(Image& image, std::span<RemoteNode* const> nodes) {
  RemoteNode& first = *nodes.front();
  CopyFacts copy = {.address = 0, .size = image.name.size, .piece = 0, .transfer = 0, .other = 0};
  const std::uint32_t onward = job_.next_transfers(copy);
  copy.transfer = first.next_transfers(copy);
  const std::size_t others = (nodes.size() - 1) * sizeof(std::int32_t);
  first.put(others, [&](std::vector<std::byte>& out) {
    Record record(out, Kind::kImage, 0);
    record.put(image.name).put(copy.transfer).put(onward);
    for (const RemoteNode* const node : nodes.subspan(1)) {
      record.put(std::int32_t{node->process()});
    }
  });
  first.flush();
  first.send_bytes(sent_.emplace_back(), copy, image.bytes);
  image.sent_to.insert(image.sent_to.end(), nodes.begin(), nodes.end());
}

} // namespace gantry::mpi
