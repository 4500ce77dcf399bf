// The bytes of images that nodes have been sent, by their content: a node gets an image once.
#pragma once

#include "plugins/mpi/remote_node.h"

#include <cstddef>
#include <deque>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace gantry::mpi {

[[nodiscard]] ImageName name_of(std::span<const std::byte> image);

/// Any thread.
class Images {
public:
  /// Sees to it that the node has the image, or gets it before what is asked of it next.
  void bring(RemoteNode& node, const ImageName& name, std::span<const std::byte> image);

private:
  struct Image {
    ImageName name;
    std::vector<std::byte> bytes; ///< which stay, for transfers and other nodes
    std::vector<const RemoteNode*> there;
  };
  std::mutex mutex_; ///< of all below
  std::deque<Image> images_;
  std::deque<Strand> sent_; ///< for the transfers, which belong to no queue
};

} // namespace gantry::mpi
