// The bytes of images that nodes have been sent, by their content: a node gets an image once.
//
// All nodes get an image when the first of them needs it, in a tree: the program sends it to one of
// them, which hands it to half of the others, and so on; so it leaves the program about log2 of the
// nodes' number times, and is everywhere after as many hops. Each node says when it has it. If a
// node is lost that was to hand it on, those behind it get it from the program.
#pragma once

#include "plugins/mpi/remote_node.h"

#include <cstddef>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

namespace gantry::mpi {

class Job;

[[nodiscard]] ImageName name_of(std::span<const std::byte> image);

/// Any thread.
class Images {
public:
  /// The job outlives this.
  explicit Images(Job& job) : job_(job) {}

  /// Sees to it that the node has the image; false if the node is lost.
  bool bring(RemoteNode& node, const ImageName& name, std::span<const std::byte> image);

private:
  struct Image {
    ImageName name;
    std::vector<std::byte> bytes; ///< which stay, for transfers and nodes that have none yet
    std::vector<const RemoteNode*> sent_to; ///< by anybody
  };
  /// The image; the first time it is sent to all nodes.
  Image& known(const ImageName& name, std::span<const std::byte> image);
  /// To the first of the nodes, which hands it to the others.
  void send(Image& image, std::span<RemoteNode* const> nodes);

  Job& job_;
  std::mutex mutex_; ///< of all below
  std::deque<Image> images_;
  std::deque<Strand> sent_; ///< for the transfers, which belong to no queue
};

} // namespace gantry::mpi
