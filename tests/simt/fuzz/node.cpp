#include "node.h"

namespace gantry::simt::fuzz {

std::string Node::text() const {
  std::string result;
  if (is_dropped) {
    return result;
  }
  for (const auto& part : parts_) {
    if (const auto* node = std::get_if<std::unique_ptr<Node>>(&part)) {
      result += (*node)->text();
    } else if (!is_open) {
      result += std::get<std::string>(part);
    }
  }
  return result;
}

void Node::collect(std::vector<Node*>& nodes) {
  for (const auto& part : parts_) {
    const auto* node = std::get_if<std::unique_ptr<Node>>(&part);
    if (node != nullptr && !(*node)->is_dropped) {
      nodes.push_back(node->get());
    }
  }
  for (const auto& part : parts_) {
    const auto* node = std::get_if<std::unique_ptr<Node>>(&part);
    if (node != nullptr && !(*node)->is_dropped) {
      (*node)->collect(nodes);
    }
  }
}

} // namespace gantry::simt::fuzz
