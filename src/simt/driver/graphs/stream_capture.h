// What a stream and an event keep of the capture that they are in (capture.h), which guards it.
#pragma once

#include "gantry/cuda_driver.h"

#include <memory>
#include <vector>

namespace gantry::simt::driver {

class Capture;
struct GraphNode;

struct StreamCapture {
  std::shared_ptr<Capture> of; ///< null: not captured
  /// What the next operation depends on.
  std::vector<std::shared_ptr<GraphNode>> dependencies;
  std::vector<CUgraphNode> handles; ///< those of `dependencies` that the last query gave
};

} // namespace gantry::simt::driver
